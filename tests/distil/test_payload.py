"""What a model is shown of a session."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.distil.payload import LEFT_OUT, Payload, budget, payload, spoken, without_blocks
from tests.capture.session import Story


def rows(made: Payload) -> list[dict[str, object]]:
    return [json.loads(row) for row in made.text.split("\n")]


def test_the_budget_is_the_smaller_of_limit_and_share() -> None:
    """A model is shown at most the limit, and at most 70 % of what it can read."""
    assert budget(4_000, 123_000) == 4_000
    assert budget(100_000, 123_000) == 86_100
    assert budget(100_000, None) == 16_000
    assert budget(0, 123_000) == 0
    assert budget(-5, None) == 0


def test_no_budget_gives_nothing() -> None:
    """A limit of zero gives an empty payload."""
    assert payload(Story().asked("hello there").events, budget_tokens=0) == Payload(text="", items=0, cut=False)


def test_a_short_session_is_whole() -> None:
    """Words, commands and what shells and readers answered stand in order; other tools' answers do not."""
    story = Story().asked("Fix the build.").said("Looking.").ran("make", "ok\n").read("a.py", "x = 1").wrote("a.py")
    made = rows(payload(story.events, budget_tokens=4_000))
    assert [(row["who"], row["text"]) for row in made] == [
        ("person", "Fix the build."),
        ("agent", "Looking."),
        ("tool", "$ make"),
        ("tool", "ok"),
        ("tool", "x = 1"),
    ]
    assert made[0]["record"] == 1


def test_results_of_no_length_or_too_long_are_left_out() -> None:
    """Only results of 1 to 32,000 characters are shown."""
    story = Story().ran("true", "").ran("cat big", "x" * 32_001).ran("cat fit", "x" * 32_000)
    shown = [text for who, _, text in spoken(story.events) if who == "tool" and not text.startswith("$")]
    assert shown == ["x" * 32_000]


@pytest.mark.parametrize("blank", ["{}\n\nThen fix it.", "Then fix it.\n\n{}"])
@pytest.mark.parametrize(
    "block",
    [
        "# AGENTS.md instructions for /srv/shop\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>",
        "<skill>\n<name>deploy</name>\nRun it.\n</skill>",
        "<environment_context>\n<cwd>/srv</cwd>\n</environment_context>",
    ],
)
def test_what_a_client_put_into_a_message_is_dropped(block: str, blank: str) -> None:
    """AGENTS.md blocks, skill fragments and the like are nobody's words; what stands beside them stays."""
    assert without_blocks(blank.format(block)) == "Then fix it."


def test_a_long_session_keeps_its_head_and_its_tail() -> None:
    """Of 1.4 million characters the beginning and the end fit, with a mark between."""
    story = Story().asked("HEAD " + "a" * 700_000).said("b" * 700_000 + " TAIL")
    made = payload(story.events, budget_tokens=budget(100_000, 123_000))
    assert made.cut
    assert made.tokens <= 86_100 + len(LEFT_OUT)
    assert rows(made)[0]["text"].startswith("HEAD")  # type: ignore[attr-defined]
    assert made.text.rstrip('"}').endswith("TAIL")
    assert LEFT_OUT in made.text.split("\n")


def test_one_huge_message_keeps_both_ends() -> None:
    """A single message that does not fit is cut in its middle, 60 % before and 40 % behind."""
    made = payload(Story().asked("HEAD" + "x" * 1_400_000 + "TAIL").events, budget_tokens=4_000)
    first, *_, last = [len(row) for row in made.text.split("\n")]
    assert rows(made)[0]["text"].startswith("HEAD")  # type: ignore[attr-defined]
    assert made.text.rstrip('"}').endswith("TAIL")
    assert first + last <= 16_000
    assert first > last > 4_000


@given(st.lists(st.tuples(st.booleans(), st.text(max_size=400)), max_size=40), st.integers(0, 400))
def test_a_payload_stays_within_its_room(said: list[tuple[bool, str]], tokens: int) -> None:
    """Whatever is said, a payload is within its budget but for the mark, every line is JSON, and no tag is closed."""
    story = Story()
    for person, text in said:
        story = story.asked(text) if person else story.said(text)
    made = payload(story.events, budget_tokens=tokens)
    assert len(made.text) <= tokens * 4 + len(LEFT_OUT) + 1
    assert "</" not in made.text
    assert all(isinstance(row, dict) for row in (rows(made) if made.text else []))
    assert len(made.text.splitlines()) == made.text.count("\n") + bool(made.text)
