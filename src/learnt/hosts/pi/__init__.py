"""pi and oh-my-pi: JSON lines whose entries are a tree; the session is one way through it."""
