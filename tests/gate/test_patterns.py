"""The pattern file: every entry can be used, and its trigger never misses what it finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.gate.linear import compiled
from learnt.gate.patterns import Automaton, load, loosen

PATTERNS = load()


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_every_expression_compiles(pattern: object) -> None:
    """The expressions that are compiled on first use are all fit for RE2."""
    for regex in (getattr(pattern, field) for field in ("regex", "trigger", "close", "body")):
        if regex:
            compiled(regex)


def test_an_automaton_names_what_occurs() -> None:
    """The automaton gives the patterns of a text in the order of the file, and none for a clean one."""
    automaton = Automaton(PATTERNS)
    names = [pattern.name for pattern in automaton.hits(b"sk-ant-" + b"a1B2c3D4" * 4)]
    assert names == ["anthropic_api_key", "openai_api_key"]
    assert list(automaton.hits(b"a clean line of prose")) == []


@given(st.from_regex(r"\A[ab]{0,40}c{0,20}\Z"))
def test_a_loosened_expression_matches_wherever_the_exact_one_does(text: str) -> None:
    """Dropping the upper bound and capping the lower one only widens an expression."""
    for regex in ("[ab]{20}c", "[ab]{17,30}c", "a{2,3}b", "b{3}", "[ab]{18,}c{1,2}"):
        if compiled(regex).search(text):
            assert compiled(loosen(regex)).search(text)


def test_short_counts_are_kept() -> None:
    """Only long repetitions are loosened."""
    assert loosen(r"a{2,3}[b]{16}c{4,}") == r"a{2,3}[b]{16}c{4,}"
    assert loosen(r"a{20}b{0,200}c{60,}") == r"a{16,}b{0,}c{16,}"
