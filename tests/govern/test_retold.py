"""When two composed statements say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.govern.retold import outline, same

CHURN = "`src/a.py` was edited {} times before `pytest -q` passed. Its last complaint: {}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (CHURN.format(3, "assert 1099 == 1100"), CHURN.format(7, "assert 12 == 13")),
        (CHURN.format(3, "took 1.25s"), CHURN.format(3, "took 300ms")),
        (CHURN.format(3, "cannot read /tmp/pytest-1/x"), CHURN.format(3, "cannot read /tmp/ab12/y/z")),
        (CHURN.format(3, "object at 0x7f00ab"), CHURN.format(3, "object at 0x7f11cd")),
        (CHURN.format(3, "commit 1f2e3d4c is gone"), CHURN.format(3, "commit 9a8b7c6d5e is gone")),
    ],
)
def test_what_every_run_has_of_its_own_does_not_tell(one, other):
    """Counts, durations, temporary paths, addresses, hashes."""
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (CHURN.format(3, "assert a"), CHURN.format(3, "assert b")),
        (CHURN.format(3, "x"), CHURN.format(3, "x").replace("a.py", "b.py")),
        ("`curl :8080` fails here: refused.", "`curl :3000` fails here: refused."),
        ("needs version 3.11 of it", "needs version 3.12 of it"),
        ("E501 in the file", "E999 in the file"),
    ],
)
def test_commands_names_codes_and_versions_tell(one, other):
    """Between back quotes every character counts; a version or a rule's name is no number of a run."""
    assert not same(one, other)


@given(st.text(max_size=200))
def test_an_outline_is_its_own_outline(text):
    """Taking it twice changes nothing."""
    assert outline(outline(text)) == outline(text)
