"""The person's rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.govern.rule import MAX_RULES, accepting, independent, read
from learnt.model.memory import Reference
from learnt.model.rule import AcceptRule
from learnt.testing import samples

SCOPE = samples.repository("rules")
RULE = AcceptRule(kinds=("repo_convention",))


def says(writer: str, ref: str, kind: str = "file", trust: Any = "repository") -> Reference:
    return Reference(type=kind, ref=ref, trust=trust, writer=writer)


@pytest.mark.parametrize(
    ("given_", "count"),
    [
        ([], 0),
        ([says("a", "x.py"), says("a", "y.py")], 1),
        ([says("a", "x.py"), says("b", "x.py:3")], 1),
        ([says("a", "x.py"), says("b", "y.py")], 2),
        ([says("a", "x.py"), says("a", "y.py"), says("b", "x.py"), says("c", "y.py")], 2),
        ([says("s1", "session:s1#1", "transcript", "tool"), says("s2", "session:s2#9", "transcript", "tool")], 2),
        ([says("s1", "session:s1#1", "transcript", "tool"), says("s1", "session:s1#9", "transcript", "tool")], 1),
        ([says("a", "x.py"), says("b", "session:s#1", "transcript", "agent")], 1),
        ([says("a", "https://x.org", "url", "external"), says("b", "https://y.org", "url", "external")], 0),
    ],
)
def test_sources_are_independent_in_writer_and_place(given_: list[Reference], count: int) -> None:
    """One writer is one source, one place is one source; agents' words and outside texts are none."""
    assert independent(given_, "tool") == count


references = st.builds(
    says,
    st.sampled_from("abc"),
    st.sampled_from(["x.py", "y.py", "z.py"]),
    st.just("file"),
    st.sampled_from(["person", "repository", "tool", "agent", "external"]),
)


@given(st.lists(references, max_size=8), st.sampled_from(["person", "repository", "tool"]))
def test_independence_is_a_matching(given_: list[Reference], least: Any) -> None:
    """Never more than the writers or the places; more evidence never counts less, and order is nothing."""
    count = independent(given_, least)
    assert count <= min(len({each.writer for each in given_}), len({each.ref for each in given_}))
    assert count == independent(list(reversed(given_)), least)
    assert independent([*given_, says("d", "w.py", trust="person")], least) == count + 1


def test_a_rule_looks_at_waiting_additions_only() -> None:
    """Not at updates, at what was answered, at what the gate held, nor at another kind or repository."""
    evidence = (says("a", "x.py"), says("b", "y.py"))
    asked = samples.proposal(SCOPE, kind="repo_convention", evidence=evidence)

    def found(proposal: Any, rule: AcceptRule = RULE, *, checked: bool = True) -> bool:
        return accepting([rule], proposal, [], place="here", checked=lambda _: checked) is not None

    assert found(asked)
    assert not found(asked, checked=False)
    assert not found(replace(asked, operation="supersede"))
    assert not found(replace(asked, status="rejected"))
    assert not found(replace(asked, metadata={"quarantine": ["x"]}))
    assert not found(replace(asked, kind="lesson"))
    assert not found(asked, replace(RULE, sources=3))
    assert not found(asked, replace(RULE, trust="person"))
    assert not found(asked, replace(RULE, repositories=("elsewhere",)))
    assert found(asked, replace(RULE, repositories=("here",)))


def test_what_others_say_counts_too() -> None:
    """Proposals that say the same lend their evidence."""
    one = samples.proposal(SCOPE, kind="repo_convention", evidence=(says("a", "x.py"),))
    other = replace(one, id="prop_x", evidence=(says("b", "y.py"),))
    assert accepting([RULE], one, [other], place="", checked=lambda _: True) == RULE
    assert accepting([RULE], one, [], place="", checked=lambda _: True) is None


@pytest.mark.parametrize(
    "wrong",
    [
        "words",
        {},
        {"kinds": []},
        {"kinds": "repo_convention"},
        {"kinds": ["evidence"]},
        {"kinds": ["repo_convention"], "sources": 0},
        {"kinds": ["repo_convention"], "sources": True},
        {"kinds": ["repo_convention"], "trust": "agent"},
        {"kinds": ["repo_convention"], "trust": "external"},
        {"kinds": ["repo_convention"], "repositories": "x"},
        {"kinds": ["repo_convention"], "kind": "lesson"},
    ],
)
def test_a_wrong_rule_has_no_effect(wrong: object) -> None:
    """It is told of; the others count."""
    rules, ignored = read([wrong, {"kinds": ["repo_convention"]}])
    assert rules == (RULE,)
    assert [name for name, _ in ignored] == ["rules.1"]


def test_rules_are_bounded() -> None:
    """Fifty; and a table in the place of the list is none."""
    rules, ignored = read([{"kinds": ["lesson"]}] * (MAX_RULES + 1))
    assert (len(rules), len(ignored)) == (MAX_RULES, 1)
    assert read({"kinds": ["lesson"]})[0] == ()
    assert read([]) == ((), ())
