"""Cline and Roo: one JSON document a session, rewritten whole, and facts of it in files beside."""
