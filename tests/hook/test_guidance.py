"""What a starting session is told of earlier ones: first, the same bytes all along, and nothing that left since."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.gate.clearance import PATTERN_SET
from learnt.model.keys import sha256_hex
from learnt.model.scope import Sight
from learnt.model.thread import Summary

if TYPE_CHECKING:
    from tests.hook.conftest import Machine

PART = 'part="guidance"'


def consolidated(machine: Machine, *lines: str, at: str = "2026-11-02T00:00:00.000Z", clearance: str = "") -> None:
    """Put a summary of these lines into the store."""
    text = "\n".join(("v1", "", "## Known here", "", *lines, ""))
    made = Summary(
        scope_key=machine.repository.key,
        digest=sha256_hex(text),
        text=text,
        clearance=clearance or PATTERN_SET,
        made_at=at,
    )
    with machine.store.transaction():
        machine.store.summaries.put(made)


def guided(shown: str) -> str:
    """The block of the summary; "" where there is none."""
    return shown[: shown.index("</recalled_memory>")] if PART in shown.partition("\n")[0] else ""


def test_the_summary_comes_first_and_is_said_once(machine: Machine) -> None:
    """A memory it names is not shown whole beside it; one that came later is."""
    old = machine.keep("Tests run with TZ=UTC.")
    consolidated(machine, f"- Tests run with TZ=UTC. [{old}] (person)")
    new = machine.keep("Lint with ruff before a push.")
    shown = machine.start()
    assert "## Memory Guidance" in guided(shown)
    assert shown.count("TZ=UTC") == 1
    assert shown.count("Lint with ruff") == 1
    assert machine.receipts()[-1]["memory_ids"] == [old, new]
    assert machine.prompt("how do tests run with TZ=UTC") == ""


def test_a_session_keeps_its_bytes(machine: Machine) -> None:
    """After a compaction the same block comes again, although another summary is there; the next session has that."""
    name = machine.keep("Tests run with TZ=UTC.")
    consolidated(machine, f"- Tests run with TZ=UTC. [{name}] (person)")
    before = guided(machine.start("s-1"))
    consolidated(machine, f"- Tests always run with TZ=UTC. [{name}] (person)", at="2026-11-03T00:00:00.000Z")
    assert before
    assert guided(machine.start("s-1", "compact")) == before
    assert guided(machine.start("s-1", "clear")) == before
    after = guided(machine.start("s-2"))
    assert "always run" in after
    assert after == guided(machine.start("s-3"))


def test_a_sub_agent_is_told_too(machine: Machine) -> None:
    """Into its spawn prompt, where the host takes something there: the same bytes, then the standing rules."""
    name = machine.keep("Tests run with TZ=UTC.")
    consolidated(machine, f"- Tests run with TZ=UTC. [{name}] (person)")
    machine.keep("Lint with ruff before a push.", kind="repo_convention")
    machine.keep("`npm test` fails without a network.", kind="failure_pattern")
    before = guided(machine.start("s-1"))
    shown = machine.hook("subagent-start", "s-1", agent_id="a-1", agent_type="x")
    assert guided(shown) == before
    assert "Lint with ruff" in shown
    assert "npm" not in shown


def test_a_resumed_context_holds_it_already(machine: Machine) -> None:
    """A resume that lost nothing is told nothing again."""
    name = machine.keep("Tests run with TZ=UTC.")
    consolidated(machine, f"- Tests run with TZ=UTC. [{name}] (person)", '- "never push" [session:ses_1#2] (person)')
    assert guided(machine.start("s-1"))
    assert machine.start("s-1", "resume") == ""
    assert guided(machine.start("s-9", "resume"))


def test_what_left_since_is_not_told(machine: Machine) -> None:
    """Retired, external and unknown ids take their lines with them; the rest stays."""
    gone = machine.keep("Use the old runner.", status="superseded")
    outside = machine.keep("Somebody on the web says so.", trust="external")
    stays = machine.keep("Tests run with TZ=UTC.")
    consolidated(
        machine,
        f"- Use the old runner. [{gone}] (person)",
        f"- Somebody says so. [{outside}] (external)",
        "- Nobody knows this. [mem_0000000000000000] (person)",
        f"- Tests run with TZ=UTC. [{stays}] (person)",
    )
    lines = [line for line in guided(machine.start()).splitlines() if "[mem_" in line]
    assert lines == [f"- Tests run with TZ=UTC. [{stays}] (person)"]


def test_a_summary_of_other_patterns_waits(machine: Machine) -> None:
    """It is counted and queued to be looked at again."""
    name = machine.keep("Tests run with TZ=UTC.")
    consolidated(machine, f"- Tests run with TZ=UTC. [{name}] (person)", clearance="older")
    shown = machine.start()
    assert guided(shown) == ""
    assert "TZ=UTC" in shown


def test_an_observation_is_told_while_it_waits(machine: Machine) -> None:
    """Once it is decided its line goes."""
    seen = machine.observe("`make test` failed until `make deps` had run.")
    consolidated(machine, f"- `make test` failed until `make deps` had run. [{seen}] (seen once, not reviewed)")
    shown = machine.start("s-1")
    assert shown.count("make deps") == 1
    sight = Sight((machine.repository,))
    proposal = machine.store.proposals.get(sight, seen)
    assert proposal is not None
    with machine.store.transaction():
        machine.store.proposals.put(replace(proposal, status="rejected"))
    assert guided(machine.start("s-2")) == ""


def test_no_room_no_summary(machine: Machine) -> None:
    """The setting of 0 tokens turns it off."""
    name = machine.keep("Tests run with TZ=UTC.")
    consolidated(machine, f"- Tests run with TZ=UTC. [{name}] (person)")
    machine.config.parent.mkdir(exist_ok=True)
    machine.config.write_text("[sessions]\nsummary_tokens = 0\n")
    shown = machine.start()
    assert guided(shown) == ""
    assert "TZ=UTC" in shown
