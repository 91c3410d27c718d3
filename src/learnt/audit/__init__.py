"""Audit: from the trail of events to the answer whether it is the one that was written.

In come the events as stored and the stored head, out goes a report with the first broken link. The invariant: this
room only reads; events are appended by the store, in the transaction of the change they tell of, and hold ids, types,
counts and keyed hashes, never text. The chain shows a change, a removal and an insertion; it does not show a chain
recomputed as a whole by somebody who may write the file.

Tried and rejected: stopping at the first broken link (the counts are then of no use for a repair), and hashing columns
joined by a separator (two different rows could then have one hash).
"""
