"""What the web or documentation said to an agent, as documents: evidence somebody else wrote, never memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.capture.evidence import reference_of
from learnt.model.evidence import Document
from learnt.model.lookup import source_type
from learnt.model.session import Call, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.session import SessionEvent

MAX_OPEN_CALLS: Final = 512


class Lookups:
    """Gives a document for every answer of a web or documentation tool that did not fail: `feed` each event."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._calls: dict[str, Call] = {}

    def feed(self, event: SessionEvent) -> Iterator[Document]:
        """Take the next event."""
        match event:
            case Call(action="lookup"):
                self._calls[event.call_id] = event
                if len(self._calls) > MAX_OPEN_CALLS:
                    del self._calls[next(iter(self._calls))]
            case Result() if (call := self._calls.pop(event.call_id, None)) and not event.failure:
                yield Document(
                    text=event.text,
                    source_type=source_type(call.tool),
                    url=call.url,
                    query=call.query,
                    created_by=call.tool,
                    captured_at=event.at,
                    metadata=(("session", reference_of(self._session_id, event.span)),),
                )
            case _:
                pass
