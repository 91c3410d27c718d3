"""Gemini CLI: a log in which a message is written again whenever it changes, or one old document."""
