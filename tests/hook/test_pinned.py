"""What a hook does with memories whose code is not as it was."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Any

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.model.pin import KEY, Pin, as_row
from learnt.model.view import View
from learnt.stale import take

if TYPE_CHECKING:
    from tests.hook.conftest import Machine


def _pins(*paths: str) -> dict[str, object]:
    return {KEY: [as_row(Pin(path=path, line=1, end=1, marks=(1,))) for path in paths]}


def test_gone_is_hidden_at_every_moment_and_comes_back(machine: Machine) -> None:
    """At a prompt, a start and before an action; the file put back brings the memory back."""
    machine.keep(
        "cargo nextest renews the lease",
        kind="lesson",
        files=("src/lease.rs",),
        metadata=_pins("src/lease.rs", "src/other.rs"),
    )
    asked = {"prompt": "renews the lease with nextest"}
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(machine.project / "src/lease.rs"), "new_string": "x"}}
    moments: list[tuple[str, dict[str, Any]]] = [
        ("user-prompt-submit", asked),
        ("session-start", {"source": "startup"}),
        ("pre-tool-use", edit),
    ]
    for number, (event, fields) in enumerate(moments):
        assert machine.hook(event, f"gone-{number}", **fields) == "", event
    (machine.project / "src").mkdir()
    (machine.project / "src/other.rs").write_text("fn main() {}\n")
    for number, (event, fields) in enumerate(moments):
        assert "renews the lease" in machine.hook(event, f"back-{number}", **fields), event


def test_a_memory_without_pins_is_as_ever(machine: Machine) -> None:
    """Files that are only named are not looked for."""
    machine.keep("cargo nextest renews the lease", files=("src/lease.rs",))
    assert "renews the lease" in machine.hook("user-prompt-submit", prompt="renews the lease with nextest")


CODE = "".join(f"line {number}\n" for number in range(40))
NOW_TEXTS = {
    "same.py": CODE,
    "moved.py": "new\n" + CODE,
    "changed.py": CODE.replace("line 12", "other"),
    "gone.py": None,
}


def test_same_as_the_engine(machine: Machine) -> None:
    """Hidden, lowered, labelled and ordered as the engine does it, with more memories than places."""
    pick = random.Random(5)
    words = ["cargo", "workspace", "lease", "migration", "ledger", "nightly", "cache", "token", "parser", "deploy"]
    for number in range(24):
        path = pick.choice([*NOW_TEXTS, "changed.py", "changed.py", ""])
        pins = [take.lines(path, View(CODE.encode()), 11, 14, "")] if path else []
        machine.keep(
            f"{number} " + " ".join(pick.choices(words, k=9)),
            kind=pick.choice(["lesson", "project_fact"]),
            confidence=pick.choice([0.3, 0.6, 0.9]),
            metadata={KEY: [as_row(pin) for pin in pins]} if pins else {},
        )
    for path, text in NOW_TEXTS.items():
        if text is not None:
            (machine.project / path).write_text(text)
    environment = {"LEARNT_HOME": str(machine.home), "LEARNT_CONFIG": str(machine.config), "HOME": str(machine.home)}
    seen: set[str] = set()
    with Engine.open(machine.project, home=Home(environment)) as engine:
        for number in range(12):
            prompt = " ".join(pick.choices(words, k=4))
            ranking = engine.recall(prompt, mode="injection")
            block = machine.prompt(prompt, f"s-{number}")
            receipt = machine.receipts()[-1]
            assert receipt["memory_ids"] == [hit.memory.id for hit in ranking.hits], prompt
            assert receipt["scores"] == pytest.approx([hit.score for hit in ranking.hits], abs=1e-6)
            for label in (label for hit in ranking.hits for label in hit.labels):
                assert label in block
                seen.add(label)
    assert {"changed since", "now at moved.py:12"} <= seen


def test_more_than_a_hook_reads_is_shown_as_ever(machine: Machine) -> None:
    """A file beyond the budget is unknown: nothing is said of it."""
    machine.keep("cargo nextest renews the lease", metadata=_pins("big.txt"))
    (machine.project / "big.txt").write_text("x\n" * 600_000)
    block = machine.hook("user-prompt-submit", prompt="renews the lease with nextest")
    assert "renews the lease" in block
    assert "changed since" not in block


@pytest.mark.parametrize("path", ["../outside/code.py", "linked/code.py", "file.py", "pipe"])
def test_what_leads_out_of_the_work_tree_is_not_opened(machine: Machine, path: str) -> None:
    """By dots, through a link on the way, or as one: the code is not there, as the engine sees it."""
    outside = machine.project.parent / "outside"
    outside.mkdir()
    (outside / "code.py").write_text("what somebody else wrote\n")
    (machine.project / "linked").symlink_to(outside)
    (machine.project / "file.py").symlink_to(outside / "code.py")
    os.mkfifo(machine.project / "pipe")
    (machine.project / "here.py").symlink_to(machine.project / "real.py")
    (machine.project / "real.py").write_text("one\n")
    machine.keep("cargo nextest renews the lease", metadata=_pins(path))
    machine.keep("cargo nextest keeps the lease", metadata=_pins("here.py"))
    block = machine.hook("user-prompt-submit", prompt="the lease with nextest")
    assert "renews the lease" not in block
    assert "keeps the lease" in block
