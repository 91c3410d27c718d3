"""The digest of a transcript: bounded for people and prompts, full for comparison."""

from __future__ import annotations

from dataclasses import replace

import pytest

from learnt.capture.digest import digest
from learnt.hosts.claude.reader import ClaudeReader
from learnt.model.digest import ChurnedFile, FailedCommand, FailedTool
from learnt.model.session import Call, Header, Result, Span
from learnt.wire.digest import digest as as_json
from tests.hosts.rows import Script, use


@pytest.fixture
def script():
    """An empty session."""
    return Script()


def folded(tmp_path, script, screen=lambda text: text, **options):
    """The digest of a session."""
    return digest(ClaudeReader(script.write(tmp_path)), screen, **options)


def characters(found):
    """How much text the four kinds hold."""
    texts = [
        *(part for entry in found.failed_tools for part in (entry.tool, entry.target or "", entry.error)),
        *(part for entry in found.failed_commands for part in (entry.command, entry.tail)),
        *(entry.path for entry in found.churned_files),
        *found.final_notes,
    ]
    return sum(map(len, texts))


def test_the_four_kinds(tmp_path, script):
    """A failed command is listed there only; a failed tool names its file; three writes are churn; the last text."""
    script.shell("make", "Exit code 2\nno rule", is_error=True)
    script.edit("/p/a.py", failed=True)
    for _ in range(3):
        script.edit("/p/a.py")
    script.edit("/p/b.py")
    script.reply("first")
    script.reply("the last word")
    found = folded(tmp_path, script)
    assert found.failed_commands == (FailedCommand("make", 2, "Exit code 2\nno rule"),)
    assert found.failed_tools == (FailedTool("Edit", "/p/a.py", "String to replace not found."),)
    assert found.churned_files == (ChurnedFile("/p/a.py", 3),)
    assert found.final_notes == ("the last word",)
    assert found.stats.writes_ok == {"/p/a.py": 3, "/p/b.py": 1}
    assert found.stats.write_attempts == {"/p/a.py": 4, "/p/b.py": 1}
    assert (found.stats.assistant_texts, found.stats.tool_calls, found.stats.status) == (2, 6, "complete")


def test_outcomes_that_are_no_failure(tmp_path, script):
    """Exit codes in a text, an answer without its call, aborted and unanswered calls are in neither list."""
    script.shell("cat log", "tests: 3 passed; Exit code 1 is what the old script gave")
    script.result("nobody", "Exit code 1\nx", is_error=True)
    script.shell("sleep 99", "[Request interrupted by user for tool use]", is_error=True)
    script.call("open", command="make")
    found = folded(tmp_path, script)
    assert (found.failed_commands, found.failed_tools) == ((), ())
    assert found.stats.status == "open"


def test_two_equal_calls_with_different_results_stay_apart(tmp_path, script):
    """An error mark with an empty text is a failure, too."""
    script.shell("make", "Exit code 1\none", is_error=True)
    script.shell("make", "Exit code 1\ntwo", is_error=True)
    script.shell("make", "", is_error=True)
    assert [(entry.exit_code, entry.tail) for entry in folded(tmp_path, script).failed_commands] == [
        (1, "Exit code 1\none"),
        (1, "Exit code 1\ntwo"),
        (None, ""),
    ]


def test_identical_entries_once_and_the_latest_five(tmp_path, script):
    """The full form keeps every one in order."""
    for name in "abcdefga":
        script.shell(f"make {name}", "Exit code 1", is_error=True)
    assert [entry.command[-1] for entry in folded(tmp_path, script).failed_commands] == list("defga")
    assert [entry.command[-1] for entry in folded(tmp_path, script, full=True).failed_commands] == list("abcdefga")


def test_the_bounded_form_keeps_4000_characters(tmp_path, script):
    """1,000 for each kind; of a command the head, of its output the tail, of a note the head."""
    for number in range(5):
        script.shell(f"run {number} " + "x" * 3_000, f"Exit code 1\n{'y' * 3_000} end {number}", is_error=True)
        script.call(f"r{number}", "Read", file_path=f"/p/{'z' * 400}/{number}.py")
        script.result(f"r{number}", f"start {number} " + "e" * 900, is_error=True)
        for _ in range(3):
            script.edit(f"/p/{'w' * 400}/{number}.py")
    script.reply("begin " + "n" * 5_000)
    found = folded(tmp_path, script)
    assert characters(found) <= 4_000
    assert [len(entries) for entries in (found.failed_tools, found.failed_commands, found.churned_files)] == [5, 5, 5]
    assert found.failed_commands[0].command.startswith("run 0 ")
    assert found.failed_commands[0].tail.endswith("end 0")
    assert found.failed_tools[0].error.startswith("start 0")
    assert (found.failed_tools[4].target or "").endswith("4.py")
    assert found.final_notes[0].startswith("begin ")
    assert characters(folded(tmp_path, script, full=True)) > 20_000


def test_what_short_entries_leave_goes_to_the_long_ones(tmp_path, script):
    """One long entry beside short ones has nearly the whole part."""
    script.shell("a", "Exit code 1", is_error=True)
    script.shell("b", "Exit code 1\n" + "y" * 5_000, is_error=True)
    found = folded(tmp_path, script)
    assert len(found.failed_commands[1].tail) > 950


def test_writes_through_the_shell_are_churn(tmp_path, script):
    """Counted beside the tools' writes, for commands that succeeded; relative names from where the agent stood."""
    script.edit("/home/dev/project/a.py")
    script.shell("sed -i s/x/y/ a.py", "")
    script.shell("echo 1 >> a.py && echo 2 >> a.py", "")
    script.shell("echo 3 >> a.py", "Exit code 1\nread-only", is_error=True)
    found = folded(tmp_path, script)
    assert found.churned_files == (ChurnedFile("/home/dev/project/a.py", 3),)
    assert found.stats.shell_writes == {"/home/dev/project/a.py": 2}
    assert found.stats.writes_ok == {"/home/dev/project/a.py": 1}


def test_our_own_blocks_are_nobodys_words(tmp_path, script):
    """Neither prompt nor note, whole or within one."""
    block = '<recalled_memory bundle="b">\n## Retrieved Swarm Memory\n- mem_0123456789abcdef use uv\n</recalled_memory>'
    script.prompt(block)
    script.prompt(f"{block}\nfix it")
    script.reply("done")
    script.reply(block)
    found = folded(tmp_path, script)
    assert [prompt.strip() for prompt in found.stats.human_prompts] == ["fix it"]
    assert found.final_notes == ("done",)
    assert found.stats.assistant_texts == 1


def test_private_parts_leave_nowhere(tmp_path, script):
    """In prompts, commands, outputs and the note, closed or not, whatever their spelling."""
    script.prompt("fix <private>MARKER</private> it")
    script.prompt("<PRIVATE reason='x'>MARKER")
    script.shell("curl <private>MARKER</private>", "Exit code 1\n<Private>MARKER</Private> bad", is_error=True)
    script.reply("done <private>MARKER")
    for full in (False, True):
        found = folded(tmp_path, script, full=full)
        assert "MARKER" not in repr(found)
        assert len(found.stats.human_prompts) == 2


def test_what_the_screen_refuses_is_dropped_and_counted(tmp_path, script):
    """Redaction comes before cutting, so that no secret is cut in half and missed."""
    script.prompt("evil prompt")
    script.shell("make", "Exit code 1\nevil", is_error=True)
    script.shell("lint", "Exit code 1\n" + "s" * 5_000 + "SECRET", is_error=True)
    script.reply("evil note")

    def screen(text: str) -> str | None:
        return None if "evil" in text else text.replace("sSECRET", "[gone]")

    found = folded(tmp_path, script, screen)
    assert [entry.command for entry in found.failed_commands] == ["lint"]
    assert found.failed_commands[0].tail.endswith("s[gone]")
    assert (found.final_notes, found.stats.human_prompts, found.stats.dropped) == ((), (), 3)


def test_status(tmp_path):
    """Interrupted when the last turn was; open when something is missing; a torn line is open."""
    script = Script()
    script.prompt("go")
    script.prompt("[Request interrupted by user]")
    assert folded(tmp_path, script).stats.status == "interrupted"
    script.prompt("go on")
    assert folded(tmp_path, script).stats.status == "complete"
    script.call("c", command="make")
    assert folded(tmp_path, script).stats.status == "open"
    script.result("c", "done")
    path = script.write(tmp_path)
    path.write_text(script.text() + '{"type":"us')
    found = digest(ClaudeReader(path), lambda text: text)
    assert (found.stats.status, found.stats.malformed_lines) == ("open", 1)


def test_sub_agents_inline_are_counted_apart(tmp_path, script):
    """They are in none of the main thread's counts."""
    script.prompt("go")
    script.reply(use("c", command="ls"), isSidechain=True)
    answer = {"type": "tool_result", "tool_use_id": "c", "content": "Exit code 2\nx", "is_error": True}
    script.prompt([answer], isSidechain=True)
    script.reply("side note", isSidechain=True)
    found = folded(tmp_path, script, full=True)
    assert (found.stats.tool_calls, found.failed_commands, found.final_notes) == (0, (), ())
    assert (found.sidechain_calls, found.sidechain_failed) == (1, 1)
    assert as_json(found)["session"]["sidechain_inline"] == {"failed_commands": 1, "tool_calls": 1}


def test_compactions_are_counted_by_their_boundaries(tmp_path, script):
    """A boundary and its summary are one; an old client's summary without a boundary is one, too."""
    start = "This session is being continued from a previous conversation that ran out of context.\n\nSummary:\n"
    script.prompt(start + "one", isCompactSummary=True)
    assert folded(tmp_path, script).stats.compactions == 1
    script.rows.clear()
    for number in range(2):
        script.row(type="system", subtype="compact_boundary")
        script.prompt(f"{start}{number}", isCompactSummary=True)
    found = folded(tmp_path, script, full=True)
    assert (found.stats.compactions, found.compaction_summaries) == (2, ("0", "1"))


class Told:
    """Events as they are, of a host without call ids."""

    def __init__(self, *told):
        self._told = told

    def events(self):
        """The events."""
        return iter(self._told)

    def header(self):
        """A header that says little."""
        return Header(host="other", session_id="s")


def test_calls_without_ids_are_paired_by_position():
    """The k-th call with the k-th answer."""
    span = Span(offset=0, length=1, record=0)
    calls = [
        Call(at="", span=span, message_id="m", call_id="", tool="bash", action="shell", target=name)
        for name in ("one", "two")
    ]
    good = Result(at="", span=span, message_id="m", call_id="", failure="", exit_code=None, text="good")
    bad = replace(good, failure="exit", text="bad")
    found = digest(Told(*calls, good, bad), lambda text: text)
    assert found.failed_commands == (FailedCommand("two", None, "bad"),)


def test_the_json_has_the_keys_of_the_contract(tmp_path, script):
    """`session` stands in the full form only."""
    script.shell("make", "Exit code 2\nx", is_error=True)
    shape = as_json(folded(tmp_path, script))
    assert list(shape) == ["failed_tools", "failed_commands", "churned_files", "final_notes", "stats"]
    assert shape["failed_commands"] == [{"command": "make", "exit_code": 2, "tail": "Exit code 2\nx"}]
    assert set(shape["stats"]) >= {"records", "shell_writes", "dropped", "status", "inherited_records"}
    assert as_json(folded(tmp_path, script, full=True))["session"]["agent"] == "claude-code"


def test_memory_does_not_grow_with_what_was_said(tmp_path, script):
    """The bounded form keeps the latest two million characters of prompts."""
    for number in range(30):
        script.prompt(f"{number} " + "p" * 100_000)
    found = folded(tmp_path, script)
    assert sum(map(len, found.stats.human_prompts)) <= 2_000_000
    assert found.stats.human_prompts[-1].startswith("29 ")
    assert len(folded(tmp_path, script, full=True).stats.human_prompts) == 30


def test_unanswered_calls_do_not_pile_up(script):
    """Thousands of giant calls without an answer: the oldest are forgotten, the latest still find theirs."""
    span = Span(offset=0, length=1, record=0)
    calls = [
        Call(at="", span=span, message_id="m", call_id=f"c{n}", tool="Bash", action="shell", target="x" * 500_000)
        for n in range(40)
    ]
    last = Result(at="", span=span, message_id="m", call_id="c39", failure="exit", exit_code=1, text="bad")
    first = replace(last, call_id="c0")
    found = digest(Told(*calls, first, last), lambda text: text)
    assert len(found.failed_commands) == 1
    assert (found.stats.tool_calls, found.stats.status) == (40, "open")
