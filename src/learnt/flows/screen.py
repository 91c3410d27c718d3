"""The one way from a write to the gate: every field that is stored or shown goes through here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from learnt.flows import alarm
from learnt.gate.hygiene import MAX_CHARS, fit, is_readable
from learnt.govern.reference import source_of
from learnt.model.answer import Refusal
from learnt.model.memory import Memory
from learnt.model.pin import KEY
from learnt.model.problem import Problem
from learnt.model.proposal import Proposal
from learnt.model.verdict import Passage, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.flows.means import Means
    from learnt.model.memory import Source

Writing = TypeVar("Writing", Memory, Proposal)


def judged(means: Means, texts: Sequence[Passage], door: str) -> Verdict:
    """What the gate says of a write, told to the trail unless it may pass: the funnel of every door.

    Outside of any transaction.

    Args:
        door: The verb that was asked to write.

    Raises:
        GateError: The pattern set cannot be loaded or the scan failed; nothing may be written.
    """
    verdict = means.gate.scan(texts)
    if verdict.outcome != "allow":
        alarm.judged(means, verdict, door)
    return verdict


def passages(write: Memory | Proposal, tags: Sequence[str] = ()) -> tuple[Passage, ...]:
    """Every text of a write, named by its field, in a fixed order.

    Args:
        tags: The tags as they were given: in normal form, which is stored, a secret may not be recognised any more.
    """
    given = (Passage(field="tags", text=tag) for tag in tags)
    return (*(Passage(field=name, text=text) for name, text in texts(write)), *given)


def texts(write: Memory | Proposal) -> list[tuple[str, str]]:
    """Every text of a write with the name of its field, in a fixed order."""
    found = [("text", write.text), ("rationale", write.rationale)]
    for name, values in (("tags", write.tags), ("files", write.files), ("symbols", write.symbols)):
        found += [(name, value) for value in values]
    for reference in write.evidence:
        found += [("evidenceRefs", reference.ref), ("quotes", reference.quote)]
    if isinstance(write, Proposal):
        found += [("trigger", key) for _, key in write.trigger]
        found.append(("target", write.target_id))
        found += [("related", memory_id) for memory_id in write.related]
    return found


def redacted(write: Writing, verdict: Verdict) -> Writing:
    """`write` with every scanned text replaced by its redacted form, and without what was read off the texts.

    Tags, files, symbols and pins come from texts that held a secret: a part of it, cut out, may look like none.
    """
    texts = iter(text for name, text in verdict.redacted if name not in {"tags", "files", "symbols"})
    text, rationale = next(texts), next(texts)
    cut = write.text.startswith(write.rationale)  # the beginning of the text stood in, and may end inside a secret
    changes = {
        "text": text,
        "rationale": text[: len(write.rationale)] if cut else rationale,
        "tags": (),
        "files": (),
        "symbols": (),
        "metadata": {name: value for name, value in write.metadata.items() if name != KEY},
        "evidence": tuple(replace(r, ref=next(texts), quote=next(texts)) for r in write.evidence),
    }
    if isinstance(write, Proposal):
        changes["trigger"] = tuple((name, next(texts)) for name, _ in write.trigger)
        changes["target_id"] = next(texts)
        changes["related"] = tuple(next(texts) for _ in write.related)
    clean = replace(write, **changes)  # type: ignore[arg-type]
    return replace(clean, source=source_of(clean.evidence, _writer(write)))


def _writer(write: Memory | Proposal) -> str:
    source: Source | None = write.source
    return source.created_by if source else ""


def unusable(write: Memory | Proposal) -> Problem | None:
    """The first field no store or screen could hold as it is (NUL, controls, half characters), or None."""
    named = texts(write)
    whole = "".join([text for _, text in named])
    said = not write.text or is_readable(write.text)
    if said and len(whole) <= MAX_CHARS and whole.replace("\n", "").isprintable():
        return None  # the rule by far: nothing to look for in each of them
    return next((problem for name, text in named if (problem := _unfit(name, text))), None)


def _unfit(name: str, text: str) -> Problem | None:
    """What is wrong with one field; only the text itself must say something, and a proposal's may be left out."""
    problem = fit(text) if text else None
    if problem is None or (problem.code == "empty" and name != "text"):
        return None
    return Problem(problem.code, f"{name}: {problem.message}")


def refusal(verdict: Verdict, means: Means) -> Refusal | None:
    """What a writer is told of a verdict that stores nothing, or None when the write may go on."""
    if verdict.outcome == "incomplete":
        return Refusal(
            code="scan_incomplete",
            message="The scan of this text did not finish; it waits to be scanned again.",
            hint="Shorten the text, or repeat the command later.",
            retryable=True,
        )
    if verdict.outcome != "refuse":
        return None
    family = verdict.findings[0].family if verdict.findings else "secret"
    if family == "secret" and not means.settings.gate.reject_durable_secrets:
        return None
    return Refusal(
        code=family,
        message=_MESSAGES[family],
        hint=_HINTS[family],
        details={"classes": list(verdict.classes), "fields": list(verdict.fields)},
    )


_MESSAGES = {
    "secret": "This holds what looks like a secret; nothing was stored.",
    "sentinel": "This holds a marker that learnt writes around recalled memory; nothing was stored.",
    "injection": "This reads like an attempt to instruct agents; nothing was stored.",
    "pii": "This holds personal data; nothing was stored.",
}
_HINTS = {
    "secret": "Say where the secret is kept instead of what it is.",
    "sentinel": "Leave out the marker (`## Retrieved Swarm Memory`, `bundle_`, `<recalled_memory>`).",
    "injection": "Say it as a fact about the repository.",
    "pii": "Say it without the person.",
}
