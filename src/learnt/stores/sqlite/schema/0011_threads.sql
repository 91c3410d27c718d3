-- Sessions: the registry of threads, what each taught, and what they come to.

PRAGMA user_version = 11;
