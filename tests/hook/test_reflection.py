"""What a starting session is told of outcomes: as the engine tells it, and nothing that may not be shown."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.gate.clearance import PATTERN_SET
from learnt.interfaces.hook import reflection as hook
from learnt.learn import lessons

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.hook.conftest import Machine

PART = 'part="reflection"'


@pytest.fixture
def engine(machine: Machine) -> Iterator[Engine]:
    """The engine of the person whose machine it is."""
    environment = {"LEARNT_HOME": str(machine.home), "LEARNT_CONFIG": str(machine.config), "HOME": str(machine.home)}
    with Engine.open(machine.project, home=Home(environment)) as opened:
        yield opened


def start(machine: Machine, session: str, source: str = "startup") -> str:
    """What a starting session is given."""
    return machine.hook("session-start", session, source=source)


def digest(machine: Machine) -> Path:
    """The file."""
    return machine.home / "reflections" / machine.repository.repo_id / "lessons.json"


def reflected(shown: str) -> list[str]:
    """The lines of the reflection block, without the first."""
    if PART not in shown:
        return []
    at = shown.index(PART)
    return shown[at:].split("</recalled_memory>", maxsplit=1)[0].splitlines()[1:]


def few(machine: Machine) -> None:
    """Room for one memory in full, and no summary."""
    machine.config.parent.mkdir(exist_ok=True)
    machine.config.write_text("[recall.injection]\nmax_items = 1\n[sessions]\nsummary_tokens = 0\n")


def test_no_digest_says_nothing(machine: Machine) -> None:
    """And costs nothing but a look."""
    machine.keep("cargo nextest renews the lease")
    assert reflected(start(machine, "s-1")) == []


def test_a_start_says_what_the_engine_says(machine: Machine, engine: Engine) -> None:
    """Line for line: preferred, dead ends, corrections, with counts and files."""
    few(machine)
    machine.keep("Standing first, in full.", q_value=0.9)
    (machine.project / "a.py").write_text("x = 1\n")
    good, bad, half = (machine.keep(f"{word} <b>advice</b> about leases", trust="tool") for word in ("A", "B", "C"))
    for _ in range(2):
        engine.outcome(memory_id=good, outcome="useful", anchors=["a.py#x"])
    engine.outcome(memory_id=bad, outcome="dead_end")
    engine.outcome(memory_id=half, outcome="corrected", correction='Say "please"\nfirst.')
    shown = reflected(start(machine, "s-1"))
    assert shown == engine.reflection().splitlines()[1:-1]
    assert f"- [{good}] A &lt;b>advice&lt;/b> about leases (2 useful, a.py#x)" in shown
    assert any("correct is: Say 'please' first." in line for line in shown)
    assert set(machine.receipts()[-1]["memory_ids"]) >= {good, bad, half}


def test_a_correction_of_an_agent_says_so(machine: Machine, engine: Engine) -> None:
    """Nobody reviewed it; the engine says the same."""
    few(machine)
    machine.keep("Standing first, in full.", q_value=0.9)
    name = machine.keep("cargo nextest renews the lease", trust="tool")
    environment = {
        "LEARNT_HOME": str(machine.home),
        "LEARNT_CONFIG": str(machine.config),
        "HOME": str(machine.home),
        "LEARNT_AGENT": "a1",
    }
    with Engine.open(machine.project, home=Home(environment)) as agent:
        agent.outcome(memory_id=name, outcome="corrected", correction="It is cargo test.")
    shown = reflected(start(machine, "s-1"))
    assert any("an agent says, not reviewed: It is cargo test." in line for line in shown)
    assert shown == engine.reflection().splitlines()[1:-1]


def test_nothing_is_said_twice_in_one_context(machine: Machine, engine: Engine) -> None:
    """What stands in full is only named; a resumed session hears nothing again; a compacted one has its own summary."""
    name = machine.keep("cargo nextest renews the lease")
    for _ in range(2):
        engine.outcome(memory_id=name, outcome="useful")
    shown = start(machine, "s-1")
    assert shown.count("cargo nextest renews the lease") == 1
    assert f"- [{name}] (above) (2 useful)" in reflected(shown)
    assert start(machine, "s-1", "resume") == ""
    assert reflected(start(machine, "s-1", "compact")) == []


@pytest.mark.parametrize(
    "facts",
    [
        {"status": "superseded"},
        {"clearance": "other"},
        {"expires_at": "2020-01-01T00:00:00.000Z"},
        {"trust": "external"},
    ],
)
def test_what_may_not_be_shown_is_not(machine: Machine, engine: Engine, facts: dict[str, Any]) -> None:
    """Retired, expired or not cleared since the digest was made, or external."""
    few(machine)
    name = machine.keep("cargo nextest renews the lease")
    for _ in range(2):
        engine.outcome(memory_id=name, outcome="useful")
    machine.keep("cargo nextest renews the lease", **facts)
    assert "nextest" not in start(machine, "s-1")
    assert "nextest" not in engine.reflection()


def test_a_digest_that_is_none_of_ours_says_nothing(machine: Machine, engine: Engine) -> None:
    """Of another pattern set, no JSON, too large, a link, a folder: the session starts all the same."""
    few(machine)
    machine.keep("Standing first, in full.", q_value=0.9)
    name = machine.keep("cargo nextest renews the lease", trust="tool")
    for _ in range(2):
        engine.outcome(memory_id=name, outcome="useful")
    path, kept = digest(machine), digest(machine).read_text()
    assert reflected(start(machine, "s-0"))
    spoiled = [
        kept.replace(PATTERN_SET, "0.other"),
        "{",
        "[1, 2]",
        json.dumps({"patternSet": PATTERN_SET, "preferred": ["x", 3, {"memoryId": None}, {"memoryId": {"a": 1}}]}),
        kept + " " * lessons.MAX_BYTES,
    ]
    for number, text in enumerate(spoiled):
        path.write_text(text)
        shown = start(machine, f"bad-{number}")
        assert "Standing first" in shown
        assert reflected(shown) == []
    path.unlink()
    elsewhere = path.with_name("elsewhere.json")
    elsewhere.write_text(kept)
    path.symlink_to(elsewhere)
    assert reflected(start(machine, "link")) == []
    path.unlink()
    os.mkfifo(path)
    assert "Standing first" in start(machine, "pipe")


def test_the_setting_turns_it_off(machine: Machine, engine: Engine) -> None:
    """In the user's file or in the repository's."""
    few(machine)
    name = machine.keep("cargo nextest renews the lease")
    for _ in range(2):
        engine.outcome(memory_id=name, outcome="useful")
    assert reflected(start(machine, "s-1"))
    (machine.project / ".learnt").mkdir()
    (machine.project / ".learnt" / "config.toml").write_text("[reflection]\nenabled = false\n")
    assert reflected(start(machine, "s-2")) == []


def test_the_bound_is_that_of_the_writer() -> None:
    """A file that was written can be read."""
    assert hook.MAX_BYTES == lessons.MAX_BYTES
