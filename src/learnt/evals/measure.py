"""A data set told and asked, once for all profiles: each question is asked of every profile at the same moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.evals.metrics import CUTS, DEPTH, folded
from learnt.evals.task import Observe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from learnt.evals.subject import Answer, Subject
    from learnt.evals.task import Collection, Dataset, Granularity, Question
    from learnt.model.kinds import Profile

_FOLD = 3
"""Turns asked for each round wanted: a round is a prompt and its reply, seldom more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one profile gave for one question.

    Attributes:
        rankings: Names best first, by granularity.
        silent: The engine would rather say nothing.
        confidence: How far it trusts that there is an answer; None where it does not say.
        scores: Of the ranking of the first granularity that was asked for; may be shorter than a folded ranking.
    """

    question: Question
    split: str
    profile: Profile
    rankings: Mapping[Granularity, tuple[str, ...]]
    scores: tuple[float, ...]
    latencies_ms: tuple[float, ...]
    silent: bool
    confidence: float | None = None
    arms: Mapping[str, str]


def outcomes(
    dataset: Dataset,
    profiles: Sequence[Profile],
    opened: Callable[[], AbstractContextManager[Subject]],
    tell: Callable[[int, int], None] | None = None,
) -> Iterator[Outcome]:
    """Every question of every collection, each collection in a memory of its own.

    Args:
        opened: A new, empty memory.
        tell: Called with how many questions are done, and of how many.
    """
    total = sum(each.questions for each in dataset.collections)
    done = 0
    for collection in dataset.collections:
        with opened() as subject:
            for step in collection.steps:
                if isinstance(step, Observe):
                    subject.observe(step.turns)
                    continue
                for profile in profiles:
                    yield _asked(subject, dataset, collection, step.question, profile)
                done += 1
                if tell:
                    tell(done, total)


def _asked(subject: Subject, dataset: Dataset, collection: Collection, question: Question, profile: Profile) -> Outcome:
    answers: list[Answer] = []
    rankings: dict[Granularity, tuple[str, ...]] = {}
    if "session" in dataset.granularities:
        answers.append(subject.ask(question.text, profile, DEPTH, sessions=True))
        rankings["session"] = folded(answers[-1].names)
    if "turn" in dataset.granularities:
        depth = max(DEPTH, _FOLD * CUTS[-1]) if "round" in dataset.granularities else DEPTH
        answers.insert(0, subject.ask(question.text, profile, depth, sessions=False))
        rankings["turn"] = answers[0].names
    if "round" in dataset.granularities:
        rankings["round"] = folded(collection.round_of.get(name, name) for name in rankings["turn"])
    return Outcome(
        question=question,
        split=collection.split,
        profile=profile,
        rankings=rankings,
        scores=answers[0].scores,
        latencies_ms=tuple(answer.latency_ms for answer in answers),
        silent=answers[0].silent,
        confidence=answers[0].confidence,
        arms=answers[0].arms,
    )
