"""How each host is wired: its files, its events, what is left to the person."""
