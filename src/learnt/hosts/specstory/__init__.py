"""SpecStory: another client's session as Markdown, turn by turn."""
