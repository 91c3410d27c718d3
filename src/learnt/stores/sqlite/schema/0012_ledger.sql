-- Models: what they were asked to do, and what it cost.

PRAGMA user_version = 12;
