"""Random stores, exported, imported into an empty one, and exported again."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learnt.errors import LearntError
from learnt.flows.decide import decide
from learnt.flows.export import export
from learnt.flows.flag import clear, flag
from learnt.flows.imported import Imported
from learnt.flows.imports import import_
from learnt.flows.outcome import outcome
from learnt.formats.folder import ExportFolder
from learnt.formats.own import OwnParcel
from learnt.gate.clearance import PATTERN_SET
from learnt.model.cargo import EXPORTED, Said
from learnt.model.evidence import EvidenceUnit
from learnt.model.filter import MemoryFilter, ProposalFilter
from learnt.model.memory import Memory, Reference
from learnt.model.outcome import Outcome, OutcomeRequest
from learnt.model.parcel import FILES
from learnt.model.proposal import Decision, Proposal
from learnt.model.scope import Sight
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.fakes import FixedClock, SequenceIds
from tests.flows.test_roundtrip import HEALTH, KIND, TEXT, act, made

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.flows.means import Means
    from learnt.ports.store import Store
    from tests.server import Server

HEALTH = [*HEALTH, HealthCheck.data_too_large]
GRADE = st.sampled_from([0.0, 0.05, 0.25, 0.5, 0.55, 2 / 3, 0.9, 1.0])
WORD = st.text(st.sampled_from("abcé漢🦊 -_/.\"\\'"), min_size=1, max_size=12).filter(lambda word: bool(word.strip()))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(-1e6, 1e6, width=32) | WORD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=3),
    max_leaves=6,
)
MOMENT = st.sampled_from(
    ["2024-02-29T00:00:00.000Z", "2026-01-01T10:20:30.456Z", "2026-05-23T23:59:59.999Z", "2026-05-24T11:00:00.000Z"]
)
RAW = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["repo_convention", "lesson", "todo", "code_pattern"]),
        "status": st.sampled_from(["active", "superseded", "consolidated", "quarantined", "deleted"]),
        "trust": st.sampled_from(["person", "repository", "tool", "agent", "external"]),
        "confidence": GRADE,
        "q_value": GRADE,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "valid_from": MOMENT,
        "expires_at": st.sampled_from([None, "2027-01-01T00:00:00.000Z"]),
        "consolidated_at": st.none() | MOMENT,
        "last_accessed_at": st.none() | MOMENT,
        "rationale": st.just("") | WORD,
        "supersedes_reason": st.just("") | WORD,
        "reviewed_by": st.sampled_from(["", "user"]),
        "tags": st.lists(st.sampled_from(["red", "green", "ünï"]), unique=True).map(tuple),
        "files": st.lists(st.sampled_from(["src/a.py", "docs/ü.md"]), unique=True).map(tuple),
        "symbols": st.lists(st.sampled_from(["renewLease", "x.y"]), unique=True).map(tuple),
        "metadata": st.dictionaries(WORD, JSON, max_size=3),
        "clearance": st.sampled_from(["", PATTERN_SET]),
    }
)
STEP = st.one_of(
    st.tuples(st.just("remember"), TEXT, KIND),
    st.tuples(st.just("propose"), TEXT, KIND),
    st.tuples(st.just("delete"), st.integers(0, 5), st.none()),
    st.tuples(st.just("decide"), st.integers(0, 5), st.sampled_from(["accept", "reject", "noop"])),
    st.tuples(st.just("undo"), st.integers(0, 20), st.none()),
    st.tuples(st.just("observe"), TEXT, st.sampled_from(["person", "agent"])),
    st.tuples(st.just("document"), TEXT, st.none()),
    st.tuples(st.just("cite"), st.integers(0, 5), st.none()),
    st.tuples(st.just("outcome"), st.integers(0, 5), st.sampled_from(["useful", "dead_end", "corrected"])),
    st.tuples(st.just("flag"), st.integers(0, 5), st.booleans()),
    st.tuples(st.just("supersede"), st.integers(0, 5), TEXT),
    st.tuples(st.just("raw"), TEXT, RAW),
    st.tuples(st.just("raw"), TEXT, RAW),
)
STEPS = st.lists(STEP, min_size=4, max_size=20)


def live(means: Means, name: str, what: Any, how: Any) -> object:
    """One step in the life of a store."""
    page = means.store.memories.page(means.context.sight, MemoryFilter(), means.clock.now())
    match name:
        case "outcome":
            correction = "No: pnpm." if how == "corrected" else ""
            asked = OutcomeRequest(result=how, memory_id=_nth(page.values, what).id, correction=correction)
            return outcome(means, asked)
        case "flag":
            flag(means, _nth(page.values, what).id, "Not any more.")
            return clear(means, _nth(page.values, what).id) if how else None
        case "supersede":
            return _superseded(means, _nth(page.values, what), how)
        case "cite":
            with means.store.transaction():
                means.store.archive.cite(means.context.sight, [f"session:s-1#{what}"])
            return None
        case "raw":
            _raw(means, what, how)
            return None
    return act(means, name, what, how)


def _superseded(means: Means, old: Memory, text: str) -> object:
    asked = means.store.proposals.page(means.context.sight, ProposalFilter()).values
    act(means, "propose", text, "lesson")
    fresh = means.store.proposals.page(means.context.sight, ProposalFilter()).values
    new = next((each for each in fresh if each not in asked), None)
    if new is None:
        return None
    answer = decide(means, Decision(proposal_id=new.id, action="accept", reason="so"))
    made_ = getattr(answer, "memory", None)
    if made_ is None or made_.id == old.id or made_.superseded_by:
        return None
    with means.store.transaction():
        gone = replace(old, status="superseded", superseded_by=made_.id, supersedes_reason="newer")
        means.store.memories.put(gone)
        means.store.memories.put(replace(made_, supersedes=(*made_.supersedes, old.id)))
    return None


def _raw(means: Means, text: str, given_: dict[str, Any]) -> None:
    fields = dict(given_)
    at = min(fields["created_at"], fields["updated_at"])
    fields.update(created_at=at, valid_from=min(at, fields["valid_from"]))
    held = Reference(type="url", ref="https://example.test/é", quote="q", verified=True, trust="external", writer="w")
    memory = samples.memory(means.context.sight.one("repository"), text, evidence=(held,), **fields)
    with means.store.transaction():
        if means.store.memories.get(means.context.sight, memory.id) is None:
            means.store.memories.put(replace(memory, source=replace(memory.source, url=held.ref)))


def _nth(values: Any, number: int) -> Any:
    if not values:
        raise LearntError
    return values[number % len(values)]


def rows(store: Store, sight: Sight) -> dict[str, list[Any]]:
    """Everything an export gives, without what only says when it was scanned and where a checkout lies."""
    found: dict[str, list[Any]] = {
        chapter: [_comparable(each) for each in store.cargo.within(sight, chapter, "", 10_000).values]
        for chapter in EXPORTED
    }
    told = store.memories.many(sight, [each.id for each in found["memories"]])
    return {**found, "counts": [(each.id, each.flags, each.useful, each.against) for each in told]}


def _comparable(value: Any) -> Any:
    if isinstance(value, Said):
        what = value.what
        return value.scope.key, replace(what, clearance="") if isinstance(what, Outcome) else what
    return replace(value, scope=replace(value.scope, repo_root=""), clearance="")


def there_and_back(means: Means, one: Store, two: Store, steps: list[Any]) -> None:
    """Live in one store, export, import into the other, and export that."""
    clock = FixedClock()
    here = replace(means, store=one, clock=clock, ids=SequenceIds())
    for name, what, how in steps:
        clock.advance(1)
        with suppress(LearntError):
            live(here, name, what, how)
    clock.advance(1)
    there = replace(here, store=two)
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder) / "first", Path(folder) / "second"
        export(here, ExportFolder(str(first)))
        answer = import_(there, OwnParcel(first))
        assert isinstance(answer, Imported)
        assert (answer.proven, answer.faults, answer.kept) == (True, (), ())
        sight = here.context.sight
        assert rows(two, sight) == rows(one, sight)
        export(there, ExportFolder(str(second)))
        for name in FILES.values():
            assert _uncleared(first / name) == _uncleared(second / name)
        again = import_(there, OwnParcel(first))
        assert isinstance(again, Imported)
        assert {how for counted in again.counts.values() for how in counted} <= {"unchanged"}


def _uncleared(path: Path) -> list[dict[str, Any]]:
    """The lines of a file, without the pattern set that cleared each last."""
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [{name: each for name, each in row.items() if name != "clearance"} for row in found]


Pair = tuple["Store", "Store"]


@pytest.fixture(params=["ephemeral-sqlite", "sqlite-sqlite", "sqlite-postgres", "postgres-ephemeral"])
def pair(request: pytest.FixtureRequest) -> Callable[[ExitStack], Pair]:
    """Makes two empty stores, until the end of an example."""
    names = request.param.split("-")
    return lambda stack: tuple(_store(request, stack, name) for name in names)  # type: ignore[return-value]


def _store(request: pytest.FixtureRequest, stack: ExitStack, name: str) -> Store:
    if name == "ephemeral":
        return EphemeralStore()
    if name == "sqlite":
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        store: Store = SqliteStore.open(Path(folder) / "memory.db", now=FixedClock())
    else:
        server: Server = request.getfixturevalue("server")
        store = PostgresStore.open(stack.enter_context(server.database(made)), now=FixedClock())
    stack.callback(store.close)
    return store


@settings(max_examples=12, suppress_health_check=HEALTH)
@given(steps=STEPS)
def test_an_export_brings_everything_back(means: Means, pair: Callable[[ExitStack], Pair], steps: list[Any]) -> None:
    """Every memory, link, status, proposal, outcome, flag, q value and soft-deleted row; and nothing twice."""
    with ExitStack() as stack:
        there_and_back(means, *pair(stack), steps)


def unbelieved(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Rows without what an import keeps only of a proven export."""
    return {chapter: [_unbelieved(each) for each in values] for chapter, values in found.items()}


def _unbelieved(value: Any) -> Any:
    if isinstance(value, Proposal):
        return replace(value, trust="external", evidence=(), provenance=None, observation=False)
    if isinstance(value, Memory):
        made_ = replace(value.provenance, writer="")
        return replace(value, trust="external", evidence=(), provenance=made_, reviewed_by="")
    return replace(value, span=None, path="") if isinstance(value, EvidenceUnit) else value


@settings(max_examples=20, suppress_health_check=HEALTH)
@given(steps=STEPS)
def test_without_the_key_everything_but_trust_comes_back(means: Means, steps: list[Any]) -> None:
    """Status, links, outcomes, flags and q values are as they were; and a second import finds nothing new."""
    clock, one, two = FixedClock(), EphemeralStore(), EphemeralStore()
    here = replace(means, store=one, clock=clock, ids=SequenceIds())
    for name, what, how in steps:
        clock.advance(1)
        with suppress(LearntError):
            live(here, name, what, how)
    clock.advance(1)
    there = replace(here, store=two, key=b"o" * 32)
    with tempfile.TemporaryDirectory() as folder:
        export(here, ExportFolder(str(Path(folder) / "x")))
        answer = import_(there, OwnParcel(Path(folder) / "x"))
        assert isinstance(answer, Imported)
        assert (answer.proven, answer.faults, answer.kept) == (False, (), ())
        sight = here.context.sight
        assert unbelieved(rows(two, sight)) == unbelieved(rows(one, sight))
        again = import_(there, OwnParcel(Path(folder) / "x"))
        assert isinstance(again, Imported)
        assert {how for counted in again.counts.values() for how in counted} <= {"unchanged"}
