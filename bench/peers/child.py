"""One store in a process of its own: reads a command a line, gives one JSON answer a line.

Needs nothing but the standard library, numpy and the store, for it runs in the peers' environment.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

K = 10
_LOCAL = ("127.", "::1", "localhost", "0.0.0.0")  # noqa: S104 - names of this machine, nothing is bound
_SKIPPED = 3


class Peer(Protocol):
    """A store of memories in its ordinary, documented use."""

    leaves_out: str

    def add(self, number: int, text: str) -> None:
        """Keep one memory; when this returns, another process can read it."""
        ...

    def fill(self, texts: Sequence[str]) -> None:
        """Keep memories 0 and on, by whatever way is quickest; not on the clock."""
        ...

    def settle(self) -> None:
        """What the store's documentation asks for after many writes."""
        ...

    def search(self, query: str) -> Sequence[int]:
        """Numbers of the `K` best memories, best first."""
        ...


class Vectors:
    """The shared embedder: looks up what was calculated once. `asked` counts, `missed` should stay 0."""

    def __init__(self, texts: Sequence[str], rows: Any) -> None:
        self._row_of = {text: at for at, text in enumerate(texts)}
        self._rows = rows
        self.asked = self.missed = 0

    def row(self, text: str) -> Any:
        """The float32 row of a text; zeros for one that was never embedded."""
        self.asked += 1
        at = self._row_of.get(text)
        if at is None:
            self.missed += 1
            return np.zeros(self._rows.shape[1], np.float32)
        return self._rows[at]

    def numbers(self, text: str) -> list[float]:
        """The row as Python numbers."""
        found: list[float] = self.row(text).tolist()
        return found


class Session:
    """The commands of the parent, carried out on one store."""

    def __init__(self, peer: Peer, sample: dict[str, Any], room: Path, vectors: Vectors) -> None:
        self._peer, self._sample, self._room, self._vectors = peer, sample, room, vectors

    def answer(self, command: str, first: int = 0, last: int = 0) -> dict[str, Any]:
        """What `fill`, `add`, `search`, `settle` and `end` give."""
        if command == "fill":
            return self._timed(range(1), lambda _: self._peer.fill(self._sample["memories"][first:last]))
        if command == "add":
            texts = self._sample["memories"]
            return self._timed(range(first, last), lambda at: self._peer.add(at, texts[at]))
        if command == "search":
            queries = self._sample["queries"]
            return self._timed(range(first, last), lambda at: [int(n) for n in self._peer.search(queries[at])])
        if command == "settle":
            return self._timed(range(1), lambda _: self._peer.settle())
        sizes = [file.stat().st_size for file in self._room.rglob("*") if file.is_file()]
        calls = {"embedded": self._vectors.asked, "missed": self._vectors.missed}
        return calls | {"peak_mb": _peak_mb(), "disk_mb": sum(sizes) / 1e6, "leaves_out": self._peer.leaves_out}

    @staticmethod
    def _timed(places: range, work: Callable[[int], Any]) -> dict[str, Any]:
        wall_s, cpu_s, found = [], [], []
        for at in places:
            wall, cpu = time.perf_counter(), time.process_time()
            found.append(work(at))
            wall_s.append(time.perf_counter() - wall)
            cpu_s.append(time.process_time() - cpu)
        return {"wall_s": wall_s, "cpu_s": cpu_s, "found": found}


def _peak_mb() -> float:
    """The most memory this process held; nothing outside Linux."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+)", status.read_text("utf-8")) if status.exists() else None
    return int(found[1]) / 1024 if found else 0.0


def _stay_here(event: str, given: tuple[Any, ...]) -> None:
    """Refuse Python's sockets another machine; a store's native code is beyond this."""
    if event == "socket.connect" and isinstance(given[1], tuple) and not str(given[1][0]).startswith(_LOCAL):
        raise PermissionError(f"no network in this bench: {given[1][0]}")
    if event == "socket.getaddrinfo" and given[0] and not str(given[0]).startswith(_LOCAL):
        raise PermissionError(f"no network in this bench: {given[0]}")


def main(maker: str, sample_folder: Path, room: Path) -> int:
    """Serve one store until the parent says `end`; exit 3 with the reason when it does not run here."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.addaudithook(_stay_here)
    sample = json.loads((sample_folder / "sample.json").read_text("utf-8"))
    vectors = Vectors(sample["memories"] + sample["queries"], np.load(sample_folder / "vectors.npy"))
    module, _, name = maker.partition(":")
    try:
        session = Session(getattr(import_module(module), name)(room, vectors), sample, room, vectors)
        print(json.dumps({"ready": True}), file=answers, flush=True)
        for line in sys.stdin:
            command, *places = json.loads(line)
            print(json.dumps(session.answer(command, *places)), file=answers, flush=True)
            if command == "end":
                break
    except Exception as error:  # noqa: BLE001 - the process boundary: the parent tells the reason
        traceback.print_exc()
        print(json.dumps({"failed": f"{type(error).__name__}: {error}"[:300]}), file=answers, flush=True)
        return _SKIPPED
    return 0


if __name__ == "__main__":
    answer = main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    sys.stderr.flush()
    os._exit(answer)  # a store's threads may hold the interpreter up; what is kept was committed before
