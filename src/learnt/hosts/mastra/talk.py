"""A conversation as a model is asked with it (AI SDK prompt messages), with each call beside its answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from learnt.hosts.reading.value import blocks, fields, text

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Said:
    """Words; `role` is the message's."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call. `name` is its id where that tells it from other calls, else "". `answer` is None while there is none."""

    tool: str
    name: str
    given: dict[str, Any]
    answer: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """In the order of the conversation; a call stands where it was made."""

    things: tuple[Said | Call, ...]


def talk_of(messages: Any, answer: Any) -> Talk:
    """The conversation of one model call: what it was asked with, and its answer."""
    told = [fields(message) for message in messages] if isinstance(messages, list) else []
    every = [*told, {"role": "assistant", "content": answer}]
    parts = [(text(message, "role"), part) for message in every for part in blocks(message.get("content"))]
    clear = _clear(parts)
    answers = _Answers([part for _, part in parts if part.get("type") == "tool-result"], clear)
    return Talk(tuple(thing for role, part in parts for thing in _thing(role, part, clear, answers)))


def _thing(role: str, part: dict[str, Any], clear: frozenset[str], answers: _Answers) -> Iterator[Said | Call]:
    if part.get("type") == "text" and text(part, "text").strip():
        yield Said(role, text(part, "text"))
    elif part.get("type") == "tool-call":
        tool, name = text(part, "toolName"), text(part, "toolCallId")
        call = Call(tool, name if name in clear else "", fields(part.get("input", part.get("args"))))
        yield replace(call, answer=answers.take(tool, call.name))


def _clear(parts: list[tuple[str, dict[str, Any]]]) -> frozenset[str]:
    """The ids that name one call each. Google's models get the tool's name for one."""
    counts: Counter[str] = Counter()
    for _, part in parts:
        if part.get("type") == "tool-call":
            name = text(part, "toolCallId")
            counts[name] += 2 if name == text(part, "toolName") else 1
    return frozenset(name for name, count in counts.items() if name and count == 1)


class _Answers:
    """The results of a conversation, each given out once: by id, else the k-th of a tool for its k-th call."""

    def __init__(self, results: list[dict[str, Any]], clear: frozenset[str]) -> None:
        self._by_name: dict[str, dict[str, Any]] = {}
        self._in_turn: dict[str, list[dict[str, Any]]] = {}
        for result in results:
            name = text(result, "toolCallId")
            if name in clear:
                self._by_name.setdefault(name, result)
            else:
                self._in_turn.setdefault(text(result, "toolName"), []).append(result)

    def take(self, tool: str, name: str) -> dict[str, Any] | None:
        """The answer of the next call of a tool."""
        if name:
            return self._by_name.get(name)
        waiting = self._in_turn.get(tool)
        return waiting.pop(0) if waiting else None
