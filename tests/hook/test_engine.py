"""The hook shows what the engine would: same memories, same order, same scores, same reason for nothing."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.flows import arms
from learnt.interfaces.hook import prompt as hook
from learnt.model.memory import Provenance
from learnt.recall.dispute import NEWER, OLDER
from learnt.testing import samples

if TYPE_CHECKING:
    from tests.hook.conftest import Machine

WORDS = """
    cargo workspace lease retry_budget renewLease migration ledger export nightly tests feature index cache token
    parser Grüße 東京 половина src/app.py deploy rollback timeout worker queue schema the of and
"""
KINDS = ["project_fact", "repo_convention", "failure_pattern", "todo", "lesson"]
TRUSTS = ["person", "tool", "agent", "external"]


def fill(machine: Machine, count: int, pick: random.Random, retired: float = 0.0) -> None:
    kept: list[str] = []
    for number in range(count):
        words = pick.choices(WORDS.split(), k=12)
        gone = {"status": "superseded", "superseded_by": pick.choice(kept)} if kept and pick.random() < retired else {}
        made = machine.keep(
            f"{number} " + " ".join(words),
            machine.person if number % 7 == 0 else None,
            kind=pick.choice(KINDS),
            trust=pick.choice(TRUSTS),
            confidence=pick.choice([0.3, 0.6, 0.9]),
            q_value=pick.choice([0.1, 0.5, 0.9]),
            tags=tuple(pick.sample(["build", "queue", "cache"], k=pick.randrange(3))),
            files=("src/app.py",) if number % 5 == 0 else (),
            expires_at=pick.choice([None, None, "2026-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"]),
            provenance=Provenance(run_id=f"run-{number % 9}" if number % 3 else ""),
            **gone,
        )
        kept.append(made)


@pytest.mark.parametrize(("count", "retired"), [(40, 0.0), (40, 0.5), (400, 0.0), (400, 0.3)])
def test_same_as_the_engine(machine: Machine, count: int, retired: float) -> None:
    """At small scopes, which are scored whole, and at larger ones, which the full text narrows.

    With and without superseded memories, whose chains lead to live and to expired ones, over several links.
    """
    pick = random.Random(count)
    fill(machine, count, pick, retired)
    environment = {"LEARNT_HOME": str(machine.home), "LEARNT_CONFIG": str(machine.config), "HOME": str(machine.home)}
    prompts = [" ".join(pick.choices(WORDS.split(), k=pick.randrange(1, 9))) for _ in range(25)]
    prompts += ["the of and", "nothing known here", "!!", "ab", "x" * 9_000 + " cargo lease"]
    with Engine.open(machine.project, home=Home(environment)) as engine:
        shown = led = 0
        for number, prompt in enumerate(prompts):
            ranking = engine.recall(prompt, mode="injection")
            machine.prompt(prompt, f"s-{number}")
            receipt = machine.receipts()[-1]
            assert receipt["memory_ids"] == [hit.memory.id for hit in ranking.hits], prompt
            assert receipt["scores"] == pytest.approx([hit.score for hit in ranking.hits], abs=1e-6)
            assert receipt["skip_reason"] == ranking.skip_reason
            assert receipt["token_estimate"] == ranking.token_estimate
            shown += bool(ranking.hits)
            led += int(str(ranking.diagnostics.get("redirectedCount", 0)))
    assert bool(led) is bool(retired)
    assert 10 <= shown < len(prompts)


@pytest.mark.parametrize("count", [30, 45])
def test_the_same_is_disputed(machine: Machine, count: int) -> None:
    """Both sides of a dispute carry the same words in hook and engine, the newer evidence first."""
    pick = random.Random(count)
    kept: list[str] = []
    for number in range(count):
        words = pick.choices(WORDS.split()[:12], k=8)
        rivals = pick.sample(kept, k=min(len(kept), pick.randrange(3)))
        rows = [
            [rival, pick.choice(["disputes", "disputes", "alike"]), 1.0, "2026-05-01T00:00:00.000Z"] for rival in rivals
        ]
        dated = {"evidence_at": f"2026-0{pick.randrange(1, 6)}-01T00:00:00.000Z"} if pick.random() < 0.5 else {}
        kept.append(
            machine.keep(
                f"{number} " + " ".join(words),
                kind="project_fact",
                status="deleted" if pick.random() < 0.1 else "active",
                metadata={"rivals": rows, **dated} if rows else dated,
            )
        )
    environment = {"LEARNT_HOME": str(machine.home), "LEARNT_CONFIG": str(machine.config), "HOME": str(machine.home)}
    prompts = [" ".join(pick.choices(WORDS.split()[:12], k=4)) for _ in range(12)]
    disputed = 0
    with Engine.open(machine.project, home=Home(environment)) as engine:
        for number, prompt in enumerate(prompts):
            ranking = engine.recall(prompt, mode="injection")
            answer = machine.prompt(prompt, f"d-{number}")
            receipt = machine.receipts()[-1]
            assert receipt["memory_ids"] == [hit.memory.id for hit in ranking.hits], prompt
            for label in (NEWER, OLDER):
                told = sum(label in hit.labels for hit in ranking.hits)
                assert answer.count(label) == told
                disputed += told
    assert disputed > 10


@pytest.mark.parametrize("count", [12, 18])
def test_the_same_stands_beside_what_merges_tied(machine: Machine, count: int) -> None:
    """Free places go to the same memories, with the same words about why."""
    pick = random.Random(count)
    fill(machine, count, pick)
    environment = {"LEARNT_HOME": str(machine.home), "LEARNT_CONFIG": str(machine.config), "HOME": str(machine.home)}
    with Engine.open(machine.project, home=Home(environment)) as engine:
        means = engine.assembly.means
        scope = means.context.sight.one("repository")
        names = [memory.id for memory in engine.list(statuses=(), limit=1_000).values if memory.scope.key == scope.key]
        with means.store.transaction():
            for number in range(count):
                related = tuple(pick.sample(names, k=pick.randrange(2, 5)))
                taken = {"curatorDecision": {"action": "merge"}}
                merge = samples.proposal(scope, "", id=f"prop_{number}", operation="merge", kind=None, related=related)
                means.store.proposals.put(replace(merge, status="applied", metadata=taken))
        beside = 0
        for number in range(25):
            prompt = " ".join(pick.choices(WORDS.split(), k=pick.randrange(1, 4)))
            ranking = engine.recall(prompt, mode="injection")
            machine.prompt(prompt, f"s-{number}")
            receipt = machine.receipts()[-1]
            assert receipt["memory_ids"] == [hit.memory.id for hit in ranking.hits], prompt
            assert receipt["scores"] == pytest.approx([hit.score for hit in ranking.hits], abs=1e-6)
            assert receipt["token_estimate"] == ranking.token_estimate
            beside += sum(hit.related_to is not None for hit in ranking.hits)
    assert beside


def test_what_was_shown_is_not_led_to_again(machine: Machine) -> None:
    """A successor this context has is left out, asked for in its own words or in those of what it replaced."""
    new = machine.keep("Deploys run on Buildkite.")
    machine.keep("Releases go through the Jenkins pipeline.", status="superseded", superseded_by=new)
    assert "Buildkite" in machine.prompt("which jenkins pipeline makes the releases")
    assert machine.prompt("once more: which jenkins pipeline makes the releases") == ""
    assert "Jenkins" not in machine.prompt("which jenkins pipeline makes the releases", "s-2")


def test_a_hook_looks_at_as_many_as_the_engine() -> None:
    """Both read as many superseded memories."""
    assert hook.RETIRED == arms.RETIRED
