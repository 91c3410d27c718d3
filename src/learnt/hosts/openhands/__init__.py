"""OpenHands: a folder a conversation, with one JSON file an event."""
