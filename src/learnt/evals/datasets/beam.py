"""BEAM: chats of a user with an assistant, judged by the messages and rounds that hold the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.evals.datasets.files import found, instant, parsed, unreadable
from learnt.evals.task import Ask, Collection, Dataset, Observe, Question, name_of
from learnt.model.evidence import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from learnt.evals.task import Step


def read(folder: Path) -> Dataset:
    """Every chat of the folder; the size in a file's name is its split."""
    chats = tuple(_chat(path) for path in found(folder, "*.json"))
    return Dataset(name="beam", granularities=("round", "turn"), collections=chats)


def _chat(path: Path) -> Collection:
    chat = parsed(path)
    if not isinstance(chat, dict) or not isinstance(chat.get("messages"), list):
        raise unreadable(path, "it holds no messages")
    names: dict[str, str] = {}
    rounds: dict[str, str] = {}
    turns: list[Turn] = []
    number, at = 0, ""
    for message in chat["messages"]:
        at = instant(message.get("time_anchor"), "%B-%d-%Y", "iso") or at
        number += message.get("role") == "user"
        turn = _turn(message, at)
        names[turn.key] = name_of(turn)
        rounds[name_of(turn)] = f"round {number}"
        turns.append(turn)
    asked = [_question(each, names, rounds) for each in chat.get("questions") or []]
    steps: tuple[Step, ...] = (Observe(tuple(turn for turn in turns if turn.text.strip())), *map(Ask, asked))
    name, _, _ = path.stem.partition("-")
    return Collection(name=path.stem, steps=steps, questions=len(asked), split=name, round_of=rounds)


def _turn(message: Mapping[str, Any], at: str) -> Turn:
    return Turn(
        text=str(message.get("content") or ""),
        session=str(message.get("batch", "1")),
        who=str(message.get("role", "")),
        at=at,
        key=str(message["id"]),
    )


def _question(each: Mapping[str, Any], names: Mapping[str, str], rounds: Mapping[str, str]) -> Question:
    groups: Mapping[str, Any] = each.get("evidence_groups") or {}
    category = str(each.get("category", ""))
    turns = _named(each.get("evidence_ids") or (), names)
    return Question(
        id=str(each.get("qid", "")),
        text=str(each.get("question", "")),
        category=category,
        relevant={"turn": turns, "round": frozenset(rounds[turn] for turn in turns)},
        old=_named(groups.get("original_info") or (), names),
        new=_named(groups.get("updated_info") or (), names),
        probe="unanswerable" if category == "abstention" else "",
    )


def _named(ids: Iterable[object], names: Mapping[str, str]) -> frozenset[str]:
    return frozenset(names[str(each)] for each in ids if str(each) in names)
