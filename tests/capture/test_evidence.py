"""What of a session is kept, where it stands, and whether a quote is in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.capture.evidence import EDGE_CHARS, Keeper, edges, reference_of, verified, visible
from learnt.model.memory import Reference
from learnt.model.scope import Scope
from learnt.model.session import Call, Span
from tests.capture.session import ROOT, Story

if TYPE_CHECKING:
    from learnt.model.evidence import EvidenceUnit

SCOPE = Scope(type="repository", repo_id="0123456789abcdef")
SECRET = "sk" + "-zebra" * 4


def redact(text: str) -> str:
    """A gate that knows one secret."""
    return text.replace(SECRET, "[REDACTED:key]")


def kept(story: Story) -> list[EvidenceUnit]:
    """All units of a story."""
    keeper = Keeper(session_id="s-1", scope=SCOPE, path="/t.jsonl", redact=redact)
    units = [unit for event in story.events for unit in keeper.feed(event)]
    return units + list(keeper.close())


def test_prompts_replies_and_failed_calls_are_kept_verbatim():
    """What was said, what was run and what failed is there word for word, with its place."""
    story = (
        Story().asked("Fix  the\nbug").said("Looking.").ran("make test", "boom", 2).read("a.py", "no such", failed=True)
    )
    units = kept(story)
    assert [(unit.type, unit.who, unit.text) for unit in units] == [
        ("prompt", "person", "Fix  the\nbug"),
        ("reply", "agent", "Looking."),
        ("call", "Bash", "make test"),
        ("result", "Bash", "Exit code 2\nboom"),
        ("call", "Read", f"Read {ROOT}/a.py"),
        ("result", "Read", "no such"),
    ]
    assert units[0].ref == "session:s-1#1"
    assert units[0].span == Span(offset=100, length=100, record=1)
    assert units[0].path == "/t.jsonl"


def test_every_reference_names_one_unit():
    """Two pieces of one record are one unit, and ids differ."""
    story = Story().asked("go").ran("rm x", "no").refused("rm -rf y", "never do that")
    units = kept(story)
    assert len({unit.ref for unit in units}) == len(units) == len({unit.id for unit in units})
    assert "never do that" in units[-1].text
    assert units[-1].who == "person"


def test_long_output_keeps_head_and_tail():
    """Of 10,000 characters 3,000 and a mark are left; a prompt of that length stays whole."""
    story = Story().asked("p" * 10_000).ran("make", "a" * 5_000 + "b" * 5_000)
    units = kept(story)
    assert len(units[0].text) == 10_000
    assert units[-1].text.startswith("a" * EDGE_CHARS)
    assert units[-1].text.endswith("b" * EDGE_CHARS)
    assert "7000 characters left out" in units[-1].text


def test_secrets_are_redacted_before_the_cut():
    """A secret that would be cut in two is found whole first."""
    for shift in range(0, len(SECRET), 5):
        story = Story().ran("cat", "a" * (EDGE_CHARS - shift) + SECRET + "b" * 5_000)
        assert "zebra" not in kept(story)[-1].text


def test_a_tools_name_is_redacted_too():
    """Whoever writes a transcript names its tools."""
    keeper = Keeper(session_id="s-1", scope=SCOPE, path="/t.jsonl", redact=redact)
    events = [
        replace(each, tool=SECRET) if isinstance(each, Call) else each for each in Story().ran("x", "y", 1).events
    ]
    units = [unit for event in events for unit in keeper.feed(event)] + list(keeper.close())
    assert {unit.who for unit in units} == {"[REDACTED:key]"}


def test_private_parts_and_own_blocks_are_never_kept():
    """Neither in prompts nor replies, commands or outputs."""
    hidden = "<private>zebra</private>"
    story = Story().asked(f"do {hidden} it").said(f"ok {hidden}").ran(f"echo {hidden}", f"out {hidden}")
    assert "zebra" not in "".join(unit.text for unit in kept(story))


def test_messages_without_a_persons_words_are_no_prompts():
    """Harness text in the user role is kept as nothing."""
    assert kept(Story().asked("<local-command-stdout>x</local-command-stdout>")) == []


def test_words_of_programs_are_not_the_persons():
    """A prompt that a program sent, or that an agent wrote to a sub-agent, is an agent's."""
    units = kept(Story().asked("go", typed=False).asked("go on", sidechain=True))
    assert [unit.who for unit in units] == ["agent", "agent"]


def test_excluded_paths_leave_no_trace():
    """Calls that touch an excluded path go with their results, in every tool."""
    story = (
        Story()
        .read("secret/a.txt", "zebra")
        .ran("cat secret/a.txt", "zebra")
        .wrote("secret/b.txt")
        .read("b.txt", "fine")
    )
    events = list(visible(story.events, lambda path: path.startswith("secret/"), ROOT))
    assert len(events) == 2
    assert "fine" in kept(replace(story, events=events))[-1].text


@given(st.text(max_size=200), st.integers(1, 60))
def test_edges_are_the_text_or_its_ends(text, edge):
    """A short text is unchanged; of a long one both ends are there."""
    short = edges(text, edge)
    assert short == text if len(text) <= 2 * edge else short.startswith(text[:edge]) and short.endswith(text[-edge:])


@pytest.mark.parametrize(
    ("quote", "expected"),
    [("make  test", True), ("make test", True), ("make lint", False), ("", False), ("   ", False)],
)
def test_quotes_are_verified_against_their_unit(quote, expected):
    """A quote is verified when the evidence holds it, white space aside; an absent one never (bug class R08)."""
    unit = kept(Story().ran("cd x &&\nmake test"))[0]
    reference = Reference(type="transcript", ref=unit.ref, quote=quote)
    assert verified(reference, unit, redact).verified is expected
    assert verified(reference, None, redact).verified is False


def test_quotes_are_redacted_like_their_unit():
    """A quote that held a secret is verified in its redacted form."""
    unit = kept(Story().asked(f"the key is {SECRET}"))[0]
    shown = verified(Reference(type="transcript", ref=unit.ref, quote=f"key is {SECRET}"), unit, redact)
    assert (shown.quote, shown.verified) == ("key is [REDACTED:key]", True)


def test_a_reference_names_session_and_record():
    """The form of the contract."""
    assert reference_of("abc", Span(offset=0, length=1, record=7)) == "session:abc#7"


def test_memory_does_not_grow_with_calls_that_never_end():
    """Calls without a result are given up after a while."""
    story = Story()
    for number in range(2_000):
        story._call("Read", "read", f"/x/{number}")
    keeper = Keeper(session_id="s", scope=SCOPE, path="", redact=redact)
    for event in story.events:
        list(keeper.feed(event))
    assert len(keeper._calls) <= 512
