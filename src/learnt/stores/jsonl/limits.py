"""What a store of lines leaves to the databases: it says so instead of doing it."""

from __future__ import annotations

from typing import NoReturn

from learnt.errors import UnsupportedError
from learnt.stores.ephemeral.queue import EphemeralQueue
from learnt.stores.ephemeral.vectors import EphemeralVectors


def unsupported(what: str) -> NoReturn:
    """Refuse.

    Raises:
        UnsupportedError: Always.
    """
    raise UnsupportedError(f"A store of JSON lines has no {what}.", details={"what": what})


class LineVectors(EphemeralVectors):
    """See `learnt.ports.vectors.Vectors`: there are none, and none can be kept."""

    def begin(self, *_: object, **__: object) -> NoReturn:
        """Not here."""
        unsupported("vectors")

    def put(self, *_: object, **__: object) -> NoReturn:
        """Not here."""
        unsupported("vectors")

    def search(self, *_: object, **__: object) -> NoReturn:
        """Not here."""
        unsupported("vectors")


class LineQueue(EphemeralQueue):
    """See `learnt.ports.queue.Queue`: it is empty, and stays so."""

    def enqueue(self, *_: object, **__: object) -> NoReturn:
        """Not here."""
        unsupported("jobs")

    def lease(self, *_: object, **__: object) -> NoReturn:
        """Not here."""
        unsupported("jobs")

    def hold(self, *_: object, **__: object) -> NoReturn:
        """Not here."""
        unsupported("jobs")

    def settle(self, *_: object, **__: object) -> NoReturn:
        """Not here."""
        unsupported("jobs")
