"""Answers of models, read strictly."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.distil.schema import CONSOLIDATION, EXTRACTION, Assertions, Composed, Unusable, assertions, composed
from learnt.distil.verify import verified
from tests.capture.session import Story


def assertion(**changes: Any) -> dict[str, Any]:
    plain = {"section": "decision", "text": "We use uv.", "quote": "we use uv now", "speaker": "person"}
    return {**plain, "commands": [], "files": [], **changes}


def answer(**changes: Any) -> dict[str, Any]:
    return {"rollout_summary": "Moved to uv.", "rollout_slug": "move_to_uv", "raw_memory": [assertion()], **changes}


def objects(schema: Any) -> list[dict[str, Any]]:
    found = [schema] if isinstance(schema, dict) and schema.get("type") == "object" else []
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return found + [each for part in parts for each in objects(part)]


@pytest.mark.parametrize("schema", [EXTRACTION, CONSOLIDATION])
def test_schemas_are_strict(schema: Any) -> None:
    """Every object of a schema requires all its properties and allows no other, as providers ask."""
    assert len(objects(schema)) > 1
    for each in objects(schema):
        assert set(each["required"]) == set(each["properties"])
        assert each["additionalProperties"] is False


def test_the_keys_are_those_agreed() -> None:
    """Phase 1 and 2 have exactly the keys of the seed's predecessor."""
    assert set(EXTRACTION["properties"]) == {"rollout_summary", "rollout_slug", "raw_memory"}
    assert set(CONSOLIDATION["properties"]) == {"memory_md", "memory_summary", "skills"}


def test_a_good_answer_is_read() -> None:
    """An answer with exactly the keys becomes assertions."""
    made = assertions(answer())
    assert isinstance(made, Assertions)
    assert (made.summary, made.slug, made.assertions[0].speaker) == ("Moved to uv.", "move_to_uv", "person")


def test_nothing_to_keep_is_an_answer() -> None:
    """An empty summary, no slug and no assertions are read as such."""
    assert assertions(answer(rollout_summary="", rollout_slug=None, raw_memory=[])) == Assertions(
        summary="", slug=None, assertions=()
    )


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        answer(extra=1),
        {key: value for key, value in answer().items() if key != "rollout_slug"},
        answer(rollout_summary=None),
        answer(rollout_slug=3),
        answer(raw_memory="text"),
        answer(raw_memory=[assertion(section="gossip")]),
        answer(raw_memory=[assertion(section=["decision"])]),
        answer(raw_memory=[assertion(speaker="somebody")]),
        answer(raw_memory=[assertion(commands="make")]),
        answer(raw_memory=[assertion(note="more")]),
        answer(rollout_summary="x" * 4_001),
    ],
)
def test_any_other_shape_is_unusable(value: object) -> None:
    """A missing or extra key, another type or an unknown word makes the whole answer unusable."""
    assert isinstance(assertions(value), Unusable)


def consolidated(**changes: Any) -> dict[str, Any]:
    entry = {"text": "We use uv.", "facts": ["fact_1"]}
    return {"memory_md": [{"heading": "Tools", "entries": [entry]}], "memory_summary": [entry], "skills": [], **changes}


def test_an_answer_of_phase_two_is_read() -> None:
    """Entries keep their heading; skills may be absent."""
    made = composed(consolidated())
    assert isinstance(made, Composed)
    assert made.entries[0].heading == "Tools"


@pytest.mark.parametrize("value", [consolidated(memory_md=[]), consolidated(memory_summary=[]), consolidated(more=1)])
def test_an_empty_phase_two_is_no_answer(value: object) -> None:
    """Without entries or summary, or with an extra key, the files stay as they are."""
    assert isinstance(composed(value), Unusable)


TEXTS = st.text(max_size=20) | st.sampled_from(["decision", "person", "tool", "\ud800", "x\0y", "</transcript>"])
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
KEYS = (*EXTRACTION["properties"], *CONSOLIDATION["properties"], "section", "text", "quote", "speaker", "facts", "name")


@given(st.dictionaries(st.sampled_from(KEYS), ANY, max_size=6) | ANY)
def test_no_answer_breaks_the_reading(value: object) -> None:
    """Whatever a model answers is read, or told to be unusable."""
    assert isinstance(assertions(value), Assertions | Unusable)
    assert isinstance(composed(value), Composed | Unusable)


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(("section", "text", "quote", "speaker"), TEXTS)), max_size=3))
def test_whatever_is_claimed_can_be_written(parts: list[dict[str, Any]]) -> None:
    """Hidden characters and halves of characters are gone from what is kept."""
    made = assertions(answer(raw_memory=[assertion(**part) for part in parts], rollout_summary="a\ud800b"))
    if isinstance(made, Assertions):
        story = Story()
        for part in parts:
            story = story.asked(part["quote"]).said(part["quote"])
        draft = verified(made, story.events, session_id="s", risky=lambda _: False)
        told = [draft.summary, *(text for fact in draft.facts for text in (fact.text, fact.quotes[0].text))]
        assert all(each.encode("utf-8").decode("utf-8") == each and "\0" not in each for each in told)
