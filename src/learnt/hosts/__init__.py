"""Hosts: the coding agents learnt adapts to, their transcripts and their hooks.

In comes what a host wrote: a transcript, a hook's question, a settings file. Out goes the same in our words: one stream
of session events whatever the host (`host` is the seam, `transcript` knows all hosts), an answer in the host's dialect,
an edited settings file. Nothing here decides what is worth keeping.

Reading a transcript is a ladder of small steps: bytes to bounded lines (`lines`; of an over-long one `outline` keeps
the top level), lines to records or a note of what is wrong with them (`records`, `splice`), records to events
(`claude`, with `row`, `response`, `words`, `tools`), and beside them what is known of the session (`overview`) and
whose copied rows are (`lineage`, `seen`).

The one invariant: a file can be read in constant memory, in pieces, again and again, and every message is told once.

Tried and rejected: an event parser for JSON (1 to 40 MB/s in Python); decoding over-long lines (three to twelve times
their size in memory); telling rows apart by searching their text for marks (spacing and order of keys mean nothing);
a fork's rows by time alone (a parent may go on after its fork).
"""
