"""What a session wrote for readers who were not there: commit messages, pull requests, comments in code."""

from __future__ import annotations

import pytest

from learnt.distil.schema import Assertion, Assertions
from learnt.distil.verify import verified
from learnt.model.extraction import Fact
from tests.capture.session import Story
from tests.distil.test_offline import found

PROSE = (
    "Keep `load()` synchronous\n\nThe importer calls `load()` from a signal handler, so a thread cannot be started "
    "there.\n\nCo-Authored-By: A <a@example.com>"
)


def told(story: Story) -> list[str]:
    return [fact.text for fact in facts(story)]


def facts(story: Story) -> list[Fact]:
    return [fact for fact in found(story).facts if {quote.speaker for quote in fact.quotes} == {"agent"}]


def committed(message: str) -> Story:
    return Story().asked("Go.").ran(f"git add -A && git commit -q -m \"$(cat <<'EOF'\n{message}\nEOF\n)\"")


@pytest.mark.parametrize(
    "command",
    [
        f"git commit -m \"$(cat <<'EOF'\n{PROSE}\nEOF\n)\"",
        (
            "git commit -am 'Keep `load()` synchronous' -m 'The importer calls `load()` from a signal handler, so a "
            "thread cannot be started there.'"
        ),
        f"git -C . commit -F - <<EOF\n{PROSE}\nEOF",
        (
            'git commit -m "fix(shop): keep \\`load()\\` synchronous\n\nThe importer calls \\`load()\\` from a signal '
            'handler, so a thread cannot be started there."'
        ),
        (
            "gh pr create --draft --title 'ABC-12: Keep `load()` synchronous' --body '## Why\n\nThe importer calls "
            "`load()` from a signal handler, so a thread cannot be started there.\n\n## Test plan\n\n- [x] `just test` "
            "never fails'"
        ),
    ],
)
def test_the_reason_in_a_message_is_a_decision(command: str) -> None:
    """However the shell was given it: under its first line, without trailers, tickets and plans for testing."""
    (fact,) = facts(Story().asked("Go.").ran(command))
    assert fact.text == (
        "Keep `load()` synchronous. The importer calls `load()` from a signal handler, so a thread cannot be started "
        "there."
    )
    assert fact.section == "decision"


def test_items_of_a_message_stand_alone() -> None:
    """Each that gives a reason or denies; one that only says what was done is in the log."""
    story = committed(
        "Two things\n\n- Drop `retry()` because the lease\n  is renewed by `hold()` anyway\n- Rename `a.py` to `b.py`"
    )
    assert told(story) == ["Drop `retry()` because the lease is renewed by `hold()` anyway"]


@pytest.mark.parametrize(
    "message",
    [
        "Update dependencies",
        "Add tests for `load()` and `save()` in the importer",
        "Address review\n\nAs requested in the PR review feedback, because `load()` was slow.",
        "I moved `load()` because my editor wanted it",
    ],
)
def test_a_message_without_a_reason_teaches_nothing(message: str) -> None:
    """What was changed, whose wish it was, and the day's state are no knowledge."""
    assert told(committed(message)) == []


def test_a_commit_that_failed_or_a_command_that_is_none_is_not_told() -> None:
    """The message has to have been taken; a look into the log writes none."""
    text = "Keep `load()` synchronous because threads cannot be started in a signal handler"
    assert told(Story().asked("Go.").ran(f"git commit -m '{text}'", "hook failed", code=1)) == []
    assert told(Story().asked("Go.").ran(f"git log --grep -m '{text}'")) == []


@pytest.mark.parametrize(
    "command",
    [
        "cat > a.md <<EOF\n`load()` must not be used because it is slow\nEOF\ngit add . && git commit -m 'Add a page'",
        "docker build -t 'x: `load()` must not be used because it is slow' . && git commit -m 'Add a page'",
    ],
)
def test_only_what_is_given_to_the_commit_is_its_message(command: str) -> None:
    """A file written by the same line, or another program's option, is none."""
    assert told(Story().asked("Go.").ran(command)) == []


def test_the_reason_in_a_comment_is_told_with_its_file() -> None:
    """Whole sentences of neighbouring lines; a comment of what the line does is left in the code."""
    story = (
        Story()
        .asked("Go.")
        .wrote(
            "src/importer.py",
            "# Read the rows of the file one by one.\nrows = read()\n\n"
            "# Rows are kept in `SEEN`, because csv.reader gives\n# the same list twice. Keep it small.\nSEEN = {}\n",
        )
    )
    (fact,) = facts(story)
    assert fact.text == (
        "`src/importer.py`: Rows are kept in `SEEN`, because csv.reader gives the same list twice. Keep it small."
    )
    assert fact.files == ("src/importer.py",)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/shop.go", "// TODO: use `load()` here instead of `read()`, because it is slow"),
        ("src/shop.go", "// Copyright: `shop` must not be used otherwise than by the licence of its authors"),
        ("src/shop.go", "// This must come first, because `load()` finds an empty store otherwise"),
        ("src/shop.go", "// `load()` must come first, because these are not there otherwise:"),
        ("tests/test_shop.py", "# `load()` must be called first, because the fake store is empty otherwise"),
        ("README.md", "# `load()` must be called first, because the store is empty otherwise"),
        ("src/shop.js", "// if (load() || otherwise) { store.must_never(be, empty, because, it_is); }"),
    ],
)
def test_other_comments_are_not_told(path: str, text: str) -> None:
    """Open work, licences, tests, prose and code that was commented out."""
    assert told(Story().asked("Go.").wrote(path, text + "\n")) == []


def test_of_a_patch_only_what_it_adds_is_read() -> None:
    """And a write that failed is not there."""
    patch = (
        "*** Begin Patch\n@@\n # `old()` must stay here because the store is empty otherwise\n"
        "+# `load()` must be called first, because the store is empty otherwise\n+load()\n*** End Patch"
    )
    story = Story().asked("Go.").wrote("src/shop.py", patch)
    assert told(story) == ["`src/shop.py`: `load()` must be called first, because the store is empty otherwise"]
    assert told(Story().asked("Go.").wrote("src/shop.py", patch, failed=True)) == []


def test_what_was_written_is_not_told_again_as_said() -> None:
    """A remark that adds nothing to a message is left out."""
    story = committed(PROSE).said("The importer calls `load()` from a signal handler, so threads cannot be started.")
    assert len(told(story)) == 1


def test_quotes_of_messages_and_comments_stand_in_the_session() -> None:
    """They pass the check of a model's assertions."""
    story = committed(PROSE).wrote(
        "a.py",
        "def f():\n    # `load()` must be called first, because\n    # the store is empty otherwise.\n    load()\n",
    )
    made = facts(story)
    assert len(made) == 2
    for fact in made:
        for quote in fact.quotes:
            assertion = Assertion(section=fact.section, text=fact.text, quote=quote.text, speaker="agent")
            assertions = Assertions(summary="", slug=None, assertions=(assertion,))
            assert verified(assertions, story.events, session_id="s-1", risky=lambda _: False).dropped == {}
