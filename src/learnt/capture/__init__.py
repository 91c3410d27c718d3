"""Capture: what was observed in a session becomes evidence, a digest, and candidates for memory.

In come the events of one session, in order, as any host's reader gives them. Out go evidence units (verbatim, redacted,
each with its place), a digest (four kinds of entry, bounded), and a harvest: lessons with the spans they rest on, and
the commands that worked. Nothing here reads a file, a clock or a store; every fold takes one event at a time and its
memory does not grow with the session.

The one invariant: only what somebody did or said counts as theirs. A person's words are those typed in the main thread,
without our own blocks, private parts and the host's wrappers (`echo`). Success and failure come from exit codes, never
from what an output claims. Every lesson quotes the record it rests on, and `accept` lets nothing past a person but
their own instruction and a harmless command that two sessions proved.

Tried and rejected: taking every failed command that was followed by a success (most are red tests, greps without a
match and conflicts: four of five were junk, so the output has to blame the command or its place); every sentence with
"always" or "never" (people tell stories with them, so the form of an instruction is asked for); closing words with
"because" (reviews are full of them, so a reply that reviews gives nothing); lessons of one file's writes without a
failing check (that is just work).
"""
