"""Locks are taken in one order by every operation, so that ordinary work never waits for itself in a circle."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from learnt.flows.capture import ingest
from learnt.flows.compact import Compacted, compact
from learnt.flows.conflict import choose, reconcile
from learnt.flows.decay import decay
from learnt.flows.decide import decide
from learnt.flows.erase import erase_person, erase_repository
from learnt.flows.export import export
from learnt.flows.flag import clear, flag, unflag
from learnt.flows.forget import forget
from learnt.flows.imported import Imported
from learnt.flows.imports import import_
from learnt.flows.intake import intake
from learnt.flows.observe import add_document, observe
from learnt.flows.outcome import outcome
from learnt.flows.pipeline import enqueue, rebuild
from learnt.flows.propose import propose
from learnt.flows.prune import prune
from learnt.flows.queue import expire, sweep
from learnt.flows.recall import recall
from learnt.flows.reembed import reembed
from learnt.flows.remember import remember
from learnt.flows.search import search
from learnt.flows.threads import drop, mark
from learnt.flows.undo import undo
from learnt.flows.wipe import Wiped, wipe
from learnt.flows.work import work
from learnt.formats.folder import ExportFolder
from learnt.formats.own import OwnParcel
from learnt.model.answer import Decided, Proposed, Written
from learnt.model.evidence import Document, Turn
from learnt.model.field import line_of
from learnt.model.filter import QueueFilter
from learnt.model.outcome import OutcomeRequest
from learnt.model.portable import MEMORY
from learnt.model.proposal import Decision
from learnt.model.ranking import Query
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.model.search import SearchQuery
from learnt.stores.postgres.connection import Connection
from learnt.stores.postgres.meta import PostgresMeta
from learnt.stores.postgres.work import WIDE, number_of
from learnt.testing import samples
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import FixedClock
from tests.faults.world import means_over, opened
from tests.flows.phases import captured, learning_means, session
from tests.flows.transcripts import learning
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.model.kinds import Kind
    from learnt.model.memory import Memory
    from learnt.model.scope import Scope
    from learnt.stores.postgres.work import Work
    from tests.server import Server

NARROW, NAMES, WIDER, OTHERS = range(4)
"""The order: scopes of repositories all at once, names of places, scopes that many read, and what has no scope."""


def _rank(name: str) -> int:
    if not name.startswith("{"):
        return OTHERS
    return WIDER if any(f'"{kind}"' in name for kind in WIDE) else NARROW


class _Orders:
    """What each transaction took, the ranks of each call, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken: dict[Work, tuple[str, list[list[int]]]] = {}
        self.now = ""
        lock, adopt = Connection.lock, PostgresMeta.adopt

        def locked(connection: Connection, names: Iterable[str]) -> None:
            found, work = list(names), connection.work
            before = len(work.waiting) if work else 0
            lock(connection, found)
            if work and len(work.waiting) > before:
                ranks = {number_of(connection.tenant, name): _rank(name) for name in found}
                said: Any = work.waiting[before][1]
                self._took(work, [ranks[number] for number in said[0]])

        def adopted(meta: PostgresMeta, value: str, repository_id: str) -> None:
            adopt(meta, value, repository_id)
            assert meta._connection.work
            self._took(meta._connection.work, [NAMES])

        monkeypatch.setattr(Connection, "lock", locked)
        monkeypatch.setattr(PostgresMeta, "adopt", adopted)

    def _took(self, work: Work, ranks: list[int]) -> None:
        self.taken.setdefault(work, (self.now, []))[1].append(ranks)


def _asked(means: Means, kind: Kind) -> Proposed:
    request = ProposalRequest(operation="add", text=f"Ask of {kind}.", kind=kind, rationale="r", evidence=("c",))
    answer = propose(means, request)
    assert isinstance(answer, Proposed)
    return answer


def _decided(means: Means, kind: Kind) -> None:
    answer = decide(means, Decision(proposal_id=_asked(means, kind).proposal.id, action="accept", reason="so"))
    assert isinstance(answer, Decided)
    undo(means, answer.event)


def _forgotten(means: Means) -> object:
    written = remember(means, WriteRequest(text="Ann knows the zanzibar host.", kind="project_fact"))
    assert isinstance(written, Written)
    return forget(means, [written.memory.id])


def _compacted(means: Means) -> None:
    """A memory of the repository and one of the person leave together."""
    for kind in ("lesson", "user_preference"):
        answer = decide(means, Decision(proposal_id=_asked(means, kind).proposal.id, action="accept", reason="so"))
        assert isinstance(answer, Decided)
        assert answer.memory
        request = ProposalRequest(operation="delete", target_id=answer.memory.id, rationale="r")
        asked = propose(means, request)
        assert isinstance(asked, Proposed)
        decide(means, Decision(proposal_id=asked.proposal.id, action="accept", reason="so"))
    gone = compact(means, confirm=True)
    assert isinstance(gone, Compacted)
    assert gone.removed["deleted"] >= 2


def _aged(means: Means) -> None:
    remember(means, WriteRequest(text="Renew it.", kind="todo"))
    remember(means, WriteRequest(text="I want to renew it.", kind="todo", scope="global_user"))
    assert decay(means).changed >= 2


def _judged(means: Means, kind: Kind) -> object:
    """An outcome of something that was remembered."""
    made = remember(means, WriteRequest(text="To be judged.", kind=kind))
    assert isinstance(made, Written)
    return outcome(means, OutcomeRequest(result="useful", memory_id=made.memory.id))


def _flagged(means: Means, kind: Kind) -> object:
    """Something that was remembered, flagged, unflagged, flagged and cleared."""
    made = remember(means, WriteRequest(text="To be flagged.", kind=kind))
    assert isinstance(made, Written)
    flag(means, made.memory.id, "Wrong.")
    unflag(means, made.memory.id)
    flag(means, made.memory.id, "Wrong.")
    return clear(means, made.memory.id)


_MEMBER = {"operation": "add", "kind": "lesson", "text": "Taken in.", "evidenceRefs": ["package.json"]}
_MINE = {**_MEMBER, "kind": "user_preference", "text": "Liked."}


def _merged(means: Means) -> None:
    """A merge, taken back."""
    texts = ("One fact.", "Another fact.")
    made = [remember(means, WriteRequest(text=text, kind="user_preference")) for text in texts]
    names = tuple(each.memory.id for each in made if isinstance(each, Written))
    asked = propose(means, ProposalRequest(operation="merge", related=names, rationale="r"))
    assert isinstance(asked, Proposed)
    answer = decide(means, Decision(proposal_id=asked.proposal.id, action="accept"))
    assert isinstance(answer, Decided)
    undo(means, answer.event)


def _expired(means: Means) -> int:
    """What was asked long ago leaves the queue."""
    _asked(means, "project_fact")
    means.clock.advance(365 * 86_400)  # type: ignore[attr-defined]
    return expire(means)


def _carried(means: Means, folder: Path) -> Imported:
    """Everything in sight, out into files, and in again as somebody else's."""
    export(means, ExportFolder(str(folder / "export")))
    answer = import_(replace(means, key=b"o" * 32), OwnParcel(folder / "export"))
    assert isinstance(answer, Imported)
    lines = [line_of(MEMORY.row(_strange(scope))) + "\n" for scope in means.context.sight]
    (folder / "memories.jsonl").write_text("".join(lines), "utf-8")
    answer = import_(means, OwnParcel(folder / "memories.jsonl"))
    assert isinstance(answer, Imported)
    assert answer.counts["memories"] == {"added": 2}
    return answer


def _strange(scope: Scope) -> Memory:
    made = samples.memory(scope, "Told elsewhere.")
    return replace(made, source=replace(made.source, ref="src/a.py"))


def _replaced(means: Means, kind: Kind) -> None:
    """A statement replaces another, and that is taken back."""
    remember(means, WriteRequest(text="Use npm", kind=kind))
    written = remember(means, WriteRequest(text="Use pnpm", kind=kind))
    assert isinstance(written, Written)
    assert written.superseded
    undo(means, written.event)


def _disputed(means: Means) -> list[str]:
    """Two statements that may not both hold."""
    texts = ("Tests live in tests/unit", "Tests live in tests/integration")
    made = [remember(means, WriteRequest(text=text, kind="project_fact")) for text in texts]
    return [each.memory.id for each in made if isinstance(each, Written)]


def _learnt(means: Means, folder: Path) -> None:
    """Sessions read and consolidated, a statement of theirs forgotten, one set aside, one dropped, all cleared."""
    means = learning_means(means, folder)
    captured(means, session(folder, f"{folder.name}-1"), session(folder, f"{folder.name}-2"))
    rebuild(means)
    _forgotten(means)
    mark(means, f"{folder.name}-1", "polluted")
    assert work(means, once=True).counts["done"]
    drop(means, f"{folder.name}-2")
    enqueue(means)
    assert isinstance(wipe(means), Wiped)


OPERATIONS: dict[str, Callable[[Means, Path], object]] = {
    "remember": lambda means, _: remember(means, WriteRequest(text="A fact.", kind="project_fact")),
    "prefer": lambda means, _: remember(means, WriteRequest(text="I like it.", kind="user_preference")),
    "forget": lambda means, _: _forgotten(means),
    "erase": lambda means, _: erase_person(means, "Ann"),
    "end": lambda means, _: erase_repository(means, "."),
    "propose": lambda means, _: _asked(means, "lesson"),
    "propose for me": lambda means, _: _asked(means, "user_preference"),
    "decide": lambda means, _: _decided(means, "lesson"),
    "decide for me": lambda means, _: _decided(means, "user_preference"),
    "merge": lambda means, _: _merged(means),
    "intake": lambda means, _: intake(means, json.dumps({"memoryProposals": [_MEMBER, _MINE]})),
    "sweep": lambda means, _: sweep(means, QueueFilter(), "accept"),
    "expire": lambda means, _: _expired(means),
    "observe": lambda means, _: observe(means, [Turn(text="ship", session="s")]),
    "observe by key": lambda means, _: observe(means, [Turn(text="ship", session="s", key="k")]),
    "document": lambda means, _: add_document(means, Document(text="harbour", title="h")),
    "ingest": lambda means, folder: ingest(means, [str(learning(folder / "t.jsonl", folder.name).path)]),
    "recall": lambda means, _: recall(means, Query(text="a fact")),
    "search": lambda means, _: search(means, SearchQuery(text="ship harbour")),
    "reembed": lambda means, _: reembed(means),
    "work": lambda means, _: work(means, once=True),
    "export and import": _carried,
    "prune": lambda means, _: prune(means),
    "compact": lambda means, _: _compacted(means),
    "decay": lambda means, _: _aged(means),
    "outcome": lambda means, _: _judged(means, "lesson"),
    "outcome for me": lambda means, _: _judged(means, "user_preference"),
    "outcome of a question": lambda means, _: outcome(means, OutcomeRequest(result="useful", question="Where?")),
    "flag": lambda means, _: _flagged(means, "lesson"),
    "replace": lambda means, _: _replaced(means, "project_fact"),
    "replace for me": lambda means, _: _replaced(means, "user_preference"),
    "choose": lambda means, _: choose(means, _disputed(means)[0]),
    "reconcile": lambda means, _: reconcile(means, _disputed(means)),
    "flag for me": lambda means, _: _flagged(means, "user_preference"),
    "learn from sessions": _learnt,
}


def test_locks_have_one_order(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each from a place that nobody named yet: no lock is taken after one that comes later in the order."""
    orders, clock, model = _Orders(monkeypatch), FixedClock(), HashEmbedder()
    with server.database(prepare) as url, closing(opened(as_role(url), clock)) as store:
        for name, operation in OPERATIONS.items():
            orders.now = name
            folder = tmp_path / name
            folder.mkdir()
            clock.advance(1)
            operation(means_over(store, folder, clock, name=name.replace(" ", ""), embedder=model), folder)
        assert {name for name, _ in orders.taken.values()} >= {"remember", "prefer", "decide for me", "observe"}
        for name, calls in orders.taken.values():
            flat = [rank for ranks in calls for rank in ranks]
            assert flat == sorted(flat), (name, flat)
            assert sum(NARROW in ranks for ranks in calls) <= 1, (name, calls)
        assert any(NAMES in ranks for _, calls in orders.taken.values() for ranks in calls)
