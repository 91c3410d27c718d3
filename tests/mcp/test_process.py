"""The server process: nothing but the protocol on standard output, whatever comes in and whoever leaves."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.interfaces.mcp.stream import MOST_BYTES
from learnt.interfaces.mcp.tools import TOOLS
from tests.mcp.stdio import COMMAND, HELLO, serving

if TYPE_CHECKING:
    from pathlib import Path


def _remembered(repository: Path, environment: dict[str, str], text: str) -> str:
    with Engine.open(repository, home=Home(environment)) as engine:
        written = engine.remember(text, kind="repo_convention")
        return written.memory.id  # type: ignore[union-attr]


def test_an_agent_recalls_proposes_searches_and_has_explained(repository: Path, environment: dict[str, str]) -> None:
    """One conversation through the tools; what the agent wants kept is a proposal, also when a person started this."""
    memory = _remembered(repository, environment, "Dependencies are installed with uv sync.")
    with serving(repository, environment) as server:
        assert server.hello()["result"]["serverInfo"]["name"] == "learnt"
        listed = server.ask("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in listed] == [tool.name for tool in TOOLS]

        found = server.call("memory_recall", query="how are dependencies installed", kinds=None)["structuredContent"]
        assert (found["success"], found["memory_ids"], found["items"][0]["id"]) == (True, [memory], memory)
        assert found["prompt_block"].startswith("<recalled_memory")
        assert "uv sync" in found["prompt_block"]

        text = "Run the checks with ./check before a commit."
        asked: dict[str, Any] = {"operation": "add", "kind": "repo_convention", "text": text}
        first = server.call("memory_propose", **asked, evidence=["pyproject.toml:1"])["structuredContent"]
        again = server.call("memory_propose", **asked, evidence=["pyproject.toml:1"])["structuredContent"]
        assert (first["success"], first["status"], first["existing"]) == (True, "pending", False)
        assert (again["proposal_id"], again["existing"]) == (first["proposal_id"], True)

        hits = server.call("memory_search", query="uv sync", **{"in": "memories"})["structuredContent"]["hits"]
        assert [hit["id"] for hit in hits] == [memory]
        shown = server.call("memory_explain", id=memory)["structuredContent"]
        assert (shown["memory"]["text"], shown["recalls"] > 0) == ("Dependencies are installed with uv sync.", True)
        status, told = server.leave()
    assert (status, told) == (0, "")
    with Engine.open(repository, home=Home(environment)) as engine:
        (waiting,) = engine.pending().proposals.values
        assert waiting.provenance is not None
        assert (waiting.text, waiting.provenance.host) == (text, "tests")


def test_a_warm_server_answers_from_what_is_there_now(repository: Path, environment: dict[str, str]) -> None:
    """I09: another process forgets one memory and adds one; the next answers know, by meaning, by text and by id."""
    gone = _remembered(repository, environment, "The harbour crane is built with make.")
    with serving(repository, environment) as server:
        server.hello()
        question = {"query": "how is the harbour crane built"}
        assert server.call("memory_recall", **question)["structuredContent"]["memory_ids"] == [gone]
        with Engine.open(repository, home=Home(environment)) as engine:
            engine.forget([gone])
        new = _remembered(repository, environment, "The harbour crane is built with bazel.")
        assert server.call("memory_recall", **question)["structuredContent"]["memory_ids"] == [new]
        hits = server.call("memory_search", query="harbour crane", **{"in": "memories"})["structuredContent"]["hits"]
        assert [hit["id"] for hit in hits] == [new]
        assert server.call("memory_explain", id=gone)["isError"]
        assert server.leave()[0] == 0


def test_garbage_does_not_stop_it(repository: Path, environment: dict[str, str]) -> None:
    """Bytes, broken JSON, batches, other versions, a huge line, unknown methods: refused, and nothing worse."""
    with serving(repository, environment) as server:
        garbage = (b"\xff\xfe\x00\x9f", b"{", b"[]", b"null", b"", b'"text"', b"[" * 5_000, b'{"jsonrpc": "1.0"}')
        server.send(*garbage, b"x" * (MOST_BYTES + 9))
        told = server.hello(protocolVersion="1999-01-01")
        assert told["result"]["protocolVersion"] in {"2025-11-25", "2025-06-18"}
        refused = [message["error"]["code"] for message in server.received if message.get("id", "") is None]
        assert sorted(refused) == [-32700] * 3 + [-32600] * 5
        server.send(b'{"jsonrpc": "2.0", "id": 90, "method": "tools/list", "params": "text"}')
        assert server.answer(90)["error"]["code"] == -32602
        server.send({"method": "notifications/unheard"}, {"id": 91, "result": {}}, {"id": 1, "error": {}})
        assert server.ask("no/such/method")["error"]["code"] == -32601
        assert server.ask("tools/call", {"name": "memory_forget", "arguments": {}})["error"]["code"] == -32602
        assert server.ask("tools/call", {"arguments": {}})["error"]["code"] == -32602
        assert "error" in server.ask("initialize", {"protocolVersion": 3})
        half = b'{"jsonrpc": "2.0", "id": 92, "method": "tools/call", "params": '
        server.send(half + b'{"name": "memory_recall", "arguments": {"query": "half \\ud83d of a character"}}}')
        assert server.answer(92)["result"]["structuredContent"]["success"]
        assert server.ask("ping")["result"] is not None
        status, told_err = server.leave()
    assert (status, told_err) == (0, "")


def test_requests_from_a_file_are_answered(repository: Path, environment: dict[str, str]) -> None:
    """`learnt mcp < requests`: who ends the input at once and reads on has every answer, in seconds."""
    with serving(repository, environment) as server:
        server.send({"id": 1, "method": "initialize", "params": HELLO}, {"method": "notifications/initialized"})
        call = {"name": "memory_recall", "arguments": {"query": "anything at all"}}
        server.send(*({"id": number, "method": "tools/call", "params": call} for number in range(2, 6)))
        assert server.running.stdin is not None
        server.running.stdin.close()
        for number in range(1, 6):
            assert "result" in server.answer(number)
        assert server.running.wait(10) == 0


def test_everything_else_goes_to_standard_error(repository: Path, environment: dict[str, str]) -> None:
    """A library that prints on import, a broken configuration and a bug leave standard output to the protocol."""
    program = (
        "import sys, builtins, learnt.interfaces.mcp.calls as calls\n"
        "real = builtins.__import__\n"
        "def noisy(name, *rest, **named):\n"
        "    if name == 'anyio': print('printed on import')\n"
        "    return real(name, *rest, **named)\n"
        "builtins.__import__ = noisy\n"
        "calls.CALLS['memory_search'] = lambda engine, asked: print('printed in a call') or 1 / 0\n"
        "from learnt.interfaces.cli.entry import main\n"
        "sys.argv = ['learnt', 'mcp']\n"
        "main()\n"
    )
    with serving(repository, environment, command=(sys.executable, "-c", program)) as server:
        server.hello()
        failed = server.call("memory_search", query="anything")
        assert failed["isError"]
        assert failed["structuredContent"]["error"]["code"] == "bug"
        assert "anything" not in json.dumps(failed)
        assert not server.call("memory_recall", query="anything").get("isError")
        (repository.parent / "config" / "config.toml").write_text("no [toml", "utf-8")
        assert server.call("memory_recall", query="anything")["structuredContent"]["error"]["code"] == "configuration"
        _, told = server.leave()
    for word in ("printed on import", "printed in a call", "ZeroDivisionError"):
        assert word in told


def test_memory_that_is_switched_off_meanwhile_gives_the_disabled_result(
    repository: Path, environment: dict[str, str]
) -> None:
    """A repository that opts out is out from the next call on; every tool says so, and nothing is read or written."""
    _remembered(repository, environment, "Dependencies are installed with uv sync.")
    calls: dict[str, dict[str, Any]] = {
        "memory_recall": {"query": "dependencies"},
        "memory_search": {"query": "dependencies"},
        "memory_explain": {"id": "mem_0"},
        "memory_propose": {"operation": "add", "kind": "todo", "text": "Later."},
        "memory_outcome": {"question": "what now", "outcome": "useful"},
    }
    with serving(repository, environment) as server:
        server.hello()
        assert server.call("memory_recall", query="dependencies")["structuredContent"]["total"] == 1
        (repository / ".learnt").mkdir()
        (repository / ".learnt" / "config.toml").write_text("[memory]\nenabled = false\n", "utf-8")
        for tool, arguments in calls.items():
            result = server.call(tool, **arguments)
            assert not result.get("isError")
            assert (result["structuredContent"]["success"], result["structuredContent"]["disabled"]) == (False, True)
        (repository / ".learnt" / "config.toml").unlink()
        assert server.call("memory_recall", query="dependencies")["structuredContent"]["total"] == 1
        server.leave()
    with Engine.open(repository, home=Home(environment)) as engine:
        assert engine.pending().proposals.total == 0


def test_a_client_that_leaves_in_the_middle_leaves_nothing_behind(
    repository: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """With calls under way it ends at once, and the store is whole: each proposal is there entirely or not at all."""
    with serving(repository, environment) as server:
        server.hello()
        server.call("memory_recall", query="anything at all")
        for number in range(20):
            text = f"Statement number {number} of many."
            arguments = {"operation": "add", "kind": "todo", "text": text}
            server.send(
                {
                    "id": 100 + number,
                    "method": "tools/call",
                    "params": {"name": "memory_propose", "arguments": arguments},
                }
            )
        started_s = time.monotonic()
        status, _ = server.leave()
        assert status == 0
        assert time.monotonic() - started_s < 20
    with Engine.open(repository, home=Home(environment)) as engine:
        stored = engine.pending(100).proposals.total
        assert stored <= 20
        assert engine.verify().report.verified
    with sqlite3.connect(tmp_path / "data" / "memory.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_it_works_on_the_project_the_client_names(
    repository: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """A client with roots is asked for them at the first call, and again when they change."""
    _remembered(repository, environment, "Dependencies are installed with uv sync.")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with serving(elsewhere, environment) as server:
        server.hello(capabilities={"roots": {"listChanged": True}})
        for root, total in ((repository, 1), (elsewhere, 0)):
            number = f"call {total}"
            arguments = {"name": "memory_recall", "arguments": {"query": "how are dependencies installed"}}
            server.send({"id": number, "method": "tools/call", "params": arguments})
            while not (asked := [each for each in server.received if each.get("method") == "roots/list"]):
                server.take(time.monotonic() + 30)
            server.send({"id": asked[-1]["id"], "result": {"roots": [{"uri": root.as_uri()}]}})
            found = server.answer(number)["result"]["structuredContent"]
            assert found["total"] == total
            server.received.clear()
            server.send({"method": "notifications/roots/list_changed"})
        server.leave()


def test_a_call_that_does_not_end_does_not_keep_the_process(repository: Path, environment: dict[str, str]) -> None:
    """A client that leaves while a call hangs is gone within seconds, and so is the server; stderr says why."""
    program = (
        "import sys, threading, learnt.interfaces.mcp.calls as calls\n"
        "def hang(engine, asked):\n"
        "    print('begun', file=sys.stderr, flush=True)\n"
        "    threading.Event().wait()\n"
        "calls.CALLS['memory_search'] = hang\n"
        "from learnt.interfaces.cli.entry import main\n"
        "sys.argv = ['learnt', 'mcp']\n"
        "main()\n"
    )
    with serving(repository, environment, command=(sys.executable, "-c", program)) as server:
        server.hello()
        hanging = {"name": "memory_search", "arguments": {"query": "anything"}}
        server.send({"id": 70, "method": "tools/call", "params": hanging})
        assert server.running.stderr is not None
        assert server.running.stderr.readline() == b"begun\n"
        assert server.ask("ping")["result"] is not None
        server.vanish()
        assert server.running.wait(10) == 0
        assert b"left in the middle of a call" in server.running.stderr.read()


def test_a_cancelled_call_is_not_answered_and_the_next_one_is(repository: Path, environment: dict[str, str]) -> None:
    """Calls behind a cancelled one are served in their turn; those cancelled while they wait never run."""
    with serving(repository, environment) as server:
        server.hello()
        for number in range(50, 60):
            arguments = {"operation": "add", "kind": "todo", "text": f"Statement number {number} of many."}
            call = {"name": "memory_propose", "arguments": arguments}
            server.send({"id": number, "method": "tools/call", "params": call})
            server.send({"method": "notifications/cancelled", "params": {"requestId": number}})
        assert server.call("memory_recall", query="anything at all")["structuredContent"]["success"]
        answered = {message["id"] for message in server.received} & set(range(50, 60))
        server.leave()
    with Engine.open(repository, home=Home(environment)) as engine:
        stored = engine.pending(100).proposals.total
    assert len(answered) <= stored < 10


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_it_is_told_to(repository: Path, environment: dict[str, str], number: int) -> None:
    """Clients end a server by a signal: it is gone at once, with nothing to say, also in the middle of a call."""
    with serving(repository, environment) as server:
        server.hello()
        server.call("memory_recall", query="anything at all")
        server.send(
            {"id": 80, "method": "tools/call", "params": {"name": "memory_recall", "arguments": {"query": "now"}}}
        )
        server.running.send_signal(number)
        assert server.running.wait(10) == 0
        assert server.running.stderr is not None
        assert server.running.stderr.read() == b""


def test_places_of_a_wired_server_are_those_that_init_recorded(
    repository: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """A repository that sets the environment of its agent's tools leads nobody to another store."""
    memory = _remembered(repository, environment, "Dependencies are installed with uv sync.")
    places = {"LEARNT_HOME": environment["LEARNT_HOME"], "LEARNT_CONFIG": environment["LEARNT_CONFIG"]}
    init = [*COMMAND[:-1], "init", "--host", "claude-code", "--json"]
    subprocess.run(init, cwd=repository, env=environment, check=True, capture_output=True)
    servers = json.loads((tmp_path / "home" / ".claude.json").read_text("utf-8"))["mcpServers"]
    entry = servers["learnt"]
    lured = environment | {"LEARNT_HOME": str(tmp_path / "trap"), "LEARNT_CONFIG": str(tmp_path / "trap" / "c.toml")}
    lured["LEARNT_DATABASE_URL"] = f"sqlite:///{tmp_path}/trap.db"
    lured["PYTHONPATH"] = str(tmp_path)
    with serving(repository, lured, command=(entry["command"], *entry["args"])) as server:
        server.hello()
        found = server.call("memory_recall", query="how are dependencies installed")["structuredContent"]
        assert found["memory_ids"] == [memory]
        server.leave()
    assert not (tmp_path / "trap.db").exists()
    assert places["LEARNT_CONFIG"] in entry["args"]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-11-25"])
def test_a_client_that_asks_first_may_begin_in_an_earlier_manner(
    repository: Path, environment: dict[str, str], version: str
) -> None:
    """`server/discover`, as new clients send it, is answered; `initialize` after it begins as if nothing had been."""
    prefix = "io.modelcontextprotocol"
    told = {f"{prefix}/protocolVersion": "2026-07-28", f"{prefix}/clientInfo": {"name": "tests", "version": "1"}}
    envelope = {"_meta": told | {f"{prefix}/clientCapabilities": {}}}
    with serving(repository, environment) as server:
        found = server.ask("server/discover", envelope)["result"]
        assert "2026-07-28" in found["supportedVersions"]
        assert server.hello(protocolVersion=version)["result"]["protocolVersion"] == version
        listed = server.ask("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in listed] == [tool.name for tool in TOOLS]
        server.send({"method": "notifications/cancelled", "params": {"requestId": 9_999}})
        assert server.call("memory_recall", query="anything at all")["structuredContent"]["success"]
        assert server.leave() == (0, "")


def test_a_proposal_sent_again_after_a_kill_is_kept_once(repository: Path, environment: dict[str, str]) -> None:
    """Killed between commit and answer, or anywhere: the same call in a new process finds what the first one left."""
    arguments = {"operation": "add", "kind": "todo", "text": "Write the manual."}
    call = {"id": 60, "method": "tools/call", "params": {"name": "memory_propose", "arguments": arguments}}
    with serving(repository, environment) as server:
        server.hello()
        server.send(call)
        server.running.kill()
    with serving(repository, environment) as server:
        server.hello()
        first, again = (server.call("memory_propose", **arguments)["structuredContent"] for _ in range(2))
        assert (again["existing"], again["proposal_id"]) == (True, first["proposal_id"])
        server.leave()
    with Engine.open(repository, home=Home(environment)) as engine:
        assert engine.pending().proposals.total == 1
