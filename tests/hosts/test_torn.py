"""Sessions of Codex, Copilot CLI and Gemini CLI, torn, damaged and read in parts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learnt.capture.digest import digest
from learnt.hosts.codex import host as codex
from learnt.hosts.copilot import host as copilot
from learnt.hosts.gemini import host as gemini
from learnt.hosts.host import Asked
from learnt.model.session import Malformed
from tests.hosts.test_codex import Rollout, ended
from tests.hosts.test_copilot import Log
from tests.hosts.test_gemini import COST, Chat, call

if TYPE_CHECKING:
    from learnt.hosts.host import Host

HOSTS = {host.name: host for host in (codex.HOST, copilot.HOST, gemini.HOST)}
QUIET = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def rows(host: str) -> list[dict[str, Any]]:
    """A session with something of everything."""
    if host == "codex":
        rollout = Rollout()
        rollout.message("developer", "x")
        rollout.done("UserMessage", "p", content=[{"type": "text", "text": "go"}])
        rollout.call("a", "exec_command", {"cmd": "make"})
        rollout.done("CommandExecution", "a", status="failed", exit_code=1)
        rollout.output("a", ended(1, "bad"))
        rollout.patch("b", "*** Update File: a", "+x")
        rollout.patched("b", '{"output": "Success.", "metadata": {"exit_code": 0}}')
        rollout.event("token_count", info={"total_token_usage": {"total_tokens": 9}, "last_token_usage": {}})
        rollout.row("compacted", message="half done")
        return rollout.rows
    if host == "copilot-cli":
        log = Log()
        log.event("user.message", content="go", transformedContent="<system_reminder>x</system_reminder>")
        log.call("a", "bash", {"command": "make"})
        log.end("a", shellExecution={"exitCode": 1}, result={"content": "bad"})
        log.call("b", "apply_patch", "*** Add File: a", "agent")
        log.event("session.usage_record", usage={"inputTokens": 1})
        return log.rows
    chat = Chat()
    chat.row("user", "go", "r")
    chat.row(
        "gemini", "look", tokens=COST, toolCalls=[call("a", "run_shell_command", {"command": "x"}, "Exit Code: 1")]
    )
    chat.restate(chat.message("user", "<state_snapshot>x</state_snapshot>"))
    chat.rows.append({"$rewindTo": "r"})
    return chat.rows


NAMES = {
    "codex": "rollout-2026-11-20T09-00-00-x.jsonl",
    "copilot-cli": "events.jsonl",
    "gemini-cli": "chats/session-2026-11-20T09-00-db5b5fab.jsonl",
}
JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def read(folder: Any, host: Host, content: bytes) -> list[Any]:
    """All that the host's reader tells of a file; its digest is made, too."""
    path = folder / NAMES[host.name]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    host.recognises(path)
    reader = host.reads(Asked(path=path))
    events = list(reader.events())
    assert reader.next_offset <= len(content)
    assert reader.header().records >= 0
    digest(host.reads(Asked(path=path)), str, full=True)
    return events


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
@given(content=st.binary(max_size=400))
@QUIET
def test_bytes_of_no_sense(tmp_path, host, content):
    """They are malformed lines, or nothing."""
    assert all(isinstance(event, Malformed) for event in read(tmp_path, host, content) if content[:1] != b"{")


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
@given(where=st.integers(0, 10_000), damage=st.binary(max_size=6))
@QUIET
def test_a_session_cut_and_damaged(tmp_path, host, where, damage):
    """At any byte, with anything there."""
    whole = "".join(json.dumps(row) + "\n" for row in rows(host.name)).encode()
    at = where % len(whole)
    read(tmp_path, host, whole[:at])
    read(tmp_path, host, whole[:at] + damage + whole[at:])


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
@given(choice=st.data())
@QUIET
def test_values_of_another_sort(tmp_path, host, choice):
    """Any value anywhere may be of any sort: the rows around it are read."""
    damaged = json.loads(json.dumps(rows(host.name)))
    place: Any = damaged
    while isinstance(place, list | dict) and place:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = choice.draw(st.sampled_from(keys))
        if not isinstance(place[key], list | dict) or not place[key] or choice.draw(st.booleans()):
            place[key] = choice.draw(JSON)
            break
        place = place[key]
    read(tmp_path, host, "".join(json.dumps(row) + "\n" for row in damaged).encode())


@pytest.mark.parametrize("host", [codex.HOST, copilot.HOST], ids=["codex", "copilot-cli"])
def test_a_session_read_in_two_parts(tmp_path, host):
    """At any line: what the parts tell together is what the whole tells, what comes again has its id."""
    path = tmp_path / NAMES[host.name]
    lines = [json.dumps(row).encode() + b"\n" for row in rows(host.name)]
    path.write_bytes(b"".join(lines))
    whole = [(type(event), event.span, event.message_id) for event in host.reads(Asked(path=path)).events()]
    assert len(set(whole)) == len(whole)
    for count in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:count]))
        first = host.reads(Asked(path=path))
        told = [(type(event), event.span, event.message_id) for event in first.events()]
        assert first.next_offset == len(b"".join(lines[:count]))
        path.write_bytes(b"".join(lines))
        second = host.reads(Asked(path=path, offset=first.next_offset, number=first.next_number))
        told += [(type(event), event.span, event.message_id) for event in second.events()]
        firsts: dict[Any, Any] = {}
        for kind, span, identity in told:
            firsts.setdefault((kind, identity), (kind, span, identity))
        assert list(firsts.values()) == whole


@given(content=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
@QUIET
def test_a_document_of_no_sense(tmp_path, content):
    """An old Gemini CLI document that is none."""
    path = tmp_path / "chats" / "session-2026-11-20T09-00-db5b5fab.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b'{"sessionId":"s","projectHash":"x","messages":' + content)
    gemini.recognises(path)
    digest(gemini.HOST.reads(Asked(path=path)), str, full=True)
