-- 0010 forgotten: keyed digests of what was forgotten, so that it does not come back.

PRAGMA user_version = 10;
