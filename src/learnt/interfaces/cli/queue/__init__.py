"""The queue at a terminal: what waits, shown so that a person can decide it, one key or one filter at a time."""
