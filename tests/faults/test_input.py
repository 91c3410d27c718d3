"""Bad input means the same on a server as in a file: the same refusal, the same answer, never the driver's error."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import pytest

from learnt.errors import LearntError
from learnt.flows import read as reading
from learnt.flows.flag import flag, flags
from learnt.flows.observe import add_document, observe
from learnt.flows.outcome import outcome
from learnt.flows.propose import propose
from learnt.flows.queue import pending
from learnt.flows.recall import recall
from learnt.flows.remember import remember
from learnt.flows.search import search
from learnt.flows.work import jobs
from learnt.model.backlog import JobFilter
from learnt.model.evidence import Document, Turn
from learnt.model.filter import MemoryFilter, QueueFilter
from learnt.model.flag import Flagged
from learnt.model.job import JobRequest
from learnt.model.outcome import OutcomeRequest, Recorded, Spot
from learnt.model.ranking import Query
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.model.search import SearchQuery
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import FixedClock
from tests.faults.world import chained, means_over, opened
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from learnt.flows.means import Means
    from tests.server import Server

TEXTS = {
    "nul": "bun\0tests",
    "only nul": "\0",
    "mark": "bun\x1atests \x1a0",
    "surrogate": "bun \ud800 tests",
    "pair": "bun \ud83e\udd8a tests",
    "private": "bun \uffff\U0010ffff tests",
    "backslashes": "bun \\x00 \\u0000 %s %(x)s {} tests",
    "quotes": 'bun\'; DROP TABLE memory_items; -- "tests" $$',
    "direction": "bun \u202e tests \u200b",
    "long word": "b" * 5_000,
    "a megabyte": "bun tests " * 100_000,
    "a megabyte of marks": "\x1a" * 1_000_000,
    "a megabyte of others": "ポート番号 " * 160_000,
    "empty": "",
    "spaces": " \t\n ",
}
NUMBERS = (0, -1, 2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63), 10**30)


def _kept(answer: object) -> object:
    """An outcome's texts as they were kept."""
    return (answer.outcome.correction, answer.outcome.spots) if isinstance(answer, Recorded) else answer


def _reason(means: Means, text: str) -> object:
    """A flag's reason as it was kept."""
    memory = reading.listing(means, MemoryFilter(tag="to-flag")).values
    if not memory:
        remember(means, WriteRequest(text="A fact to flag.", kind="project_fact", tags=("to-flag",)))
        memory = reading.listing(means, MemoryFilter(tag="to-flag")).values
    answer = flag(means, memory[0].id, text)
    return [each.reason for each in flags(means).values[0].flags] if isinstance(answer, Flagged) else answer


ASKED: dict[str, Callable[[Means, str], object]] = {
    "remember": lambda means, text: remember(means, WriteRequest(text=text, kind="project_fact")),
    "tag": lambda means, text: remember(means, WriteRequest(text="A tagged fact.", kind="project_fact", tags=(text,))),
    "file": lambda means, text: remember(means, WriteRequest(text="A filed fact.", kind="project_fact", files=(text,))),
    "evidence": lambda means, text: remember(
        means, WriteRequest(text="A proved fact.", kind="project_fact", evidence=(text,))
    ),
    "rationale": lambda means, text: remember(
        means, WriteRequest(text="A reasoned fact.", kind="project_fact", rationale=text)
    ),
    "propose": lambda means, text: propose(
        means, ProposalRequest(operation="add", text=text, kind="lesson", rationale="r", evidence=("c",))
    ),
    "target": lambda means, text: propose(means, ProposalRequest(operation="delete", target_id=text, rationale="r")),
    "question": lambda means, text: _kept(outcome(means, OutcomeRequest(result="useful", question=text))),
    "correction": lambda means, text: _kept(
        outcome(means, OutcomeRequest(result="corrected", question="Where?", correction=text))
    ),
    "anchor": lambda means, text: _kept(
        outcome(means, OutcomeRequest(result="useful", question="Where?", spots=(Spot(text, text),)))
    ),
    "reason": _reason,
    "recall": lambda means, text: recall(means, Query(text=text)).total,
    "search": lambda means, text: len(search(means, SearchQuery(text=text)).hits),
    "observe": lambda means, text: observe(means, [Turn(text=text, session="s", who=text[:50], key=text[:50])]),
    "session": lambda means, text: observe(means, [Turn(text="said", session=text)]),
    "document": lambda means, text: add_document(means, Document(text=text, title=text[:100])),
    "show": reading.show,
    "explain": reading.explain,
    "list": lambda means, text: reading.listing(means, MemoryFilter(tag=text)).total,
    "after": lambda means, text: reading.listing(means, MemoryFilter(after=text)).total,
    "as of": lambda means, text: reading.listing(means, MemoryFilter(as_of=text)).total,
    "jobs": lambda means, text: jobs(means, JobFilter(kinds=(text,)), retry=(text,)).refused,
    "enqueue": lambda means, text: _enqueued(means, JobRequest(id="j", kind="k", key=text)),
}
COUNTED: dict[str, Callable[[Means, int], object]] = {
    "list": lambda means, number: len(reading.listing(means, MemoryFilter(limit=number)).values),
    "recall": lambda means, number: recall(means, Query(text="bun tests", max_items=number)).total,
    "budget": lambda means, number: recall(means, Query(text="bun tests", budget_tokens=number)).total,
    "search": lambda means, number: len(search(means, SearchQuery(text="bun tests", k=number)).hits),
    "jobs": lambda means, number: len(jobs(means, JobFilter(limit=number)).page.values),
    "receipts": lambda means, number: len(reading.receipts(means, "", number)),
    "pending": lambda means, number: len(pending(means, QueueFilter(limit=number)).proposals.values),
    "watermark": lambda means, number: _enqueued(means, JobRequest(id="w", kind="k", key="w", watermark=number)),
    "pause": lambda means, number: _enqueued(means, JobRequest(id="p", kind="k", key=f"p{number}", wait_s=number)),
}


def _enqueued(means: Means, request: JobRequest) -> tuple[object, ...]:
    with means.store.transaction():
        job = means.store.queue.enqueue(request)
    return job.key, job.watermark, job.status


@pytest.fixture(scope="module")
def both(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Means, Means]]:
    """The same person's on a file and on a server."""
    folder: Path = tmp_path_factory.mktemp("input")
    with ExitStack() as stack:
        url = stack.enter_context(server.database(prepare))
        clocks = FixedClock(), FixedClock()
        file = stack.enter_context(closing(SqliteStore.open(folder / "memory.db", now=clocks[0])))
        there = stack.enter_context(closing(opened(as_role(url), clocks[1])))
        yield means_over(file, folder, clocks[0]), means_over(there, folder, clocks[1])


def _outcome(work: Callable[[Any, Any], object], means: Means, given: object) -> object:
    """What came of it, without what differs from store to store."""
    try:
        answer = work(means, given)
    except LearntError as error:
        return type(error).__name__, error.error_code, error.exit_code, error.may_retry
    for name in ("code", "memory", "proposal"):
        if hasattr(answer, name):
            held = getattr(answer, name)
            return type(answer).__name__, getattr(held, "id", held), getattr(held, "text", "")
    return answer


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_means_the_same(both: tuple[Means, Means], name: str) -> None:
    """Wherever a text is taken: stored and given back as it was, or refused with the same code."""
    for asked, work in ASKED.items():
        file, there = (_outcome(work, means, TEXTS[name]) for means in both)
        assert there == file, (asked, name)
    assert chained(both[0].store) == chained(both[1].store)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_means_the_same(both: tuple[Means, Means], number: int) -> None:
    """Also where it is beyond 64 bits."""
    for asked, work in COUNTED.items():
        file, there = (_outcome(work, means, number) for means in both)
        assert there == file, (asked, number)
