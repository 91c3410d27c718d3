"""A client that lends its model: what waits is written by it while it is connected, and by nobody else."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.model.instant import from_epoch
from learnt.model.place import place
from tests.flows.transcripts import learning
from tests.mcp.stdio import Process, serving

CONFIG = '\n[models.named.lent]\nprovider = "mcp-client"\n[models.caps]\nday_tokens = 100000\n[models.repositories]\n'
FOUND = {
    "rollout_summary": "The checks were run.",
    "rollout_slug": None,
    "raw_memory": [
        {
            "section": "workflow",
            "text": "`npm run verify` runs the checks.",
            "quote": "all good",
            "speaker": "tool",
            "commands": ["npm run verify"],
            "files": [],
        }
    ],
}


def _prepared(repository: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """A session of two days ago, read; its extraction waits for a client."""
    config = Path(environment["LEARNT_CONFIG"])
    config.write_text(
        f'{config.read_text("utf-8")}{CONFIG}"{place(str(repository)).value}" = ["extraction"]\n', "utf-8"
    )
    told = learning(tmp_path / "s-1.jsonl", "s-1", cwd=str(repository))
    then = from_epoch(time.time() - 2 * 86_400)[:11]
    told.path.write_text(told.path.read_text("utf-8").replace("2026-11-20T", then), "utf-8")
    with Engine.open(repository, home=Home(environment)) as engine:
        engine.ingest([told.path])
        engine.work(once=True)
        assert engine.account().posts[0].reason.startswith("client")
        assert engine.phases().extracted == 0


def _asked(server: Process, within_s: float = 60) -> dict[str, Any]:
    limit_s = time.monotonic() + within_s
    while time.monotonic() < limit_s:
        for message in server.received:
            if message.get("method") == "sampling/createMessage":
                return message
        server.take(limit_s)
    raise AssertionError("the client's model was not asked")


def test_a_client_s_model_reads_what_waits(repository: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """After the first call it is asked once, with the system prompt as one; the ledger names it."""
    _prepared(repository, environment, tmp_path)
    with serving(repository, environment) as server:
        server.hello(capabilities={"sampling": {}})
        server.call("memory_recall", query="how are the checks run")
        asked = _asked(server)
        params = asked["params"]
        assert [each["role"] for each in params["messages"]] == ["user"]
        assert "<transcript>" in params["messages"][0]["content"]["text"]
        assert "JSON Schema" in params["systemPrompt"]
        content = {"type": "text", "text": f"Here: {json.dumps(FOUND)}"}
        answer = {"role": "assistant", "content": content, "model": "lent-1", "stopReason": "endTurn"}
        server.send({"id": asked["id"], "result": answer})
        with Engine.open(repository, home=Home(environment)) as engine:
            for _ in range(200):
                if engine.phases().extracted:
                    break
                time.sleep(0.1)
            assert engine.phases().extracted == 1
            (charge,) = engine.account(5).latest
            assert (charge.provider, charge.status, charge.fault) == ("mcp-client", "settled", "")
        server.leave()


def test_a_client_without_a_model_to_lend_is_asked_nothing(
    repository: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """The session goes on waiting."""
    _prepared(repository, environment, tmp_path)
    with serving(repository, environment) as server:
        server.hello()
        server.call("memory_recall", query="how are the checks run")
        server.take(time.monotonic() + 1)
        assert not [each for each in server.received if each.get("method")]
        server.leave()


def test_a_client_that_refuses_keeps_nobody(repository: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """The person said no: nothing is written, calls are answered as before."""
    _prepared(repository, environment, tmp_path)
    with serving(repository, environment) as server:
        server.hello(capabilities={"sampling": {}})
        server.call("memory_recall", query="how are the checks run")
        asked = _asked(server)
        server.send({"id": asked["id"], "error": {"code": -1, "message": "User rejected sampling request"}})
        server.call("memory_recall", query="how are the checks run")
        with Engine.open(repository, home=Home(environment)) as engine:
            for _ in range(100):
                if engine.account(5).latest and engine.account(5).latest[0].status == "settled":
                    break
                time.sleep(0.1)
            (charge,) = engine.account(5).latest
            assert charge.fault == "refused"
            assert engine.phases().extracted == 0
        server.leave()


TEXT = json.dumps(FOUND)
PARTS = {"content": [{"type": "text", "text": TEXT[:9]}, {"type": "text", "text": TEXT[9:]}]}


@pytest.mark.parametrize(("answer", "fault"), [(PARTS, ""), ({"foo": 1}, "bad_response")], ids=["parts", "no shape"])
def test_a_client_s_model_may_answer_anything(
    repository: Path, environment: dict[str, str], tmp_path: Path, answer: dict[str, Any], fault: str
) -> None:
    """Texts in parts are one text; what the protocol does not know is an error with a code, its charge settled."""
    _prepared(repository, environment, tmp_path)
    with serving(repository, environment) as server:
        server.hello(capabilities={"sampling": {}})
        server.call("memory_recall", query="how are the checks run")
        asked = _asked(server)
        whole = answer if "foo" in answer else {"role": "assistant", "model": "lent-1", **answer}
        server.send({"id": asked["id"], "result": whole})
        with Engine.open(repository, home=Home(environment)) as engine:
            for _ in range(200):
                if engine.account(5).latest[0].status == "settled":
                    break
                time.sleep(0.05)
            (charge,) = engine.account(5).latest
        assert (charge.status, charge.fault) == ("settled", fault)
        server.leave()
