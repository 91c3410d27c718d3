"""What readers have against a memory, as a hook shows it: the same as the engine, at every moment."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.model.flag import Flag
from tests.hook.conftest import NOW
from tests.hook.test_engine import WORDS, fill

if TYPE_CHECKING:
    from tests.hook.conftest import Machine

START = {"source": "startup"}


def flag(machine: Machine, memory_id: str, *readers: str) -> None:
    """Open flags of some readers."""
    with machine.store.transaction():
        for reader in readers:
            made = Flag(memory_id=memory_id, by=f"agent:{reader}", at=NOW, reason="Not so.")
            machine.store.flags.put(machine.repository, made)


@pytest.mark.parametrize("count", [40, 400])
def test_flags_count_as_in_the_engine(machine: Machine, count: int) -> None:
    """Same memories, order, scores and labels, where many are flagged by up to four readers."""
    pick = random.Random(count)
    fill(machine, count, pick)
    for (memory_id,) in machine.store.connection.rows("SELECT id FROM memory_items ORDER BY id"):
        flag(
            machine,
            memory_id,
            *(f"r{number}" for number in range(pick.choice([0, 0, 1, 2, 4] if count < 100 else [1, 1, 1, 1, 2, 4]))),
        )
    environment = {"LEARNT_HOME": str(machine.home), "LEARNT_CONFIG": str(machine.config), "HOME": str(machine.home)}
    flagged = 0
    with Engine.open(machine.project, home=Home(environment)) as engine:
        for number in range(20):
            prompt = " ".join(pick.choices(WORDS.split(), k=pick.randrange(1, 9)))
            ranking = engine.recall(prompt, mode="injection")
            shown = machine.prompt(prompt, f"s-{number}")
            receipt = machine.receipts()[-1]
            assert receipt["memory_ids"] == [hit.memory.id for hit in ranking.hits], prompt
            assert receipt["scores"] == pytest.approx([hit.score for hit in ranking.hits], abs=1e-6)
            assert shown.splitlines()[1:] == ranking.prompt_block.splitlines()[1:]
            flagged += shown.count("flagged by")
    assert flagged >= 3


def test_a_flagged_memory_falls_and_says_so(machine: Machine) -> None:
    """At a prompt below one that answers nearly as well, at a start behind all others."""
    wrong = machine.keep("Deploys run on Buildkite agents.", tags=("deploys",))
    right = machine.keep("Deploys run on GitHub runners.")
    before = machine.prompt("where do deploys run on", "s-1")
    assert 0 < before.index(wrong) < before.index(right)
    flag(machine, wrong, "one", "two")
    asked = machine.prompt("where do deploys run on", "s-3")
    for shown in (asked, machine.hook("session-start", "s-4", **START)):
        assert "flagged by 2 readers" in shown
        assert shown.index(right) < shown.index(wrong)


def test_a_warning_before_an_action_says_that_it_was_flagged(machine: Machine) -> None:
    """It is shown, with its label."""
    name = machine.keep("cargo nextest renews the lease", kind="lesson", files=("src/lease.rs",))
    flag(machine, name, "one")
    (machine.project / "src").mkdir()
    (machine.project / "src/lease.rs").write_text("fn main() {}\n")
    edit = {"file_path": str(machine.project / "src/lease.rs"), "new_string": "x"}
    assert "flagged by a reader" in machine.hook("pre-tool-use", tool_name="Edit", tool_input=edit)
