"""Half-lives by kind. Source: swarm-memory seed."""

from __future__ import annotations

from typing import Any

import pytest

from learnt.model.kinds import KINDS
from learnt.stale.decay import HALF_LIFE_DAYS, expiry
from learnt.testing import samples

BORN, SOON = "2026-01-01T00:00:00.000Z", "2026-01-05T00:00:00.000Z"
END = "2026-01-31T00:00:00.000Z"
SCOPE = samples.repository("r")


def aged(kind: str = "todo", now: str = SOON, **facts: Any) -> str | None:
    return expiry(samples.memory(SCOPE, "Text.", kind=kind, at=BORN, **facts), now)


def test_half_lives() -> None:
    """In days; whatever is not named never grows old, scratch among it, which has its own expiry."""
    assert HALF_LIFE_DAYS == {
        "todo": 30,
        "code_pattern": 90,
        "test_pattern": 90,
        "failure_pattern": 90,
        "api_finding": 180,
        "evidence": 180,
    }
    assert [kind for kind in KINDS if aged(kind)] == [kind for kind in KINDS if kind in HALF_LIFE_DAYS]


@pytest.mark.parametrize(
    ("before", "after"),
    [(None, END), ("2026-01-10T00:00:00.000Z", None), ("2027-01-01T00:00:00.000Z", END), (END, None)],
)
def test_an_earlier_expiry_stays_and_a_later_one_comes_forward(before: str | None, after: str | None) -> None:
    """A todo of the first of January ends with January."""
    assert aged(expires_at=before) == after


def test_what_is_past_its_time_already_is_left_alone() -> None:
    """Else it would be gone at once, with the first pass of a new version."""
    assert aged(now=END) is None
    assert aged(now="2026-01-30T23:59:59.999Z") == END


def test_only_what_holds_grows_old() -> None:
    """Not what was retired."""
    assert [aged(status=each) for each in ("superseded", "deleted", "consolidated", "quarantined")] == [None] * 4
