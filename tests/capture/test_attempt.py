"""What an output says about why a command failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from learnt.capture.attempt import CLUES, CONFLICT_CLUES, CONFLICTS, ENVIRONMENT, conflicts, environment_line, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python before 3.11
    import sre_parse as parser


def _written(items: Any) -> Iterator[str]:
    """Every text one of the alternatives of an expression stands for, what is optional or open left out as a break."""
    texts = [""]
    for operation, value in items:
        name = str(operation)
        if name == "LITERAL":
            texts = [text + chr(value) for text in texts]
        elif name == "BRANCH":
            texts = [text + more for text in texts for each in value[1] for more in _written(each)]
        elif name == "SUBPATTERN":
            texts = [text + more for text in texts for more in _written(value[3])]
        else:
            texts = [text + "\0" for text in texts]
    yield from texts


@pytest.mark.parametrize(("pattern", "clues"), [(ENVIRONMENT, CLUES), (CONFLICTS, CONFLICT_CLUES)])
def test_whatever_is_found_holds_a_clue(pattern: re.Pattern[str], clues: tuple[str, ...]) -> None:
    """No alternative of the expression can match a text in which none of the clues stands."""
    written = list(_written(parser.parse(pattern.pattern, pattern.flags)))
    assert len(written) > 8
    assert [text for text in written if not any(clue in text.lower() for clue in clues)] == []


@pytest.mark.parametrize("shout", ["bash: foo: command not found", "BASH: FOO: COMMAND NOT FOUND", "é: No Such Option"])
def test_case_and_script_do_not_matter(shout: str) -> None:
    """An output is read the same in capitals and beside letters that are not ASCII."""
    assert environment_line(f"working\n{shout}\ndone") == shout


def test_a_conflict_is_of_the_moment() -> None:
    """What a merge complains about is no fault of the command."""
    assert conflicts("Auto-merging a.py\nCONFLICT (content): Merge conflict in a.py")
    assert not conflicts("a CONFLICT later in the line")
    assert conflicts("fatal: unable to read 0123456789abcdef0123456789abcdef01234567")
    assert conflicts("fatal: Unable to create '/srv/shop/.git/index.lock': File exists.")
    assert not conflicts("Error: unable to read config.toml")
    assert environment_line("fatal: not a git repository\nnothing to commit") == ""


@pytest.mark.parametrize("before", range(30, 50, 3))
def test_a_cut_leaves_a_long_word_out_whole(before: int) -> None:
    """The first half of a token looks like none, so that nothing would find it; a short word is cut as it comes."""
    token = "ghp_" + "a1B2" * 9
    line = shortened(f"{'w ' * (before // 2)}{token} was refused (errcheck)", 60)
    assert (token[:4] in line, line.endswith("\u2026 (errcheck)")) == (False, True)
    assert shortened("harbour " * 10, 60).startswith("harbour harbour harbour harbour harbour")
