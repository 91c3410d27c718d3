"""A session that names another as used: what that one taught stays longer, and comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.flows.phases import captured, learning_means, session, worked
from tests.flows.transcripts import Session

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.flows.means import Means


@pytest.fixture
def means(means: Means, tmp_path: Path) -> Means:
    """With a folder for files, a day after the sessions."""
    return learning_means(means, tmp_path)


def uses(means: Means, name: str) -> tuple[int, bool]:
    """How often what a session taught was used, and whether it is known when."""
    record = means.store.archive.session(means.context.sight, name)
    assert record is not None
    found = means.store.extractions.get(means.context.sight, record.id)
    assert found is not None
    return found.usage_count, found.last_usage is not None


def reader(folder: Path, name: str, said: str) -> Session:
    """A session whose agent ends with these words."""
    told = Session(folder / "claude" / "projects" / "-srv-app" / f"{name}.jsonl", name).says("Go on.")
    return told.replies(said)


def test_a_named_session_is_counted_once_a_reading(means: Means, tmp_path: Path) -> None:
    """However often the answer names it; a name nobody knows, and its own, count for nothing."""
    captured(means, session(tmp_path, "first-1"))
    worked(means)
    assert uses(means, "first-1") == (0, False)
    said = "As in session:first-1#2 and session:first-1#3; see session:nowhere-1#1."
    captured(means, reader(tmp_path, "second-1", said))
    assert uses(means, "first-1") == (1, True)
    captured(means, reader(tmp_path, "second-1", said))
    assert uses(means, "first-1") == (1, True)
    captured(means, reader(tmp_path, "third-1", "session:first-1#2 again, and session:third-1#0."))
    assert uses(means, "first-1") == (2, True)
