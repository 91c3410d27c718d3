"""Which sessions are read for what they taught."""

from __future__ import annotations

from dataclasses import replace

import pytest

from learnt.jobs.eligible import Terms, eligible, is_own
from learnt.model.instant import from_epoch
from learnt.model.thread import CHILD_FOLDER, Thread
from learnt.testing import samples

NOW_S = 1_800_000_000
SCOPE = samples.repository("eligible")
TERMS = Terms(now=from_epoch(NOW_S), max_age_days=30, min_idle_hours=12, scan_limit=300, most=64)


def thread(name: str, hours_ago: float = 13, **given: str) -> Thread:
    """A session that somebody last wrote to so long ago."""
    at = from_epoch(NOW_S - hours_ago * 3_600)
    return replace(samples.thread(SCOPE, name, updated_at=at), **given)  # type: ignore[arg-type]


def never(_: Thread) -> bool:
    """No client holds a session open."""
    return False


def why(*threads: Thread, terms: Terms = TERMS, excluded: tuple[str, ...] = ()) -> list[str]:
    """Why each is not read, newest first."""
    return [each.why for each in eligible(threads, terms, live=never, excluded=excluded)]


def test_the_present_session_is_left_out() -> None:
    """Of two sessions idle for 13 hours the one that asks is excluded, the other is read (T119)."""
    found = eligible([thread("t-1"), thread("t-2")], TERMS, live=never, excluded=("t-1",))
    assert [(each.thread.id, each.why) for each in found] == [("t-1", "excluded"), ("t-2", "")]
    assert why(thread("t-1"), excluded=("host-t-1",)) == ["excluded"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"hours_ago": 11}, "too_recent"),
        ({"hours_ago": 12}, ""),
        ({"hours_ago": 31 * 24}, "too_old"),
        ({"hours_ago": 30 * 24}, ""),
        ({"source": "program"}, "source"),
        ({"source": "subagent"}, "source"),
        ({"source": "app"}, ""),
        ({"source": "own"}, "own"),
        ({"cwd": f"/data/{CHILD_FOLDER}"}, "own"),
        ({"mode": "disabled"}, "disabled"),
        ({"mode": "polluted"}, "polluted"),
        ({"extracted": from_epoch(NOW_S - 13 * 3_600)}, "up_to_date"),
        ({"extracted": from_epoch(NOW_S - 14 * 3_600)}, ""),
    ],
)
def test_why_a_session_waits(given: dict[str, str], expected: str) -> None:
    """Idle less than 12 hours, older than 30 days, run by a program, set aside, read already (T119, T122, T146)."""
    assert why(thread("t-1", **given)) == [expected]  # type: ignore[arg-type]


def test_a_session_that_is_open_is_not_read() -> None:
    """It is asked of the machine last, and takes no room from others."""
    asked = []

    def live(each: Thread) -> bool:
        asked.append(each.id)
        return each.id == "t-1"

    threads = [thread("t-1"), thread("t-2", 14), thread("t-3", 1)]
    found = eligible(threads, replace(TERMS, most=1), live=live)
    assert [(each.thread.id, each.why) for each in found] == [("t-3", "too_recent"), ("t-1", "live"), ("t-2", "")]
    assert asked == ["t-1", "t-2"]


def test_no_more_are_read_than_one_start_may() -> None:
    """Those being read count; what is left out does not (T121)."""
    threads = [thread(f"t-{number}", 13 + number) for number in range(4)]
    assert why(*threads, terms=replace(TERMS, most=3, running=1)) == ["", "", "capped", "capped"]
    assert why(*threads, terms=replace(TERMS, most=0)) == ["capped"] * 4
    assert why(*threads, terms=replace(TERMS, most=1, running=5)) == ["capped"] * 4


def test_one_whose_job_waits_takes_no_room() -> None:
    """Asked for already, resting or given up: the next one is read instead; nobody looks at those beyond the cap."""
    threads, looked = [thread(f"t-{number}", 13 + number) for number in range(4)], []

    def waits(each: Thread) -> bool:
        looked.append(each.id)
        return each.id == "t-0"

    found = eligible(threads, replace(TERMS, most=1), live=never, waits=waits)
    assert [each.why for each in found] == ["waits", "", "capped", "capped"]
    assert looked == ["t-0", "t-1"]


def test_only_the_newest_are_looked_at() -> None:
    """As many as the scan limit says; equal times by id."""
    threads = [thread("t-b"), thread("t-a"), thread("t-c", 14)]
    found = eligible(threads, replace(TERMS, scan_limit=2), live=never)
    assert [each.thread.id for each in found] == ["t-a", "t-b"]


def test_any_age_where_a_person_asks() -> None:
    """No bound of age, no idleness."""
    terms = replace(TERMS, max_age_days=None, min_idle_hours=0)
    assert why(thread("t-1", 0), thread("t-2", 24 * 3_000), terms=terms) == ["", ""]


@pytest.mark.parametrize("folder", [f"/a/{CHILD_FOLDER}", f"/a/{CHILD_FOLDER}/b", f"C:\\a\\{CHILD_FOLDER}"])
def test_own_sessions_are_known_by_their_folder(folder: str) -> None:
    """At any depth, on any system; a name that only begins so is somebody's."""
    assert is_own(folder)
    assert not is_own(f"/a/{CHILD_FOLDER}ren")
