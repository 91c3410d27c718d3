"""Which extractions a consolidation takes, and which leave."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from learnt.jobs.select import is_changed, prunable, selected
from learnt.model.instant import plus_days
from learnt.model.thread import MODES, Rank
from learnt.testing.fakes import NOON


def rank(name: str, days_ago: float = 1, **given: object) -> Rank:
    """What one session taught, so long ago."""
    return Rank(session_id=name, source_updated_at=plus_days(NOON, -days_ago), **given)  # type: ignore[arg-type]


def test_the_most_used_are_taken_and_given_by_id() -> None:
    """Usage first, then recency; the order given never changes with either."""
    ranks = [rank("c", 1), rank("a", 2), rank("b", 20, usage_count=3, last_usage=NOON), rank("d", 3)]
    assert selected(ranks, most=2, max_unused_days=30, now=NOON) == ("b", "c")
    assert selected(ranks, most=9, max_unused_days=30, now=NOON) == ("a", "b", "c", "d")


def test_what_was_not_used_for_long_comes_last_and_does_not_disappear() -> None:
    """Even when it was used often once; where there is room it is taken."""
    ranks = [rank("old", 90, usage_count=9, last_usage=plus_days(NOON, -80)), rank("new", 1)]
    assert selected(ranks, most=1, max_unused_days=30, now=NOON) == ("new",)
    assert selected(ranks, most=2, max_unused_days=30, now=NOON) == ("new", "old")
    assert selected(ranks, most=1, max_unused_days=0, now=NOON) == ("old",)


def test_sessions_set_aside_are_never_taken() -> None:
    """Disabled or polluted, however useful (T146)."""
    ranks = [rank("a", mode="polluted", usage_count=9), rank("b", mode="disabled"), rank("c")]
    assert selected(ranks, most=9, max_unused_days=30, now=NOON) == ("c",)


def test_stale_ones_leave_stalest_first_up_to_the_limit() -> None:
    """What the last consolidation took never does (T143)."""
    ranks = [
        rank("a", 40),
        rank("b", 60),
        rank("c", 50, selected_source=plus_days(NOON, -50)),
        rank("d", 70, last_usage=NOON),
        rank("e", 10),
    ]
    assert prunable(ranks, max_unused_days=30, now=NOON) == ("b", "a")
    assert prunable(ranks, max_unused_days=30, now=NOON, limit=1) == ("b",)
    assert prunable(ranks, max_unused_days=0, now=NOON) == ()


def test_a_choice_is_changed_when_a_row_was_written_anew() -> None:
    """Or when one came, or went."""
    before = rank("a", 1)
    taken = rank("a", 1, selected_source=before.source_updated_at)
    assert is_changed([before], ["a"])
    assert not is_changed([taken], ["a"])
    assert is_changed([rank("a", 0.5, selected_source=before.source_updated_at)], ["a"])
    assert is_changed([taken, rank("b")], ["a", "b"])
    assert is_changed([taken], [])


@given(
    st.lists(
        st.builds(
            Rank,
            session_id=st.text("abc", min_size=1, max_size=3),
            source_updated_at=st.integers(-90, 0).map(lambda days: plus_days(NOON, days)),
            usage_count=st.integers(0, 3),
            mode=st.sampled_from(MODES),
        ),
        unique_by=lambda each: each.session_id,
    ),
    st.integers(0, 5),
    st.randoms(),
)
def test_a_choice_does_not_depend_on_the_order_it_is_given_in(ranks: list[Rank], most: int, chance: object) -> None:
    """It is sorted, within bounds, of enabled sessions, and a smaller one is part of a larger one."""
    chosen = selected(ranks, most=most, max_unused_days=30, now=NOON)
    shuffled = list(ranks)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert selected(shuffled, most=most, max_unused_days=30, now=NOON) == chosen
    assert list(chosen) == sorted(chosen)
    assert len(chosen) <= most
    assert {each.mode for each in ranks if each.session_id in chosen} <= {"enabled"}
    assert set(chosen) <= set(selected(ranks, most=most + 1, max_unused_days=30, now=NOON))
