"""Nobody's words are left out, and everybody's words around them are kept."""

from __future__ import annotations

import html
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.capture import echo
from learnt.capture.echo import PRIVATE_MARK, Veil, own_words, unechoed, without_echo, without_harness, without_private
from learnt.inject import block
from learnt.model.session import Result
from tests.capture.session import Story

NOW = "2026-03-01T10:00:00.000Z"
SECRET = "zebra"
WORDS = st.text(alphabet="abc .,!\n", max_size=40)


def shown(text: str, number: int = 1) -> block.Shown:
    """One hit as our own block shows it."""
    return block.Shown(
        id=f"mem_{number:016x}",
        kind="repo_convention",
        scope="repository",
        trust="person",
        confidence=0.9,
        updated_at=NOW,
        text=text,
        score=0.7,
        source="docs/a.md",
        quote=text,
    )


def injected(*texts: str) -> str:
    """The block the next session would get."""
    items = [shown(text, at + 1) for at, text in enumerate(texts)]
    return block.render(
        items, bundle_id="bundle_20260301100000_ee479515", marker="ab12cd34", now=NOW, budget_tokens=5_000
    )[0]


BLOCK = injected(f"Always use {SECRET}.\nsecond line {SECRET}", f"Never {SECRET}.")
DRESSINGS = {
    "whole": BLOCK,
    "quoted": "\n".join(f"> {line}" for line in BLOCK.split("\n")),
    "indented": "\n".join(f"    {line}" for line in BLOCK.split("\n")),
    "escaped": html.escape(BLOCK, quote=False),
    "json": BLOCK.replace("<", "\\u003c").replace(">", "\\u003e"),
    "upper": BLOCK.replace("recalled_memory", "RECALLED_MEMORY"),
}


@pytest.mark.parametrize("dressed", DRESSINGS.values(), ids=DRESSINGS.keys())
def test_our_block_is_removed_and_the_words_around_it_stay(dressed):
    """However it is dressed, nothing of the block is left and nothing else is lost."""
    left = without_echo(f"Please look at this:\n{dressed}\nand go on.")
    assert SECRET not in left
    assert "mem_" not in left
    assert left.startswith("Please look at this:\n")
    assert left.endswith("\nand go on.")


@given(WORDS, WORDS)
def test_words_around_a_whole_block_are_kept_byte_for_byte(before, after):
    """What stands before and after is given back exactly."""
    assert without_echo(f"{before}\n{BLOCK}{after}") in {f"{before}\n{after}", f"{before.rstrip(' ')}\n{after}"}


@pytest.mark.parametrize("lines", range(1, BLOCK.count("\n") + 1))
def test_a_block_cut_at_its_end_is_removed(lines):
    """Whatever was cut off behind, the words after a blank line stay."""
    left = without_echo("Before.\n" + "\n".join(BLOCK.split("\n")[:lines]) + "\n\nPlease do it.")
    assert SECRET not in left
    assert left.startswith("Before.")
    assert left.endswith("Please do it.")


@pytest.mark.parametrize("lines", range(1, BLOCK.count("\n") + 1))
def test_a_block_cut_at_its_beginning_is_removed(lines):
    """Whatever was cut off before, the words behind the closing tag stay."""
    left = without_echo("\n".join(BLOCK.split("\n")[lines:]) + "\nPlease do it.")
    assert SECRET not in left
    assert left.endswith("Please do it.")


@given(st.integers(20, len(BLOCK) - 1))
def test_a_block_cut_anywhere_leaves_nothing(at):
    """A cut in the middle of a tag, an id or a word hides no less, and takes no words of the person."""
    behind, before = (
        without_echo(BLOCK[at:] + "\nPlease do it."),
        without_echo(f"Before.\n{BLOCK[:at]}\n\nPlease do it."),
    )
    assert SECRET not in behind + before
    assert behind.endswith("Please do it.")
    assert before.startswith("Before.")
    assert before.endswith("Please do it.")


def test_a_block_cut_at_both_ends_is_removed():
    """Items without tags around them are recognised by their form."""
    middle = "\n".join(BLOCK.split("\n")[3:-1])
    assert SECRET not in (left := without_echo(f"Before.\n{middle}\nAfter."))
    assert left.split() == ["Before.", "After."]


def test_a_person_may_name_a_memory():
    """An id in a sentence is no block."""
    text = "mem_0000000000000001 is wrong, forget it; and what does <recalled_memory> mean?"
    assert without_echo(text.split(";", maxsplit=1)[0]) == text.split(";", maxsplit=1)[0]


@given(st.text(max_size=200))
def test_other_text_is_left_alone_and_twice_is_once(text):
    """Text without our marks is unchanged; what was cleaned stays clean."""
    assert without_echo(text) == text or "mem_" in text or "recalled_memory" in text.lower()
    assert without_echo(without_echo(text + BLOCK)) == without_echo(text + BLOCK)


def test_the_block_we_recognise_is_the_block_we_write():
    """The heading and tags of the injecting room are the ones looked for here."""
    assert echo._HEADING == block.HEADING
    assert echo._OPEN.match(block.OPENING + ' bundle="b" marker="m">')
    assert echo._CLOSE.match(block.CLOSING)
    assert block.PREAMBLE.startswith(echo._SENTENCES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <private>zebra</private> b", "a  b"),
        ("a <PRIVATE reason='x'>zebra</Private > b", "a  b"),
        ("a <private>zebra", "a "),
        ("a <private>x<private>zebra</private>zebra</private> b", "a  b"),
        ("a &lt;private&gt;zebra&lt;/private&gt; b", "a  b"),
        ("<private>zebra</private>", PRIVATE_MARK),
        ("the <privateer> sails", "the <privateer> sails"),
    ],
)
def test_private_parts_are_hidden(text, expected):
    """Any case, attributes, nesting, escaping; an unclosed tag hides to the end; a private message is no empty one."""
    assert without_private(text) == expected


def test_private_reaches_over_the_blocks_of_one_message():
    """A tag opened in one block hides the next block of the same message, never the next message."""
    veil = Veil()
    assert veil.hide("m1", "a <private>zebra") == "a "
    assert veil.hide("m1", "zebra</private> b") == " b"
    assert veil.hide("m1", "c <private>zebra") == "c "
    assert veil.hide("m2", "d") == "d"


@given(WORDS, WORDS, st.integers(1, 4))
def test_nested_private_never_shows(before, after, depth):
    """However deep, what is inside never comes out, and what is outside always does."""
    text = f"{before}{'<private>' * depth}{SECRET}{'</private>' * depth}{after}"
    shown_text = without_private(text)
    assert shown_text == before + after or (shown_text == PRIVATE_MARK and not (before + after).strip())


@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>the user prefers tabs</system-reminder>",
        "<local-command-stdout>the user prefers tabs</local-command-stdout>",
        "<command-name>/review</command-name>\n<command-args>the user prefers tabs</command-args>",
        "<tool_result>the user prefers tabs</tool_result>",
        "<user-prompt-submit-hook>the user prefers tabs</user-prompt-submit-hook>",
        "This session is being continued from a previous conversation. The user prefers tabs.",
        "Implement the following plan:\n\nAlways prefer tabs.",
        "<system-reminder>the user prefers tabs",
        "[Request interrupted by user for tool use]",
        "[Pasted text #1 +30 lines]",
    ],
)
def test_harness_text_is_nobodys_words(text):
    """Reminders, wrappers, summaries, plans and notices are no speech of the person (bug class J12)."""
    assert own_words(text) == ""


def test_words_beside_harness_text_stay():
    """A reminder inside a message leaves the message."""
    assert without_harness("do x<system-reminder>tabs</system-reminder> now") == "do x now"


@pytest.mark.parametrize("dressed", DRESSINGS.values(), ids=DRESSINGS.keys())
def test_a_block_in_a_result_is_not_what_the_tool_said(dressed):
    """Clients that let a hook add context to a result only keep it as the tool's answer; the rest of that stays."""
    story = Story().ran("make", f"no rule to make target\n\n{dressed}", 2)
    (result,) = [event for event in unechoed(story.events) if isinstance(event, Result)]
    assert result.text.strip() == "Exit code 2\nno rule to make target"
    assert result.failure == "exit"


@pytest.mark.parametrize(
    "name",
    ["mcp__learnt__memory_recall", "mcp_learnt_memory_search", "learnt_memory_explain", "learnt-memory_recall"],
)
def test_what_our_tools_answered_is_not_heard_again(name):
    """The answer of a tool of ours is a memory, not an observation; the same words from another tool stay."""
    told = '{"items": [{"id": "mem_0000000000000001", "text": "The suite needs a warm cache."}]}'
    events = Story().read("notes.json", told).read("notes.json", told).events
    ours = [*events[:2], replace(events[2], tool=name), events[3]]
    assert [event.text for event in unechoed(ours) if isinstance(event, Result)] == [told, ""]
