"""Real coding sessions: does a new prompt find the earlier sessions on the same files?

Each session is asked about before it is told, so nothing later is ever found.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from learnt.evals.datasets.files import found, instant, rows
from learnt.evals.task import Ask, Collection, Dataset, Observe, Question
from learnt.model.evidence import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from learnt.evals.task import Step

HUB_SHARE = 0.2
SAME_FILES, LIKENESS = 2, 0.3
LEAST_CHARS = 20
"""A shorter first prompt ("yes", "continue") says nothing of the work."""
_NO_PROMPT = ("<", "/", "[Request", "Caveat:", "This session is being continued")


def read(folder: Path) -> Dataset:
    """The sessions in time order."""
    sessions = sorted(rows(*found(folder, "sessions*.jsonl")), key=_at)
    steps = tuple(_steps(sessions))
    asked = sum(isinstance(step, Ask) for step in steps)
    work = Collection(name="entire-sessions", steps=steps, questions=asked)
    return Dataset(name="entire-sessions", granularities=("session",), collections=(work,))


def _at(session: Mapping[str, Any]) -> str:
    return instant(session.get("first_checkpoint_at", ""), "iso")


def _files(session: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(map(str, session.get("files_touched") or ()))


def first_prompt(session: Mapping[str, Any]) -> str:
    """The first prompt a person wrote that says something; "" for none."""
    prompts = (str(each).strip() for each in session.get("prompts") or ())
    return next((each for each in prompts if len(each) >= LEAST_CHARS and not each.startswith(_NO_PROMPT)), "")


def _steps(sessions: Sequence[Mapping[str, Any]]) -> Iterator[Step]:
    touched = [_files(each) for each in sessions]
    times = Counter(path for files in touched for path in files)
    hubs = {path for path, count in times.items() if count > HUB_SHARE * len(sessions)}
    for number, session in enumerate(sessions):
        earlier = zip(sessions[:number], touched[:number], strict=True)
        related = frozenset(str(each["sid"]) for each, files in earlier if alike(touched[number], files, hubs))
        prompt = first_prompt(session)
        if prompt and related:
            name = str(session["sid"])
            yield Ask(Question(id=name, text=prompt, category="prompt", relevant={"session": related}))
        if turns := tuple(_turns(session)):
            yield Observe(turns)


def alike(one: frozenset[str], other: frozenset[str], hubs: set[str]) -> bool:
    """Whether two sessions share two files that are no hubs, or one and a third of all they touched."""
    shared = (one & other) - hubs
    return len(shared) >= SAME_FILES or (bool(shared) and len(one & other) / len(one | other) >= LIKENESS)


def _turns(session: Mapping[str, Any]) -> Iterator[Turn]:
    sid, at = str(session["sid"]), _at(session)
    prompts = [str(each) for each in session.get("prompts") or () if str(each).strip()]
    for number, text in enumerate(prompts, 1):
        yield Turn(text=text, session=sid, who="person", at=at, key=f"p{number}", type="prompt")
    if files := sorted(_files(session)):
        text = "Files touched: " + ", ".join(files)
        yield Turn(text=text, session=sid, who="agent", at=at, key="files", type="call")
