"""What was known and held at a moment: recall, listing and one memory agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from learnt.errors import NotFoundError, UsageError
from learnt.flows.read import listing
from learnt.flows.recall import recall
from learnt.flows.then import shown
from learnt.model.filter import MemoryFilter
from learnt.model.instant import plus_days
from learnt.model.ranking import Query
from learnt.testing.fakes import NOON
from tests.flows.test_truth import COMMIT, wrote
from tests.flows.test_writing import asked, decided

if TYPE_CHECKING:
    from learnt.flows.means import Means


def texts(means: Means, day: float, query: str = "tests run with pytest workers") -> set[str]:
    at = plus_days(NOON, day)
    found = {hit.memory.text for hit in recall(means, Query(text=query, as_of=at, min_score=0.0)).hits}
    listed = {each.text for each in listing(means, MemoryFilter(as_of=at)).values}
    assert found <= listed
    return found


def days_on(means: Means, days: float) -> None:
    means.clock.advance(days * 86_400)  # type: ignore[attr-defined]


def test_a_retired_statement_is_current_in_its_time(means: Means) -> None:
    """Before the change the old one, after it the new one, and never both."""
    old = wrote(means, "Tests run with pytest -n 4")
    days_on(means, 5)
    new = wrote(means, "Tests run with pytest -n 8")
    assert texts(means, -1) == set()
    assert texts(means, 1) == {old.memory.text}
    assert texts(means, 7) == {new.memory.text}


def test_what_was_learned_later_was_not_known(means: Means) -> None:
    """Evidence of long ago, written down later, was no knowledge of the time between."""
    means.workplace.made[COMMIT] = plus_days(NOON, -100)  # type: ignore[attr-defined]
    days_on(means, 3)
    wrote(means, "Tests run with pytest in docker", evidence=(COMMIT,))
    assert texts(means, -50) == set()
    assert texts(means, 1) == set()
    assert texts(means, 4) == {"Tests run with pytest in docker"}


def test_an_updated_text_is_shown_as_it_was(means: Means) -> None:
    """A corrected statement in its old words before the correction, in the new ones after."""
    first = wrote(means, "The tests need postgres fifteen", kind="repo_convention")
    days_on(means, 2)
    proposal = asked(means, "The tests need postgres sixteen", operation="update", target_id=first.memory.id)
    decided(means, proposal)
    assert texts(means, 1, "tests need postgres") == {"The tests need postgres fifteen"}
    assert texts(means, 3, "tests need postgres") == {"The tests need postgres sixteen"}
    assert shown(means, first.memory.id, plus_days(NOON, 1)).status == "active"
    assert shown(means, first.memory.id, plus_days(NOON, 3)).status == "deleted"


def test_a_memory_that_was_not_known_then_is_unknown(means: Means) -> None:
    """Asking for it at a moment before it was written answers like an unknown id."""
    memory = wrote(means, "Tests run with pytest -n 4").memory
    with pytest.raises(NotFoundError):
        shown(means, memory.id, plus_days(NOON, -1))


def test_vectors_of_the_past_are_not_kept(means: Means) -> None:
    """The profile that has nothing but vectors cannot answer for a moment."""
    with pytest.raises(UsageError):
        recall(means, Query(text="tests run", as_of=NOON, profile="dense"))
