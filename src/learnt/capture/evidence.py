"""Chooses what of a session is kept as evidence, one event at a time and in constant memory.

Kept verbatim: what the person and the agent said, every shell and write call, every failed call. Of any other tool's
output, and of every output longer than 3,000 characters, the first and last 1,500. One unit a record, so that
`session:ID#record` names exactly one; its text is redacted before it is cut, because half a secret is found by nobody.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from learnt.capture.echo import Veil, own_words, without_echo
from learnt.model.anchor import command_files, relative
from learnt.model.evidence import EvidenceUnit
from learnt.model.keys import evidence_id
from learnt.model.memory import Reference
from learnt.model.session import Call, Prompt, Reply, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from learnt.model.evidence import UnitType
    from learnt.model.kinds import Trust
    from learnt.model.scope import Scope
    from learnt.model.session import SessionEvent, Span

EDGE_CHARS: Final = 1_500
"""Kept of each end of a long output. Source: issue of the spine, capture."""
QUOTE_CHARS: Final = 500
RAW_CHARS: Final = 4_000
"""So much of a quote is read for secrets before it is cut: a token must not be cut before it is found."""
MAX_OPEN_CALLS: Final = 512
"""Calls waiting for their result; the oldest is given up beyond that, so that memory stays constant."""


def reference_of(session_id: str, span: Span) -> str:
    """The name of a record: `session:ID#record`."""
    return f"session:{session_id}#{span.record}"


def cited(session_id: str, quoted: Iterable[tuple[Span, str]], trust: Trust) -> tuple[Reference, ...]:
    """The records of a session that a lesson rests on, each with its words as they stand there; not verified yet."""
    return tuple(
        Reference(
            type="transcript",
            ref=reference_of(session_id, span),
            quote=quote[:RAW_CHARS],
            trust=trust,
            writer=f"session:{session_id}",
        )
        for span, quote in quoted
    )


def edges(text: str, edge_chars: int = EDGE_CHARS) -> str:
    """`text`, or its first and last `edge_chars` with the number of characters between."""
    if len(text) <= 2 * edge_chars:
        return text
    return f"{text[:edge_chars]}\n[... {len(text) - 2 * edge_chars} characters left out ...]\n{text[-edge_chars:]}"


class Keeper:
    """Turns events into evidence units: `feed` each event, then `close`."""

    def __init__(
        self, *, session_id: str, scope: Scope, path: str, redact: Callable[[str], str], clearance: str = ""
    ) -> None:
        self._session_id = session_id
        self._scope = scope
        self._path = path
        self._redact = redact
        self._name = lru_cache(maxsize=64)(redact)
        self._clearance = clearance
        self._veil = Veil()
        self._calls: dict[str, Call] = {}
        self._unit: EvidenceUnit | None = None

    def feed(self, event: SessionEvent) -> Iterator[EvidenceUnit]:
        """The units that are complete now that `event` was seen; usually none or one."""
        match event:
            case Prompt() if own_words(event.text):
                who = "person" if event.typed and not event.sidechain else "agent"
                yield from self._keep(event, "prompt", who, without_echo(self._shown(event)))
            case Reply() if event.text.strip():
                yield from self._keep(event, "reply", "agent", self._shown(event))
            case Call():
                yield from self._call(event)
            case Result():
                yield from self._result(event)
            case _:
                pass

    def close(self) -> Iterator[EvidenceUnit]:
        """The last unit."""
        if self._unit is not None:
            yield self._unit
        self._unit = None

    def _shown(self, event: Prompt | Reply | Result) -> str:
        return self._veil.hide(event.message_id, event.text)

    def _call(self, call: Call) -> Iterator[EvidenceUnit]:
        self._calls[call.call_id] = call
        if len(self._calls) > MAX_OPEN_CALLS:
            del self._calls[next(iter(self._calls))]
        if call.action in {"shell", "write"}:
            yield from self._keep(call, "call", call.tool, _words_of(call, self._veil))

    def _result(self, result: Result) -> Iterator[EvidenceUnit]:
        call = self._calls.pop(result.call_id, None)
        if call is not None and call.action == "lookup" and not result.failure:
            return  # kept as a document
        if call is not None and result.failure and call.action not in {"shell", "write"}:
            yield from self._keep(call, "call", call.tool, _words_of(call, self._veil))
        if result.text.strip():
            yield from self._keep(result, "result", call.tool if call else "tool", self._shown(result))

    def _keep(
        self, event: Prompt | Reply | Call | Result, unit_type: UnitType, who: str, text: str
    ) -> Iterator[EvidenceUnit]:
        shown = self._redact(text).strip()
        if unit_type in {"result", "call"}:
            shown = edges(shown)
        if not shown:
            return
        ref = reference_of(self._session_id, event.span)
        if self._unit is not None and self._unit.ref == ref:
            first = (unit_type, who) if unit_type == "prompt" else (self._unit.type, self._unit.who)
            self._unit = replace(self._unit, type=first[0], who=first[1], text=f"{self._unit.text}\n{shown}")
            return
        yield from self.close()
        self._unit = EvidenceUnit(
            id=evidence_id("transcript", self._session_id, ref, "", ""),
            scope=self._scope,
            type=unit_type,
            ref=ref,
            session_id=self._session_id,
            who=self._name(who),
            at=event.at,
            text=shown,
            span=event.span,
            path=self._path,
            clearance=self._clearance,
        )


def _words_of(call: Call, veil: Veil) -> str:
    """What a call asked for: the command, or the tool with its path or the head of its input."""
    if call.action == "shell" and call.target:
        return veil.hide(call.message_id, call.target)
    shown = f"{call.tool} {call.target}" if call.target else f"{call.tool} {call.head}"
    return veil.hide(call.message_id, shown)


def visible(events: Iterable[SessionEvent], excluded: Callable[[str], bool], root: str) -> Iterator[SessionEvent]:
    """`events` without calls that touch an excluded path, and without their results.

    Args:
        events: In order.
        excluded: Whether a repository-relative path is never to be captured.
        root: The checkout's root.
    """
    hidden: dict[str, None] = {}
    for event in events:
        if isinstance(event, Call) and _touches(event, excluded, root):
            hidden[event.call_id] = None
            if len(hidden) > MAX_OPEN_CALLS:
                del hidden[next(iter(hidden))]
        elif not (isinstance(event, Result) and hidden.pop(event.call_id, 0) is None):
            yield event


def _touches(call: Call, excluded: Callable[[str], bool], root: str) -> bool:
    if not call.target:
        return False
    if call.action == "shell":
        return any(excluded(path) for path in command_files(call.target, root))
    return excluded(relative(call.target, root))


def verified(reference: Reference, unit: EvidenceUnit | None, redact: Callable[[str], str]) -> Reference:
    """`reference` with its quote redacted, and marked as verified when the evidence it names holds that quote.

    White space is compared collapsed; an empty quote is never verified.
    """
    quote = redact(reference.quote)
    if len(reference.quote) >= RAW_CHARS and quote != reference.quote:
        quote = quote.rpartition(" ")[0]  # what was cut there may have moved to where it is shown
    quote = quote[:QUOTE_CHARS].strip()
    found = unit is not None and bool(quote) and " ".join(quote.split()) in " ".join(unit.text.split())
    return replace(reference, quote=quote, verified=found)
