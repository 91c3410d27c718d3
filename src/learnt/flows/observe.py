"""Evidence that a program hands over: the turns of a conversation, and documents somebody looked up.

Both are redacted before they are kept, like what is read from transcripts. The full text takes them in here, in bounded
steps, so that a search does not have to.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from learnt.capture.evidence import edges
from learnt.errors import NotFoundError, StoreError, StoreReadOnlyError, UsageError
from learnt.flows.bar import admitted
from learnt.gate.clearance import PATTERN_SET
from learnt.gate.hygiene import clip, repair
from learnt.model.answer import Refusal
from learnt.model.evidence import UNIT_TYPES, EvidenceUnit
from learnt.model.filter import bounded
from learnt.model.keys import collapse, evidence_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from learnt.flows.means import Means
    from learnt.model.evidence import Document, Turn
    from learnt.model.filter import Page

BATCH: Final = 500
"""Turns a transaction."""
MAX_TURN_CHARS: Final = 100_000
MAX_NAME_CHARS: Final = 200
MAX_FILES: Final = 200
_UNKNOWN: Final = "store_outcome_unknown"
DOCUMENT_CHARS: Final = 4_000
"""Source: swarm-memory seed, evidence cache."""
SOURCE_TYPES: Final = ("api_docs", "web_search", "crawl", "manual")


def observe(means: Means, turns: Iterable[Turn]) -> tuple[str, ...]:
    """Keep the turns of conversations; gives the reference of each, "" for one without text.

    A turn that was kept before stays as it was.

    Raises:
        UsageError: A turn names no session, or a time that is none; the batches before it are kept.
    """
    if not means.settings.memory.enabled:
        return ()
    left, found = iter(turns), list[str]()
    now = means.clock.now()
    while batch := list(islice(left, BATCH)):
        numbers: dict[str, int] = {}
        with means.store.transaction():
            units = [_unit(means, turn, numbers, now) for turn in batch]
            means.store.archive.put_units(admitted(means, [unit for unit in units if unit.text]))
            means.name_place()
        found.extend(unit.ref if unit.text else "" for unit in units)
    settle(means)
    return tuple(found)


def _unit(means: Means, turn: Turn, numbers: dict[str, int], now: str) -> EvidenceUnit:
    session = _named(turn.session)
    if not session:
        raise UsageError("A turn belongs to a session.", code="session")
    if turn.type not in UNIT_TYPES:
        raise UsageError(f"There is no type {turn.type!r}. One of: {', '.join(UNIT_TYPES)}.", code="type")
    scope = means.context.sight.one("repository")
    key = _named(turn.key)
    if not key:
        if session not in numbers:
            numbers[session] = means.store.evidence.next_number(scope, session)
        key = str(numbers[session])
        numbers[session] += 1
    ref = f"session:{session}#{key}"
    return EvidenceUnit(
        id=evidence_id("turn", session, ref, "", ""),
        scope=scope,
        type=turn.type,
        ref=ref,
        session_id=session,
        who=means.gate.redact(_named(turn.who)),
        at=turn.at or now,
        text=edges(means.gate.redact(repair(turn.text)).strip(), MAX_TURN_CHARS // 2),
        clearance=PATTERN_SET,
        detail=(("files", means.gate.redact(" ".join(map(_named, turn.files[:MAX_FILES])))),) if turn.files else (),
    )


def _named(name: str) -> str:
    return clip(collapse(repair(name)), MAX_NAME_CHARS)


def add_document(means: Means, document: Document) -> EvidenceUnit | Refusal:
    """Keep a document; the same one again is the one there is.

    White space is collapsed, secrets are redacted, the text is cut at 4,000 characters.

    Raises:
        UsageError: The source type does not exist.
    """
    if document.source_type not in SOURCE_TYPES:
        message = f"There is no source type {document.source_type!r}. One of: {', '.join(SOURCE_TYPES)}."
        raise UsageError(message, code="source_type")
    unit = unit_of(means, document)
    if not means.settings.memory.enabled:
        return Refusal(code="disabled", message="learnt is off here; nothing was kept.")
    if not unit.text:
        return Refusal(code="empty", message="The document holds no text; nothing was kept.")
    bounds = means.settings.evidence
    with means.store.transaction():
        if not admitted(means, [unit]):
            return Refusal(code="forgotten", message="This was forgotten on demand; it is not kept again.")
        new = means.store.archive.put_units([unit])
        means.name_place()
        if new:
            detail = {"characters": len(unit.text)}
            means.store.events.append(means.event("evidence", unit.id, means.clock.now(), detail))
        if bounds.cache_max_bytes or bounds.cache_max_records:
            means.store.evidence.trim(unit.scope, bounds.cache_max_bytes, bounds.cache_max_records)
    return means.store.archive.unit(means.context.sight, unit.ref) or unit


def unit_of(means: Means, given: Document) -> EvidenceUnit:
    """A document as it is kept: white space collapsed, redacted, cut at 4,000 characters; its text may be empty."""

    def shown(text: str, most: int = DOCUMENT_CHARS) -> str:
        return clip(means.gate.redact(collapse(repair(text))), most).strip()

    text = shown(given.text)
    title, url, query = (shown(each, 500) for each in (given.title, given.url, given.query))
    name = evidence_id(given.source_type, query, title, url, text)
    known = [
        ("source_type", given.source_type),
        ("title", title),
        ("url", url),
        ("query", query),
        ("created_by", shown(given.created_by or means.context.writer, MAX_NAME_CHARS)),
        *((shown(key, MAX_NAME_CHARS), shown(value, 500)) for key, value in given.metadata),
    ]
    return EvidenceUnit(
        id=name,
        scope=means.context.sight.one("repository"),
        type="document",
        ref=f"evidence-cache:{name}",
        session_id="",
        who="",
        at=given.captured_at or means.clock.now(),
        text=text,
        clearance=PATTERN_SET,
        detail=tuple((key, value) for key, value in known if value),
    )


def document(means: Means, name: str) -> EvidenceUnit:
    """A document, or any piece of evidence, by id or reference.

    Raises:
        NotFoundError: Unknown here.
    """
    found = means.store.archive.unit(means.context.sight, name.removeprefix("evidence-cache:"))
    if found is None:
        hint = "`learnt search` and `learnt evidence list` name what there is."
        raise NotFoundError(f"There is no evidence {name} here.", code="not_found", hint=hint)
    return showable(means, found)


def documents(means: Means, limit: int) -> Page[EvidenceUnit]:
    """Evidence documents, newest first."""
    page = means.store.evidence.documents(means.context.sight, bounded(limit))
    return replace(page, values=tuple(showable(means, unit) for unit in page.values))


def showable(means: Means, unit: EvidenceUnit) -> EvidenceUnit:
    """`unit` as it may be shown: redacted again where another pattern set redacted it."""
    return unit if unit.clearance == PATTERN_SET else replace(unit, text=means.gate.redact(unit.text))


def settle(means: Means) -> None:
    """Take what was kept into the full text, a bounded step a transaction; where it cannot be done now it is later."""
    for _ in _steps(means):
        pass


def _steps(means: Means) -> Iterator[None]:
    sight = means.context.sight
    more = True
    while more:
        try:
            if not means.store.evidence.backlog(sight):
                return
            with means.store.transaction():
                more = means.store.evidence.settle(sight)
        except StoreReadOnlyError:
            return
        except StoreError as error:
            if error.may_retry or error.error_code == _UNKNOWN:
                return  # what is kept is kept: who searches, or keeps more, takes it in
            raise
        yield
