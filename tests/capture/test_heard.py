"""The events of a session as they may be read further."""

from __future__ import annotations

from learnt.capture.heard import heard
from learnt.model.session import Call, Injected, Prompt, Reply, Result, Span
from tests.capture.session import Story

SECRET = "sk_" + "live_" + "4" * 24
SPAN = Span(offset=0, length=1, record=0)


def shown(text: str) -> str:
    return text.replace(SECRET, "[REDACTED:key]")


def test_only_what_was_said_or_done_is_left() -> None:
    """Injected text, compactions and messages a client composed are gone; words, calls and results stay in order."""
    story = Story().asked("Fix it.").compacted("So far ...").asked("# AGENTS.md instructions for x\n\nUse tabs.")
    events = [Injected(at="", span=SPAN, message_id="i", text="hook"), *story.said("Done.").ran("make", "ok").events]
    kept = list(heard(events, shown))
    assert [type(event) for event in kept] == [Prompt, Reply, Call, Result]


def test_secrets_and_private_parts_are_gone() -> None:
    """No text that leaves holds a secret or what was marked private, in words, commands, writes and results alike."""
    story = Story().asked(f"Use {SECRET} <private>my cat</private> please").said(f"Set {SECRET}")
    story = story.ran(f"export KEY={SECRET}", f"KEY is {SECRET}").wrote("a.env", f"KEY={SECRET}")
    told = repr(list(heard(story.events, shown)))
    assert SECRET not in told
    assert "cat" not in told


def test_our_own_blocks_are_not_heard() -> None:
    """What learnt showed an agent is nobody's words."""
    block = (
        '<recalled_memory bundle="b" marker="m">\n- [mem_' + "0" * 16 + "] x\n    | Always use pip.\n</recalled_memory>"
    )
    kept = list(heard(Story().asked(f"{block}\nGo on.").said(block).ran("make", block).events, shown))
    assert [event.text for event in kept if isinstance(event, Prompt | Result)] == ["Go on.", ""]
    assert not any(isinstance(event, Reply) for event in kept)


def test_without_a_person_nobody_typed() -> None:
    """In a session where nothing shows a person, prompts are a program's; a client's own are gone."""
    story = Story().asked("Always use pip.").asked("# AGENTS.md instructions for x\n\nUse tabs.")
    kept = list(heard(story.events, shown, person=False))
    assert [(event.text, event.typed) for event in kept if isinstance(event, Prompt)] == [("Always use pip.", False)]


def test_what_is_clean_is_the_same_event() -> None:
    """An event without anything to take out is passed on as it is."""
    events = Story().asked("Fix it.").ran("make", "ok").events
    assert all(one is two for one, two in zip(events, heard(events, shown), strict=True))
