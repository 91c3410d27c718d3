"""Distil: what one session taught, and what a repository's sessions come to together.

In come the events of one session, cleaned of what is nobody's words and redacted before they get here, or what many
sessions gave. Out go facts with the words they rest on (phase 1), a playbook of entries and skills (phase 2), the
files made from it, and what a person changed in them. Everything is pure: no file, clock, store or model is touched;
what a model is shown, asked for and allowed to have said is decided here, calling it is the flow's.

Phase 1 without a model is `offline`: a person's words by `sorts`, the agent's by `remarks`, `commits` and `comments`,
commands by `ending`. With one, it is shown `material` (of it `payload` is the session), answers in a `schema`, and
`verify` looks for each quote. Either gives a `draft`. Phase 2 is `compose`: `near` says what is one statement, `newer`
which of them still stands, `procedure` which commands are a skill; `written` takes a model's part in it. `support`
bounds what a model may say. `render` and `skill` make files of it all, and `edited` and `learned` read what a person
changed in them.

The one invariant: nothing stands here on its writer's word. An assertion of a model is a fact only when its quote is
found in the transcript in the mouth it names; a fact is shown to agents by its standing (an active memory, a person's
own words, an observation), never by how sure it sounds; a procedure becomes a skill only when two sessions show that it
worked. Equal input gives equal bytes, in whatever order it comes.

Tried and rejected: letting a model write Markdown (nothing in it can be checked or taken back line by line, so it
names facts and the files are rendered from rows); joining facts by similarity alone ("use npm" and "use pnpm" are
nearly the same sentence, so one has to hold the other's words); skills from one session (most command sequences are
steps of that day's task).
"""
