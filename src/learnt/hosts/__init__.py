"""Hosts: the coding agents learnt adapts to, their transcripts and their hooks.

In comes what a host wrote: a transcript, a hook's question, a settings file. Out goes the same in our words: one stream
of session events whatever the host (`host` is the seam, `transcript` knows all hosts), an answer in the host's dialect,
an edited settings file. Nothing here decides what is worth keeping.

Reading a transcript is a ladder of small steps: bytes to bounded lines (`lines`; of an over-long one `outline` keeps
the top level), lines to records or a note of what is wrong with them (`records`, `splice`), records to events
(`claude`, with `row`, `response`, `words`, `tools`), and beside them what is known of the session (`overview`) and
whose copied rows are (`lineage`, `seen`).

Not every client keeps lines. A document that is written anew each time is walked through record by record (`document`);
a database is read as it stands and left as it was (`foreign`); a record that is written again in place has a number for
each of its stages (`stages`), so that what was read early keeps nothing out later; giant strings are cut before they
are decoded (`cut`). Tools that differ only by name are a table (`toolbox`), events are made in one place (`moment`).

What such a document says of itself may stand behind its records (`whole`). Markdown is read by lines (`textlines`),
where marks inside code are none (`fence`): aider's history (`historyfile`, `aider`), SpecStory's turns and tool uses
(`specstory`, `tooluse`). A conversation that every record repeats (`talk`) counts where it is met first; one of many
files is `conversation`. What has no id gets one made of its place and words, so that a second reading knows it. A
command whose host does not say how it ended is neither failure nor success.

Wiring a host is a table (`fitting`, of the values in `fit`; `site` says where): each names the files that are changed,
as pieces (`piece`) that know how our part gets in and out again: hooks (`wiring`), servers (`server`), TOML and YAML by
lines (`tomltext`, `yamltext`), files of ours (`templates`). JSON is edited by position (`edit`, `jsontext`); what was
put in is remembered (`installed`). What hooks say is `dialect` for Claude Code, whose hook is the quickest, and
`dialects` and `calls` for the others; `trial` is what `doctor` tries them with.

The one invariant: a file can be read in constant memory, in pieces, again and again, and every message is told once.

Tried and rejected: an event parser for JSON (1 to 40 MB/s in Python); decoding over-long lines (three to twelve times
their size in memory); telling rows apart by searching their text for marks (spacing and order of keys mean nothing);
a fork's rows by time alone (a parent may go on after its fork).
"""
