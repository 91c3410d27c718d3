"""The gate measured on labelled texts, and what stands behind it measured end to end.

In: a folder of corpora (`datasets.security`). Out: for each corpus recall, false alarms, precision and time; and the
figures the bars are held against. The gate that is measured is the one that writes go through, at its one setting.

Found means that the verdict is redact, quarantine or refuse; a false alarm is the same verdict on an honest text.
Personal data are looked for by the function that exports and erasure use, because writes look for them only on demand.

Rejected: a cut chosen on the corpora (every figure would be kind to itself), and leaving the disguises of sentences out
that are not found plainly from the count without saying so (their share is reported beside).
"""
