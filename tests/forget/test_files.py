"""Nothing of a forgotten text is left in any file, over random histories (bar F1 of the security reference)."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.forget.closure import closure
from learnt.model.answer import Decided, Proposed, Refusal, Written
from learnt.model.evidence import Turn
from learnt.model.forget import Forgotten, kin_of
from learnt.testing import samples

if TYPE_CHECKING:
    from collections.abc import Iterator
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


def pieces(text: str) -> set[bytes]:
    """Every run of twelve bytes."""
    spelled = text.encode()
    return {spelled[at : at + PIECE] for at in range(len(spelled) - PIECE + 1)}


@pytest.mark.parametrize("seed", range(8))
def test_no_piece_is_left(tmp_path: Path, seed: int) -> None:
    """After forget and compact no twelve bytes of it are in any file; the closure is the model's."""
    history = History(tmp_path, seed)
    history.fill()
    before = {memory.id: memory for memory in history.all()}
    target = history.chance.choice(sorted(before))
    family = {name: kin_of(memory) for name, memory in before.items()}
    expected = closure([target], family)
    done = history.engine.forget([target])
    assert isinstance(done, Forgotten)
    assert (set(done.deleted), set(done.restored)) == (set(expected.deleted), set(expected.restored))
    history.engine.compact(confirm=True)
    left = {memory.id: memory for memory in history.all()}
    assert not set(left) & set(done.deleted)
    assert {before[name].status for name in set(before) - set(left) - set(done.deleted)} <= {"superseded", "deleted"}
    assert all(left[name].status == "active" for name in done.restored)
    history.engine.close()
    gone = set().union(*(pieces(before[name].text) for name in done.deleted))
    about = [text for name in done.deleted for text in (before[name].rationale, *history.said.get(name, ()))]
    gone |= {piece for text in about for piece in pieces(text)}
    gone -= {piece for memory in left.values() for piece in pieces(f"said {memory.text}")}
    held = list(history.files())
    assert not [piece for piece in sorted(gone) if any(piece in each for each in held)][:3]


def test_out_of_a_full_block(tmp_path: Path) -> None:
    """In a scope large enough for blocks of full text its words leave these too."""
    history = History(tmp_path, 1)
    first = history.engine.remember("Seed.", kind="lesson")
    assert isinstance(first, Written)
    scope = first.memory.scope
    texts = [history.words() for _ in range(2_100)]
    with history.means.store.transaction():
        for text in texts:
            history.means.store.memories.put(samples.memory(scope, text))
    doomed = samples.memory(scope, texts[77])
    assert isinstance(history.engine.forget([doomed.id]), Forgotten)
    history.engine.compact(confirm=True)
    history.engine.close()
    held = list(history.files())
    assert not [piece for piece in sorted(pieces(texts[77])) if any(piece in each for each in held)]
    assert any(texts[78].encode() in each for each in held)
