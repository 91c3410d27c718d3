"""A repository on a server, its person, and what must be whole after a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.audit.chain import verify
from learnt.errors import LearntError
from learnt.flows.identify import Identity
from learnt.flows.means import Means
from learnt.flows.share import Share
from learnt.hosts.local import LocalTranscripts
from learnt.model.place import Place
from learnt.ports.embedder import Absent
from learnt.stores.postgres.store import PostgresStore
from learnt.testing.fakes import FixedClock, SequenceIds
from tests.flows.conftest import GATE, Folder, context_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from learnt.ports.embedder import Embedder
    from learnt.ports.store import Store


def opened(url: str, clock: FixedClock | None = None, *, wait_s: float = 5.0) -> PostgresStore:
    """The store at a URL, with one clock, a test's own, for everything."""
    clock = clock or FixedClock()
    return PostgresStore.open(url, now=clock, jobs_now=clock.now, wait_s=wait_s)


def means_over(
    store: Store,
    folder: Path,
    clock: FixedClock | None = None,
    *,
    repository: str = "repo-a",
    name: str = "",
    embedder: Embedder | None = None,
) -> Means:
    """A person's in a repository, on an open store.

    Args:
        name: Of the process, where several write to one store.
    """
    return Means(
        store=store,
        gate=GATE,
        clock=clock or FixedClock(),
        ids=_Ids(name),
        context=context_of(repository),
        workplace=Folder(("package.json", "Makefile", "src/a.py")),
        transcripts=LocalTranscripts({"CLAUDE_CONFIG_DIR": str(folder / "claude")}),
        place=Place(str(folder), "", "", f"{folder}/{repository}", "/srv"),
        identity=Identity(repository_id=repository),
        key=b"k" * 32,
        share=_Generous(),
        embedder=embedder or _NONE,
        asking=embedder or _NONE,
    )


_NONE = Absent("no embedder")


class _Generous(Share):
    """Every memory gets its vector at once, on a busy machine too."""

    def allows(self, now_s: float) -> bool:
        return bool(now_s)


class _Ids(SequenceIds):
    """Ids in sequence, each process its own."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def new(self, prefix: str) -> str:
        return super().new(f"{prefix}_{self._name}" if self._name else prefix)


def chained(store: Store) -> int:
    """How many events there are, all in one whole chain."""
    head, rows = store.events.sealed()
    report = verify(rows, head)
    assert report.verified
    return report.events


def raised(work: Callable[[], object]) -> LearntError | None:
    """What of ours the work raises; nothing else may be raised."""
    try:
        work()
    except LearntError as error:
        return error
    return None
