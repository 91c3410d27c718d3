"""Workers that learn from sessions, and a person who marks, forgets and asks meanwhile, wait for no circle."""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.bootstrap.artifacts import Folder
from learnt.flows.forget import forget
from learnt.flows.owing import CONSOLIDATION, EXTRACTION
from learnt.flows.pipeline import enqueue
from learnt.flows.remember import remember
from learnt.flows.threads import here, mark
from learnt.flows.work import work
from learnt.model.answer import Written
from learnt.model.request import WriteRequest
from learnt.testing.fakes import FixedClock
from tests.faults.world import means_over, opened
from tests.flows.phases import LATER, captured, files, session
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.flows.means import Means
    from tests.server import Server

ROUNDS = 12


def _person(means: Means, faults: list[BaseException], over: threading.Event) -> None:
    """Sets a session aside and takes it back, remembers and forgets, asks for the artifacts."""
    try:
        for number in range(ROUNDS):
            mark(means, "s1", "polluted" if number % 2 else "enabled")
            made = remember(means, WriteRequest(text=f"The harbour has {number} piers.", kind="project_fact"))
            assert isinstance(made, Written)
            enqueue(means)
            forget(means, [made.memory.id])
    except BaseException as error:  # noqa: BLE001 - told by the test
        faults.append(error)
    finally:
        over.set()


def _worker(means: Means, faults: list[BaseException], over: threading.Event) -> None:
    try:
        while not over.is_set():
            work(means, once=True, trades=(EXTRACTION, CONSOLIDATION))
    except BaseException as error:  # noqa: BLE001 - told by the test
        faults.append(error)


def test_workers_and_a_person_at_once(server: Server, tmp_path: Path) -> None:
    """On a server, each with connections of its own: nobody fails, and the end is what the rows say."""
    clock, over, faults = FixedClock(LATER), threading.Event(), list[BaseException]()
    with server.database(prepare) as url, closing(opened(as_role(url), clock)) as first:
        stores = [opened(as_role(url), clock) for _ in range(3)]
        many = [
            replace(means_over(store, tmp_path, clock, name=f"p{number}"), artifacts=Folder(tmp_path / "home"))
            for number, store in enumerate((first, *stores))
        ]
        captured(many[0], *(session(tmp_path, f"s{number}", rule=f"Never use port {number}.") for number in range(4)))
        work(many[0], once=True, trades=(EXTRACTION, CONSOLIDATION))
        runs = [(_worker, each) for each in many[1:3]] + [(_person, many[3])]
        threads = [threading.Thread(target=run, args=(means, faults, over)) for run, means in runs]
        for each in threads:
            each.start()
        for each in threads:
            each.join(120)
        assert faults == []
        work(many[0], once=True, trades=(EXTRACTION, CONSOLIDATION))
        assert len(many[0].store.extractions.ranks(here(many[0]))) == 4
        made = files(many[0])["MEMORY.md"]
        assert "piers" not in made
        assert "port 1." not in made
        assert all(f"port {number}." in made for number in (0, 2, 3))
        for store in stores:
            store.close()
