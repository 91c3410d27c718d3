"""Evidence and searches as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.model.evidence import EvidenceUnit
    from learnt.model.filter import Page
    from learnt.model.memory import Memory
    from learnt.model.search import SearchAnswer, SearchHit

    Json = dict[str, Any]


def answer(value: SearchAnswer) -> Json:
    """A search."""
    return {"hits": [hit(each) for each in value.hits], "diagnostics": dict(value.diagnostics)}


def hit(value: SearchHit) -> Json:
    """One thing found."""
    told: Json = {
        "id": value.id,
        "type": "evidence" if value.unit else "memory",
        "text": value.passage if value.unit else value.memory.text if value.memory else "",
        "score": round(value.score, 6),
        "source": _place(value.unit) if value.unit else _origin(value.memory) if value.memory else {},
        "signals": {name: round(each, 6) for name, each in value.signals.items()},
    }
    if value.others:
        told["others"] = list(value.others)
    return told


def _place(value: EvidenceUnit) -> Json:
    """Where a unit comes from: enough to open the transcript at the very record."""
    span = value.span
    place = {"offset": span.offset, "length": span.length, "record": span.record} if span else {}
    return {
        "ref": value.ref,
        "kind": value.type,
        "session": value.session_id or None,
        "who": value.who,
        "at": value.at,
        "path": value.path or None,
        **place,
        **dict(value.detail),
    }


def _origin(value: Memory) -> Json:
    return {
        "kind": value.kind,
        "scope": value.scope.type,
        "trust": value.trust,
        "confidence": value.confidence,
        "flags": value.flags,
        "at": value.updated_at,
        "place": value.source.place,
        "evidence": [reference.ref for reference in value.evidence],
    }


def unit(value: EvidenceUnit) -> Json:
    """One piece of evidence."""
    return {"id": value.id, "text": value.text, "cited": value.cited, **_place(value)}


def page(value: Page[EvidenceUnit]) -> Json:
    """Evidence documents."""
    return {"evidence": [unit(each) for each in value.values], "total": value.total}
