"""Hosts: the coding agents learnt adapts to, their transcripts and their hooks.

In comes what a host wrote: a transcript, a hook's question, a settings file. Out goes the same in our words: one stream
of session events whatever the host, an answer in the host's dialect, an edited settings file. Nothing here decides what
is worth keeping.

Each host's sessions are read in a package of its own (`claude`, `codex`, ...), whose `host` says how a file of it is
told, where its files lie and what reads them. What readers share is `reading`. The seam to the rest is three modules:
`host` (what one host brings), `transcript` (all of them, and whose a place is), `local` (the port).

How a host is set up is `wiring`. What hooks say is `dialect` for Claude Code, whose hook is the quickest, and
`dialects` and `calls` for the others; `marker` tells which host started this process. These four are hook-safe, and so
this package imports nothing.

The one invariant: a file can be read in constant memory, in pieces, again and again, and every message is told once.
What has no id gets one made of its place and words, so that a second reading knows it. A command whose host does not
say how it ended is neither failure nor success.

Tried and rejected: one reader with a table of differences (the formats differ in what a record is, not in its names);
a fork's rows by time alone (a parent may go on after its fork); all readers in one folder (nobody found theirs).
"""
