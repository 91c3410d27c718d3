"""A repository whose sessions are learnt from: its means, a model that says what it is told to, its files."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from learnt.bootstrap.artifacts import Folder
from learnt.errors import ProviderError
from learnt.flows.capture import ingest
from learnt.flows.work import work
from learnt.ports.writer import Fulfilled, Unwritten
from learnt.testing.fakes import FixedClock
from tests.flows.transcripts import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.ports.writer import Purpose, Task, Writer

LATER = "2026-11-21T12:00:00.000Z"
"""A day after the sessions of `tests.flows.transcripts`."""
RULE = "Always use uv here, never pip."
STEPS = ("make db", "make test")


def learning_means(means: Means, folder: Path, at: str = LATER) -> Means:
    """The same means with a folder for files, at a moment when sessions are idle."""
    assert isinstance(means.clock, FixedClock)
    means.clock.at = at
    return replace(means, artifacts=Folder(folder / "home"))


def session(folder: Path, name: str, *, rule: str = RULE, steps: tuple[str, ...] = STEPS) -> Session:
    """A session in which a person says a rule and some steps work."""
    told = Session(folder / "claude" / "projects" / "-srv-app" / f"{name}.jsonl", name).says(rule)
    told.uses("Edit", {"file_path": "/srv/app/src/a.py", "old_string": "a", "new_string": "b"}, "ok")
    for step in steps:
        told.runs(step, "ok")
    return told.replies("The tests pass now.")


def captured(means: Means, *sessions: Session) -> None:
    """Read them in."""
    done = ingest(means, [str(each.path) for each in sessions])
    assert not done.failed


def worked(means: Means) -> dict[str, int]:
    """One pass of a worker; how many attempts of which result."""
    return work(means, once=True).counts


def files(means: Means) -> dict[str, str]:
    """The files of the repository, by name."""
    assert means.artifacts is not None
    top = f"projects/{means.identity.repository_id}/"
    found = (name for name in means.artifacts.names(top.rstrip("/")))
    return {
        name.removeprefix(top): (means.artifacts.read(name, 1 << 24) or b"").decode()
        for name in found
        if "/.made/" not in name
    }


class Stepping(Folder):
    """A folder that tells when each file is about to be made ready, by its name, and when it was put in its place."""

    def __init__(self, root: str | os.PathLike[str], ready: Callable[[str], None], put: Callable[[str], None]) -> None:
        super().__init__(root)
        self._ready, self._put_there = ready, put

    @contextmanager
    def stage(self, files: Mapping[str, bytes]) -> Iterator[Callable[[], None]]:
        """One file after the other."""
        with ExitStack() as stack:
            puts = []
            for name, content in files.items():
                self._ready(name)
                puts.append((name, stack.enter_context(super().stage({name: content}))))

            def put() -> None:
                for name, each in puts:
                    each()
                    self._put_there(name)

            yield put


@dataclass
class Told:
    """A model that answers with what it was given for each purpose, in turn; the last answer again."""

    name: str = "stub:model"
    context_tokens: int | None = 123_000
    answers: dict[str, list[Any]] = field(default_factory=dict)
    tasks: list[Task] = field(default_factory=list)
    before: Callable[[Task], None] | None = None

    def write(self, task: Task) -> Fulfilled:
        """The next answer; one that is an exception is raised."""
        self.tasks.append(task)
        if self.before:
            self.before(task)
        given = self.answers[task.purpose]
        answer = given.pop(0) if len(given) > 1 else given[0]
        if isinstance(answer, Exception):
            raise answer
        return Fulfilled(value=answer, writer=self.name)

    def of(self, purpose: Purpose) -> Writer | Unwritten:
        """This model, where it has an answer."""
        return self if self.answers.get(purpose) else Unwritten("not enabled")


def extraction(*facts: tuple[str, str, str], summary: str = "What was done.") -> dict[str, Any]:
    """An answer of phase 1: section, text and a person's quote of each fact."""
    return {
        "rollout_summary": summary,
        "rollout_slug": "a session",
        "raw_memory": [
            {"section": section, "text": text, "quote": quote, "speaker": "person", "commands": [], "files": []}
            for section, text, quote in facts
        ],
    }


def consolidation(*entries: tuple[str, str]) -> dict[str, Any]:
    """An answer of phase 2: text and fact of each entry."""
    rows = [{"text": text, "facts": [fact]} for text, fact in entries]
    return {"memory_md": [{"heading": "Constraints", "entries": rows}], "memory_summary": rows, "skills": []}


def down() -> ProviderError:
    """A model that does not answer."""
    return ProviderError("The model does not answer.")
