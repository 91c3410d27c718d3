"""Which memories go with a forgotten one, against the lessons seed's rules and a model of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from learnt.forget.closure import closure
from learnt.model.forget import Kin

if TYPE_CHECKING:
    from learnt.model.kinds import Status


def kin(name: str, *sources: str, status: Status = "active", successor: str = "", edited: str = "") -> Kin:
    return Kin(id=name, status=status, sources=sources, successor=successor, edited=edited)


def family(*members: Kin) -> dict[str, Kin]:
    return {each.id: each for each in members}


def test_a_source_takes_the_merged_and_frees_the_others() -> None:
    """T111: forgetting one source deletes the merged memory and brings its other sources back."""
    gone = closure(["a"], family(kin("m", "a", "b", "c"), *(kin(each, status="consolidated") for each in "abc")))
    assert gone.deleted == ("a", "m")
    assert gone.restored == ("b", "c")


def test_merges_of_merges_go_too() -> None:
    """T111, nested: what was made of a merged memory goes with it, its other sources come back."""
    rows = (kin("ab", "a", "b", status="consolidated"), kin("abc", "ab", "c"))
    gone = closure(["a"], family(*rows, *(kin(each, status="consolidated") for each in "abc")))
    assert set(gone.deleted) == {"a", "ab", "abc"}
    assert gone.restored == ("b", "c")


def test_a_forgotten_merge_takes_its_sources() -> None:
    """T112: a merged memory's sources hold the same content, so none of them comes back."""
    gone = closure(["m"], family(kin("m", "a", "b"), kin("a", status="consolidated"), kin("b", status="consolidated")))
    assert set(gone.deleted) == {"m", "a", "b"}
    assert gone.restored == ()


def test_what_it_superseded_comes_back() -> None:
    """T112: a memory that the forgotten one had replaced is active again."""
    gone = closure(["n"], family(kin("n"), kin("o", status="superseded", successor="n")))
    assert gone == closure(["n"], family(kin("o", status="superseded", successor="n"), kin("n")))
    assert (gone.deleted, gone.restored) == (("n",), ("o",))


def test_another_merge_still_stands_for_a_source() -> None:
    """I03: a source that a surviving merged memory lists stays consolidated."""
    rows = (kin("m", "a", "b"), kin("other", "b", "c"), *(kin(each, status="consolidated") for each in "abc"))
    assert closure(["a"], family(*rows)).restored == ()


def test_i03_whole() -> None:
    """I03: A, M1 and M2 go; B, C, D and E are active again."""
    rows = (
        kin("m1", "a", "b", "c", status="consolidated"),
        kin("m2", "m1", "d"),
        kin("e", status="superseded", successor="a"),
        *(kin(each, status="consolidated") for each in "abcd"),
    )
    gone = closure(["a"], family(*rows))
    assert set(gone.deleted) == {"a", "m1", "m2"}
    assert gone.restored == ("b", "c", "d", "e")


def test_earlier_wordings_go() -> None:
    """What an update left behind is the same statement; what an update made of a forgotten wording is not."""
    rows = family(kin("old", status="deleted", edited="new"), kin("new"))
    assert closure(["new"], rows).deleted == ("new", "old")
    assert closure(["old"], rows).deleted == ("old",)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[str], dict[str, Kin]]:
    names = [f"n{number}" for number in range(draw(st.integers(1, 9)))]
    rows: dict[str, Kin] = {}
    for place, name in enumerate(names):
        sources = draw(st.lists(st.sampled_from(names[:place]), unique=True, max_size=3)) if place else []
        rows[name] = kin(name, *sources)
    merged = {source for row in rows.values() for source in row.sources}
    for place, name in enumerate(names):
        later = names[place + 1 :]
        has_successor: bool = draw(st.booleans())
        if name in merged:
            rows[name] = kin(name, *rows[name].sources, status="consolidated")
        elif later and has_successor:
            rows[name] = kin(name, *rows[name].sources, status="superseded", successor=draw(st.sampled_from(later)))
    return draw(st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=2)), rows


@given(graphs())
def test_nothing_that_carries_the_content_stays(graph: tuple[list[str], dict[str, Kin]]) -> None:
    """Whatever was made of something deleted is deleted; nobody else is; who comes back had a reason to be away."""
    targets, rows = graph
    gone = closure(targets, rows)
    deleted = set(gone.deleted)
    assert gone.deleted[: len(targets)] == tuple(targets)
    assert not [row.id for row in rows.values() if row.id not in deleted and deleted & set(row.sources)]
    below = set(targets)
    while more := {source for name in below for source in rows[name].sources} - below:
        below |= more
    assert below <= deleted
    assert all(name in below or deleted & set(rows[name].sources) for name in deleted)
    for name in rows.keys() - deleted:
        row = rows[name]
        stands = any(other.id not in deleted and name in other.sources for other in rows.values())
        freed = row.status == "consolidated" and not stands
        replaced = row.status == "superseded" and row.successor in deleted
        assert (name in gone.restored) == (freed or replaced)


@given(graphs(), st.randoms())
def test_the_order_of_rows_says_nothing(graph: tuple[list[str], dict[str, Kin]], chance: object) -> None:
    """The same memories in another order give the same answer."""
    targets, rows = graph
    shuffled = list(rows.items())
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert closure(targets, dict(shuffled)) == closure(targets, rows)
