"""The events of a session as they may be read further: what somebody said or did, without secrets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.capture.echo import Veil, own_words, unechoed, without_echo
from learnt.model.session import Call, Prompt, Reply, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from learnt.model.session import SessionEvent


def heard(
    events: Iterable[SessionEvent], redact: Callable[[str], str], *, person: bool = True
) -> Iterator[SessionEvent]:
    """`events` in order: words without our blocks, private parts, the host's wrappers and secrets; no others.

    Left out are what was injected or inherited, compactions, damage, and words of which nothing is left.

    Args:
        person: Whether anything shows that a person sat in front of the session. Without one no words in it are a
            person's: a script may have pasted anybody's text into its prompt.
    """
    veil = Veil()

    def plain(message_id: str, text: str) -> str:
        return redact(without_echo(veil.hide(message_id, text))) if text else text

    for event in unechoed(events):
        match event:
            case Prompt():
                text = plain(event.message_id, event.text)
                asked = event if person or not event.typed else replace(event, typed=False)
                shown: Prompt | Reply | Result | Call = _told(asked, own_words(text) if event.typed else text)
            case Reply() | Result():
                shown = _told(event, plain(event.message_id, event.text))
            case Call():
                shown = _called(event, plain)
            case _:
                continue
        if isinstance(shown, Call | Result) or shown.text.strip():
            yield shown


def _told(event: Prompt | Reply | Result, text: str) -> Prompt | Reply | Result:
    return event if text == event.text else replace(event, text=text)


def _called(call: Call, plain: Callable[[str, str], str]) -> Call:
    target = None if call.target is None else plain(call.message_id, call.target)
    head, text, query, url = (plain(call.message_id, each) for each in (call.head, call.text, call.query, call.url))
    shown = replace(call, target=target, head=head, text=text, query=query, url=url)
    return call if shown == call else shown
