"""Files of a task in a search."""

from __future__ import annotations

import pytest

from learnt.model.scope import Scope
from learnt.model.search import SearchHit
from learnt.model.wording import paths
from learnt.recall.touched import Touched, names, raised, touched
from learnt.testing import samples

SCOPE = Scope(type="repository", repo_id="r")


@pytest.mark.parametrize(
    ("file", "text", "met"),
    [
        ("src/a.py", "edit /home/dev/x/src/a.py", True),
        ("src/a.py", "src/a.py:12: error", True),
        ("a.py", "see `a.py`", True),
        ("a.py", "data.py and extra.py", False),
        ("a.py", "a.pyc only, then a.py", True),
        ("state.go", "estate.go", False),
        ("state.go", "new-state.go", False),
    ],
)
def test_whole_steps_are_named(file: str, text: str, met: bool) -> None:
    """A path is named with or without folders before it, never as a part of another name."""
    assert names(file, text) is met


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("why does src/jobs/Lease.py fail", ("src/jobs/lease.py",)),
        ("changes to state.go, please.", ("state.go",)),
        ("see https://example.org/a.html and 3.14 or v1.2", ()),
        ("mail ann@example.org about and/or", ()),
    ],
)
def test_paths_of_a_question(question: str, found: tuple[str, ...]) -> None:
    """Files, no addresses and no numbers."""
    assert paths(question) == found


def test_what_names_the_file_rises_and_its_session_a_little() -> None:
    """Unit above neighbour above stranger; without files the order is the one given."""
    units = [
        samples.unit(SCOPE, 1, text="edit src/a.py", session_id="s1"),
        samples.unit(SCOPE, 2, text="it works now", session_id="s1"),
        samples.unit(SCOPE, 3, text="it works now", session_id="s2"),
    ]
    memory = samples.memory(SCOPE, "Leases are renewed.", files=("src/a.py",))
    files = touched(["src/a.py"], [], units)
    hits = [SearchHit(score=0.3, unit=unit) for unit in reversed(units)] + [SearchHit(score=0.3, memory=memory)]
    found = raised(hits, files, grouped=False)
    assert [hit.signals.get("file", 0.0) for hit in found] == [1.0, 1.0, 0.5, 0.0]
    assert [hit.id for hit in found[2:]] == [units[1].id, units[2].id]
    assert raised(hits, Touched(), grouped=False) == hits


def test_sessions_rise_by_the_files_they_touched() -> None:
    """Those of the caller and those of the question together."""
    units = [
        samples.unit(SCOPE, 1, text="edit src/a.py", session_id="s1"),
        samples.unit(SCOPE, 2, text="edit src/a.py", session_id="s2", detail=(("file", "b.go"),)),
    ]
    files = touched(["src/a.py"], ["b.go"], units)
    hits = [SearchHit(score=0.3, unit=unit) for unit in units]
    assert [hit.signals["file"] for hit in raised(hits, files, grouped=True)] == [1.0, 0.5]
