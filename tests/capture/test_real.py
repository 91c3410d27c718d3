"""Real sessions of other people's projects, where they lie beside the checkout; nothing of them is in here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from learnt.capture.evidence import Keeper
from learnt.capture.lessons import MAX_LESSONS, Gatherer
from learnt.hosts.transcript import reader
from learnt.model.scope import Scope

if TYPE_CHECKING:
    from learnt.model.evidence import EvidenceUnit
    from learnt.model.lesson import Lesson

SESSIONS = Path(__file__).parents[3] / "shared" / "data" / "entire-sessions" / "transcripts"
FILES = sorted(SESSIONS.glob("*.jsonl")) if SESSIONS.is_dir() else []

pytestmark = pytest.mark.skipif(not FILES, reason="the real sessions are not beside this checkout")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_real_session_gives_few_lessons_and_every_quote_is_there(path):
    """At most five lessons, short, without a home folder, each quote verbatim in the record it names."""
    source = reader(path)
    events = list(source.events())
    header = source.header()
    gatherer = Gatherer(session_id=header.session_id, root=header.cwd)
    keeper = Keeper(
        session_id=header.session_id,
        scope=Scope(type="repository", repo_id="r"),
        path=str(path),
        redact=lambda text: text,
    )
    units: dict[str, EvidenceUnit] = {}
    for event in events:
        gatherer.feed(event)
        units |= {unit.ref: unit for unit in keeper.feed(event)}
    units |= {unit.ref: unit for unit in keeper.close()}
    harvest = gatherer.harvest()
    assert len(harvest.lessons) <= MAX_LESSONS
    for lesson in harvest.lessons:
        assert len(lesson.text) <= 500
        assert "/Users/" not in lesson.text
        for reference in lesson.evidence:
            assert " ".join(reference.quote.split()) in " ".join(units[reference.ref].text.split())


def test_real_sessions_teach_something():
    """The thirteen sessions give between five and twenty-six lessons, among them a corrected command."""
    found: list[Lesson] = []
    for path in FILES:
        source = reader(path)
        events = list(source.events())
        header = source.header()
        gatherer = Gatherer(session_id=header.session_id, root=header.cwd)
        for event in events:
            gatherer.feed(event)
        found += gatherer.harvest().lessons
    assert 5 <= len(found) <= 2 * len(FILES)
    assert any("already used by worktree" in lesson.text for lesson in found)
