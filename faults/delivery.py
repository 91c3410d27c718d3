"""C5: what is sent twice, late, in another order, or answered and not heard: one effect."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from faults.verdict import Tally
from faults.world import engine
from learnt.errors import LearntError
from learnt.model.evidence import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from faults.verdict import Scale, Verdict
    from learnt.engine import Engine

    Message = Callable[[Engine], object]

_RUNS = ("r1", "r2", "r3")
_TEXTS = ("The harbour is deep.", "The harbour has a lighthouse.", "The lighthouse is red.")


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """The same messages in another order, some of them twice, some from another process."""
    tally = Tally("C5", "rewards, outcomes, turns, proposals sent twice, late and in another order")
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    with engine(folder) as opened:
        ids = [opened.remember(text, kind="project_fact").memory.id for text in _TEXTS]  # type: ignore[union-attr]
    for run in _RUNS:
        with engine(folder, LEARNT_RUN=run) as opened:
            opened.recall("the harbour and the lighthouse")
    messages = _messages(ids)
    expected = _delivered(folder, messages)
    for seed in range(max(2, scale.histories // 3)):
        chance = random.Random(seed)
        again = [*messages, *chance.choices(messages, k=len(messages))]
        chance.shuffle(again)
        tally.tried += len(again)
        found = _delivered(folder, again, split=chance.randrange(len(again)))
        tally.expect(found == expected, f"order {seed}: {_first(expected, found)}")
    shutil.rmtree(folder)
    yield tally.verdict(f"{len(messages)} messages, each once to twice and more, over two processes")


def _messages(ids: Sequence[str]) -> list[Message]:
    """Each may be sent again: it names what it is."""
    verdict = ("APPROVE", "REJECT", "APPROVE")
    rewards = [_reward(run, said) for run, said in zip(_RUNS, verdict, strict=True)]
    outcomes = [_outcome(f"out_{number:016x}", ids[number % 3], number) for number in range(6)]
    turns = [_turn(number) for number in range(4)]
    return [*rewards, *outcomes, *turns, *map(_asked, range(3))]


def _reward(run: str, said: str) -> Message:
    return lambda opened: opened.reward(said, run=run)  # type: ignore[arg-type]


def _outcome(name: str, memory: str, number: int) -> Message:
    result = ("useful", "dead_end")[number % 2]
    return lambda opened: opened.outcome(memory_id=memory, outcome=result, id=name)  # type: ignore[arg-type]


def _turn(number: int) -> Message:
    return lambda opened: opened.observe([Turn(text=f"said {number}", session="s", key=str(number))])


def _asked(number: int) -> Message:
    return lambda opened: opened.propose("add", f"Asked {number}.", kind="lesson", rationale="r", evidence=["Makefile"])


def _delivered(folder: Path, messages: Sequence[Message], split: int = 0) -> dict[str, object]:
    """What a copy of the store holds after these messages, the first `split` of them from another process."""
    kept = folder.with_name(f"{folder.name}.kept")
    shutil.copytree(folder, kept)
    try:
        for some in (messages[:split], messages[split:]):
            with engine(folder) as opened:
                for message in some:
                    try:
                        message(opened)
                    except LearntError as error:
                        return {"error": error.error_code}
        with engine(folder) as opened:
            return dict(_held(opened))
    finally:
        shutil.rmtree(folder)
        kept.rename(folder)


def _held(opened: Engine) -> Iterator[tuple[str, object]]:
    means = opened.assembly.means
    sight = means.context.sight
    for memory in opened.list(limit=100).values:
        yield memory.id, (round(memory.q_value, 9), memory.useful, memory.against)
    yield "turns", sorted(unit.text for unit in means.store.leavers.said(sight, ["said"]))
    yield "asked", sorted(text for _, text in means.store.erasure.wordings(sight))
    yield "verified", opened.verify().verified


def _first(expected: dict[str, object], found: dict[str, object]) -> str:
    keys = [key for key in {**expected, **found} if expected.get(key) != found.get(key)]
    return f"{keys[0]}: {found.get(keys[0])} in the place of {expected.get(keys[0])}" if keys else ""
