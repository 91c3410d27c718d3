"""The verbs that read evidence in, and give it back."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    from learnt.model.answer import Refusal
    from learnt.model.digest import Digest
    from learnt.model.evidence import Document, EvidenceUnit, SessionRecord, Turn
    from learnt.model.filter import Page
    from learnt.model.reading import Ingested, Reading
    from learnt.model.sighting import Scan


class Sources(Verbs):
    """Evidence, in and out."""

    def observe(self, turns: Iterable[Turn]) -> tuple[str, ...]:
        """Keep the turns of conversations as evidence, redacted; gives the reference of each.

        For programs that hold a conversation themselves. Turns of one session are given in order; one that was kept
        before (the same session and key) stays as it was.

        Raises:
            UsageError: A turn names no session, or its time is none.
        """
        return flows.observe.observe(self._means, turns)

    def add_document(self, document: Document) -> EvidenceUnit | Refusal:
        """Keep a text somebody looked up, redacted and at most 4,000 characters of it.

        Raises:
            UsageError: The source type does not exist.
        """
        return flows.observe.add_document(self._means, document)

    def evidence(self, name: str) -> EvidenceUnit:
        """A document, or any piece of evidence, by id or reference.

        Raises:
            NotFoundError: Unknown here.
        """
        return flows.observe.document(self._means, name)

    def documents(self, limit: int = 50) -> Page[EvidenceUnit]:
        """Evidence documents, newest first."""
        return flows.observe.documents(self._means, limit)

    def digest(self, path: str | os.PathLike[str], *, host: str = "", full: bool = False) -> Digest:
        """The heuristic extract of one transcript; nothing is stored.

        Raises:
            NotFoundError: There is no such file.
            UsageError: The file is no transcript of a known host.
        """
        return flows.digest.digest(self._means, fspath(path), host=host, full=full)

    def ingest(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        host: str = "",
        tell: Callable[[Reading], None] | None = None,
        asked: bool = True,
    ) -> Ingested:
        """Read transcripts: keep their evidence and propose what they taught. Nothing is read twice.

        Args:
            tell: Called after each file, for progress.
            asked: Somebody gives these: what `clear` took of them is read once more.
        """
        done = flows.capture.ingest(self._means, [fspath(path) for path in paths], host=host, tell=tell, asked=asked)
        flows.reflect.refresh(self._means)
        flows.compact.compact_if_due(self._means)  # after what hooks recalled; `status` tells when it failed
        flows.checkpoint.tend(self._means)
        return self._followed(done, everywhere=True)

    def scan(
        self,
        *,
        everywhere: bool = False,
        reads: flows.sessions.Reads = "due",
        tell: Callable[[int], None] | None = None,
        told: Callable[[Reading], None] | None = None,
    ) -> Scan:
        """The sessions of this repository that the hosts of this user keep, newest first of each host.

        Args:
            everywhere: Of every repository.
            reads: Which are read at once; without a word those that their client deletes within a week.
            tell: Called with the number of sessions looked at, for progress; `told` after each that was read.
        """
        seen = flows.sessions.scan(self._means, everywhere=everywhere, reads=reads, tell=tell)
        if not seen.due:
            return seen
        return flows.sessions.captured(self._means, seen, self.ingest(seen.due, tell=told, asked=False))

    def sessions(self, limit: int = 200) -> tuple[SessionRecord, ...]:
        """Sessions that were read, the latest first."""
        return flows.sessions.listing(self._means, limit)

    def session(self, name: str) -> SessionRecord:
        """One session that was read, by id, host session id or path.

        Raises:
            NotFoundError: Unknown here.
        """
        return flows.sessions.show(self._means, name)
