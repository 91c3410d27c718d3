"""How fast memories leave for files, and come in from them: export, and import with gate, full text and events.

CPU time of this process, because what else runs on the machine is none of learnt's doing.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.figure import Figure
from learnt.bootstrap import assemble
from learnt.bootstrap.home import Home
from learnt.flows.export import export
from learnt.flows.imports import import_
from learnt.formats.folder import ExportFolder
from learnt.formats.own import OwnParcel
from learnt.gate.clearance import PATTERN_SET
from learnt.model.keys import memory_id
from learnt.model.memory import Memory, Provenance, Reference, Source
from learnt.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.flows.means import Means
    from learnt.model.scope import Scope

MEMORIES: Final = 20_000
_AT: Final = "2026-05-24T12:00:00.000Z"
_WORDS: Final = (
    "build",
    "deploy",
    "service",
    "module",
    "worker",
    "queue",
    "retry",
    "lease",
    "schema",
    "index",
    "cache",
    "token",
    "request",
    "handler",
    "route",
    "fixture",
    "stage",
    "release",
    "branch",
    "commit",
    "lint",
    "format",
    "compile",
    "package",
    "version",
    "plugin",
    "socket",
    "thread",
    "buffer",
    "stream",
    "parser",
    "layout",
)


def figures() -> Iterator[Figure]:
    """Export and import of 20,000 memories of some 110 characters, SQLite; import once proven, once not."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        means = _means(root / "home")
        _fill(means)
        told = f"{MEMORIES:,} memories, SQLite, one process"
        spent_s = _spent(lambda: export(means, ExportFolder(str(root / "x"))))
        yield Figure("export", MEMORIES / spent_s, "memories/s", 20_000, ">=", "CPU", told)
        for name, key in (("import, proven", means.key), ("import, not proven", b"o" * 32)):
            store = SqliteStore.open(root / f"{len(key)}{name}.db", now=means.clock.now)
            there = replace(means, store=store, key=key, named=set())
            spent_s = _spent(partial(import_, there, OwnParcel(root / "x")))
            yield Figure(name, MEMORIES / spent_s, "memories/s", 4_000, ">=", "CPU", f"{told}; gate, full text, events")
            spent_s = _spent(partial(import_, there, OwnParcel(root / "x")))
            yield Figure(f"{name}, again", MEMORIES / spent_s, "memories/s", None, ">=", "CPU", f"{told}; all there")
            store.close()


def _spent(call: Callable[[], object]) -> float:
    began_s = time.process_time()
    call()
    return time.process_time() - began_s


def _means(home: Path) -> Means:
    environment = {"LEARNT_HOME": str(home), "LEARNT_CONFIG": str(home / "config.toml")}
    return assemble(str(home.parent), home=Home(environment)).means


def _fill(means: Means) -> None:
    scope = means.context.sight.one("repository")
    for first in range(0, MEMORIES, 1_000):
        with means.store.transaction():
            means.store.cargo.accept("memories", [_memory(scope, number) for number in range(first, first + 1_000)])


def _memory(scope: Scope, number: int) -> Memory:
    words = [_WORDS[(number * 7 + step * step) % len(_WORDS)] for step in range(12)]
    text = (
        f"{' '.join(words[:6])} runs with `task {words[6]}-{number}` in src/{words[7]}/{words[8]}.py, not {words[9]}."
    )
    return Memory(
        id=memory_id(scope.key, "repo_convention", text),
        scope=scope,
        kind="repo_convention",
        text=text,
        created_at=_AT,
        updated_at=_AT,
        valid_from=_AT,
        tags=("tooling", words[10]),
        files=(f"src/{words[7]}/{words[8]}.py",),
        confidence=0.9,
        trust="person",
        clearance=PATTERN_SET,
        source=Source(type="file", ref=f"src/{words[7]}/{words[8]}.py", file_path=f"src/{words[7]}/{words[8]}.py"),
        evidence=(Reference(type="person", ref="person:u", trust="person", writer="person:u"),),
        provenance=Provenance(writer="person:u", agent_role="person"),
    )
