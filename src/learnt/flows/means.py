"""What every flow works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from learnt.flows.brake import Brake
from learnt.flows.identify import register
from learnt.flows.share import Share
from learnt.model.event import Event
from learnt.ports.embedder import Absent
from learnt.ports.writer import Unwritten
from learnt.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.flows.identify import Identity
    from learnt.gate.scan import Gate
    from learnt.model.context import Context
    from learnt.model.place import Place
    from learnt.model.rule import AcceptRule
    from learnt.ports.anchors import Place as Anchor
    from learnt.ports.artifacts import Artifacts
    from learnt.ports.attic import Attic
    from learnt.ports.clock import Clock, Ids
    from learnt.ports.copy import Copy
    from learnt.ports.embedder import Embedder, Reranker
    from learnt.ports.outlets import Outlets
    from learnt.ports.people import People
    from learnt.ports.seals import Keyring
    from learnt.ports.store import Store
    from learnt.ports.transcript import Transcripts
    from learnt.ports.workplace import Workplace
    from learnt.ports.writer import Purpose, Writer, Writers


_NO_EMBEDDER = Absent("no embedder")
_NO_RERANKER = Absent("off")


class NoAttic:
    """See `learnt.ports.attic.Attic`: there are no copies."""

    def copies(self) -> tuple[str, ...]:
        """None."""
        return ()

    def links(self) -> tuple[str, ...]:
        """None."""
        return ()

    def exports(self) -> tuple[str, ...]:
        """None."""
        return ()

    def end(self, repository_id: str) -> tuple[str, ...]:
        """Nothing to do."""
        del repository_id
        return ()

    def clear(self, texts: Sequence[str], *, shared: bool = False) -> tuple[str, ...]:
        """Nothing to do."""
        del texts, shared
        return ()


class NoWriters:
    """See `learnt.ports.writer.Writers`: no model writes."""

    def of(self, purpose: Purpose) -> Writer | Unwritten:
        """Nobody."""
        del purpose
        return Unwritten("no writer")


def _never(folder: str) -> bool:
    """No folder is known to be of this repository."""
    return not isinstance(folder, str)


def _nowhere(folder: str) -> None:
    """No other repository is reached from here."""
    del folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """The ports and circumstances of one engine.

    Attributes:
        place, identity: Where the work happens, and which repository that is.
        accept_instructions: A person asked that explicit instructions are kept without review.
        curators: Roles a person enabled as curators here. `rules`: by which proposals are accepted unseen.
        settings: What is in force here. `own`: the same without what the repository narrowed.
        key: Key of the hashes that receipts hold instead of query text, and of their seals.
        digest_key: Key of the digests that keep forgotten text away from a store on this machine.
        served: Whether the store is on a server, which others write to with keys of their own.
        keyring: Keys of the audit trail and what this machine keeps of it; None for a store without.
        anchors: Where checkpoints are put outside of the store.
        embedder: What turns stored texts into vectors, or why nothing does. `asking`: the same for queries, which
            remembers the recent ones.
        reranker: What reads query and text together, or why nothing does.
        writers: The models that write here, or why none does.
        people: What finds names of people in texts, where settings ask for that.
        copy: What hooks read where the store is elsewhere; None where they read the store itself.
        attic: Old copies that learnt itself made, cleared by whoever forgets.
        artifacts: Where files go that are made from rows; None where there are to be none. `outlets`: what changes
            files of somebody else's, on request.
        share: How much of their time writes may spend on vectors.
        looking: How much of it they may spend on looking for what is nearest. `brake`: what a pass may retire.
        monotonic_s: Seconds that never run backwards, for the latency gate.
        elsewhere: The means of another folder's repository, on the same store; None where it is no other.
        same: Whether a folder that is there lies in this repository (a worktree, another clone).
        named: Places found to be written down; they stay so.
    """

    store: Store
    gate: Gate
    clock: Clock
    ids: Ids
    context: Context
    workplace: Workplace
    transcripts: Transcripts
    place: Place
    identity: Identity
    settings: Settings = field(default_factory=Settings)
    own: Settings = field(default_factory=Settings)
    accept_instructions: bool = False
    curators: tuple[str, ...] = ()
    rules: tuple[AcceptRule, ...] = ()
    key: bytes = b""
    digest_key: bytes = b""
    served: bool = False
    keyring: Keyring | None = None
    anchors: tuple[Anchor, ...] = ()
    embedder: Embedder | Absent = _NO_EMBEDDER
    asking: Embedder | Absent = _NO_EMBEDDER
    reranker: Reranker | Absent = _NO_RERANKER
    writers: Writers = field(default_factory=NoWriters)
    people: People | None = None
    copy: Copy | None = None
    attic: Attic = field(default_factory=NoAttic)
    artifacts: Artifacts | None = None
    outlets: Outlets | None = None
    share: Share = field(default_factory=Share)
    looking: Share = field(default_factory=Share)
    brake: Brake = field(default_factory=Brake)
    monotonic_s: Callable[[], float] = monotonic
    elsewhere: Callable[[str], Means | None] = _nowhere
    same: Callable[[str], bool] = _never
    named: set[str] = field(default_factory=set, compare=False)

    def at(self, folder: str) -> Means:
        """The means of the repository `folder` lies in; these where it is the same one or none on this machine."""
        return (self.elsewhere(folder) if folder else None) or self

    def name_place(self) -> None:
        """Write down this place's names once, inside the caller's transaction, so that the repository stays known.

        After the first use of the repository's scope there: on a server both are held until the end, and two that take
        them in another order would wait for each other.
        """
        if self.place.value in self.named:
            return
        if self.store.meta.alias(self.place.value) is not None:
            self.named.add(self.place.value)
        else:  # not remembered: the caller's transaction may yet be undone
            register(self.store, self.place, self.identity.repository_id, self.workplace.root_commit)

    def event(
        self, operation: str, target: str, now: str, detail: Mapping[str, object] | None = None, reason: str = ""
    ) -> Event:
        """A new event of this context; `detail` holds ids, types and counts only."""
        return Event(
            id=self.ids.new("evt"),
            operation=operation,
            target_id=target,
            timestamp=now,
            reason=reason or None,
            detail={"by": self.context.writer, **(detail or {})},
        )
