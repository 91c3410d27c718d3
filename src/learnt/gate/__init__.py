"""The gate: every text that is stored or shown passes here first.

In: passages (a field's name and its text), or one text to be made safe to show. Out: a `Verdict` that names what was
found and where in the text as stored, or the text with every secret replaced by `[REDACTED:name]`.

The one invariant: the gate reads a folded copy (`normal`) and reports positions in the original, so stored text stays
byte for byte as it was written, and no caller ever sees matched text in a finding, an error or a log.

One reading is a single pass of one automaton over all patterns (`patterns`, `patterns.toml`); only patterns that hit
are searched again for their places (`spans`). A text that bears the marks of a disguise (escapes, encodings, tag
characters) is read again without it (`disguise`); secrets that wrapped output cut in pieces are put together
(`joints`). Whether a labelled value (`password: ...`) is a secret or an example is decided by `value`, in plain
functions. `hygiene` tells whether a text may be stored at all; `clearance` is the version string the hook compares,
kept apart because a hook must not load an automaton.

Tried and rejected: one expression after the other in the standard library's `re` (thirty times slower, and a begin
marker without its end made it quadratic); entropy alone as a signal (flags nearly every commit message); a verdict per
field (a caller needs one answer for one write); refusing whatever mentions a secret's prefix (people store rules about
secrets, and those must pass).
"""
