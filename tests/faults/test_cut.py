"""The connection is cut at every statement of every operation, and at every answer.

Either everything of a transaction is there or nothing, the error says which or that nobody knows, and the same store
object goes on.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from learnt.errors import LearntError, StoreError
from learnt.flows.capture import ingest
from learnt.flows.decide import decide
from learnt.flows.flag import flag
from learnt.flows.migrate import migrate
from learnt.flows.moved import Moved, Way
from learnt.flows.observe import observe
from learnt.flows.outcome import outcome
from learnt.flows.propose import propose
from learnt.flows.recall import recall
from learnt.flows.reembed import Reembedded, reembed
from learnt.flows.remember import remember
from learnt.model.answer import Proposed, Written
from learnt.model.backlog import JobFilter
from learnt.model.evidence import Turn
from learnt.model.filter import MemoryFilter, ProposalFilter
from learnt.model.job import Done, JobRequest
from learnt.model.outcome import OutcomeRequest
from learnt.model.proposal import Decision
from learnt.model.ranking import Query
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.cargo import tallies
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import FixedClock
from tests.faults.line import Line
from tests.faults.world import chained, means_over, opened, raised
from tests.flows.transcripts import learning
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from tests.faults.line import Way as Direction
    from tests.server import Server

UNKNOWN = "store_outcome_unknown"
TERM_S = 60.0
MOST = 400
"""More statements than any of these operations has."""
STEPS = {"decide": 2, "ingest": 7, "reembed": 7}
"""Of the long ones every second or seventh. Each was cut at every one when this was written; 1 does it again."""


class Case(Protocol):
    """An operation, done again and again with another number."""

    def begin(self, means: Means, number: int) -> None:
        """What must be there before."""

    def act(self, means: Means, number: int) -> object:
        """The operation."""

    def parts(self, means: Means, number: int) -> list[bool]:
        """What it leaves in one transaction: all true or all false."""

    def repeat(self, means: Means, number: int) -> None:
        """It is done once more on the store whose connection was cut, and then it is there, once."""


def _text(number: int) -> str:
    return f"The harbour{number} opens at dawn."


def _memories(means: Means, number: int) -> list[Memory]:
    wanted = MemoryFilter(statuses=(), limit=1_000)
    page = means.store.memories.page(means.context.sight, wanted, means.clock.now())
    return [each for each in page.values if each.text == _text(number)]


def _found(means: Means, number: int) -> bool:
    narrowed = means.store.lexicon.candidates(means.context.sight, (f"harbour{number}",), 1)
    return any(each.id == one.id for each in narrowed.candidates for one in _memories(means, number))


class Remember:
    """A memory, its index, its vector and its event."""

    def begin(self, means: Means, number: int) -> None:
        pass

    def act(self, means: Means, number: int) -> object:
        answer = remember(means, WriteRequest(text=_text(number), kind="project_fact"))
        assert isinstance(answer, Written)
        return answer

    def parts(self, means: Means, number: int) -> list[bool]:
        held = _memories(means, number)
        vectors = means.store.vectors
        generation = vectors.generation("memory")
        ids = [each.id for each in held]
        kept = vectors.kept(means.context.sight, generation, ids) if generation and ids else {}
        events = [row for each in ids for row in means.store.events.about(each)]
        return [len(held) == 1, _found(means, number), len(events) == 1, len(kept) == 1]

    def repeat(self, means: Means, number: int) -> None:
        self.act(means, number)
        assert self.parts(means, number) == [True] * 4


class Propose:
    """A proposal and its event."""

    def begin(self, means: Means, number: int) -> None:
        pass

    def act(self, means: Means, number: int) -> Proposed:
        answer = propose(
            means, ProposalRequest(operation="add", text=_text(number), kind="lesson", rationale="r", evidence=("c",))
        )
        assert isinstance(answer, Proposed)
        return answer

    def parts(self, means: Means, number: int) -> list[bool]:
        found = means.store.proposals.saying(means.context.sight, _text(number))
        events = [row for each in found for row in means.store.events.about(each.id)]
        return [len(found) == 1, len(events) == 1]

    def repeat(self, means: Means, number: int) -> None:
        self.act(means, number)
        assert self.parts(means, number)[0]


class Decide(Propose):
    """The answer to a proposal, the memory that it makes, and its events."""

    def begin(self, means: Means, number: int) -> None:
        super().act(means, number)

    def act(self, means: Means, number: int) -> Any:
        (asked,) = means.store.proposals.saying(means.context.sight, _text(number))
        return decide(means, Decision(proposal_id=asked.id, action="accept", reason="so"))

    def parts(self, means: Means, number: int) -> list[bool]:
        wanted = ProposalFilter(statuses=("pending",), limit=1_000)
        pending = means.store.proposals.page(means.context.sight, wanted).values
        waits = any(each.text == _text(number) for each in pending)
        held = _memories(means, number)
        events = [row for each in held for row in means.store.events.about(each.id)]
        return [not waits, len(held) == 1, _found(means, number), len(events) > 0]

    def repeat(self, means: Means, number: int) -> None:
        self.act(means, number)
        assert self.parts(means, number) == [True] * 4


class Judge(Remember):
    """An outcome, what the memory counts of it, and its event; named, so that it may be told again."""

    def begin(self, means: Means, number: int) -> None:
        super().act(means, number)

    def act(self, means: Means, number: int) -> object:
        (memory,) = _memories(means, number)
        return outcome(means, OutcomeRequest(result="useful", memory_id=memory.id, id=f"o-{number}"))

    def parts(self, means: Means, number: int) -> list[bool]:
        (memory,) = _memories(means, number)
        told = [row for row in means.store.events.about(memory.id) if row.operation == "outcome"]
        held = means.store.outcomes.of(means.context.sight, [memory.id])
        return [len(held) == 1, memory.useful == 1, len(told) == 1]

    def repeat(self, means: Means, number: int) -> None:
        self.act(means, number)
        assert self.parts(means, number) == [True] * 3


class Flag(Judge):
    """A flag, what the memory counts of it, and its event."""

    def act(self, means: Means, number: int) -> object:
        (memory,) = _memories(means, number)
        return flag(means, memory.id, "Not at dawn.")

    def parts(self, means: Means, number: int) -> list[bool]:
        (memory,) = _memories(means, number)
        told = [row for row in means.store.events.about(memory.id) if row.operation == "flag"]
        return [len(means.store.flags.of(means.context.sight, [memory.id])) == 1, memory.flags == 1, len(told) > 0]


class Recall:
    """The receipt of a recall."""

    def begin(self, means: Means, number: int) -> None:
        if not number:
            Remember().act(means, number)

    def act(self, means: Means, number: int) -> object:
        here = replace(means, served=True, context=replace(means.context, run_id=f"r{number}"))
        return recall(here, Query(text="harbour0 dawn"))

    def parts(self, means: Means, number: int) -> list[bool]:
        return [len(means.store.usage.page(means.context.sight, f"r{number}", 10)) == 1]

    def repeat(self, means: Means, number: int) -> None:
        ranking: Any = self.act(means, number)
        assert ranking.total > 0


class Observe:
    """The turns of a conversation."""

    def begin(self, means: Means, number: int) -> None:
        pass

    def act(self, means: Means, number: int) -> object:
        session = f"s{number}"
        return observe(means, [Turn(text=f"ship {each} of {number}", session=session, key=each) for each in "abc"])

    def parts(self, means: Means, number: int) -> list[bool]:
        refs = [f"session:s{number}#{each}" for each in "abc"]
        return [means.store.archive.unit(means.context.sight, ref) is not None for ref in refs]

    def repeat(self, means: Means, number: int) -> None:
        self.act(means, number)
        assert self.parts(means, number) == [True] * 3


class Ingest:
    """A transcript: several transactions, taken up again where they ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, means: Means, number: int) -> None:
        learning(self._folder / f"t{number}.jsonl", f"t{number}")

    def act(self, means: Means, number: int) -> object:
        return ingest(means, [str(self._folder / f"t{number}.jsonl")])

    def parts(self, means: Means, number: int) -> list[bool]:
        return []

    def repeat(self, means: Means, number: int) -> None:
        (reading,) = ingest(means, [str(self._folder / f"t{number}.jsonl")]).readings
        assert reading.status in {"read", "unchanged"}
        session = means.store.archive.session(means.context.sight, f"t{number}")
        assert session is not None
        assert session.status == "complete"
        units = [means.store.archive.unit(means.context.sight, f"session:t{number}#{each}") for each in range(20)]
        assert sum(each is not None for each in units) >= 3


class Queue:
    """A lease, and the end of it."""

    def begin(self, means: Means, number: int) -> None:
        with means.store.transaction():
            means.store.queue.enqueue(JobRequest(id=f"j{number}", kind=f"k{number}", key="x"))

    def act(self, means: Means, number: int) -> object:
        with means.store.transaction():
            lease = means.store.queue.lease("ann", (f"k{number}",), TERM_S)
        if lease is None:
            return None
        with means.store.transaction():
            assert means.store.queue.settle(lease, Done())
        return lease

    def parts(self, means: Means, number: int) -> list[bool]:
        return []

    def repeat(self, means: Means, number: int) -> None:
        clock = means.clock
        assert isinstance(clock, FixedClock)
        clock.advance(TERM_S + 1)
        self.act(means, number)
        (job,) = means.store.queue.page(means.context.sight, JobFilter(kinds=(f"k{number}",))).values
        assert (job.status, job.owner) == ("done", "")
        assert job.attempts <= 2


class Reembed:
    """A generation of vectors: several transactions under a lease, taken up again where they ended."""

    def begin(self, means: Means, number: int) -> None:
        if not number:
            Remember().act(means, number)

    def act(self, means: Means, number: int) -> object:
        model = HashEmbedder(name=f"m{number}")
        return reembed(replace(means, embedder=model, asking=model))

    def parts(self, means: Means, number: int) -> list[bool]:
        return []

    def repeat(self, means: Means, number: int) -> None:
        clock = means.clock
        assert isinstance(clock, FixedClock)
        clock.advance(600)
        assert isinstance(self.act(means, number), Reembedded)
        (current,) = [each for each in means.store.vectors.state("memory") if each.status == "current"]
        assert f"m{number}" in current.version
        assert current.embedded == means.store.memories.count(means.context.sight)["active"]


CASES: dict[str, Callable[[Path], Case]] = {
    "remember": lambda _: Remember(),
    "propose": lambda _: Propose(),
    "decide": lambda _: Decide(),
    "outcome": lambda _: Judge(),
    "flag": lambda _: Flag(),
    "recall": lambda _: Recall(),
    "observe": lambda _: Observe(),
    "ingest": Ingest,
    "queue": lambda _: Queue(),
    "reembed": lambda _: Reembed(),
}


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """A store as the manual makes it, as the plain role."""
    with server.database(prepare) as url:
        yield as_role(url)


def _checked(error: LearntError | None, parts: list[bool]) -> None:
    """What is there is what the answer said."""
    assert len(set(parts)) <= 1, parts
    if error is None:
        assert all(parts)
        return
    assert isinstance(error, StoreError)
    assert error.advice
    if error.error_code == UNKNOWN:
        assert not error.may_retry
    else:
        assert error.may_retry
        assert not any(parts)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["there", "back"])
@pytest.mark.parametrize("name", CASES)
def test_cut_anywhere(url: str, tmp_path: Path, name: str, way: Direction) -> None:
    """At every statement sent and every answer given, until the operation passes uncut."""
    case, clock, model = CASES[name](tmp_path), FixedClock(), HashEmbedder()
    with ExitStack() as stack:
        line = stack.enter_context(Line(url))
        store, whole = (stack.enter_context(closing(opened(each, clock))) for each in (line.through(url), url))
        means = means_over(store, tmp_path, clock, name=way)
        beside = means_over(whole, tmp_path, clock, name="whole")
        if name not in {"reembed", "ingest"}:
            means, beside = (replace(each, embedder=model, asking=model) for each in (means, beside))
        case.begin(beside, 0)
        cut = True
        for number in range(1, MOST, STEPS.get(name, 1)):
            case.begin(beside, number)
            line.cut(way, number)
            error = raised(lambda at=number: case.act(means, at))  # type: ignore[misc]
            cut = line.mend()
            assert cut or error is None, error
            _checked(error, case.parts(beside, number))
            case.repeat(means, number)
            chained(whole)
            if not cut:
                break
        assert not cut
        assert whole.meta.gaps() == {}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["there", "back"])
def test_a_move_goes_on_where_it_was_cut(server: Server, tmp_path: Path, way: Direction) -> None:
    """However often the line breaks: repeated, the move comes to its end, and both stores hold the same, once."""
    clock, model = FixedClock(), HashEmbedder()
    with ExitStack() as stack:
        file = stack.enter_context(closing(SqliteStore.open(tmp_path / "memory.db", now=clock)))
        here = means_over(file, tmp_path, clock, embedder=model)
        for number in range(20):
            Remember().act(here, number)
            Recall().act(here, number)
            Observe().act(here, number)
            Propose().act(here, 100 + number)
        url = as_role(stack.enter_context(server.database(prepare)))
        line = stack.enter_context(Line(url))
        codes, answer = list[str](), None
        for number in range(60, 6_000, 60):
            line.cut(way, number)
            made = Way("file", "server", lambda: opened(line.through(url), clock))
            try:
                answer = migrate(here, made)
            except StoreError as error:
                codes.append(error.error_code)
            if not line.mend():
                break
        assert isinstance(answer, Moved)
        assert answer.verified
        assert len(codes) > 3
        assert set(codes) <= {"store_unavailable", UNKNOWN}
        whole = stack.enter_context(closing(opened(url, clock)))
        assert tallies(whole) == tallies(file)
        assert chained(whole) == chained(file)
