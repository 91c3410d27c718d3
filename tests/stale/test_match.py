"""Pins beside files that changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.model.pin import KEY, Freshness, Pin, as_row, pins_of, repinned
from learnt.model.view import View
from learnt.stale import take
from learnt.stale.match import compare
from learnt.stale.whole import folded

CODE = """\
import os


def alpha(x):
    return x + 1


def beta(y):
    if y:
        return 2 * y

    return 0


def gamma():
    return 3
"""
LINE = st.sampled_from(["a = 1", "b = 2", "", "    c", "}", "return", "x()", "y()", "long line of code", "else:"])
LINES = st.lists(LINE, min_size=1, max_size=24)


def view(text: str) -> View:
    return View(text.encode())


def pin(text: str, line: int, end: int) -> Pin:
    return take.lines("src/a.py", view(text), line, end, "c0")


BETA = pin(CODE, 8, 12)


def state(text: str, wanted: Pin = BETA) -> str:
    return compare(wanted, view(text)).state


def test_the_same_file_is_intact() -> None:
    """Lines where they were."""
    assert compare(BETA, view(CODE)) == Freshness(state="intact", path="src/a.py", line=8)


def test_other_lines_do_not_count() -> None:
    """What changes elsewhere leaves lines intact, or moves them."""
    assert state(CODE.replace("x + 1", "x + 2")) == "intact"
    moved = compare(BETA, view("# one\n# two\n" + CODE.replace("return 3", "return 4\n# end")))
    assert (moved.state, moved.line) == ("moved", 10)


def test_indentation_blank_lines_and_line_ends_do_not_count() -> None:
    """The same words are the same lines."""
    assert state(CODE.replace("\n    if y:\n", "\n\n        if  y:\n")) == "intact"
    assert state(CODE.replace("\n", "\r\n")) == "intact"


def test_a_changed_line_is_changed() -> None:
    """One other word, one line more or one less within the range."""
    for other in (
        CODE.replace("2 * y", "3 * y"),
        CODE.replace("    return 0\n", ""),
        CODE.replace("if y:", "if y:\n\n#"),
    ):
        assert state(other) == "changed"
    assert compare(BETA, view(CODE.replace("2 * y", "3 * y"))).kept == 0.75


def test_a_file_that_is_not_there_is_gone_and_one_that_cannot_be_read_unknown() -> None:
    """Broken and unreadable are two answers."""
    assert compare(BETA, "absent").state == "gone"
    assert compare(BETA, "unreadable").state == "unknown"
    assert compare(BETA, View(None)).state == "unknown"
    assert compare(take.whole("a.bin", ""), View(None)).state == "intact"


def test_lines_that_stand_twice_are_told_apart_by_their_neighbours() -> None:
    """When one copy is lost it matters which."""
    text = "def a():\n    one()\n    return 1\n\ndef b():\n    two()\n    return 1\n"
    second = pin(text, 7, 7)
    assert second.copies == 2
    assert state(text.replace("    one()\n    return 1", "    one()\n    return 9"), second) == "intact"
    assert state(text.replace("    two()\n    return 1", "    return 9"), second) == "changed"


def test_a_place_between_lines_is_known_only_where_it_is() -> None:
    """A reference to a blank line says nothing that could be found elsewhere."""
    between = pin(CODE, 6, 6)
    assert state(CODE, between) == "intact"
    assert state("# one\n" + CODE, between) == "changed"


def test_lines_beyond_the_end_pin_the_file() -> None:
    """A wrong line number still names a file."""
    assert pin(CODE, 400, 410) == take.whole("src/a.py", "c0")
    assert pin("", 1, 1) == take.whole("src/a.py", "c0")


def test_a_symbol_is_followed_changed_and_gone() -> None:
    """A symbol is pinned with its body and known by its name."""
    beta = take.symbol("src/a.py", view(CODE), "beta", "")
    assert beta is not None
    assert (beta.line, beta.end) == (8, 12)
    assert compare(beta, view("\n\n" + CODE)).state == "moved"
    changed = compare(beta, view("\n" + CODE.replace("2 * y", "3 * y")))
    assert (changed.state, changed.line) == ("changed", 9)
    assert compare(beta, view(CODE.replace("beta", "delta"))).state == "gone"
    assert take.symbol("src/a.py", view(CODE), "delta", "") is None


@given(LINES, st.data())
def test_lines_put_in_elsewhere_never_change_a_pin(lines: list[str], data: st.DataObject) -> None:
    """Whatever is inserted above or below, the pinned lines still stand together."""
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    made = pin("\n".join(lines), first, last)
    at = data.draw(st.sampled_from([*range(made.line), *range(made.end, len(lines) + 1)]) if made.line else st.just(0))
    more = data.draw(LINES)
    if made.copies == 1:
        assert state("\n".join((*lines[:at], *more, *lines[at:])), made) in {"intact", "moved"}


@given(LINES, st.data())
def test_putting_lines_back_restores_a_pin(lines: list[str], data: st.DataObject) -> None:
    """A state is of the moment: after any change the old text is intact again."""
    first = data.draw(st.integers(1, len(lines)))
    made = pin("\n".join(lines), first, data.draw(st.integers(first, len(lines))))
    other = data.draw(LINES)
    assert state("\n".join(other), made) in {"intact", "moved", "changed"}
    assert state("\n".join(lines), made) == "intact"
    assert compare(made, "absent").state == "gone"


@given(LINES, st.integers(1, 24), st.integers(0, 24))
def test_a_pin_survives_its_row(lines: list[str], first: int, more: int) -> None:
    """What metadata holds is the pin."""
    made = pin("\n".join(lines), first, first + more)
    assert pins_of({KEY: [as_row(made)]}) == (made,)


def test_what_is_no_pin_is_left_out() -> None:
    """Metadata may come from anywhere."""
    bad: list[object] = [7, {}, {"path": 3}, {"path": "a", "marks": "zz"}, {"path": "a", "line": "x"}, {"path": "ok"}]
    assert pins_of({KEY: bad}) == (Pin(path="ok"),)
    assert pins_of({KEY: "text"}) == ()
    assert len(pins_of({KEY: [{"path": f"f{n}"} for n in range(50)]})) == 20


def test_saying_it_again_pins_it_to_the_code_as_it_is() -> None:
    """New pins take the place of old ones of the same file; a new commit alone changes nothing."""
    old = {KEY: [as_row(BETA), as_row(Pin(path="b.py"))]}
    now = pin("# new\n" + CODE, 9, 13)
    assert repinned(old, {KEY: [as_row(now)]}) == (now, Pin(path="b.py"))
    again = take.lines("src/a.py", view(CODE), 8, 12, "c1")
    assert repinned(old, {KEY: [as_row(again)]}) == pins_of(old)


@pytest.mark.parametrize(
    ("states", "wanted"),
    [
        ([], None),
        (["unknown"], "unknown"),
        (["intact", "unknown"], "intact"),
        (["intact", "moved"], "moved"),
        (["gone", "intact"], "changed"),
        (["moved", "changed"], "changed"),
        (["gone", "gone", "unknown"], "gone"),
    ],
)
def test_one_state_for_all_pins(states: list[str], wanted: str | None) -> None:
    """Gone only when everything is; changed as soon as something is."""
    found = folded([Freshness(state=each) for each in states])  # type: ignore[arg-type]
    assert (found.state if found else None) == wanted
