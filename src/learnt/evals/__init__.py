"""Evaluation: how well memories are found, measured through the same doors a caller uses.

In come fixtures of labelled memories, a held-out corpus of sources, or a data set in its own folder; out go reports of
plain JSON values: precision and recall at k, noise, leaks, stale answers, latency, and whether each bar is met.

The one invariant: a report never claims what was not measured. A part that did not run is `degraded` or `skipped` with
its reason, and two runs over the same input give the same report except for times.

Only the readers in `datasets` know what a data set looks like; nothing below this package knows that it is measured.
Rejected: judging answers with a language model (its grade is not repeatable), and measuring rankings of a private
copy of the scorer (it would measure the copy).
"""
