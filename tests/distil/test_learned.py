"""`learned.md`: newest first, each once, and whatever a person wrote into it stays."""

from __future__ import annotations

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from learnt.distil.learned import MAX_BULLETS, dropped, lessons, saved


def plain(text: str) -> str:
    """Nothing is secret."""
    return text


def save(text: str, *said: str) -> str:
    """Save one after the other."""
    return reduce(lambda file, lesson: saved(file, lesson, "", plain), said, text)


def test_one_line_each_with_its_context():
    """Whitespace collapses; the context stands behind in italics."""
    made = saved("", "Prefer Bun.file\nover\n\nreadFileSync.", "  seen   in the\nbuild ", plain)
    assert made == "# Learned lessons\n\n- Prefer Bun.file over readFileSync. _(seen in the build)_\n"


def test_newest_first_and_each_once():
    """Saving one again moves it up."""
    assert lessons(save("", "A", "B", "A"), plain) == ("A", "B")
    assert save("", "A").count("- A") == 1


def test_a_hundred_stay():
    """The oldest goes."""
    made = save("", *(f"lesson {number}" for number in range(102)))
    kept = lessons(made, plain)
    assert len(kept) == MAX_BULLETS
    assert (kept[0], kept[-1]) == ("lesson 101", "lesson 2")


def test_a_blank_lesson_is_none():
    """Nothing is written, no file begun."""
    assert saved("", " \n\u200b ", "where", plain) == ""


def test_what_people_wrote_stays():
    """Headings and order by hand are kept, and saving again changes no byte."""
    file = "# Ours\n\nRead this.\n\n## Old\n- B\n- C\n\n## Older\n- D\n"
    once = saved(file, "A", "", plain)
    assert once == "# Ours\n\nRead this.\n\n## Old\n- A\n- B\n- C\n\n## Older\n- D\n"
    assert saved(once, "A", "", plain) == once


def test_a_secret_cannot_be_put_together():
    """What is hidden between its halves goes first, then secrets are looked for, on reading again."""
    secret = "-".join(["sk", "live", "0" * 20])
    split = secret[:6] + "\u200b<`>" + secret[6:]

    def redact(text: str) -> str:
        return text.replace(secret, "[REDACTED]")

    assert "[REDACTED]" in saved("", f"use {split}", "", redact)
    assert lessons(f"- by hand {split}\n", redact) == ("by hand [REDACTED]",)


def test_a_lesson_can_be_taken_out():
    """With its context; others and the rest stay."""
    file = saved(save("# Ours\n", "A", "B"), "C", "from s1", plain)
    assert lessons(dropped(file, ["C", "A"], plain), plain) == ("B",)
    assert dropped(file, [], plain) == file


@given(st.lists(st.text(max_size=30), max_size=8), st.text(max_size=80))
def test_saving_is_idempotent_and_keeps_foreign_lines(said, file):
    """However odd the lessons and the file."""
    made = save(file, *said)
    assert save(made, *said[-1:]) == made
    foreign = [line for line in file.split("\n") if line.strip() and not line.startswith("- ")]
    kept = iter(made.split("\n"))
    assert all(any(line == other for other in kept) for line in foreign)
