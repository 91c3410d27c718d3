"""Requests answered: an engine for each repository that asks, on one store and with one model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap import Models, assemble
from learnt.engine import Engine
from learnt.errors import LearntError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.bootstrap import Home
    from learnt.model.ranking import Ranking
    from learnt.ports.store import Store

MAX_ENGINES = 32
"""Repositories held at once; the store holds what is heavy. Past them all are put together anew."""

Stamp = tuple[int, ...]


class Answers:
    """What a request gets.

    Attributes:
        count: Requests for a ranking so far.
        arm: How the dense arm did in the last of them.
    """

    def __init__(self, home: Home) -> None:
        self.count = 0
        self.arm = ""
        self._home = home
        self._models = Models(home.environment)
        self._store: Store | None = None
        self._engines: dict[str, tuple[tuple[Stamp, ...], Engine]] = {}

    def to(self, request: Sequence[str]) -> list[str]:
        """The reply: `ok` with an answer, `no` with a reason."""
        match request:
            case ["recall", folder, keys, prompt]:
                return self._recalled(folder, keys.splitlines(), prompt)
            case ["state"]:
                return ["ok", str(os.getpid()), str(self.count), self.arm]
            case _:
                return ["no", "unknown request"]

    def _recalled(self, folder: str, keys: Sequence[str], prompt: str) -> list[str]:
        self.count += 1
        try:
            engine = self.at(folder)
            if not set(keys) <= set(engine.assembly.means.context.sight.keys):
                return ["no", "other scopes"]
            return _reply(self._noted(engine.choices(prompt)))
        except LearntError as error:
            self.arm = f"failed: {error.error_code}"
            return ["no", error.error_code]

    def _noted(self, ranking: Ranking) -> Ranking:
        self.arm = arm_of(ranking)
        return ranking

    def at(self, folder: str) -> Engine:
        """The engine of a folder, put together anew when a configuration file changed.

        Raises:
            LearntError: It cannot be put together.
        """
        stamps = (_stamp(self._home.config_file), _stamp(Path(folder) / ".learnt" / "config.toml"))
        held = self._engines.get(folder)
        if held is not None and held[0] == stamps:
            return held[1]
        if len(self._engines) >= MAX_ENGINES:
            self._engines.clear()
        made = Engine(assemble(folder, home=self._home, store=self._store, models=self._models))
        self._store = made.assembly.means.store
        self._engines[folder] = (stamps, made)
        return made

    def close(self) -> None:
        """Give the store back."""
        if self._store is not None:
            self._store.close()


def arm_of(ranking: Ranking) -> str:
    """The dense arm's word in an answer."""
    arms = ranking.diagnostics.get("arms")
    return str(arms.get("dense", "")) if isinstance(arms, dict) else ""


def _reply(ranking: Ranking) -> list[str]:
    """Arm, reason for nothing, and for each hit its id, score and labels; never a text."""
    found = ["ok", arm_of(ranking), ranking.skip_reason or ""]
    for hit in ranking.hits:
        found += [hit.memory.id, repr(hit.score), "\n".join(hit.labels)]
    return found


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
