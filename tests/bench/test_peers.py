"""The race of `bench.peers`, with made-up peers and no environment of its own."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bench.peers.child import K, Vectors
from bench.peers.corpus import corpus
from bench.peers.race import Entrant, Outcome, race, recall
from bench.peers.report import figures, overview, rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SAMPLE = corpus(60, 8)


class InMemory:
    """A peer that keeps everything in a list and finds by the shared vectors."""

    leaves_out = "the disk"

    def __init__(self, room: Path, vectors: Vectors) -> None:
        self._file, self._vectors, self._rows = room / "kept", vectors, list[object]()

    def add(self, number: int, text: str) -> None:
        """One more."""
        assert number == len(self._rows)
        self._rows.append(self._vectors.row(text))
        self._file.write_bytes(b"." * len(self._rows))

    def fill(self, texts: Sequence[str]) -> None:
        """The first ones."""
        for number, text in enumerate(texts):
            self.add(number, text)

    def settle(self) -> None:
        """Nothing."""

    def search(self, query: str) -> Sequence[int]:
        """Exactly."""
        likeness = np.array(self._rows) @ self._vectors.row(query)
        return [int(at) for at in np.argsort(-likeness)[:K]]


class Broken(InMemory):
    """A peer that fails in the middle of its writes, talking on standard output before."""

    def add(self, number: int, text: str) -> None:
        """Until the fiftieth."""
        print("noise on standard output")
        if number == 50:
            raise OSError("the disk is full")
        super().add(number, text)


class Calling(InMemory):
    """A peer that wants the network."""

    def __init__(self, room: Path, vectors: Vectors) -> None:
        import socket

        super().__init__(room, vectors)
        socket.create_connection(("telemetry.example", 443), timeout=1)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """One race of a good peer and two that fall out; a query's vector lies near its memory's."""
    folder = tmp_path_factory.mktemp("race")
    (folder / "sample.json").write_text(json.dumps(asdict(SAMPLE)), "utf-8")
    chance = np.random.default_rng(7)
    kept = chance.normal(size=(60, 16)).astype(np.float32)
    asked = kept[SAMPLE.wanted] + chance.normal(scale=0.1, size=(8, 16)).astype(np.float32)
    np.save(folder / "vectors.npy", np.concatenate([kept, asked]))
    made = [Entrant(name.lower(), f"{__name__}:{name}", sys.executable) for name in ("InMemory", "Broken", "Calling")]
    made.append(Entrant("learnt", f"{__name__}:InMemory", sys.executable))
    made.append(Entrant("absent", "no_such_module:Peer", sys.executable))
    return {each.name: each for each in race(made, folder, folder / "rooms", timed=20)}


def test_a_race_measures_each_write_and_each_question(outcomes: dict[str, Outcome]) -> None:
    """The writes on the clock, every question, and what was found come back from the peer's process."""
    good = outcomes["inmemory"]
    assert (good.skipped, len(good.add_s), len(good.search_s), len(good.found)) == ("", 20, 8, 8)
    assert recall(good, SAMPLE.wanted) == 1.0
    assert good.end["missed"] == 0
    assert good.end["disk_mb"] == pytest.approx(60e-6)


def test_a_peer_that_fails_falls_out_with_its_reason(outcomes: dict[str, Outcome]) -> None:
    """A failing write, a missing module and a call to the network end one peer, not the race."""
    assert outcomes["broken"].skipped == "OSError: the disk is full"
    assert outcomes["absent"].skipped.startswith("ModuleNotFoundError")
    assert outcomes["calling"].skipped == "PermissionError: no network in this bench: telemetry.example"


def test_the_report_names_everybody(outcomes: dict[str, Outcome]) -> None:
    """Who ran has a row, who did not has a reason, and the ratios are to the best of those who ran."""
    told = overview(rows(list(outcomes.values()), SAMPLE.wanted))
    assert all(name in told for name in outcomes)
    found = {each.name: each for each in figures(list(outcomes.values()), SAMPLE.wanted)}
    assert found["peers: recall@10 of the known item"].value == 1.0
    assert all("against inmemory" in each.conditions for each in found.values())


def test_questions_share_some_words_with_their_memory() -> None:
    """The sample is the same every time, its memories differ, and no question repeats its memory's words."""
    drawn = corpus(500, 100)
    assert drawn == corpus(500, 100)
    assert len(set(drawn.memories)) == 500
    for query, number in zip(drawn.queries, drawn.wanted, strict=True):
        memory = set(drawn.memories[number].lower().replace(",", "").rstrip(".").split())
        words = set(query.lower().replace(":", "").rstrip("?").split())
        assert words & memory
        assert words - memory
