"""A store of dictionaries, for tests and throw-away use: nothing outlives the process.

In and out go the same values as with any store. The invariant: it shares no code with the SQLite store beyond the
model, so the suite of `learnt.testing` compares two independent readings of `learnt.ports.store`. Tried and rejected:
SQLite in memory (then every error in the SQL would be in both).
"""

from learnt.stores.ephemeral.store import EphemeralStore

__all__ = ["EphemeralStore"]
