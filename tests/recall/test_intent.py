"""Which cues a question's words give."""

from __future__ import annotations

import pytest

from learnt.recall.abstain import confidence, is_small_talk, names_something, weight_of_words
from learnt.recall.intent import is_question, is_standing, is_task, wants_overview, wants_present


@pytest.mark.parametrize(
    "question",
    ["Is the service still on REST?", "what is the current owner", "What is the timeout of the pool?",
     "How many retries are allowed?", "By May 26, 2026, which region is used?", "When is the release?"],
)  # fmt: skip
def test_the_present_is_asked_for(question: str) -> None:
    """A word for now, or a value in the present tense."""
    assert wants_present(question)


@pytest.mark.parametrize(
    "question",
    ["What was the first timeout we had?", "How many retries did we allow before?", "Why is the parser recursive?",
     "fix the flaky test", "how did the schema change over time"],
)  # fmt: skip
def test_the_present_is_not_asked_for(question: str) -> None:
    """The past, a reason and a task ask for no present value."""
    assert not wants_present(question)


def test_overview_and_task_exclude_each_other() -> None:
    """A summary asked for politely is an overview, no task."""
    assert wants_overview("Can you give me a summary of the migration?")
    assert not is_task("Can you give me a summary of the migration?")
    assert is_task("Can you add a retry to the uploader?")
    assert not wants_overview("Sort the rows in order to compare them")


def test_a_question_from_first_word_to_last() -> None:
    """A prompt that holds a question among other things is work."""
    assert is_question("By May 26, is it still used?")
    assert is_question("which branch did we merge ?")
    assert not is_question("the hook fails. Can you look? I changed nothing")
    assert not is_question("review this branch")


def test_standing_instructions() -> None:
    """What holds beyond the moment is told from what is said once."""
    assert is_standing("Always run the linter before you push")
    assert is_standing("From now on use uv")
    assert not is_standing("Run the linter now")


@pytest.mark.parametrize(
    ("remark", "weight", "cosine"),
    [("Sounds good", 0.7, 0.29), ("Tell me something interesting", 1.7, 0.35), ("ok let's go with that", 0.6, 0.3),
     ("I think we should do that", 0.4, 0.37), ("How are you?", 0.0, 0.3)],
)  # fmt: skip
def test_small_talk_is_met_with_silence(remark: str, weight: float, cosine: float) -> None:
    """Remarks that ask for nothing are small talk, with and (the lightest) without vectors."""
    assert is_small_talk(remark, weight, cosine)
    assert is_small_talk(remark, min(weight, 0.7), None)


@pytest.mark.parametrize(
    ("question", "weight", "cosine"),
    [("Who is Mike?", 0.9, 0.28), ("go with E1042", 0.5, 0.2), ("Which libraries are used in this project?", 0.8, 0.37),
     ("run parse_config again", 0.5, 0.3), ("the uploader fails on large files", 3.0, 0.4),
     ("sounds like the lease problem", 1.0, 0.6)],
)  # fmt: skip
def test_questions_are_not_small_talk(question: str, weight: float, cosine: float) -> None:
    """A name, a code, an identifier, a real question, many rare words, or a likeness speak up."""
    assert not is_small_talk(question, weight, cosine)


def test_a_capital_at_the_start_is_no_name() -> None:
    """Sentences begin with capitals, and a speaker says I."""
    assert not names_something("Sounds good. Then go on, I guess")
    assert names_something("ask Priya")


def test_weight_of_words_is_counted_in_rare_words() -> None:
    """One word as rare as can be weighs about 1, in a small store as in a large one; a common one nothing."""
    assert weight_of_words([6.9], 1_000) == pytest.approx(1.0, abs=0.01)
    assert weight_of_words([-1.0, 0.0], 1_000) == 0
    assert weight_of_words([], 0) == 0


def test_confidence_asks_who_speaks() -> None:
    """The answer to a question about one person counts less when others give it."""
    known = ("Ann", "Bob")
    own = confidence(0.6, "What does Ann paint?", ["Ann", "Ann", "Ann"], known, 0.5)
    other = confidence(0.6, "What does Ann paint?", ["Bob", "Bob", "Bob"], known, 0.5)
    unnamed = confidence(0.6, "What was painted?", ["Bob"], known, 0.5)
    assert other < unnamed < own <= 1
    assert confidence(-0.5, "x", [], [], 0.0) >= 0
    assert confidence(0.6, "x", [], [], 1.0) > confidence(0.6, "x", [], [], 0.2)


@pytest.mark.parametrize("asked", ["What are some good books to read?", "Which editor should I use?"])
def test_a_recommendation_asked_for_is_a_task(asked: str) -> None:
    """What a person always wants applies to it."""
    assert is_task(asked)
