"""A store of JSON lines: one file that people and programs read, for looking into and for small stores.

In and out go the same values as with any store. It is the store of dictionaries with a file behind it: a transaction
appends what it changed, one line a row, and at last a line that commits it. Whoever opens the file, or finds that it
has grown, plays the lines through. The invariant: a row counts when its transaction was committed, and then the last
one of its key counts, valid or not.

Vectors, jobs and the verification of the audit trail are left to the databases; asked for, they answer `unsupported`.

Tried and rejected: a file for each sort of row (a change of two sorts is then in one file before it is in the other,
and needs a third file that says whether it counts), and undoing a torn change by cutting the file (what a person wrote
at its end would go with it).
"""
