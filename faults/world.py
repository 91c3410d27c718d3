"""A user's store to be broken, what is done in it, and what must hold afterwards."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.model.answer import Decided, Proposed, Written
from learnt.model.evidence import Turn
from learnt.model.forget import Forgotten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.ports.store import Store


def home(folder: Path, url: str = "", **more: str) -> Home:
    """The home of a user who has nothing but this folder; `more` are variables of the environment."""
    config = folder / "config.toml"
    if not config.exists():
        anchor = json.dumps(str(folder / "anchor" / "trail.jsonl"))
        config.write_text(f"[embeddings]\nenabled = false\n[audit]\nfile = {anchor}\n")
    (folder / "repo").mkdir(exist_ok=True)
    environment = {"HOME": str(folder), "LEARNT_HOME": str(folder / "data"), "LEARNT_CONFIG": str(config)}
    return Home({**environment, **({"LEARNT_DATABASE_URL": url} if url else {}), **more})


def engine(folder: Path, store: Store | None = None, url: str = "", **more: str) -> Engine:
    """The engine of that user's repository."""
    return Engine.open(folder / "repo", home=home(folder, url, **more), store=store)


def database(folder: Path) -> Path:
    """The file of the store."""
    return folder / "data" / "memory.db"


def lines(folder: Path) -> str:
    """The address of a store of lines there."""
    return f"jsonl://{folder}/data"


def prepare(folder: Path) -> None:
    """Stores of both sorts that are open for the first time no more, and an export of somebody else's to take in."""
    engine(folder).close()
    engine(folder, url=lines(folder)).close()
    shutil.copytree(_export(), folder / "in")


@cache
def _export() -> Path:
    """An export of another store, made once."""
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    with engine(folder) as opened:
        for number in range(3):
            opened.remember(f"Brought statement {number}.", kind="project_fact")
        opened.export(folder / "out")
    return folder / "out"


def tidy(open_engine: Engine, folder: Path, name: str, told: Callable[[str], None]) -> None:
    """One of each operation that makes or takes files, or makes a store smaller; `told` as with `work`."""
    kept = open_engine.remember(f"Kept {name}.", kind="project_fact")
    assert isinstance(kept, Written)
    told(kept.memory.id)
    open_engine.import_(folder / "in", here=True)
    open_engine.export(folder / "out")
    open_engine.checkpoint()
    asked = open_engine.propose("delete", target=kept.memory.id, rationale="r", kind="project_fact")
    assert isinstance(asked, Proposed)
    told(f"~{kept.memory.id}")
    open_engine.decide(asked.proposal.id, "accept")
    open_engine.compact(confirm=True)
    told(f"-{kept.memory.id}")
    open_engine.repair()
    open_engine.rotate()
    open_engine.backup(folder / f"copy-{name}-{os.getpid()}.db")
    open_engine.outcome(memory_id=open_engine.list().values[0].id, outcome="dead_end")
    open_engine.erase_person("somebody", reason="asked")


def work(open_engine: Engine, name: str, told: Callable[[str], None]) -> None:
    """One of each operation that writes; `told` hears what was answered, as soon as it was.

    `-ID` was forgotten; of `~ID` that was asked for, and nobody knows whether it was done.
    """
    for number in range(2):
        answer = open_engine.remember(f"Statement {name} {number} holds.", kind="repo_convention")
        assert isinstance(answer, Written)
        told(answer.memory.id)
    (ref,) = open_engine.observe([Turn(text=f"said {name}", session=f"s-{name}")])
    told(ref)
    asked = open_engine.propose("add", f"Asked {name}.", kind="lesson", evidence=[ref], rationale="r")
    assert isinstance(asked, Proposed)
    told(asked.proposal.id)
    taken = open_engine.decide(asked.proposal.id, "accept")
    assert isinstance(taken, Decided)
    assert taken.memory is not None
    told(taken.memory.id)
    open_engine.recall(f"statement {name}")
    open_engine.outcome(memory_id=taken.memory.id, outcome="useful")
    open_engine.flag(taken.memory.id, "not so")
    gone = open_engine.remember(f"Forget {name}.", kind="lesson")
    assert isinstance(gone, Written)
    told(f"~{gone.memory.id}")
    done = open_engine.forget([gone.memory.id])
    assert isinstance(done, Forgotten)
    told(f"-{gone.memory.id}")


def faults_of(folder: Path, answered: list[str], *, lost: bool = False, url: str = "") -> Iterator[str]:
    """What does not hold in a store that was cut off, opened again as the next process would.

    Args:
        lost: Its end is known to be gone, and the trail is to say so.
        url: Of a store that is no file of SQLite.
    """
    if not url:
        with closing(sqlite3.connect(database(folder))) as raw:
            checked = [row[0] for row in raw.execute("PRAGMA integrity_check")]
            if checked != ["ok"]:
                yield f"integrity: {checked[:3]}"
    with engine(folder, url=url) as again:
        yield from _untrue(again, answered, lost=lost)


def _untrue(again: Engine, answered: list[str], *, lost: bool) -> Iterator[str]:
    store = again.assembly.means.store
    sight = again.assembly.means.context.sight
    if "audit" not in store.lacks:
        verified = again.verify()
        divergence = verified.report.divergence
        if not verified.verified and not (lost and divergence is not None and divergence.kind == "rolled_back"):
            yield f"the chain: {verified}"
        if found := {**again.disagreements()}:
            yield f"derived: {found}"
    if damaged := again.damaged():
        yield f"damaged: {damaged}"
    gone = {name[1:] for name in answered if name.startswith("-")}
    unsure = {name[1:] for name in answered if name.startswith("~")} | gone
    for name in answered:
        if name.startswith("mem_") and name not in unsure and store.memories.get(sight, name) is None:
            yield f"answered and lost: {name}"
        if name.startswith("prop_") and store.proposals.get(sight, name) is None:
            yield f"answered and lost: {name}"
        if name.startswith("session:") and store.archive.unit(sight, name) is None:
            yield f"answered and lost: {name}"
    for name in gone:
        if store.memories.get(sight, name) is not None:
            yield f"forgotten and there: {name}"
    for memory in again.list(statuses=(), limit=1_000).values:
        if not store.events.about(memory.id):
            yield f"a memory without its event: {memory.id}"
    yield from _dangling(again)


def _dangling(again: Engine) -> Iterator[str]:
    """Events of memories that are not there, and were not said to leave."""
    store, sight = again.assembly.means.store, again.assembly.means.context.sight
    left: set[str] = set()
    made: set[str] = set()
    for row in store.events.chain():
        detail = json.loads(row.event_json or "{}")
        left |= set(detail.get("deleted", ())) if row.operation == "forget" else set()
        left |= set(detail["removed"]["deleted"]) if row.operation == "compaction" else set()
        if row.operation == "upsert":
            made.add(row.target_id)
    for name in made - left:
        if store.memories.get(sight, name) is None:
            yield f"an event without its memory: {name}"
