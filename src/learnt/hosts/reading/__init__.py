"""Reading: what the readers of all hosts share.

In come files and databases of somebody else's, out go records with their places, and events made of them. It is a
ladder of small steps: bytes to bounded lines (`lines`; of an over-long one `outline` keeps the top level), lines to
records or a note of what is wrong with them (`records`, `splice`), values of a record as what they should be (`value`),
records to events (`moment`), and beside them what is known of the session (`sheet`) and what was seen (`seen`).

Not every client keeps lines. A document that is written anew each time is walked through record by record (`document`,
`whole`); a database is read as it stands and left as it was (`foreign`); a record that is written again in place has a
number for each of its stages (`stages`); giant strings are cut before they are decoded (`cut`). Markdown is read by
lines (`textlines`), where marks inside code are none (`fence`). Turns that were taken back are no part of a session
(`rewind`). Tools that differ only by name are a table (`toolbox`); `tools` and `words` are those of Claude Code, whose
names and marks other clients write, too. Types of records that are known stand in `kinds`; `alive` looks at processes.

The invariant: one bad record never ends a reading, and none is held twice.

Tried and rejected: an event parser for JSON (1 to 40 MB/s in Python); decoding over-long lines (three to twelve times
their size in memory); telling rows apart by searching their text for marks (spacing and order of keys mean nothing).
"""
