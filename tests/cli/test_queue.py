"""The queue at the command line: listed, gone through key by key, answered by a filter; and what intake brings."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.shell import COMMAND, Shell

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUIET_S = 20
_CODES = re.compile(r"\x1b\[[0-9;]*m")
needs_tty = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
FINE = {"operation": "add", "kind": "repo_convention", "text": "Tests need TZ=UTC.", "evidenceRefs": ["setup.cfg"]}


def take(learnt: Shell, *members: dict[str, Any], code: int = 0, role: str = "coder", **arrays: Any) -> Any:
    """Take in an output; gives the document."""
    file = learnt.root / "out.txt"
    file.write_text(json.dumps({"memoryProposals": list(members), **arrays}))
    return learnt.json("intake", str(file), "--role", role, code=code)


def counts(learnt: Shell) -> dict[str, int]:
    """How many proposals of each status there is one of."""
    return {status: number for status, number in learnt.json("status")["proposals"].items() if number}


def typed(words: Sequence[str], keys: Sequence[str]) -> tuple[int, str]:
    """Run a command at a terminal of 90 columns; a key is pressed each time the row of keys, or a question, stands."""
    import fcntl
    import struct
    import termios

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 90, 0, 0))
    process = subprocess.Popen([*COMMAND, *words], stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    shown, left = b"", list(keys)
    while select.select([ours], [], [], _QUIET_S)[0]:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
        if left and _CODES.sub("", shown.decode("utf-8", "ignore")).rstrip("\r\n").endswith(
            ("? help", ": ", "key ends")
        ):
            os.write(ours, left.pop(0).encode())
    os.close(ours)
    return process.wait(timeout=_QUIET_S), _CODES.sub("", shown.decode("utf-8", "replace")).replace("\r", "")


class TestIntake:
    """What an agent's output brings."""

    def test_valid_members_are_queued_and_the_rest_is_told(self, learnt: Shell) -> None:
        """Exit 1 because some were not done; nothing of a dropped member's words is shown."""
        value = take(learnt, FINE, {"operation": "sing", "text": "la la la"}, code=1)
        assert value["totals"] == {
            "proposals": 1,
            "accepted": 0,
            "decisions": 0,
            "known": 0,
            "invalid": 1,
            "ignored": 0,
        }
        assert value["invalid"][0]["code"] == "invalid_value"
        assert "la la" not in json.dumps(value)
        assert value["proposals"][0]["status"] == "pending"
        assert learnt.json("pending")["proposals"][0]["provenance"]["agent_role"] == "coder"

    def test_from_standard_input_and_for_reading(self, learnt: Shell) -> None:
        """`-` is standard input; an output without an array is done."""
        done = learnt.process("intake", "-", stdin=json.dumps({"memoryProposals": [FINE, {"x": 1}]}).encode())
        shown = done.stdout.decode()
        assert done.returncode == 1
        assert "Proposed:" in shown
        assert "unknown_key" in shown
        assert learnt.process("intake", "-", stdin=b"nothing here \xff").returncode == 0

    def test_a_curator_is_enabled_in_the_users_file_only(self, learnt: Shell) -> None:
        """Not by the repository's, which doctor tells of."""
        proposal = take(learnt, FINE)["proposals"][0]["proposal_id"]
        ruling = {"action": "reject", "proposalId": proposal, "reason": "no"}
        place = learnt.json("status")["repository"]["value"]
        (learnt.project / ".learnt").mkdir()
        table = f'[curators]\n"{place}" = ["curator"]\n'
        (learnt.project / ".learnt" / "config.toml").write_text(table + '[[rules]]\nkinds = ["lesson"]\n')
        assert take(learnt, role="curator", curatorMemoryDecisions=[ruling])["totals"]["ignored"] == 1
        told = json.dumps(learnt.json("doctor"))
        assert "curators" in told
        assert "rules" in told
        learnt.config.parent.mkdir(exist_ok=True)
        learnt.config.write_text(table)
        value = take(learnt, role="curator", curatorMemoryDecisions=[ruling])
        assert value["decisions"][0]["proposal"]["status"] == "rejected"

    def test_an_agents_process_has_its_own_role(self, learnt: Shell) -> None:
        """It proposes; it cannot say that it is a curator."""
        learnt.agent()
        assert take(learnt, FINE, role="")["totals"]["proposals"] == 1
        assert take(learnt, FINE, role="curator", code=2)["error"]["code"] == "role"

    def test_a_rule_of_the_user_accepts(self, learnt: Shell) -> None:
        """Two agents with a file each; the memory says by which rule, and the decision can be undone."""
        for name in ("setup.cfg", "tox.ini"):
            (learnt.project / name).write_text("x")
        learnt.config.parent.mkdir(exist_ok=True)
        learnt.config.write_text('[[rules]]\nkinds = ["repo_convention"]\nsources = 2\n')
        assert take(learnt, FINE)["accepted"] == []
        (memory,) = take(learnt, {**FINE, "evidenceRefs": ["tox.ini"]}, role="reviewer")["accepted"]
        told = learnt.json("explain", memory)
        assert told["memory"]["reviewed_by"] == "auto_policy"
        event = next(each["id"] for each in told["events"] if each["operation"] == "curator_decision")
        assert learnt.json("undo", event)["hidden"] == [memory]

    @pytest.mark.parametrize("file", ["no-such-file", "."])
    def test_a_file_that_cannot_be_read(self, learnt: Shell, file: str) -> None:
        """Is not found."""
        assert learnt.json("intake", file, code=1)["error"]["code"] == "not_found"


class TestBatch:
    """Many answers at once."""

    def test_by_filter(self, learnt: Shell) -> None:
        """Only what matches, each undoable; folded ones go along."""
        take(learnt, FINE, {**FINE, "text": "The tests need TZ=UTC."}, {**FINE, "text": "Docs live in docs/."})
        take(learnt, {**FINE, "kind": "project_fact", "text": "Uses bun."}, role="reviewer")
        value = learnt.json("pending", "--matching", "tz=utc", "--accept")
        assert value["totals"] == {"decided": 1, "folded": 1, "failed": 0}
        assert learnt.json("pending", "--kind", "project_fact", "--reject")["totals"]["decided"] == 1
        left = learnt.json("pending")
        assert [each["text"] for each in left["proposals"]] == ["Docs live in docs/."]
        assert [each["rejection_reason"] for each in left["rejected"]] == ["not wanted"]

    def test_what_could_not_be_done_is_told(self, learnt: Shell) -> None:
        """A raw finding is not promoted; the others are; exit 1."""
        take(learnt, FINE, {**FINE, "kind": "api_finding", "text": "The list endpoint pages by cursor."})
        value = learnt.json("pending", "--all", "--accept", code=1)
        assert value["totals"] == {"decided": 1, "folded": 0, "failed": 1}
        assert value["failed"][0]["code"] == "not_promotable"

    def test_everything_needs_to_be_said(self, learnt: Shell) -> None:
        """Without a filter and without --all nothing is answered; an agent answers nothing."""
        take(learnt, FINE)
        assert learnt.json("pending", "--accept", code=2)["error"]["code"] == "no_filter"
        learnt.agent()
        assert learnt.json("pending", "--all", "--accept", code=3)["error"]["code"] == "person_required"
        assert learnt.json("pending")["total"] == 1

    def test_an_update_shows_its_difference(self, learnt: Shell) -> None:
        """Word by word, in JSON and for reading."""
        memory = learnt.remember("Run tests with npm.")
        learnt("propose", "update", "Run tests with pnpm.", "--target", memory, "--evidence", "setup.cfg")
        (shown,) = learnt.json("pending")["proposals"]
        assert [(each["type"], each["text"]) for each in shown["diff"]] == [
            ("same", "Run tests with "),
            ("gone", "npm"),
            ("new", "pnpm"),
            ("same", "."),
        ]
        assert shown["target"]["text"] == "Run tests with npm."
        out = learnt("pending").out
        assert "- Run tests with npm." in out
        assert "+ Run tests with pnpm." in out


@needs_tty
class TestKeys:
    """One key an entry, at a terminal."""

    def test_accept_skip_reject_and_quit(self, learnt: Shell) -> None:
        """The summary counts, and what was left goes on waiting."""
        take(learnt, *({**FINE, "text": f"Fact about part{number}."} for number in range(4)))
        code, shown = typed(("pending",), ["a", "s", "r", "q"])
        assert code == 0
        assert "4 entries wait for you" in shown
        assert "1 accepted, 1 skipped, 1 rejected. 2 entries wait now." in shown
        assert counts(learnt) == {"pending": 2, "applied": 1, "rejected": 1}

    def test_undo_goes_back_to_the_entry(self, learnt: Shell) -> None:
        """With all that were answered with it; also after the last one."""
        take(learnt, FINE, {**FINE, "text": "The tests need TZ=UTC."})
        code, shown = typed(("pending",), ["a", "u", "a", "x"])
        assert code == 0
        assert "and 1 alike" in shown
        assert shown.count("1 of 1") == 2
        assert counts(learnt) == {"applied": 2}
        assert learnt.json("list")["total"] == 1

    def test_an_edited_text_is_what_is_kept(self, learnt: Shell) -> None:
        """The editor opens on the proposal's text; closing it unchanged decides nothing."""
        take(learnt, FINE)
        script = learnt.root / "editor.sh"
        script.write_text('#!/bin/sh\nsed -i "s/TZ=UTC/TZ=CET/" "$1"\n')
        script.chmod(0o755)
        learnt.monkeypatch.setenv("VISUAL", "true")
        assert "as it was" in typed(("pending",), ["e", "q"])[1]
        learnt.monkeypatch.setenv("VISUAL", str(script))
        assert typed(("pending",), ["e", "q"])[0] == 0
        assert [each["text"] for each in learnt.json("list")["memories"]] == ["Tests need TZ=CET."]

    def test_a_raw_finding_gets_another_kind(self, learnt: Shell) -> None:
        """Accepting says why it cannot; `k` asks for the kind."""
        take(learnt, {**FINE, "kind": "api_finding"})
        shown = typed(("pending",), ["a", "k", "project_fact\n", "q"])[1]
        assert "k accepts it as another kind" in shown
        assert [each["kind"] for each in learnt.json("list")["memories"]] == ["project_fact"]

    def test_a_rejection_with_its_reason(self, learnt: Shell) -> None:
        """`R` asks why."""
        take(learnt, FINE)
        typed(("pending",), ["R", "true once, by accident\n", "q"])
        assert learnt.json("pending")["rejected"][0]["rejection_reason"] == "true once, by accident"

    def test_evidence_and_help_are_a_key_away(self, learnt: Shell) -> None:
        """Neither decides anything; an unknown key does nothing."""
        learnt("evidence", "add", "Vitest watches by default.", "--title", "Vitest")
        (document,) = learnt.json("evidence", "list")["evidence"]
        take(learnt, {**FINE, "evidenceRefs": [document["ref"]]})
        shown = typed(("pending",), ["v", "?", "z", "q"])[1]
        assert shown.count("Vitest watches by default.") == 2
        assert "back to the one before" in shown
        assert learnt.json("pending")["total"] == 1

    def test_nothing_a_proposal_says_steers_the_terminal(self, learnt: Shell) -> None:
        """Direction marks and the like are shown as such."""
        take(learnt, {**FINE, "text": "Left \u202e right\u2066 and \u200b hidden."})
        code, shown = typed(("pending",), ["q"])
        assert code == 0
        assert "\u202e" not in shown
        assert "\ufffd right" in shown

    def test_lists_only_where_nobody_can_answer(self, learnt: Shell) -> None:
        """With --list, with --json, and in an agent's process no key is asked for."""
        take(learnt, FINE)
        for words in (("pending", "--list"), ("pending", "--json")):
            code, shown = typed(words, [])
            assert code == 0
            assert "? help" not in shown
        learnt.agent()
        assert "? help" not in typed(("pending",), [])[1]

    def test_a_batch_asks_first(self, learnt: Shell) -> None:
        """A no changes nothing; --yes does not ask."""
        take(learnt, FINE)
        assert typed(("pending", "--all", "--accept"), ["n\n"])[0] == 1
        assert learnt.json("pending")["total"] == 1
        assert typed(("pending", "--all", "--accept", "--yes"), [])[0] == 0
        assert learnt.json("pending")["total"] == 0
