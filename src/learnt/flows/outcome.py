"""What became of a memory, or of an answer to a question, as whoever used it says: kept, counted, digested.

Retrieval certifies nothing, and neither does an outcome: truth and trust of a memory stay as they are. It changes how
far the memory is believed, and what the digest says of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.errors import NotFoundError, UsageError
from learnt.flows import personal
from learnt.flows.bar import barred
from learnt.flows.reflect import reflect
from learnt.flows.screen import judged, passages, refusal, unusable
from learnt.flows.switch import off
from learnt.gate.hygiene import fit
from learnt.learn.outcome import checked, record
from learnt.model.answer import Refusal
from learnt.model.outcome import MAX_CORRECTION, MAX_OUTCOMES, Outcome, OutcomeRequest, Recorded
from learnt.model.problem import Problem
from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.verdict import Verdict

OPERATION = "outcome"


def outcome(means: Means, request: OutcomeRequest) -> Recorded | Refusal:
    """Keep an outcome, and make the digest anew.

    The outcome stays where the digest fails; the answer says so.

    Raises:
        UsageError: The input breaks a rule, or another outcome has this id; nothing was stored.
        NotFoundError: There is no such memory here.
    """
    asked = checked(request)
    if isinstance(asked, Problem):
        raise UsageError(asked.message, code=asked.code)
    if refused := off(means):
        return refused
    now = means.clock.now()
    made = record(asked.question, means.context.sight.one("repository"), means.context, now) if asked.question else None
    verdict = _scanned(means, asked, made)
    said = "\n".join(filter(None, (asked.question, asked.correction)))
    if refused := _refused(means, verdict) or personal.refused_text(means, said, OPERATION):
        return refused
    kept = _kept(means, asked, made and replace(made, clearance=verdict.pattern_set), verdict, now)
    return kept if isinstance(kept, Refusal) else reflect(means, kept, now)


def _scanned(means: Means, asked: OutcomeRequest, made: Memory | None) -> Verdict:
    """What the gate says of everything that would be stored.

    Raises:
        UsageError: A text holds what no store or screen can keep.
    """
    given = (
        ("correction", asked.correction),
        ("id", asked.id),
        *(("anchors", text) for spot in asked.spots for text in (spot.file, spot.symbol)),
    )
    for name, text in given:
        if text and (problem := fit(text, max_chars=MAX_CORRECTION)):
            raise UsageError(f"{name}: {problem.message}", code=problem.code)
    if made and (broken := unusable(made)):
        raise UsageError(broken.message, code=broken.code)
    texts = [Passage(field=name, text=text) for name, text in given if text]
    return judged(means, (*(passages(made) if made else ()), *texts), "outcome")


def _refused(means: Means, verdict: Verdict) -> Refusal | None:
    """A suspicion is a refusal here: an outcome waits for nobody's review."""
    if verdict.outcome == "quarantine":
        return Refusal(
            code="injection",
            message="This may be an attempt to instruct agents; nothing was stored.",
            hint="Say it as a fact about the repository, or leave the correction out.",
            details={"classes": list(verdict.classes), "fields": list(verdict.fields)},
        )
    return refusal(verdict, means)


def _kept(means: Means, asked: OutcomeRequest, made: Memory | None, verdict: Verdict, now: str) -> Recorded | Refusal:
    """The outcome with its event, and the record of its question, in one transaction."""
    if made:
        means.store.memories.ready(made)
    with means.store.transaction():
        target = means.store.memories.get(means.context.sight, made.id if made else asked.memory_id)
        fresh = target is None and made is not None
        if target is None:
            target = made
        if target is None:
            raise NotFoundError(f"There is no memory {asked.memory_id} here.")
        told = _told(means, asked, target, verdict, now)
        if held := means.store.outcomes.get(means.context.sight, told.id):
            return _again(told, held, target)
        if refused := _full(target) or _forgotten(means, target.text if fresh else "", asked.correction):
            return refused
        means.name_place()
        if fresh:
            _put(means, target, now)
        event = means.event(OPERATION, target.id, now, _detail(told, fresh=fresh))
        means.store.outcomes.add(target.scope, told)
        means.store.events.append(event)
        after = means.store.memories.get(means.context.sight, target.id)
        return Recorded(outcome=told, memory=after or target, event=event.id, asked=fresh)


def _told(means: Means, asked: OutcomeRequest, target: Memory, verdict: Verdict, now: str) -> Outcome:
    return Outcome(
        id=asked.id or means.ids.new("out"),
        memory_id=target.id,
        generation=target.created_at,
        result=asked.result,
        at=now,
        by=means.context.writer,
        task=means.context.run_id,
        correction=asked.correction,
        clearance=verdict.pattern_set if verdict.outcome == "allow" else "",
        spots=asked.spots,
        repository_id=means.identity.repository_id,
    )


def _again(told: Outcome, held: Outcome, target: Memory) -> Recorded:
    """The same report once more: the first stays, with its time.

    Raises:
        UsageError: It says something else.
    """
    if told.meaning != held.meaning:
        raise UsageError("Another outcome has this id.", code="outcome_id", hint="Leave the id out for a new outcome.")
    return Recorded(outcome=held, memory=target, event="", existing=True)


def _forgotten(means: Means, *texts: str) -> Refusal | None:
    """The refusal of a question or a correction that was forgotten here."""
    if not barred(means, texts):
        return None
    return Refusal(code="forgotten", message="This was forgotten on demand; it is not written again.")


def _full(target: Memory) -> Refusal | None:
    """Why no more may be said of a memory."""
    if target.status == "deleted":
        hint = "`learnt explain ID` shows when; `learnt undo EVENT` brings it back."
        return Refusal(code="conflict", message="This memory was deleted.", hint=hint)
    if target.useful + target.against >= MAX_OUTCOMES:
        message = f"This memory has {MAX_OUTCOMES:,} outcomes; more say nothing new."
        return Refusal(code="conflict", message=message, hint="Decide on it: `learnt explain ID`.")
    return None


def _put(means: Means, made: Memory, now: str) -> None:
    """The record of a question, with an event of its own."""
    detail = {"kind": made.kind, "status": made.status, "existing": False}
    means.store.memories.put(made)
    means.store.events.append(means.event("upsert", made.id, now, detail))


def _detail(told: Outcome, *, fresh: bool) -> dict[str, object]:
    return {
        "outcome": told.id,
        "result": told.result,
        "anchors": len(told.spots),
        "corrected": bool(told.correction),
        "question": fresh,
    }
