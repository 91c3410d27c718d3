"""LoCoMo: long chats of two people, judged by the turns and sessions that hold the evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from learnt.evals.datasets.files import found, instant, parsed, unreadable
from learnt.evals.task import Ask, Collection, Dataset, Observe, Question, reference
from learnt.model.evidence import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from learnt.evals.task import Step

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
_TURN = re.compile(r"D:?(\d+):0*(\d+)")
"""Forms that occur: `D8:6`, `D8:6; D9:17`, `D:11:26`, `D30:05`."""
_SESSION = re.compile(r"session_(\d+)")
_WHEN = ("%I:%M %p on %d %B, %Y", "%d %B, %Y", "iso")


def read(folder: Path) -> Dataset:
    """Every chat of the folder."""
    chats = [chat for path in found(folder, "*.json") for chat in _chats(path)]
    return Dataset(name="locomo", granularities=("turn", "session"), collections=tuple(chats))


def _chats(path: Path) -> Iterator[Collection]:
    value = parsed(path)
    for number, chat in enumerate(value if isinstance(value, list) else [value]):
        if not isinstance(chat, dict) or not isinstance(chat.get("conversation"), dict):
            raise unreadable(path, "it holds no conversation")
        yield _chat(str(chat.get("sample_id") or f"{path.stem}-{number}"), chat)


def _chat(name: str, chat: Mapping[str, Any]) -> Collection:
    turns = tuple(_turns(chat["conversation"]))
    known = {(turn.session, turn.key) for turn in turns}
    asked = [_question(f"{name}-{number}", each, known) for number, each in enumerate(chat.get("qa") or [])]
    steps: tuple[Step, ...] = (Observe(turns), *map(Ask, asked))
    return Collection(name=name, steps=steps, questions=len(asked))


def _turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    numbers = sorted(int(match[1]) for name in conversation if (match := _SESSION.fullmatch(name)))
    for number in numbers:
        at = instant(conversation.get(f"session_{number}_date_time", ""), *_WHEN)
        for order, each in enumerate(conversation[f"session_{number}"] or [], 1):
            match = _TURN.fullmatch(str(each.get("dia_id", "")))
            caption = f" [image: {each['blip_caption']}]" if each.get("blip_caption") else ""
            text = f"{each.get('text') or ''}{caption}".strip()
            if text:
                key = match[2] if match else f"x{order}"
                yield Turn(text=text, session=str(number), who=str(each.get("speaker", "")), at=at, key=key)


def _question(name: str, each: Mapping[str, Any], known: set[tuple[str, str]]) -> Question:
    stated = _TURN.findall(" ".join(map(str, each.get("evidence") or [])))
    places = [(session.lstrip("0"), key) for session, key in stated]
    evidence = [place for place in places if place in known]
    category = CATEGORIES.get(each.get("category", 0), "other")
    return Question(
        id=name,
        text=str(each.get("question", "")),
        category=category,
        relevant={
            "turn": frozenset(reference(session, key) for session, key in evidence),
            "session": frozenset(session for session, _ in evidence),
        },
        probe="unanswerable" if category == "adversarial" else "",
    )
