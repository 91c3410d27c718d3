"""What is found in a session without a model."""

from __future__ import annotations

import pytest

from learnt.capture.heard import heard
from learnt.capture.lessons import Gatherer
from learnt.capture.risk import risky
from learnt.distil.draft import Draft, extraction
from learnt.distil.offline import extracted
from learnt.distil.remarks import Remarks
from learnt.distil.schema import Assertion, Assertions
from learnt.distil.sorts import said
from learnt.distil.verify import verified
from learnt.model.extraction import Fact
from learnt.model.session import Reply
from tests.capture.session import ROOT, Story


def found(story: Story, session: str = "s-1") -> Draft:
    """The draft of a session, as the flow makes it."""
    events = list(heard(story.events, lambda text: text.replace("hunter2", "[REDACTED:x]")))
    gatherer = Gatherer(session_id=session, root=ROOT)
    for event in events:
        gatherer.feed(event)
    return extracted(events, gatherer.harvest(), session_id=session, root=ROOT, risky=risky)


def facts(story: Story, section: str) -> list[Fact]:
    return [fact for fact in found(story).facts if fact.section == section]


def remarks(*replies: str) -> list[str]:
    fold = Remarks("s-1")
    for text in replies:
        (event,) = Story().said(text).events
        assert isinstance(event, Reply)
        fold.said(event)
    return [fact.text for fact in fold.facts()]


WORK = (
    Story()
    .asked("Make the importer skip empty rows. From now on always run just lint before you commit.")
    .said("Let me look at the importer.")
    .wrote("src/importer.py")
    .ran("just fmt", "1 file changed")
    .ran("just lint", "ok")
    .ran("just test", "12 passed")
    .said(
        "Done. `read_rows()` never sees empty rows, because `csv.reader` yields `[]` for them. "
        "I also tidied the tests. Want me to commit?"
    )
)


def test_a_session_gives_what_it_taught() -> None:
    """A person's rule, the commands that worked after the last write, and what the agent stated of the code."""
    rule, steps, remark = found(WORK).facts
    assert (rule.section, rule.text) == ("constraint", "Always run just lint before you commit.")
    assert {quote.speaker for quote in rule.quotes} == {"person"}
    assert steps.commands == ("just fmt", "just lint", "just test")
    assert steps.worked
    assert remark.text.startswith("`read_rows()` never sees empty rows")


def test_every_quote_is_found_in_the_session() -> None:
    """What the offline writer asserts passes the very check that a model's assertions pass."""
    made = found(WORK)
    for fact in made.facts:
        for quote in fact.quotes:
            assertion = Assertion(section=fact.section, text=fact.text, quote=quote.text, speaker=quote.speaker)
            assertions = Assertions(summary="", slug=None, assertions=(assertion,))
            assert verified(assertions, WORK.events, session_id="s-1", risky=risky).dropped == {}


def test_a_synopsis_says_what_was_asked_changed_and_said() -> None:
    """In two or three sentences, with a slug of the first words."""
    made = found(WORK)
    assert made.summary.startswith("Asked: Make the importer skip empty rows.")
    assert "Changed: src/importer.py." in made.summary
    assert made.slug == "make_importer_skip_empty_rows_from"


def test_a_synopsis_is_plain_words() -> None:
    """Without the marks of Markdown, its code and tables, and lines that only introduce what follows."""
    made = found(
        Story()
        .asked("Please do the following:\n\n# Plan: Add `--json` to watch\n\n- one line an object")
        .said("## Done\n\n| a | b |\n|---|---|\n\n```py\nx = 1\n```\n\n- **Added** the option\n1. It is documented.")
    )
    assert made.summary == (
        "Asked: Plan: Add `--json` to watch: one line an object. Ended: Done: Added the option; It is documented."
    )
    assert made.slug == "plan_add_json_watch_one_line"


def test_a_failure_that_was_resolved_is_kept_with_its_cure() -> None:
    """A failing command and the form that then worked."""
    story = Story().asked("Test it.").ran("pytest -q", "pytest: command not found", code=127)
    (fact,) = facts(story.ran("uv run pytest -q", "3 passed"), "failure")
    assert "uv run pytest" in fact.text
    assert fact.worked
    assert {quote.speaker for quote in fact.quotes} == {"tool"}


def test_commands_before_the_last_write_are_no_ending() -> None:
    """The sequence is that of the last round; where that has none, of the round before."""
    story = Story().asked("Go.").ran("just lint").ran("just test").wrote("a.py").ran("just fmt").ran("just test")
    assert facts(story, "workflow")[0].commands == ("just fmt", "just test")
    assert facts(story.wrote("b.py"), "workflow")[0].commands == ("just fmt", "just test")


def test_a_session_without_a_write_ends_after_no_change() -> None:
    """The sequence is told as what worked; a slug is made of the files where nothing was asked."""
    (fact,) = facts(Story().asked("Go.").ran("just lint").ran("just test"), "workflow")
    assert fact.text == "These worked in order: `just lint`, then `just test`."
    assert found(Story().wrote("src/importer.py").wrote("src/importer.py")).slug == "importer"


def test_failed_commands_are_no_workflow() -> None:
    """A command that ended badly is no step."""
    story = Story().asked("Go.").wrote("a.py").ran("just lint", "E1", code=1).ran("just fmt").ran("just test")
    assert facts(story, "workflow")[0].commands == ("just fmt", "just test")


def test_a_chat_teaches_nothing() -> None:
    """Small talk, plans and praise give no fact, and the draft says that it is empty."""
    story = Story().asked("hi").said("Hello! How can I help?").asked("thanks").said("You're welcome. All done!")
    assert found(story).is_empty


def test_a_secret_is_in_no_fact() -> None:
    """A statement that held a secret is dropped and counted, whatever it was worth."""
    story = (
        Story().asked("Go.").said("`connect()` always needs the password hunter2 from `config.toml`, never the token.")
    )
    made = found(story)
    assert not any("REDACTED" in fact.text or "hunter2" in fact.text for fact in made.facts)
    assert made.dropped == {"secret": 1}


def test_what_a_person_settled_is_a_decision() -> None:
    """In their own words, unless it is for the moment or a question."""
    kept = facts(Story().asked("We decided to keep the importer synchronous, threads made it worse."), "decision")
    assert [fact.quotes[0].speaker for fact in kept] == ["person"]
    for passing in ("ok let's go with option 2 for now", "have we decided on the format?", "we agreed on #12 today"):
        assert facts(Story().asked(passing), "decision") == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Wir haben entschieden, den Import synchron zu lassen. Danke!",
            "Wir haben entschieden, den Import synchron zu lassen.",
        ),
        ("Hemos decidido mantener el importador síncrono.", "Hemos decidido mantener el importador síncrono."),
        ("インポートは同期のままにすることにしました。お願いします。", "インポートは同期のままにすることにしました。"),
        ("我们决定保持导入为同步。谢谢。", "我们决定保持导入为同步。"),
    ],
)
def test_a_decision_is_heard_in_other_languages(text: str, kept: str) -> None:
    """Where a person says that it was decided; a question decides nothing."""
    assert [fact.text for fact in facts(Story().asked(text), "decision")] == [kept]
    assert facts(Story().asked("Haben wir das schon entschieden?"), "decision") == []


@pytest.mark.parametrize("mark", ["> {}", "```\n{}\n```", "~~~text\n{}", "    {}"])
def test_what_a_person_quotes_is_not_settled(mark: str) -> None:
    """Words in a quotation or in code are somebody else's."""
    told = "We decided to keep the importer synchronous, threads made it worse."
    assert facts(Story().asked(f"See this:\n\n{mark.format(told)}\n"), "decision") == []


@pytest.mark.parametrize(
    "text",
    [
        "`TokenUsage` moved from the `checkpoint` package to `agent`.",
        "`load()` silently drops rows without a key.",
        "The main worktree doesn't have an entry in `.git/worktrees/`.",
        "`SessionState` is a type alias for `session.State`, so no converter is needed.",
        "`store.py` — Added `retry()` so that a lost lease is noticed.",
    ],
)
def test_statements_of_the_code_are_remarks(text: str) -> None:
    """Named, true after today, understandable alone."""
    assert remarks(text) == [text]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "`load()` always passes 0 (line 52 of `hooks.py`), never the offset.",
            "`load()` always passes 0, never the offset.",
        ),
        ("`load()` in `hooks.py:52-60` never passes the offset.", "`load()` in `hooks.py` never passes the offset."),
        (
            "`serve()` only listens on `localhost:8080`, never outside.",
            "`serve()` only listens on `localhost:8080`, never outside.",
        ),
        (
            "**One catch:** the main checkout never has an entry in `.git/worktrees/`.",
            "The main checkout never has an entry in `.git/worktrees/`.",
        ),
        (
            "`load()` never sees empty rows in `merge()`, so we can drop the guard.",
            "`load()` never sees empty rows in `merge()`",
        ),
        ("### 2. `load()` never closes the file it has opened (low)", "`load()` never closes the file it has opened"),
    ],
)
def test_a_remark_is_freed_of_what_does_not_last(text: str, kept: str) -> None:
    """Line numbers, a reviewer's mark, an opening phrase, and what the agent is about to do; ports stay."""
    assert remarks(text) == [kept]


def test_a_change_is_a_decision() -> None:
    """Whatever else its words would make of it."""
    (made,) = (fact for fact in found(Story().said("Fixed `load()` to keep `merge()` from failing silently.")).facts)
    assert made.section == "decision"


@pytest.mark.parametrize(
    "text",
    [
        "Let me check whether `load()` drops rows without a key.",
        "I moved `TokenUsage` from `checkpoint` to `agent`.",
        "This means `load()` silently drops rows without a key.",
        "Should `load()` always drop rows without a key?",
        "All tests pass and `load()` is now working.",
        "Update `load()` so that it never drops rows.",
        "`load()` - fix it so that it never drops rows.",
        "You can find it in `src/store.py`, which is always used.",
        "Wrap the `load()` call in `try` so that it never fails.",
        "Lazy scripts: Use `defer` in `index.html`, never `async`.",
        "For example, `load()` never calls `merge()` without a key.",
        "By checking that `load()` never returns rows of `merge()`",
        "| `load()` | drops rows | never fails |",
        "The store is always empty because nothing is kept there.",
        "Here's what `load()` never does:",
        "`load()` never returns rows without a key AND",
        "When `load()` never returns rows without a key in `merge()`",
        "To make sure that `load()` never drops rows of `merge()`",
        "`load()` never drops rows (they are kept in `merge()`",
        "The function never returns rows that `merge()` still holds.",
        "`test_store.py`: References to `load()` and `merge()` in the fakes",
        "2. In the checkout `a1`, a prompt starts `load()` with no rows",
        "`merge()` is covered, but there's no dedicated test for `load()`.",
        "`load()` is a local variable of `merge()` in that function scope, not a field.",
    ],
)
def test_plans_and_reports_are_no_remarks(text: str) -> None:
    """First person, orders, questions, pointers to what was said before, today's state, and what names nothing."""
    assert remarks(text) == []


def test_a_remark_said_twice_counts_once() -> None:
    """What a better remark has said already adds nothing."""
    one = "`load()` silently drops rows without a key, because `merge()` needs one."
    assert remarks(one, "`load()` silently drops rows without a key.") == [one]


def test_many_remarks_are_bounded() -> None:
    """A talkative session gives the best, in the order in which they were made."""
    made = remarks(*(f"`fn_{n}()` always returns `kind_{n}` because `rule_{n}` is stale." for n in range(400)))
    assert len(made) == 14
    assert made == sorted(made, key=lambda text: int(text.split("_")[1].split("(")[0]))


@pytest.mark.parametrize(
    ("text", "sorts"),
    [
        ("We decided to switch from tabs to spaces. It reads better.", ["decision"]),
        ("Mara prefers small commits over large ones. She says they are easier to revert.", ["preference"]),
        ("I promised Mara the report by Friday.", ["commitment"]),
        ("I think the new parser is overrated. It only wins on short files.", ["opinion"]),
        ("Confirmed: the server runs PostgreSQL 16.", ["fact"]),
        ("What do you think? Hello there, nice day.", []),
    ],
)
def test_statements_have_sorts(text: str, sorts: list[str]) -> None:
    """By the words a sentence uses; neighbouring thoughts are one."""
    assert [each.sort for each in said(text)] == sorts


def test_an_extraction_keeps_what_was_drafted() -> None:
    """The stored form has the draft's facts, and says who wrote it."""
    made = extraction(
        found(WORK), session_id="s", scope_key="k", host="pi", source_updated_at="a", generated_at="b", writer="offline"
    )
    assert (made.facts, made.writer) == (found(WORK).facts, "offline")
