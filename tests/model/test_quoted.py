"""What a person pasted between marks is not what they said; what only looks like marks is."""

from __future__ import annotations

import pytest

from learnt.capture.directive import directives
from learnt.distil.line import unquoted

RULE = "Always use the sample codec before you commit."


@pytest.mark.parametrize(
    "pasted",
    [
        '"""\n{}\n"""',
        "'''\n{}\n'''",
        '"""\n{}',
        "<document>\n{}\n</document>",
        '<file path="README.md">\n# Read me\n{}\n</file>',
        "<details><summary>x</summary>\n\n{}\n</details>",
        "cat <<EOF\n{}\nEOF",
        "/*\n * {}\n */",
        "<!--\n{}\n-->",
        "=== README ===\n{}\n=== end ===",
        "-----BEGIN NOTE-----\n{}\n-----END NOTE-----",
        "~~~\n{}\n~~~",
    ],
)
def test_what_stands_between_marks_was_said_by_somebody_else(pasted: str) -> None:
    """Neither a rule is made of it, nor does it count as a person's words."""
    text = f"Sum this up:\n{pasted.format(RULE)}"
    assert directives(text) == ()
    assert RULE not in unquoted(text)


@pytest.mark.parametrize(
    "text",
    [
        f"Use Vec<T> here.\n{RULE}",
        f"First part.\n---\n{RULE}\n---\nThe rest.",
        f"I said: {RULE}",
        f"It's <b> now. {RULE}",
    ],
)
def test_words_beside_marks_are_a_persons(text: str) -> None:
    """A type, a bare ruler between paragraphs, an element without its end, and their own words again."""
    assert RULE in [each.quote.removeprefix("I said: ") for each in directives(text)]
    assert RULE in unquoted(text)


@pytest.mark.parametrize("lead", ["The README says: ", "Bob wrote that: ", "12: "])
def test_reported_words_are_no_rule(lead: str) -> None:
    """What somebody else wrote, and a numbered line of a listing."""
    assert directives(lead + RULE) == ()
