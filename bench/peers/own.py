"""learnt as a peer: the public engine, everything on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bench.peers.child import K, Vectors
from learnt import Engine
from learnt.bootstrap import Home, assemble
from learnt.providers.local import MINILM, MINILM_DIMENSION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Shared:
    """`learnt.ports.embedder.Embedder` over the shared vectors."""

    version, dimension = f"{MINILM}:{MINILM_DIMENSION}", MINILM_DIMENSION

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """Looked up."""
        return tuple(self._vectors.row(text).tobytes() for text in texts)


class Learnt:
    """`remember` and `search` of a person, in a repository of its own; by likeness alone, as the others search."""

    leaves_out = "nothing in a write (gate, full text, vector, event); a search compares vectors, exactly, and no words"

    def __init__(self, room: Path, vectors: Vectors) -> None:
        project = room / "project"
        project.mkdir()
        home = Home({"LEARNT_HOME": str(room / "home"), "LEARNT_CONFIG": str(room / "config" / "config.toml")})
        assembly, shared = assemble(project, home=home), Shared(vectors)
        self._engine = Engine(replace(assembly, means=replace(assembly.means, embedder=shared, asking=shared)))
        self._number_of: dict[str, int] = {}

    def add(self, number: int, text: str) -> None:
        """Not proposed, not refused: written."""
        written = self._engine.remember(text, kind="project_fact", evidence=["https://bench.example/peers"])
        if type(written).__name__ != "Written":
            raise ValueError(f"not written: {written}")
        self._number_of[text] = number

    def fill(self, texts: Sequence[str]) -> None:
        """There is no other way in than through the gate."""
        for number, text in enumerate(texts):
            self.add(number, text)

    def settle(self) -> None:
        """Vectors for what was written too fast to get one at once."""
        self._engine.reembed()

    def search(self, query: str) -> Sequence[int]:
        """By vector."""
        found = self._engine.search(query, where="memories", profile="dense", k=K)
        return [self._number_of[hit.memory.text] for hit in found.hits if hit.memory is not None]

    def recall(self, query: str) -> Sequence[int]:
        """As many as the peers give, in the largest block."""
        ranking = self._engine.recall(query, max_items=K, budget_tokens=5_000)
        return [self._number_of[hit.memory.text] for hit in ranking.hits]


class Recall(Learnt):
    """The same store, asked as an agent's prompt asks it: nobody else has anything like it, so it is not compared."""

    leaves_out = "nothing: words and vectors, work tree, block and receipt in each recall"

    def search(self, query: str) -> Sequence[int]:
        """A recall."""
        return self.recall(query)
