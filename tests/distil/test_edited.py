"""Hand edits of files that learnt made."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from learnt.distil.compose import compose
from learnt.distil.edited import edits
from learnt.distil.render import artifacts
from tests.distil.test_compose import MEMORIES, SEEN, SESSIONS
from tests.distil.world import remembered

FILES = artifacts(compose(SESSIONS, MEMORIES, SEEN), SESSIONS, summary_tokens=5_000)
TEXT = FILES["MEMORY.md"]
YARN = next(row for row in TEXT.split("\n") if "yarn" in row)


def test_an_untouched_file_has_no_edits() -> None:
    """The file as it was made, also with other line ends or a blank line more, has none."""
    assert edits(TEXT, TEXT) == ()
    assert edits(TEXT, TEXT.replace("\n", "\r\n")) == ()
    assert edits(TEXT, TEXT + "\n\n") == ()


def test_an_added_line_is_found_with_its_heading() -> None:
    """What a person wrote under a heading is theirs."""
    (edit,) = edits(
        TEXT, TEXT.replace("## Constraints and facts\n", "## Constraints and facts\n\n- Never push on Fridays.\n")
    )
    assert (edit.change, edit.after, edit.heading) == ("added", "Never push on Fridays.", "Constraints and facts")


def test_a_changed_line_keeps_its_references() -> None:
    """A line whose words were changed names what it was made of."""
    (edit,) = edits(TEXT, TEXT.replace("Use yarn for the site.", "Use bun for the site."))
    assert (edit.change, edit.before, edit.after) == ("changed", "Use yarn for the site.", "Use bun for the site.")
    assert edit.refs == (MEMORIES[0].id, "session:d#7")


def test_a_removed_line_is_found() -> None:
    """A line that was taken out names what it was made of."""
    (edit,) = edits(TEXT, TEXT.replace(YARN + "\n", ""))
    assert (edit.change, edit.before, edit.refs[0]) == ("removed", "Use yarn for the site.", MEMORIES[0].id)


def test_a_moved_line_is_no_edit() -> None:
    """The order of lines, and under which heading they stand, says nothing."""
    assert edits(TEXT, TEXT.replace(YARN + "\n", "") + YARN + "\n") == ()


def test_a_long_memory_is_whole_in_the_document() -> None:
    """What a person changes in it is changed, and nothing of its end is lost; the summary shows its beginning."""
    long = remembered("Use yarn. " + "Because of that. " * 110 + "The end.")
    made = artifacts(compose((), [long]), (), summary_tokens=5_000)
    (edit,) = edits(made["MEMORY.md"], made["MEMORY.md"].replace("Use yarn.", "Use bun."))
    assert edit.after == long.text.replace("Use yarn.", "Use bun.")
    assert "The end." not in made["memory_summary.md"]


def test_an_emptied_file_has_everything_removed() -> None:
    """Every line is told as removed."""
    found = edits(TEXT, "")
    assert {edit.change for edit in found} == {"removed"}
    assert len(found) == len([row for row in TEXT.splitlines() if row and not row.startswith("#")])


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8", categories=("L", "N")), min_size=4), max_size=6))
def test_no_added_line_is_lost(added: list[str]) -> None:
    """Every line that a person added comes back, as an addition or as the change of another."""
    found = edits(TEXT, TEXT + "".join(f"{row}\n" for row in added))
    assert sorted(edit.after for edit in found if edit.change == "added") == sorted(added)
