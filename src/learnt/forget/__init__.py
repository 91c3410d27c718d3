"""Forgetting: what goes with a memory, what comes back for it, and what keeps it away.

In come memories with what they were made of and what replaced them; out go the closure (ids to delete, ids to make
active again) and keyed digests of what was said. The one invariant: whatever carries the content of a forgotten memory
goes with it, and nothing else does.

Rejected: following links without end in both directions, which takes siblings that say something else; a digest
without a key, which anybody with a list of guesses could open; a digest of the exact bytes, which a changed capital
would walk around; deleting what merely resembles, which is shown to a person first instead.
"""
