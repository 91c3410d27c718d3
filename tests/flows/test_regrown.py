"""Sessions in files that are rewritten and in databases, read again: nothing is doubled, nothing new is missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from learnt.flows.capture import ingest
from learnt.flows.decide import decide
from learnt.flows.queue import pending
from learnt.model.proposal import Decision
from tests.hosts.cursorrows import CREATED_MS, Editor, use
from tests.hosts.opencoderows import Kept, answer, bash, prompt, tool
from tests.hosts.pirows import Script

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.model.evidence import SessionRecord
    from learnt.model.reading import Reading

FAILED = 'npm error Missing script: "check"'


def opencode(folder: Path, steps: int) -> str:
    """A session in the database after so many steps."""
    running = tool("bash", {"command": "npm run verify"}, status="running")
    turns = [
        prompt("Please run the checks."),
        answer(bash("npm run check", 1, FAILED)),
        answer(bash("npm run verify", 0, "all good") if steps > 2 else running),
        answer("The checks pass."),
    ]
    kept = Kept(folder, turns[: max(steps, 3)])
    kept.info["time"]["updated"] += steps
    return kept.base()


def exported(folder: Path, steps: int) -> str:
    """The same, exported anew."""
    turns = [prompt("Please run the checks."), answer(bash("npm run check", 1, FAILED))]
    later = [answer(bash("npm run verify", 0, "all good")), answer("The checks pass.")]
    return Kept(folder, turns + later[: steps - 2]).export()


def pi(folder: Path, steps: int) -> str:
    """A file of pi."""
    script = Script(folder)
    script.message("user", content="Please run the checks.")
    script.call("bash", {"command": "npm run check"}, f"{FAILED}\n\nCommand exited with code 1", failed=True)
    if steps > 2:
        script.call("bash", {"command": "npm run verify"}, "all good")
    if steps > 3:
        script.message("assistant", content=[{"type": "text", "text": "The checks pass."}])
    return str(script.written().path)


def cursor(folder: Path, steps: int) -> str:
    """A conversation in the editor's database."""
    (folder / "globalStorage" / "state.vscdb").unlink(missing_ok=True)
    if (folder / "globalStorage").exists():
        (folder / "globalStorage").rmdir()
    editor = Editor(folder)
    ended = [("npm run check", {"output": FAILED, "exitCodeV2": 1}), ("npm run verify", {"output": "all good"})]
    bubbles = [
        {"type": 1, "text": "Please run the checks."},
        *({"type": 2, **use("run_terminal_cmd", {"command": each}, result=result)} for each, result in ended),
        {"type": 2, "text": "The checks pass."},
    ]
    if steps < 3:
        bubbles[2] = {"type": 2, **use("run_terminal_cmd", {"command": "npm run verify"}, "loading")}
    shown = bubbles[: max(steps, 3)]
    editor.put("composerData:grown", editor.composer(shown, createdAt=CREATED_MS))
    for at, bubble in enumerate(shown):
        editor.bubble("grown", at, bubble)
    editor.base.commit()
    editor.base.close()
    return f"{editor.path}#grown"


GROWN = pytest.mark.parametrize("grown", [opencode, exported, pi, cursor], ids=lambda grown: grown.__name__)


def read(means: Means, place: str) -> Reading:
    (reading,) = ingest(means, [place]).readings
    assert reading.error == ""
    return reading


def kept(means: Means, session: str) -> SessionRecord:
    record = means.store.archive.session(means.context.sight, session)
    assert record is not None
    return record


@GROWN
def test_nothing_is_doubled_and_nothing_new_is_missed(means: Means, tmp_path: Path, grown) -> None:
    """Two readings with growth between leave what one reading of the whole leaves."""
    early = read(means, grown(tmp_path, 2))
    late = read(means, grown(tmp_path, 4))
    assert (early.status, late.status) == ("read", "read")
    record = kept(means, late.session)
    assert (record.status, record.alarms) == ("complete", ())
    assert record.messages == early.messages + late.messages
    refs = (f"session:{late.session}#{number}" for number in range(40))
    units = (means.store.archive.unit(means.context.sight, ref) for ref in refs)
    said = [unit.text for unit in units if unit is not None]
    for text in ("Please run the checks.", "npm run check", "npm run verify", "all good", "The checks pass."):
        assert any(text in each for each in said), text
    assert sum("Please run the checks." in each for each in said) == 1
    assert sum(FAILED in each for each in said) == 1


@GROWN
def test_what_did_not_change_is_not_read_again(means: Means, tmp_path: Path, grown) -> None:
    """Told as unchanged; a change that adds nothing raises no alarm and forgets no count."""
    first = read(means, grown(tmp_path, 4))
    assert read(means, grown(tmp_path, 4)).status in ("unchanged", "read")
    record = kept(means, first.session)
    assert (record.alarms, record.status, record.messages) == ((), "complete", first.messages)
    assert len(pending(means).proposals.values) == 1


@GROWN
def test_what_only_the_whole_session_teaches_is_learnt(means: Means, tmp_path: Path, grown) -> None:
    """A command fails in one reading and its fix works in the next: one proposal, its quotes found; said once."""
    read(means, grown(tmp_path, 2))
    assert pending(means).proposals.values == ()
    read(means, grown(tmp_path, 4))
    (proposal,) = pending(means).proposals.values
    assert "npm run check" in proposal.text
    assert "npm run verify" in proposal.text
    assert all(reference.verified for reference in proposal.evidence)


@GROWN
def test_what_a_person_decided_stays_decided(means: Means, tmp_path: Path, grown) -> None:
    """Growth after a rejection does not ask again."""
    read(means, grown(tmp_path, 3))
    (proposal,) = pending(means).proposals.values
    decide(means, Decision(proposal_id=proposal.id, action="reject"))
    read(means, grown(tmp_path, 4))
    assert pending(means).proposals.values == ()


def test_a_session_that_moved_into_the_database_counts_once(means: Means, tmp_path: Path) -> None:
    """Read from the tree of an early release, then from the database that took it over and went on."""
    turns = [prompt("Please run the checks."), answer(bash("npm run check", 1, FAILED))]
    early = read(means, Kept(tmp_path, turns).tree())
    later = [prompt("Please run the checks."), answer(bash("npm run check", 1, FAILED)), answer("Nothing passes.")]
    late = read(means, Kept(tmp_path, later).base())
    assert late.session == early.session
    assert late.messages == 1
    assert kept(means, late.session).messages == early.messages + 1
    assert read(means, Kept(tmp_path, later).export()).messages == 0
    assert kept(means, late.session).alarms == ()


def test_a_session_without_a_message_is_no_alarm(means: Means, tmp_path: Path) -> None:
    """Opened and left, or taken back whole: there is nothing to understand."""
    for place in (
        Kept(tmp_path, [], session="ses_empty").base(),
        Kept(tmp_path, [prompt("No.")], session="ses_back", revert={"messageID": "msg_ses_back_0"}).base(),
    ):
        reading = read(means, place)
        assert (reading.status, reading.messages, reading.alarms) == ("read", 0, ())
