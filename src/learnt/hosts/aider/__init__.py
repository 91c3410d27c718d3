"""aider: a chat history in Markdown, one session after the other."""
