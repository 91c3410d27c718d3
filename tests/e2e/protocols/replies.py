"""What a scripted model says: the same three replies for every protocol, so that one script plays for every client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Say:
    """The model ends its turn with this text."""

    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """The model runs a shell command, by whatever name the client's shell tool has."""

    command: str


@dataclass(frozen=True, slots=True)
class Use:
    """The model calls another tool."""

    tool: str
    arguments: Mapping[str, Any]


Reply = Say | Run | Use
Spoken = Say | Use
"""A reply once the client's shell tool has been named."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request: whether the model said it, and its texts, those of tool results included."""

    own: bool
    texts: tuple[str, ...]


class Dialect(Protocol):
    """One protocol: how its requests are read and its answers written."""

    def system(self, body: Mapping[str, Any]) -> Iterator[str]:
        """What stands before the conversation."""
        ...

    def messages(self, body: Mapping[str, Any]) -> Iterator[Message]:
        """The conversation, in order."""
        ...

    def tools(self, body: Mapping[str, Any]) -> Iterator[str]:
        """The tools that the model may call."""
        ...

    def write(self, body: Mapping[str, Any], spoken: Spoken, ident: str) -> tuple[str, bytes]:
        """Media type and content of the answer, as a stream where the request wants one."""
        ...


def texts(content: object) -> Iterator[str]:
    """The texts in content of any nesting: a string, or blocks with `text`, `content` or `output`."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            yield from texts(block)
    elif isinstance(content, dict):
        for key in ("text", "content", "output"):
            yield from texts(content.get(key))
