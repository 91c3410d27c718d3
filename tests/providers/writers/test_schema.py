"""Our own check of a schema, the object in prose, and rate limits in headers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.providers.writers.prose import object_in
from learnt.providers.writers.rates import remaining
from learnt.providers.writers.schema import fault, sendable
from tests.providers.writers.scene import GOOD, SCHEMA

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("schema", "value", "wrong"),
    [
        ({"type": "integer"}, True, "$ must be integer"),
        ({"type": "integer"}, 1.0, "$ must be integer"),
        ({"type": "number"}, False, "$ must be number"),
        ({"type": ["string", "null"]}, None, ""),
        ({"type": ["string", "null"]}, 1, "$ must be string or null"),
        ({"enum": ["a", "b"]}, "c", '$ must be one of ["a", "b"]'),
        ({"const": 1}, 2, "$ must be 1"),
        ({"type": "string", "minLength": 1}, "", "$ is too long or too short"),
        ({"type": "array", "maxItems": 1}, [1, 2], "$ is too long or too short"),
        ({"type": "number", "minimum": 0}, -1, "$ is out of range"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "a", ""),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, 1, "$ must be null"),
        ({"type": "array", "items": {"type": "string"}}, ["a", 1], "$[1] must be string"),
        (SCHEMA, {**GOOD, "facts": [{"text": "a"}]}, "$.facts[0] lacks 'speaker'"),
        (SCHEMA, {**GOOD, "secret word": 1}, "$ has a property that the schema does not know"),
        (SCHEMA, GOOD, ""),
    ],
)
def test_a_fault_is_named_by_its_place(schema: dict[str, Any], value: Any, wrong: str) -> None:
    """And by nothing that the value holds: it goes into errors."""
    assert fault(schema, value) == wrong


def test_a_word_that_is_not_checked_is_refused() -> None:
    """A schema that says more than we check would be believed in vain."""
    with pytest.raises(ValueError, match="pattern"):
        fault({"type": "string", "pattern": "a"}, "a")


def test_what_is_sent_has_no_bounds() -> None:
    """Strict modes refuse them; a property may be called like a word of the schema."""
    schema = {"type": "object", "properties": {"maxItems": {"type": "string", "maxLength": 3}}, "minLength": 1}
    assert sendable(schema) == {"type": "object", "properties": {"maxItems": {"type": "string"}}}
    assert "maxItems" not in json.dumps(sendable(SCHEMA))


@given(ANYTHING)
def test_any_value_is_judged(value: Any) -> None:
    """Whatever it is: what has not the shape never passes, and nothing is raised."""
    assert fault(SCHEMA, value).startswith("$")
    assert fault({"type": "array", "items": SCHEMA}, [GOOD, value]).startswith("$[1]")


@given(st.dictionaries(st.text(max_size=5), ANYTHING, min_size=1, max_size=3), st.sampled_from(["", "So: ", "```\n"]))
def test_an_object_is_found_whatever_stands_around_it(value: dict[str, Any], around: str) -> None:
    """As the whole text, after prose, in a fence."""
    end = "\n```" if "```" in around else ""
    assert object_in(f"{around}{json.dumps(value)}{end}") == value


@pytest.mark.parametrize(
    "around",
    [
        'The plan is {{"a": 1}}. {}',
        '<think>{{"a": 1}} or {{</think>{}',
        "<think>" + "{{if}} " * 30 + "</think>\n{}",
        '```json\n{{"a": 1}}\n```\n```json\n{}\n```',
        '{{"a": {{"title": "Uses bun", "slug": null, "facts": []}}}} {}',
    ],
)
def test_the_object_that_fits_is_taken(around: str) -> None:
    """Others before it are thoughts or examples; where none fits the first is told what is wrong with it."""
    text = around.format(json.dumps(GOOD))
    assert object_in(text, lambda found: not fault(SCHEMA, found)) == GOOD
    assert object_in('Either {"a": 1} or {"b": 2}.', lambda _: False) == {"a": 1}


@given(st.text(alphabet='{}[]":, ab`\n', max_size=200))
def test_any_text_is_read(text: str) -> None:
    """Braces without sense do no harm."""
    found = object_in(text)
    assert found is None or isinstance(found, dict)


@pytest.mark.parametrize(
    ("headers", "percent", "seconds"),
    [
        ({}, None, 0.0),
        ({"x-ratelimit-limit-requests": "0", "x-ratelimit-remaining-requests": "0"}, None, 0.0),
        ({"x-ratelimit-limit-requests": "many", "x-ratelimit-remaining-requests": "1"}, None, 0.0),
        ({"x-ratelimit-limit-requests": "10", "x-ratelimit-remaining-requests": "nan"}, None, 0.0),
        ({"x-ratelimit-limit-tokens": "200", "x-ratelimit-remaining-tokens": "50"}, 25.0, 60.0),
        (
            {
                "x-ratelimit-limit-tokens": "200",
                "x-ratelimit-remaining-tokens": "50",
                "x-ratelimit-reset-tokens": "1h2m3s",
            },
            25.0,
            3_723.0,
        ),
        (
            {
                "anthropic-ratelimit-input-tokens-limit": "1000",
                "anthropic-ratelimit-input-tokens-remaining": "0",
                "anthropic-ratelimit-input-tokens-reset": "2020-01-01T00:00:00Z",
                "anthropic-ratelimit-requests-limit": "10",
                "anthropic-ratelimit-requests-remaining": "9",
            },
            0.0,
            0.0,
        ),
        (
            {
                "x-ratelimit-limit-requests": "100",
                "x-ratelimit-remaining-requests": "10",
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-limit-tokens": "100",
                "x-ratelimit-remaining-tokens": "20",
                "x-ratelimit-reset-tokens": "1h",
            },
            10.0,
            3_600.0,
        ),
    ],
)
def test_the_narrowest_window_is_told(headers: dict[str, str], percent: float | None, seconds: float) -> None:
    """In both providers' words; what says nothing says nothing. It lasts as long as any window is narrow."""
    assert remaining(headers) == (percent, seconds)
