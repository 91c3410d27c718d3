"""What a storage of opencode holds of one session, in the same words from each of the three."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.session import Malformed, Span


@dataclass(frozen=True, slots=True)
class Item:
    """A message, or a part of one; `message` is the message's id either way."""

    type: Literal["message", "part"]
    identity: str
    message: str
    fields: dict[str, Any]
    span: Span


class Stock(Protocol):
    """One session where it is kept."""

    @property
    def session(self) -> dict[str, Any]:
        """The session's own record, as `opencode export` prints it."""
        ...

    @property
    def extent(self) -> int:
        """How far the session went when it was opened; see `learnt.hosts.host.Host`."""
        ...

    def items(self) -> Iterator[Item | Malformed]:
        """Messages, each followed by its parts, in order."""
        ...

    def children(self) -> tuple[str, ...]:
        """The places of the sessions it started, as far as the storage itself says so."""
        ...

    def place(self, session: str) -> str:
        """Where a session lies that a call of this one started; "" when it is not there."""
        ...
