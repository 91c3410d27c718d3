"""What a store of lines leaves to the databases: it says so instead of doing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from learnt.errors import UnsupportedError
from learnt.model.cargo import CHAPTERS
from learnt.stores.ephemeral.cargo import EphemeralCargo
from learnt.stores.ephemeral.queue import EphemeralQueue
from learnt.stores.ephemeral.vectors import EphemeralVectors

if TYPE_CHECKING:
    from learnt.model.cargo import Chapter

_LEFT: Final = frozenset({"checkpoints", "generations", "vectors", "failures", "jobs"})


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


class LineCargo(EphemeralCargo):
    """See `learnt.ports.cargo.Cargo`: what belongs to vectors, jobs and the audit trail is not kept."""

    chapters: tuple[Chapter, ...] = tuple(each for each in CHAPTERS if each not in _LEFT)
