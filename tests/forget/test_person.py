"""What is a person's, and what is about them."""

from __future__ import annotations

import pytest

from learnt.forget.person import asked_by, person, share_of, without
from learnt.model.memory import Provenance, Reference
from learnt.testing import samples
from learnt.testing.fakes import NOON

SCOPE = samples.repository("repo-a")
ANN = person("Ann Example", ["ann@example.org"])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("ANN EXAMPLE reviews deploys.", True),
        ("Mail ann@example.org first.", True),
        ("Annotated examples", False),
        ("Joann Example", False),
        ("(Ann Example)", True),
        ("", False),
    ],
)
def test_names_are_whole_words(text: str, *, named: bool) -> None:
    """A name inside another word is nobody's."""
    assert ANN.is_named_in(text) is named


def test_an_id_is_no_name() -> None:
    """`person:ID` is looked for as a writer; two letters would be found everywhere."""
    assert person("person:29ba").names == ()
    assert person("Al").names == ()
    assert person("person:29ba").writers == {"29ba", "person:29ba"}


def test_whose_a_memory_is() -> None:
    """Written by them alone, about them, or shared with others."""
    alone = samples.memory(SCOPE, provenance=Provenance(writer="person:Ann Example"))
    other = Reference(type="person", ref="person:bob", writer="person:bob")
    shared = samples.memory(SCOPE, provenance=Provenance(writer="person:Ann Example"), evidence=(other,))
    about = samples.memory(SCOPE, metadata={"subjects": ["Ann Example"]}, provenance=Provenance(writer="person:bob"))
    theirs = samples.memory(SCOPE, provenance=Provenance(writer="person:bob"))
    assert [share_of(each, ANN) for each in (alone, shared, about, theirs)] == ["whole", "part", "whole", "none"]
    left = without(shared, ANN, NOON)
    assert (left.provenance.writer, left.evidence) == ("", (other,))


def test_whose_a_proposal_is() -> None:
    """By writer, or by what it says."""
    by = samples.proposal(SCOPE, provenance=Provenance(writer="person:ann@example.org"))
    about = samples.proposal(SCOPE, rationale="Ann Example said so.")
    assert asked_by(by, ANN)
    assert asked_by(about, ANN)
    assert not asked_by(samples.proposal(SCOPE), ANN)
