"""What a program text tells of what it is for."""

from __future__ import annotations

import pytest

from learnt.model.code import code_of
from learnt.model.wording import own_counts

PYTHON = '''@cached
def drain_queue(rows, rows_left):
    """Empty the queue of letters."""
    # postpone the rest
    rows = rows + rows_left
    return rows
'''


def test_names_and_prose_of_a_function_are_told_apart_from_its_body() -> None:
    """The defined name, the docstring and the comments are what tells; the language is known."""
    code = code_of(PYTHON)

    assert code is not None
    assert (code.language, code.names) == ("python", "drain_queue")
    assert code.prose.splitlines() == ["Empty the queue of letters.", "postpone the rest"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("package main\n\nfunc (s *Store) Drain(n int) error {\n}\n", "go"),
        ("// Empties it.\npub fn drain(rows: &[Row]) -> usize {\n    0\n}\n", "rust"),
        ("export async function drain(rows) {\n}\n", "javascript"),
        ("/** Empties it. */\npublic static int drain(List<Row> rows) {\n}\n", "java"),
        ("def drain(rows)\n  rows.clear\nend\n", "ruby"),
        ("class Drain:\n    pass\n", "python"),
    ],
)
def test_the_language_shows_in_the_first_definition(text: str, language: str) -> None:
    """Comments and imports may stand before it."""
    found = code_of(text)

    assert found is not None
    assert found.language == language


@pytest.mark.parametrize(
    "text", ["", "The function def is a keyword.", "class notes\nNothing here.", "Use `def f():` to define one."]
)
def test_prose_is_no_program(text: str) -> None:
    """A text that only speaks of code keeps its plain counts."""
    assert code_of(text) is None


def test_a_repeated_variable_counts_once_and_a_name_three_times() -> None:
    """In code: 1 for being there, 1 more in prose, 2 more in a name."""
    counts, length = own_counts(PYTHON, opens=True)

    assert counts["row"] == 1
    assert counts["letter"] == 2
    assert counts["drain"] == 3
    assert counts["python"] == 1
    assert length == sum(counts.values())


def test_only_what_opens_a_document_is_read_as_a_program() -> None:
    """A turn of a conversation that holds code is prose."""
    counts, _ = own_counts(PYTHON)

    assert counts["row"] == 6
