-- 0008 relations: which memories an applied merge tied together.

PRAGMA user_version = 8;
