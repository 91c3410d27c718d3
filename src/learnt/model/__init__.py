"""The nouns: frozen values every room exchanges.

Nothing here reads a clock, a file or an environment variable, and nothing imports outside the standard library.
`keys`, `kinds`, `tokens`, `instant` and `place` are also read by the hook process, so they import nothing heavy and
this package imports nothing at all.
"""
