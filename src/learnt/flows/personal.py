"""Personal data in what is written: noted by type and number, and refused where a person wants that.

Off unless the settings say otherwise. Never what the data are: events, notes and refusals hold types, counts and
scores. Source: swarm-memory seed, personal data.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.flows import alarm
from learnt.gate.personal import Summary, summary
from learnt.model.answer import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal

KEY = "pii"
"""Where the note stands in a proposal's metadata. Source: swarm-memory seed, proposal intake."""


def noted(means: Means, asked: Proposal) -> Proposal:
    """The proposal with how many of each type it holds and how sure that is; as it was where there are none.

    Raises:
        GateError: The patterns cannot be loaded.
        ConfigError: The detector that was chosen is not installed.
    """
    if not means.settings.gate.detect_pii:
        return asked
    found = _found(means, _texts(asked))
    if not found.counts:
        return asked
    note = {"score": found.score, "types": sorted(found.counts), "counts": dict(found.counts)}
    return replace(asked, metadata={**asked.metadata, KEY: note})


def refused(means: Means, write: Memory | Proposal, door: str, tags: Sequence[str] = ()) -> Refusal | None:
    """Why a durable write is not taken for the personal data in it; None where it may go on. Told to the trail.

    Args:
        tags: The tags as they were given: their normal form, which is stored, may not be recognised any more.

    Raises:
        GateError: The patterns cannot be loaded.
        ConfigError: The detector that was chosen is not installed.
    """
    if not means.settings.gate.reject_durable_pii or write.stability != "durable":
        return None
    return _refused(means, (*_texts(write), *tags), door)


def private(means: Means, write: Memory | Proposal, beside: Sequence[str] = ()) -> Summary | None:
    """The personal data for which a durable write is not taken, told to nobody yet; None where it may go on.

    Args:
        beside: What else is free in it.
    """
    if not means.settings.gate.reject_durable_pii or write.stability != "durable":
        return None
    found = _found(means, (*_texts(write), *beside))
    return found if found.score > means.settings.gate.pii_threshold else None


def refused_text(means: Means, text: str, door: str) -> Refusal | None:
    """The same of one text that is kept for good."""
    if not means.settings.gate.reject_durable_pii or not text:
        return None
    return _refused(means, (text,), door)


def _refused(means: Means, texts: Sequence[str], door: str) -> Refusal | None:
    """A score above the threshold refuses, one that equals it passes. Source: swarm-memory seed."""
    found = _found(means, texts)
    if found.score <= means.settings.gate.pii_threshold:
        return None
    types = sorted(found.counts)
    alarm.tell(means, alarm.PII_REJECTED, {"door": door, "types": types, "score": found.score})
    return Refusal(
        code="pii",
        message=f"This holds personal data ({', '.join(types)}); nothing was stored.",
        hint="Say it without the person.",
        details={"types": types, "counts": dict(found.counts), "score": found.score},
    )


def _texts(write: Memory | Proposal) -> tuple[str, ...]:
    """What is said, without what is pointed at: a reference names a file, a page, or the person who wrote."""
    said = write.text.startswith(write.rationale)  # the beginning of the text stood in for a reason
    return (write.text, *(() if said else (write.rationale,)), *write.tags, *write.symbols)


def _found(means: Means, texts: Sequence[str]) -> Summary:
    """What patterns and, where it was chosen, the detector of names find together."""
    found = summary(texts)
    if means.people is None:
        return found
    names = means.people.counts(texts)
    counts = {name: found.counts.get(name, 0) + names.get(name, (0, 0.0))[0] for name in {*found.counts, *names}}
    return Summary(max((found.score, *(score for _, score in names.values()))), counts)
