"""Decisions that replaced one another: asked in the words of the dead one, does the live one come first?

Told: the relations are given, as a person would, by superseding proposals. Untold: the documents alone, in order; then
nothing may be retired, and what a write nominates is compared with the true ancestor.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import EmbedderError
from learnt.evals.metrics import above, means, percentile, place, share
from learnt.evals.quality import judged_arms
from learnt.evals.subject import arms_of, embedded
from learnt.model.answer import Proposed, Written
from learnt.model.keys import collapse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from learnt.engine import Engine
    from learnt.evals.datasets.supersede import Decision, Succession
    from learnt.evals.task import Question
    from learnt.model.kinds import Profile

Json = dict[str, Any]

KIND: Final = "architecture_decision"
MOST_CHARS = 500
"""What a decision may promote; a document that replaced another is told by so much of it."""
_DEPTH, _TOKENS = 20, 5_000
"""The most a recall gives: about twelve documents fit into its block, what is behind them was not given."""
_NEAREST = 5


@dataclass(frozen=True, slots=True)
class _Asked:
    question: Question
    ranking: tuple[str, ...]
    latency_ms: float
    arms: Mapping[str, str]


def measured(
    value: Succession,
    profiles: Sequence[Profile],
    opened: Callable[[], AbstractContextManager[Engine]],
    tell: Callable[[int, int], None] | None = None,
) -> Json:
    """The profiles' figures with the relations told, and under `untold` what happened without them."""
    with opened() as engine:
        ids = _told(engine, value)
        embedded(engine.assembly.means)
        report: Json = {each: _profile(engine, value, ids, each, tell) for each in profiles}
    with opened() as engine:
        report["untold"] = _untold(engine, value)
    return report


def text_of(document: Decision, *, successor: bool) -> str:
    """What is remembered of a document: title and text, a successor's within what a decision may promote."""
    text = collapse(f"{document.title}. {document.text}")
    most = MOST_CHARS if successor else 2_000
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0]


def _remembered(engine: Engine, value: Succession) -> Iterator[tuple[Decision, Written]]:
    successors = {new for _, new in value.pairs}
    for document in value.documents:
        written = engine.remember(text_of(document, successor=document.id in successors), kind=KIND)
        if isinstance(written, Written):
            yield document, written


def _told(engine: Engine, value: Succession) -> dict[str, str]:
    """Documents remembered and replaced; gives the document of each memory."""
    memories = {document.id: written.memory for document, written in _remembered(engine, value)}
    for old, new in value.pairs:
        if old in memories and new in memories:
            _replaced(engine, memories[old].id, memories[new].text)
    return {memory.id: name for name, memory in memories.items()}


def _replaced(engine: Engine, old: str, text: str) -> None:
    """A person says that a statement replaces an older one; where it was replaced already, it stays as it is."""
    asked = engine.propose(
        "supersede", text, kind=KIND, target=old, rationale="It replaces the older one.", evidence=["headers"]
    )
    if isinstance(asked, Proposed) and asked.proposal.status == "pending":
        engine.decide(asked.proposal.id, "accept")


def _profile(
    engine: Engine,
    value: Succession,
    ids: Mapping[str, str],
    profile: Profile,
    tell: Callable[[int, int], None] | None,
) -> Json:
    asked = []
    for number, question in enumerate(value.questions, 1):
        asked.append(_asked(engine, question, ids, profile))
        if tell:
            tell(number, len(value.questions))
    arms = dict(asked[0].arms) if asked else {}
    status, reason = judged_arms(profile, arms)
    times = [each.latency_ms for each in asked]
    latency = {"p50": round(percentile(times, 50), 3), "p95": round(percentile(times, 95), 3)}
    head: Json = {"status": status, "reason": reason, "arms": arms, "latency_ms": latency}
    if status == "skipped":
        return head
    kinds = sorted({each.question.category for each in asked})
    by_category = {kind: _figures([each for each in asked if each.question.category == kind], value) for kind in kinds}
    return {**head, "granularity": "memory", **_figures(asked, value), "by_category": by_category}


def _asked(engine: Engine, question: Question, ids: Mapping[str, str], profile: Profile) -> _Asked:
    began = time.perf_counter()
    try:
        found = engine.recall(question.text, profile=profile, max_items=_DEPTH, budget_tokens=_TOKENS, min_score=0.0)
    except EmbedderError as error:
        return _Asked(question, (), 0.0, arms_of(error))
    latency_ms = (time.perf_counter() - began) * 1000
    ranking = tuple(ids[hit.memory.id] for hit in found.hits if hit.memory.id in ids)
    arms = found.diagnostics.get("arms")
    return _Asked(question, ranking, latency_ms, arms if isinstance(arms, dict) else {})


def _figures(asked: Sequence[_Asked], value: Succession) -> Json:
    stale = [(each.ranking, value.stale.get(each.question.id, frozenset()), each.question) for each in asked]
    return {
        **means([(each.ranking, each.question.relevant["turn"]) for each in asked if each.question.relevant["turn"]]),
        "stale@1": share(place(ranking[:1], dead) is not None for ranking, dead, _ in stale),
        "stale@5": share(place(ranking[:5], dead) is not None for ranking, dead, _ in stale),
        "stale_above_current": share(above(ranking, dead, each.relevant["turn"]) for ranking, dead, each in stale),
    }


def _untold(engine: Engine, value: Succession) -> Json:
    """What writing the documents alone retired and nominated."""
    names: dict[str, str] = {}
    nominated: dict[str, tuple[str, ...]] = {}
    retired = 0
    for document, written in _remembered(engine, value):
        names[written.memory.id] = document.id
        nominated[document.id] = written.nominated[:_NEAREST]
        retired += len(written.superseded)
    judged = [any(names.get(each) == old for each in nominated.get(new, ())) for old, new in value.pairs]
    gone = engine.list(statuses=("superseded", "consolidated", "deleted"), limit=1).total
    return {
        "documents": len(names),
        "refused": len(value.documents) - len(nominated),
        "wrongly_retired": max(retired, gone),
        "nominations": sum(map(len, nominated.values())),
        "ancestor@5": share(judged),
    }
