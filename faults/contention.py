"""C1: many processes write and read one store; histories of lists without cycles, in Elle's sense.

Each transaction appends numbers to lists and reads lists, which are the tags of a few memories. From what was read and
in which order the numbers stand follows who came before whom; if that order has a circle, the transactions were not
serial. Source: Kingsbury and Alvaro, Elle, VLDB 2020: list-append histories.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from collections import defaultdict
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from faults.verdict import Tally
from faults.world import engine
from learnt.errors import StoreBusyError
from learnt.model.answer import Written
from learnt.model.scope import Sight
from learnt.testing import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from faults.verdict import Scale, Verdict
    from learnt.engine import Engine

_KEYS = 6
_SCOPE = samples.repository("lists")
_SIGHT = Sight((_SCOPE,))


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Writers at once; then transactions over lists."""
    yield _writers(scale)
    yield _lists(scale)


def _writers(scale: Scale) -> Verdict:
    fault = f"{scale.processes} processes write {scale.writes} memories each, a recall in every tenth write"
    tally = Tally("C1", fault, tried=scale.processes * scale.writes)
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    engine(folder).close()
    for number, code in enumerate(together(scale.processes, lambda number: _write(folder, number, scale.writes))):
        tally.expect(code == 0, f"process {number} ended with {code}")
    with engine(folder) as opened:
        means = opened.assembly.means
        held = means.store.memories.count(means.context.sight).get("active", 0)
        tally.expect(held == tally.tried, f"{tally.tried - held} writes are lost")
        tally.expect(opened.verify().verified, "the trail does not hold")
        tally.expect(not opened.disagreements(), "what is derived does not agree with the rows")
    shutil.rmtree(folder)
    return tally.verdict()


def _write(folder: Path, number: int, writes: int) -> None:
    with engine(folder) as opened:
        for again in range(writes):
            answer = opened.remember(f"Process {number} wrote sentence {number}x{again} alone.", kind="todo")
            if not isinstance(answer, Written) or answer.superseded:
                raise RuntimeError(f"refused: {answer}")
            if again % 10 == 0:
                opened.recall(f"sentence {number}x{again}")


def _lists(scale: Scale) -> Verdict:
    each = scale.transactions // scale.processes
    tally = Tally("C1", f"{scale.processes} processes append to and read {_KEYS} lists in transactions")
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    with engine(folder) as opened, opened.assembly.means.store.transaction():
        for key in range(_KEYS):
            opened.assembly.means.store.memories.put(samples.memory(_SCOPE, f"List {key}."))
    for number, code in enumerate(together(scale.processes, lambda number: _transact(folder, number, each))):
        tally.expect(code == 0, f"process {number} ended with {code}")
    history = [json.loads(line) for path in folder.glob("history-*") for line in path.read_text().splitlines()]
    tally.tried = len(history)
    for what in anomalies(history):
        tally.expect(False, what)
    shutil.rmtree(folder)
    return tally.verdict(f"{sum('busy' in each for each in history)} were answered with busy")


def _transact(folder: Path, number: int, times: int) -> None:
    chance = random.Random(number)
    with engine(folder) as opened, (folder / f"history-{number}").open("w") as told:
        for again in range(times):
            print(json.dumps(_transaction(opened, chance, f"{number}:{again}")), file=told)


def _transaction(opened: Engine, chance: random.Random, name: str) -> dict[str, object]:
    """One transaction of one to four steps; what it appended and what it saw."""
    store = opened.assembly.means.store
    steps: list[tuple[str, int, object]] = []
    try:
        with store.transaction():
            for place in range(chance.randint(1, 4)):
                key = chance.randrange(_KEYS)
                memory = store.memories.get(_SIGHT, samples.memory(_SCOPE, f"List {key}.").id)
                if memory is None:
                    raise RuntimeError(f"list {key} is gone")
                held = memory.metadata.get("list", [])
                if chance.random() < 0.5:
                    steps.append(("read", key, held))
                else:
                    added = f"{name}:{place}"
                    store.memories.put(replace(memory, metadata={"list": [*_list(held), added]}))
                    steps.append(("append", key, added))
    except StoreBusyError:
        return {"name": name, "steps": [], "busy": True}
    return {"name": name, "steps": steps}


def _list(held: object) -> list[str]:
    return list(held) if isinstance(held, list) else []


def anomalies(history: list[dict[str, object]]) -> Iterator[str]:
    """What no serial order explains."""
    writer: dict[str, str] = {}
    longest: dict[int, list[str]] = defaultdict(list)
    reads: list[tuple[str, int, list[str]]] = []
    for done in history:
        name = str(done["name"])
        for kind, key, value in done["steps"]:  # type: ignore[attr-defined]
            if kind == "append":
                writer[value] = name
            else:
                reads.append((name, key, value))
                longest[key] = max(longest[key], value, key=len)
    for name, key, seen in reads:
        if seen != longest[key][: len(seen)]:
            yield f"{name} read a list {key} that no other read goes on from"
        if unknown := [each for each in seen if each not in writer]:
            yield f"{name} read {unknown[0]}, which nobody appended"
    yield from _circles(longest, reads, writer)


def _circles(
    longest: dict[int, list[str]], reads: list[tuple[str, int, list[str]]], writer: dict[str, str]
) -> Iterator[str]:
    after: dict[str, set[str]] = defaultdict(set)

    def before(first: str | None, then: str | None) -> None:
        if first and then and first != then:
            after[then].add(first)

    for order in longest.values():
        for one, two in pairwise(order):
            before(writer.get(one), writer.get(two))
    for name, key, seen in reads:
        before(writer.get(seen[-1]) if seen else None, name)
        rest = longest[key][len(seen) :]
        before(name, writer.get(rest[0]) if rest else None)
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        yield f"a circle: {' before '.join(error.args[1][:6])}"


def together(processes: int, work: Callable[[int], None]) -> list[int]:
    """Exit codes of so many processes that do `work` at once."""
    started = []
    for number in range(processes):
        pid = os.fork()
        if pid == 0:
            code = 0
            try:
                work(number)
            except BaseException as error:  # noqa: BLE001 - the boundary of a process
                print(f"process {number}: {type(error).__name__}: {error}", flush=True)
                code = 1
            os._exit(code)
        started.append(pid)
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in started]
