"""The events of a session as they may be read further: what somebody said or did, without secrets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.capture.echo import Veil, own_words, without_echo
from learnt.model.session import Call, Prompt, Reply, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from learnt.model.session import SessionEvent


def heard(events: Iterable[SessionEvent], redact: Callable[[str], str]) -> Iterator[SessionEvent]:
    """`events` in order: words without our blocks, private parts, the host's wrappers and secrets; no others.

    Left out are what was injected or inherited, compactions, and whatever holds nothing after that.
    """
    veil = Veil()
    for event in events:
        match event:
            case Prompt():
                shown = redact(own_words(veil.hide(event.message_id, event.text)))
            case Reply() | Result():
                shown = redact(without_echo(veil.hide(event.message_id, event.text)))
            case Call():
                yield _call(event, veil, redact)
                continue
            case _:
                continue
        if shown.strip() or isinstance(event, Result):
            yield event if shown == event.text else replace(event, text=shown)


def _call(call: Call, veil: Veil, redact: Callable[[str], str]) -> Call:
    def shown(text: str) -> str:
        return redact(veil.hide(call.message_id, text)) if text else text

    target = None if call.target is None else shown(call.target)
    if (target, shown(call.head), shown(call.text)) == (call.target, call.head, call.text):
        return call
    return replace(call, target=target, head=shown(call.head), text=shown(call.text))
