"""Copilot CLI: an event log in JSON lines, and a small file beside it that says whose it is."""
