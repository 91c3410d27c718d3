"""A store with a history, its keys and its anchor, to be attacked."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from learnt.bootstrap import Home
from learnt.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.audit.report import Report

EVENTS: Final = 60
"""Of a trail before it is attacked; checkpoints at a third, at two thirds, and near the end."""


class Scene:
    """A store of its own with configuration, keys and an anchor outside; `older` is the store as it once was."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "data" / "memory.db"
        self.older = folder / "older.db"
        self.anchor = folder / "elsewhere" / "anchor.jsonl"
        self._config = folder / "config" / "config.toml"

    @contextmanager
    def opened(self) -> Iterator[Engine]:
        """An engine of a person in a folder without a repository."""
        project = self.folder / "project"
        for each in (project, self._config.parent):
            each.mkdir(parents=True, exist_ok=True)
        self._config.write_text(f"[audit]\nfile = {json.dumps(str(self.anchor))}\n", encoding="utf-8")
        environment = {"LEARNT_HOME": str(self.file.parent), "LEARNT_CONFIG": str(self._config)}
        with Engine.open(project, home=Home(environment)) as engine:
            yield engine

    def lived(self) -> None:
        """A history: events, a checkpoint after each third; a copy of the store from between."""
        for part in range(3):
            self.grown(EVENTS // 3 - 1)
            if part == 1:
                self.copied(self.older)
            with self.opened() as engine:
                engine.checkpoint()
        self.grown(5)

    def kept(self) -> None:
        """Keep everything as it is now, for `renewed`."""
        shutil.copytree(self.folder, self.folder.with_name("kept"))

    def renewed(self) -> None:
        """Everything as it was, in the same place: the folder of keys knows the store by that."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.folder.with_name("kept"), self.folder)

    def grown(self, count: int = 7) -> None:
        """Honest events, each in its own transaction."""
        with self.opened() as engine:
            means = engine.assembly.means
            for number in range(count):
                now = means.clock.now()
                event = means.event("upsert", f"mem_{number:016x}", now, {"n": number, "s": "x"}, reason="because")
                with means.store.transaction():
                    means.store.events.append(event)

    def copied(self, target: Path) -> None:
        """The store as it is now, copied by SQLite."""
        target.unlink(missing_ok=True)
        with closing(sqlite3.connect(self.file)) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)

    def put_back(self) -> None:
        """The older copy in the place of the store."""
        for each in self.file.parent.glob(self.file.name + "*"):
            each.unlink()
        shutil.copyfile(self.older, self.file)

    @contextmanager
    def raw(self) -> Iterator[sqlite3.Connection]:
        """Past the store."""
        with closing(sqlite3.connect(self.file)) as connection, connection:
            yield connection

    def verified(self) -> Report:
        """What `learnt audit verify` says, anchors and keys included."""
        with self.opened() as engine:
            return engine.verify().report

    @property
    def master(self) -> bytes:
        """The key that marks events."""
        return (self._config.parent / "keys" / "audit.key").read_bytes()
