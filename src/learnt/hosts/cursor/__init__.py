"""Cursor: conversations of the editor in its database, those of the command line as transcripts without results."""
