"""What a hook gave can be rewarded, and what verdicts made of memories shows in what it gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.bootstrap import Home
from learnt.engine import Engine

if TYPE_CHECKING:
    from tests.hook.conftest import Machine

PROMPT = "how does the cargo workspace renew its lease"


def engine(machine: Machine) -> Engine:
    """An engine of the same person, with the same keys."""
    environment = {"LEARNT_HOME": str(machine.home), "LEARNT_CONFIG": str(machine.config), "HOME": str(machine.home)}
    return Engine.open(machine.project, home=Home(environment))


def test_an_injection_is_rewarded_by_its_session(machine: Machine) -> None:
    """Without a run the host's session is one; the receipt is sealed as the engine's are."""
    memory = machine.keep("The cargo workspace renews its lease every minute.")
    assert memory in machine.prompt(PROMPT, "s-7")
    with engine(machine) as here:
        assert here.reward("APPROVE", run="s-8").reason == "no_recall_usage_for_run"
        done = here.reward("APPROVE", run="s-7")
        assert [(each.id, each.q_after) for each in done.learned] == [(memory, 0.55)]
        assert (done.unsigned, done.reason) == (0, None)
        assert here.reward("APPROVE", run="s-7").reason == "already_rewarded"


def test_an_orchestrator_names_the_work(machine: Machine) -> None:
    """Run, unit and round of the environment are on the receipt; a name that is not plain is none."""
    machine.keep("The cargo workspace renews its lease every minute.")
    told = json.dumps({"session_id": "s-1", "cwd": str(machine.project), "prompt": PROMPT})
    machine.raw("user-prompt-submit", told, LEARNT_RUN="r-1", LEARNT_UNIT="u 1;", LEARNT_ROUND="2")
    last = machine.receipts()[-1]
    assert (last["run_id"], last["unit_id"], last["round"]) == ("r-1", "", "2")
    with engine(machine) as here:
        assert here.reward("REJECT", run="r-1", round_="3").reason == "no_recall_usage_for_run"
        assert len(here.reward("REJECT", run="r-1", round_="2").learned) == 1


def test_verdicts_decide_what_a_hook_shows(machine: Machine) -> None:
    """Of two alike the better comes first, and what is suppressed does not come, at a prompt and before an action."""
    one = machine.keep("The cargo workspace renews its lease every minute, says one.")
    two = machine.keep("The cargo workspace renews its lease every minute, says two.")
    three = machine.keep("The cargo workspace renews its lease every minute, says three.")
    with engine(machine) as here, here.assembly.means.store.transaction():
        sight = here.assembly.means.context.sight
        here.assembly.means.store.usage.reward(sight, (), {one: 0.6, two: 0.9, three: 0.149})
    shown = machine.prompt(PROMPT)
    assert -1 < shown.index(two) < shown.index(one)
    assert three not in shown
    with engine(machine) as here:
        assert [hit.memory.id for hit in here.choices(PROMPT).hits] == [two, one]
    assert three not in machine.start("s-2")
