"""One context over an ephemeral store, with the real gate and a clock that stands still."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.flows.identify import Identity
from learnt.flows.means import Means
from learnt.gate.scan import Gate
from learnt.hosts.local import LocalTranscripts
from learnt.model.context import Context
from learnt.model.place import Place
from learnt.model.scope import Scope
from learnt.model.view import View
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.testing.fakes import FixedClock, SequenceIds

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.model.view import Look

GATE = Gate()


class Folder:
    """A work tree of named files; its HEAD is what it was told."""

    def __init__(self, files: tuple[str, ...] = (), commit: str = "") -> None:
        self.files = files
        self.commit = commit
        self.made: dict[str, str] = {}
        self.tracked: frozenset[str] = frozenset()

    def is_file(self, path: str) -> bool:
        """Whether the path is one of the named files."""
        return path in self.files

    def look(self, path: str) -> Look:
        """An empty file for each named one."""
        return View(b"") if path in self.files else "absent"

    def brought(self, place: str, cwd: str = "") -> bool:
        """No session came with it, unless it was told so."""
        del cwd
        return place in self.tracked

    def root_commit(self) -> str:
        """No history."""
        return ""

    def head_commit(self, at: str = "") -> str:
        """What it was told."""
        del at
        return self.commit

    def committed_at(self, commit: str) -> str:
        """What it was told."""
        return self.made.get(commit, "")


def context_of(repository: str = "repo-a", **changes: object) -> Context:
    """A person at the keyboard in a repository."""
    scopes = (Scope(type="global_user", user_id="u1"), Scope(type="repository", repo_id=repository))
    base = Context(scopes=scopes, user_id="u1", root="/srv/app")
    return replace(base, **changes)  # type: ignore[arg-type]


def means_in(folder: Path) -> Means:
    """The means of a person in repository `repo-a`, over an empty store."""
    clock = FixedClock()
    return Means(
        store=EphemeralStore(clock.now),
        gate=GATE,
        clock=clock,
        ids=SequenceIds(),
        context=context_of(),
        workplace=Folder(("package.json", "Makefile", "src/a.py")),
        transcripts=LocalTranscripts({"CLAUDE_CONFIG_DIR": str(folder / "claude")}),
        place=Place(str(folder), "", "", "/srv/app", "/srv"),
        identity=Identity(repository_id="repo-a"),
        key=b"k" * 32,
    )


@pytest.fixture
def means(tmp_path: Path) -> Means:
    """The means of a person in repository `repo-a`."""
    return means_in(tmp_path)


@pytest.fixture
def agent(means: Means) -> Means:
    """The means of an agent in the same repository."""
    return replace(means, context=context_of(person=False, agent_id="a1", agent_role="coder"))
