"""The command line: words in, an engine asked, an answer on screen or as one JSON document.

It knows the engine and the wire, never a store or a room. The one invariant: standard output holds the answer and
nothing else; diagnostics, progress and warnings go to standard error.
"""
