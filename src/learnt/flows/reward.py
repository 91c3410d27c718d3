"""A council's verdict, applied to what was recalled for the work it is about, and to nothing else.

The receipts of a run, unit and round (or one bundle) name the memories; each of them takes one step of its moving
average, its neighbours a smaller one, and the receipts carry the reward from then on, so that it is given once. A
verdict that names nothing rewards nothing: nothing falls back to what was recalled last.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.flows.arms import generation_of
from learnt.flows.receipt import is_genuine
from learnt.learn.average import NEUTRAL, after, finite, mean, shared
from learnt.learn.belief import posterior
from learnt.learn.closeness import closeness
from learnt.learn.near import LOOKBACK_ROWS, Reach, nearest
from learnt.model.instant import plus_days
from learnt.model.reward import ALREADY, COUNCIL, DISABLED, NO_RECALL, Learned, Past, Rewarded, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.flows.means import Means
    from learnt.model.event import ChainRow
    from learnt.model.memory import Memory
    from learnt.model.ranking import Bundle, Hit
    from learnt.model.reward import Council

OPERATION = "reward"
MOST_RECEIPTS = 10_000
"""Receipts of one run, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a verdict is about: one bundle, or a run and, where they are named, one unit and one round of it."""

    bundle: str = ""
    run: str = ""
    unit: str = ""
    round: str = ""

    @property
    def key(self) -> str:
        """What a receipt remembers its reward by: the same work is rewarded once."""
        named = ["bundle", self.bundle] if self.bundle else ["run", self.run, self.unit, self.round]
        return json.dumps(named, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """A verdict on its way: what it is worth, the place of its steps, and for which work."""

    said: Council
    work: Work
    now: str
    at: str
    reward: float
    rate: float

    def step(self, signal: float) -> Step:
        return Step(at=self.at, key=self.work.key, signal=signal, rate=self.rate)


def reward(means: Means, said: Council, work: Work) -> Rewarded:
    """What a verdict did; nothing, with the reason, where no receipt of that work is there or it was rewarded before.

    Raises:
        UsageError: The verdict is none, or the work is neither one bundle nor one run.
    """
    if said not in COUNCIL:
        raise UsageError(f"A verdict is one of {', '.join(COUNCIL)}.", code="verdict")
    if bool(work.bundle) == bool(work.run) or (work.bundle and (work.unit or work.round)):
        raise UsageError("A reward names one bundle, or a run with its unit and round.", code="reward_target")
    if not means.settings.memory.enabled:
        return Rewarded(reason=DISABLED)
    now, work = means.clock.now(), _screened(means, work)
    with means.store.transaction():
        named = [each for each in _named(means, work) if each.memory_ids]
        genuine = [each for each in named if is_genuine(means, each)]
        unsigned = len(named) - len(genuine)
        open_ = [each for each in genuine if not each.reward_key]
        if not genuine:
            return Rewarded(reason=NO_RECALL, unsigned=unsigned)
        if not open_ or any(each.reward_key == work.key for each in genuine):
            return Rewarded(reason=ALREADY, unsigned=unsigned)
        return replace(_applied(means, _verdict(means, said, work, open_, now), open_), unsigned=unsigned)


def _screened(means: Means, work: Work) -> Work:
    """The work by the names that receipts hold: they pass the gate like any text, and are told of in events."""
    run, unit, turn = (means.gate.redact(name) if name else "" for name in (work.run, work.unit, work.round))
    return replace(work, run=run, unit=unit, round=turn)


def _named(means: Means, work: Work) -> Sequence[Bundle]:
    """The receipts a verdict names; a unit or a round that is not named is any."""
    sight, usage = means.context.sight, means.store.usage
    if work.bundle:
        return usage.find(sight, work.bundle)
    return [
        each
        for each in usage.page(sight, work.run, MOST_RECEIPTS)
        if work.unit in {"", each.unit_id} and work.round in {"", each.round}
    ]


def _verdict(means: Means, said: Council, work: Work, bundles: Sequence[Bundle], now: str) -> _Verdict:
    learning = means.settings.learning
    worth = {
        "APPROVE": learning.reward_approve,
        "CONCERNS": learning.reward_concerns,
        "REJECT": learning.reward_reject,
    }
    at = max(each.timestamp for each in bundles)
    return _Verdict(said, work, now, at, finite(worth[said], 0.0), finite(learning.learning_rate, 0.1))


def _applied(means: Means, verdict: _Verdict, bundles: Sequence[Bundle]) -> Rewarded:
    """The verdict on memories, neighbours and receipts, inside the caller's transaction."""
    ids = tuple(dict.fromkeys(name for each in bundles for name in each.memory_ids))
    sources = [each for each in means.store.memories.many(means.context.sight, ids) if each.status != "deleted"]
    if not sources:
        return Rewarded(reason=NO_RECALL)
    factor = finite(means.settings.learning.propagation_factor, 0.3)
    near = _near(means, sources, verdict.now) if factor else ()
    learned = _stepped(means, verdict, sources, verdict.reward, is_shared=False)
    followed = _stepped(means, verdict, near, shared(verdict.reward, factor), is_shared=True)
    values = {each.id: each.q_after for each in learned}
    marked = [_marked(verdict, each, values) for each in bundles]
    means.store.usage.reward(means.context.sight, marked, {**values, **{each.id: each.q_after for each in followed}})
    given = tuple(each.id for each in bundles)
    _tell(means, verdict, given, len(learned), len(followed))
    return Rewarded(learned=learned, near=followed, bundles=given)


def _marked(verdict: _Verdict, bundle: Bundle, values: dict[str, float]) -> Bundle:
    own = {name: values[name] for name in bundle.memory_ids if name in values}
    return replace(
        bundle,
        reward_key=verdict.work.key,
        last_reward=verdict.reward,
        task_outcome=verdict.said,
        q_value=mean(own),
    )


def _near(means: Means, sources: Sequence[Memory], now: str) -> tuple[Memory, ...]:
    """What was recalled lately and is like what is rewarded."""
    learning, sight = means.settings.learning, means.context.sight
    if not learning.propagation_fanout:
        return ()
    since = plus_days(now, -learning.propagation_lookback_days)
    lately = [each for each in means.store.usage.page(sight, "", LOOKBACK_ROWS) if each.timestamp >= since]
    own = {each.id for each in sources}
    ids = tuple(dict.fromkeys(name for each in lately for name in each.memory_ids if name not in own))
    reach = Reach(
        overlap=finite(learning.propagation_token_overlap_threshold, 0.4),
        cosine=finite(learning.propagation_embedding_cosine_threshold, 0.7),
        fanout=learning.propagation_fanout,
    )
    return nearest(sources, means.store.memories.many(sight, ids), reach, _cosine(means, own, ids))


def _cosine(means: Means, own: set[str], ids: Sequence[str]) -> Callable[[str, str], float] | None:
    """Likeness by the vectors that were kept; None where there is no embedder, or its vectors are not made yet."""
    held = generation_of(means)
    if isinstance(held, str):
        return None
    return closeness(means.store.vectors.kept(means.context.sight, held, (*own, *ids)), own)


def _stepped(
    means: Means, verdict: _Verdict, memories: Sequence[Memory], signal: float, *, is_shared: bool
) -> tuple[Learned, ...]:
    """One step of each of these memories, told in its own event."""
    step, learned, events = verdict.step(signal), [], []
    told = _told(means, memories)
    for memory in memories:
        before = finite(memory.q_value, NEUTRAL)
        base, held = _held(told[memory.id], before)
        one = Learned(id=memory.id, q_before=before, q_after=after(before, base, held, step))
        detail = {
            "verdict": verdict.said,
            "signal": signal,
            "rate": step.rate,
            "at": step.at,
            "key": step.key,
            "q_before": one.q_before,
            "q_after": one.q_after,
            "shared": is_shared,
        }
        events.append(means.event(OPERATION, memory.id, verdict.now, detail))
        learned.append(one)
    means.store.events.append(*events)
    return tuple(learned)


def _told(means: Means, memories: Sequence[Memory]) -> dict[str, list[ChainRow]]:
    """The events of each of these memories, oldest first."""
    told: dict[str, list[ChainRow]] = {memory.id: [] for memory in memories}
    for row in means.store.events.about(*told):
        told[row.target_id].append(row)
    return told


def _tell(means: Means, verdict: _Verdict, bundles: Sequence[str], learned: int, near: int) -> None:
    """One event for the whole; those of the memories stand beside it."""
    detail = {
        "verdict": verdict.said,
        "reward": verdict.reward,
        "key": verdict.work.key,
        "bundles": list(bundles),
        "memories": learned,
        "near": near,
    }
    target = verdict.work.bundle or verdict.work.run
    means.store.events.append(means.event("verdict", target, verdict.now, detail))


def _held(told: Sequence[ChainRow], q_value: float) -> tuple[float, list[Step]]:
    """The steps that led to this value without a break, and the value they began at.

    A value that something else set (an import, a merge) is a new beginning.
    """
    base, steps = q_value, list[Step]()
    for row in reversed(told):
        for step, past in entries((row,)):
            if past.q_after != base:
                return base, steps
            base = past.q_before
            steps.append(step)
    return base, steps


def believed(means: Means, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Hits with how far each may be believed; only those with a learned value have a history to read."""
    return tuple(replace(hit, belief=belief(means, hit.memory)) for hit in hits)


def belief(means: Means, memory: Memory) -> float:
    """How far a memory may be believed: its writer's grade, and the verdicts and outcomes since, not of neighbours.

    An outcome counts like a verdict: useful all for it, a dead end or a correction all against. A verdict is about what
    was given for some work, an outcome about what was used: neither is told of in the other, so none counts twice.
    """
    said = [1.0] * memory.useful + [-1.0] * memory.against
    if memory.q_value != NEUTRAL:
        told = entries(means.store.events.about(memory.id))
        said += [past.signal for _, past in told if not past.shared]
    return posterior(memory.confidence, said)


def entries(rows: Sequence[ChainRow]) -> list[tuple[Step, Past]]:
    """The rewards among a memory's events, oldest first; a row that is not as we write it is passed over."""
    found = []
    for row in rows:
        if row.operation == OPERATION and row.event_json:
            try:
                found.append(_entry(row.timestamp, json.loads(row.event_json)))
            except (ValueError, KeyError, TypeError):  # `learnt audit verify` is what tells of it
                continue
    return found


def _entry(timestamp: str, told: dict[str, Any]) -> tuple[Step, Past]:
    step = Step(at=str(told["at"]), key=str(told["key"]), signal=float(told["signal"]), rate=float(told["rate"]))
    past = Past(
        at=timestamp,
        verdict=str(told["verdict"]),
        signal=step.signal,
        q_before=float(told["q_before"]),
        q_after=float(told["q_after"]),
        shared=bool(told["shared"]),
    )
    return step, past
