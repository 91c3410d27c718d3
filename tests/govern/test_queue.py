"""The order of the queue, and which proposals are one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.govern.queue import folded, says_same, worth
from learnt.model.memory import Reference
from learnt.testing import samples
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from learnt.model.proposal import Proposal

SCOPE = samples.repository("queue")
LATER = "2026-06-24T12:00:00.000Z"


def asks(text: str, **fields: object) -> Proposal:
    return samples.proposal(SCOPE, text, **{"kind": "repo_convention", **fields})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("This repository uses uv.", "The project uses uv"),
        ("Use uv for installing dependencies.", "Please always use uv to install the dependencies!"),
        ("Run the tests with `pytest -q`.", "Run tests with pytest -q."),
        ("Tests need TZ=UTC.", "tests   need TZ=utc"),
    ],
)
def test_the_same_in_other_words_that_carry_nothing(one: str, other: str) -> None:
    """Articles, politeness, endings, quotes, case and white space part nothing."""
    assert says_same(asks(one), asks(other))
    assert len(folded([asks(one), asks(other)], NOON)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tests need TZ=UTC.", "Tests need TZ=CET."),
        ("Builds need Node 18 and pnpm 9 on every machine.", "Builds need Node 20 and pnpm 9 on every machine."),
        ("Do not run the linter before the formatter here.", "Do run the linter before the formatter here."),
        ("Run the linter before the formatter.", "Run the formatter before the linter."),
        (
            "Use npm for scripts and dependencies of all packages.",
            "Use pnpm for scripts and dependencies of all packages.",
        ),
        ("The cache of the build lies in one folder.", "The cache of the build lies in one folder on Windows."),
        ("Config is read from app.toml at every single start.", "Config is read from app.json at every single start."),
    ],
)
def test_what_differs_in_substance_is_two(one: str, other: str) -> None:
    """A number, a name, a negation, an order, an environment, a path."""
    assert not says_same(asks(one), asks(other))
    assert len(folded([asks(one), asks(other)], NOON)) == 2


def test_a_text_that_holds_the_other_is_folded_but_not_the_same() -> None:
    """For the eye of a person, who sees both; a rule counts them as two."""
    short = asks("The release notes are written by hand from merged pull requests.")
    more = asks("The release notes are written carefully by hand from merged pull requests.")
    assert not says_same(short, more)
    (entry,) = folded([short, more], NOON)
    assert {each.text for each in entry.all} == {short.text, more.text}


@pytest.mark.parametrize("change", [{"operation": "supersede"}, {"kind": "lesson"}, {"target_id": "mem_a"}])
def test_the_same_words_for_another_thing_are_two(change: dict[str, object]) -> None:
    """Another operation, kind, target, or scope."""
    one = asks("Tests need TZ=UTC.")
    assert len(folded([one, asks(one.text, id="prop_x", **change)], NOON)) == 2
    assert len(folded([one, replace(one, id="prop_y", scope=samples.repository("elsewhere"))], NOON)) == 2


def test_requests_without_a_text_are_one_only_for_the_same_things() -> None:
    """Two merges of the same memories in any order are one; deletions of two memories are two."""
    merges = [
        asks("", id=f"prop_{at}", operation="merge", kind=None, related=ids) for at, ids in enumerate(["ab", "ba"])
    ]
    gone = [asks("", id=f"prop_{target}", operation="delete", kind=None, target_id=target) for target in "xy"]
    assert len(folded([*merges, *gone], NOON)) == 3


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 10)), max_size=20))
def test_the_order_is_by_value_then_age_then_id(given_: list[tuple[int, int]]) -> None:
    """Every proposal is in exactly one entry, and the order does not depend on that of the input."""
    proposals = [
        asks(f"Fact number {text}.", id=f"prop_{at}", expected_value=value / 10)
        for at, (text, value) in enumerate(given_)
    ]
    entries = folded(proposals, NOON)
    assert entries == folded(list(reversed(proposals)), NOON)
    assert sorted(each.id for entry in entries for each in entry.all) == sorted(each.id for each in proposals)
    assert [entry.value for entry in entries] == sorted((entry.value for entry in entries), reverse=True)
    assert all(0 <= entry.value <= 1 for entry in entries)


def test_what_a_look_is_worth() -> None:
    """More with company, found words and a person's name; less for what cannot be accepted, held back, or old."""
    plain = asks("Fact.")
    quoted = replace(plain, evidence=(Reference(type="transcript", ref="session:s#1", verified=True),))
    base = worth(plain, [], NOON)
    assert worth(plain, [plain], NOON) > base
    assert worth(quoted, [], NOON) > base
    assert worth(replace(plain, trust="person"), [], NOON) > base
    assert worth(replace(plain, kind="api_finding"), [], NOON) < base
    assert worth(replace(plain, metadata={"quarantine": []}), [], NOON) < base
    assert worth(plain, [], LATER) < base


def test_ten_thousand_are_folded_exactly() -> None:
    """The short cut through rare words finds what comparing all with all would."""
    words = [f"word{number}x" for number in range(40)]
    proposals = [
        asks(" ".join(words[(at * 7 + step) % 40].removesuffix("x") for step in range(6 + at % 2)), id=f"prop_{at:05}")
        for at in range(2_000)
    ]
    entries = folded(proposals, NOON)
    assert sum(len(entry.all) for entry in entries) == 2_000
    assert len(entries) == len({frozenset(each.text.split()) for entry in entries for each in [entry.proposal]})
