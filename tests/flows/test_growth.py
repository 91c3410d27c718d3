"""Sessions whose files are written anew: read again after every step, each thing counts once and nothing is missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from learnt.flows.capture import ingest
from learnt.flows.queue import pending
from learnt.flows.sessions import listing
from tests.flows.transcripts import learning
from tests.hosts import test_aider, test_cline, test_openhands, test_specstory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.flows.means import Means

WRONG, ERROR, RIGHT = "npm run check", 'npm error Missing script: "check"', "npm run verify"


def cline(folder: Path) -> Iterator[str]:
    """The command line's document grows by messages."""
    bad = [{"query": WRONG, "result": ERROR, "error": "Command exited with code 1", "success": False}]
    good = [{"query": RIGHT, "result": "fine", "success": True}]
    steps = [
        test_cline.user('<user_input mode="act">Run the checks.</user_input>'),
        test_cline.agent("Trying.", test_cline.use("c1", "run_commands", commands=[WRONG])),
        test_cline.user(test_cline.answer("c1", bad)),
        test_cline.agent("So.", test_cline.use("c2", "run_commands", commands=[RIGHT])),
        test_cline.user(test_cline.answer("c2", good)),
        test_cline.agent("Done."),
    ]
    for count in range(1, len(steps) + 1):
        yield str(test_cline.written(folder, *steps[:count], manifest={"cwd": "/srv/app", "interactive": True}))


def openhands(folder: Path) -> Iterator[str]:
    """The conversation grows by files."""
    talk = test_openhands.Conversation(folder)
    talk.says("Run the checks.")
    yield str(talk.path)
    call = talk.does("terminal", {"command": WRONG}, "Trying.")
    yield str(talk.path)
    talk.sees(call, ERROR, exit_code=1)
    yield str(talk.path)
    call = talk.does("terminal", {"command": RIGHT}, "So.")
    yield str(talk.path)
    talk.sees(call, "fine", exit_code=0)
    talk.says("Done.", role="assistant")
    yield str(talk.path)


def specstory(folder: Path) -> Iterator[str]:
    """The Markdown grows by turns, and a tool use by its output."""
    turns = [
        test_specstory.user("Run the checks."),
        test_specstory.agent("Trying."),
        test_specstory.shell(WRONG, f"Exit code 1\n{ERROR}"),
        test_specstory.agent("So."),
        test_specstory.shell(RIGHT, "fine"),
        test_specstory.agent("Done."),
    ]
    for count in range(1, len(turns) + 1):
        yield str(test_specstory.history(folder, *turns[:count]))
    yield str(test_specstory.history(folder, *turns))


@pytest.mark.parametrize("grow", [cline, openhands, specstory])
def test_read_after_every_step(means: Means, tmp_path: Path, grow) -> None:
    """One prompt, three replies, two commands; the lesson that spans the steps; and a last reading without news."""
    last = ""
    for place in grow(tmp_path):
        last = place
        (reading,) = ingest(means, [place]).readings
        assert reading.error == ""
    (session,) = listing(means)
    assert (session.messages, session.skipped, session.status) == (6, 0, "complete")
    (proposal,) = pending(means).proposals.values
    assert WRONG in proposal.text
    assert RIGHT in proposal.text
    assert all(reference.verified for reference in proposal.evidence)
    (reading,) = ingest(means, [last]).readings
    assert (reading.status, reading.messages) == ("unchanged", 0)


def test_sessions_of_one_history_file(means: Means, tmp_path: Path) -> None:
    """The history grows by a session: the first is known, the second is read; both are listed apart."""
    first = (test_aider.START, "#### one  \n\nanswer\n\n", test_aider.PAID)
    path = test_aider.history(tmp_path, *first)
    (reading,) = ingest(means, [str(path)]).readings
    assert reading.messages == 2
    test_aider.history(tmp_path, *first, "\n# aider chat started at 2026-11-21 10:00:00\n\n", "#### two  \n")
    readings = {each.path.rpartition("#")[2]: each for each in ingest(means, [str(path)]).readings}
    assert sorted(readings) == ["1", "2"]
    assert (readings["1"].messages, readings["2"].messages) == (0, 1)
    assert len(listing(means)) == 2


def test_a_copy_of_a_session_counts_nothing_again(means: Means, tmp_path: Path) -> None:
    """The client's transcript and the Markdown that another program made of it name one session."""
    own = learning(tmp_path / "066e1e40-aaaa.jsonl", "066e1e40-aaaa")
    copy = test_specstory.history(
        tmp_path, test_specstory.user("Please run the checks."), test_specstory.agent("Done.")
    )
    assert [each.status for each in ingest(means, [str(own.path), str(copy)]).readings] == ["read", "unchanged"]
    (session,) = listing(means)
    assert (session.host, session.path) == ("claude-code", str(own.path))
    own.replies("More.")
    assert [each.messages for each in ingest(means, [str(own.path), str(copy)]).readings] == [1, 0]
