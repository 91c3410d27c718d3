"""A user's store filled at random, to be forgotten in."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.model.answer import Decided, Proposed, Refusal
from learnt.model.evidence import Turn
from learnt.testing import samples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from learnt.model.memory import Memory

PIECE = 12
_SIGNS = "bcdfghjklmnpqrstvwxz"


class History:
    """One user's store, filled at random with memories that hang on one another."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        environment = {
            "HOME": str(folder),
            "LEARNT_HOME": str(folder / "store"),
            "LEARNT_CONFIG": str(folder / "config.toml"),
        }
        (folder / "config.toml").write_text("[embeddings]\nenabled = false\n")
        (folder / "repo").mkdir()
        self.engine = Engine.open(folder / "repo", home=Home(environment))
        self.means = self.engine.assembly.means
        self.said: dict[str, list[str]] = {}

    def words(self) -> str:
        """A statement no other shares a piece with."""
        return " ".join("".join(self.chance.choices(_SIGNS, k=PIECE + 2)) for _ in range(4)) + "."

    def fill(self) -> None:
        """Memories, written and accepted, with evidence, feedback, merges and successors."""
        engine, chance = self.engine, self.chance
        for number in range(12):
            text = self.words()
            refs: tuple[str, ...] = ()
            if chance.random() < 0.5:
                refs = engine.observe([Turn(text=f"somebody said {text}", session=f"s{number % 3}")])
            if chance.random() < 0.5:
                engine.remember(text, kind="repo_convention", evidence=refs, rationale=self.words())
            else:
                asked = engine.propose("add", text, kind="lesson", evidence=(*refs, "Makefile"), rationale=self.words())
                assert isinstance(asked, Proposed)
                assert isinstance(engine.decide(asked.proposal.id, "accept"), Decided | Refusal)
        for memory in chance.sample(self.active(), 3):
            said = self.said[memory.id] = [self.words() for _ in range(4)]
            engine.propose("update", said[0], target=memory.id, rationale=said[1], evidence=["Makefile"])
            engine.outcome(memory_id=memory.id, outcome="corrected", correction=said[2])
            engine.flag(memory.id, said[3])
        for memory in chance.sample(self.active(), 2):
            asked = engine.propose(
                "supersede", self.words(), kind="lesson", target=memory.id, rationale="r", evidence=["Makefile"]
            )
            assert isinstance(asked, Proposed)
            engine.decide(asked.proposal.id, "accept")
        for _ in range(3):
            self.consolidate()
        engine.recall(self.chance.choice(self.active()).text)
        engine.search(self.chance.choice(self.active()).text)

    def consolidate(self) -> None:
        """Some active memories merged into one that says all of it."""
        sources = self.chance.sample(self.active(), 2)
        text = " ".join(memory.text for memory in sources)
        made = samples.memory(sources[0].scope, text, metadata={"consolidatedFrom": [each.id for each in sources]})
        with self.means.store.transaction():
            self.means.store.memories.put(made)
            for each in sources:
                self.means.store.memories.put(replace(each, status="consolidated"))

    def active(self) -> list[Memory]:
        """All that holds."""
        return [each for each in self.engine.list(limit=200).values if each.kind in {"repo_convention", "lesson"}]

    def all(self) -> list[Memory]:
        """All there is."""
        return list(self.engine.list(statuses=(), limit=1000).values)

    def files(self) -> Iterator[bytes]:
        """What lies in the data directory, lower case too: indexes hold that."""
        for path in sorted((self.folder / "store").rglob("*")):
            if path.is_file():
                yield path.read_bytes()
                yield path.read_bytes().lower()

    def gone(self, deleted: Sequence[str], before: Mapping[str, Memory], left: Iterable[Memory]) -> set[bytes]:
        """Pieces of what was deleted and said about it that stand in nothing that is left."""
        about = [text for name in deleted for text in (before[name].rationale, *self.said.get(name, ()))]
        texts = [*(before[name].text for name in deleted), *about]
        kept = {piece for memory in left for piece in pieces(f"said {memory.text} _({memory.rationale})_")}
        return {piece for text in texts for piece in pieces(text)} - kept


def pieces(text: str) -> set[bytes]:
    """Every run of twelve bytes."""
    spelled = text.encode()
    return {spelled[at : at + PIECE] for at in range(len(spelled) - PIECE + 1)}
