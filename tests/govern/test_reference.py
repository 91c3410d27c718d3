"""Evidence references, trust, and what a statement is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.govern import infer
from learnt.govern.reference import corroborated, parse, path_of, source_of, trust_of, united
from learnt.model.kinds import TRUSTS
from learnt.model.memory import Reference

if TYPE_CHECKING:
    from learnt.model.kinds import Trust

trusts = st.sampled_from(TRUSTS)


@pytest.mark.parametrize(
    ("ref", "kind", "trust"),
    [
        ("pyproject.toml", "file", "repository"),
        ("src/a.py:3-9", "file", "repository"),
        ("Makefile", "file", "repository"),
        ("a" * 40, "commit", "repository"),
        ("https://example.org/x?y=1", "url", "external"),
        ("run:r1", "run", "tool"),
        ("session:abc#17", "transcript", "agent"),
        ("evidence-cache:evd_18d6da4814b2ee7a", "evidence", "external"),
        ("person:ada", "person", "person"),
        ("said in the meeting", "manual", "person"),
        ("a" * 39, "manual", "person"),
        ("-rf/x", "manual", "person"),
        ("run:", "manual", "person"),
    ],
)
def test_forms_of_a_reference(ref: str, kind: str, trust: str) -> None:
    """Every form of the contract, and what is none is a manual reference."""
    found = parse(ref, writer="person:u1", is_file=lambda path: path == "Makefile")
    assert (found.type, found.trust) == (kind, trust)


def test_lines_are_not_part_of_the_path() -> None:
    """`path:3-9` names the file `path`."""
    assert path_of(parse("src/a.py:3-9", writer="", is_file=lambda _: False)) == "src/a.py"


def test_the_first_reference_that_is_not_the_writer_sets_the_source() -> None:
    """A person's own line comes first in the evidence, and last as a source."""
    person = Reference(type="person", ref="person:u1", trust="person")
    file = Reference(type="file", ref="src/a.py:3", trust="repository")
    assert source_of((person, file), "person:u1").file_path == "src/a.py"
    assert source_of((person,), "person:u1").type == "user"
    assert source_of((), "agent:a").type == "agent"


@given(st.lists(trusts), trusts)
def test_no_source_raises_the_trust_of_a_write(found: list[Trust], own: Trust) -> None:
    """The trust of one write is at most that of each of its sources."""
    trust = trust_of([Reference(type="manual", ref="x", trust=each) for each in found], own)
    assert all(TRUSTS.index(trust) >= TRUSTS.index(each) for each in (*found, own))
    assert trust in (*found, own)


@given(trusts, trusts, st.booleans())
def test_corroboration_never_lowers_trust(old: Trust, new: Trust, independent: bool) -> None:
    """Merged evidence raises trust only from an independent writer, and never lowers it."""
    trust = corroborated(old, new, independent=independent)
    assert TRUSTS.index(trust) <= TRUSTS.index(old)
    assert independent or trust == old


refs = st.builds(Reference, type=st.sampled_from(["file", "url"]), ref=st.sampled_from("abc"), verified=st.booleans())


@given(st.lists(refs, max_size=5), st.lists(refs, max_size=5))
def test_united_evidence_has_each_reference_once(one: list[Reference], other: list[Reference]) -> None:
    """Uniting is idempotent, keeps the first order, and prefers the verified quote."""
    both = united(one, other)
    names = [(r.type, r.ref) for r in both]
    assert len(names) == len(set(names))
    assert set(names) == {(r.type, r.ref) for r in (*one, *other)}
    assert united(both, both) == both


def test_tags_are_normal_and_families_inferred() -> None:
    """Lower case, dashes, no repeats; the families come from the text."""
    assert infer.tags(["Foo  Bar!!", "foo--bar"], "Run pytest with the API") == ("foo-bar", "testing", "api")


@given(st.lists(st.text(max_size=80), max_size=40), st.text(max_size=200))
def test_tags_are_always_storable(given_tags: list[str], text: str) -> None:
    """At most 32, each 1 to 64 characters."""
    found = infer.tags(given_tags, text)
    assert len(found) <= 32
    assert all(1 <= len(tag) <= 64 for tag in found)


def test_files_and_symbols_are_read_off_the_text() -> None:
    """Paths below folders, code words, quoted names; no URLs, no keywords."""
    text = "renewLeaseBatch() deadlocks when retry_budget is 0, see src/jobs/pool.py and `Foo.bar`; return http://a/b.c"
    assert infer.files((), (), text) == ("src/jobs/pool.py",)
    found = infer.symbols((), text)
    assert {"renewLeaseBatch", "retry_budget", "Foo.bar"} <= set(found)
    assert "return" not in found
