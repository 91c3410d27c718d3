"""The hook shows what the engine would: same memories, same order, same scores, same reason for nothing."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine

if TYPE_CHECKING:
    from tests.hook.conftest import Machine

WORDS = """
    cargo workspace lease retry_budget renewLease migration ledger export nightly tests feature index cache token
    parser Grüße 東京 половина src/app.py deploy rollback timeout worker queue schema the of and
"""
KINDS = ["project_fact", "repo_convention", "failure_pattern", "todo", "lesson"]
TRUSTS = ["person", "tool", "agent", "external"]


def fill(machine: Machine, count: int, pick: random.Random) -> None:
    for number in range(count):
        words = pick.choices(WORDS.split(), k=12)
        machine.keep(
            f"{number} " + " ".join(words),
            machine.person if number % 7 == 0 else None,
            kind=pick.choice(KINDS),
            trust=pick.choice(TRUSTS),
            confidence=pick.choice([0.3, 0.6, 0.9]),
            q_value=pick.choice([0.1, 0.5, 0.9]),
            tags=tuple(pick.sample(["build", "queue", "cache"], k=pick.randrange(3))),
            files=("src/app.py",) if number % 5 == 0 else (),
            expires_at=pick.choice([None, None, "2026-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"]),
        )


@pytest.mark.parametrize("count", [40, 400])
def test_same_as_the_engine(machine: Machine, count: int) -> None:
    """At small scopes, which are scored whole, and at larger ones, which the full text narrows."""
    pick = random.Random(count)
    fill(machine, count, pick)
    environment = {"LEARNT_HOME": str(machine.home), "LEARNT_CONFIG": str(machine.config), "HOME": str(machine.home)}
    prompts = [" ".join(pick.choices(WORDS.split(), k=pick.randrange(1, 9))) for _ in range(25)]
    prompts += ["the of and", "nothing known here", "!!", "ab", "x" * 9_000 + " cargo lease"]
    with Engine.open(machine.project, home=Home(environment)) as engine:
        shown = 0
        for number, prompt in enumerate(prompts):
            ranking = engine.recall(prompt, mode="injection")
            machine.prompt(prompt, f"s-{number}")
            receipt = machine.receipts()[-1]
            assert receipt["memory_ids"] == [hit.memory.id for hit in ranking.hits], prompt
            assert receipt["scores"] == pytest.approx([hit.score for hit in ranking.hits], abs=1e-6)
            assert receipt["skip_reason"] == ranking.skip_reason
            assert receipt["token_estimate"] == ranking.token_estimate
            shown += bool(ranking.hits)
    assert 10 <= shown < len(prompts)
