"""Files that are no session, or are damaged: told, never raised."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learnt.capture.digest import digest
from learnt.errors import LearntError
from learnt.hosts import transcript
from learnt.hosts.host import Asked
from tests.harvest import gather
from tests.hosts import test_aider, test_cline, test_mastra, test_openhands, test_specstory, test_sweagent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = {
    "cline": "s.messages.json",
    "roo": "api_conversation_history.json",
    "mastra": "m.jsonl",
    "aider": ".aider.chat.history.md",
    "specstory": "s.md",
    "swe-agent": "t.traj",
}
KEYS = [
    "role",
    "content",
    "messages",
    "type",
    "text",
    "id",
    "input",
    "name",
    "tool_use_id",
    "trajectory",
    "history",
    "action",
    "observation",
    "state",
    "thought",
    "kind",
    "source",
    "llm_message",
    "tool_call_id",
    "parts",
    "toolInvocation",
    "args",
    "result",
    "threadId",
    "request",
    "response",
    "metrics",
    "metadata",
    "origin",
    "sessionId",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner | st.sampled_from(["user", "assistant", "tool", "text", "tool_use", "tool_result", "MessageEvent"]),
            max_size=6,
        )
    ),
    max_leaves=24,
)


def read(host: str, path: Path) -> None:
    """Recognise, read and fold; whatever is wrong is told by events or as an error of ours."""
    chosen = transcript.HOSTS[host]
    assert chosen.recognises(path) in ("sure", "shaped", "no")
    for session in chosen.sessions(path) or ("",):
        try:
            reader = chosen.reads(Asked(path=path, session=session))
            found = list(reader.events())
        except LearntError:
            continue
        header = reader.header()
        assert header.host == host
        assert header.session_id
        assert all(event.span.offset >= 0 and event.span.length >= 0 for event in found)
        gather(header, found)
        digest(chosen.reads(Asked(path=path, session=session)), lambda text: text, full=True)


@pytest.mark.parametrize("host", NAMES)
def test_noise(tmp_path, host):
    """Random bytes, empty files, lines without an end, other formats, brackets without end, a byte order mark."""
    rng = random.Random(7)
    path = tmp_path / NAMES[host]
    bodies = [rng.randbytes(rng.randrange(0, 4_000)) for _ in range(30)]
    bodies += [b"", b"{", b"[", b"[[[[", b"{}", b"[]", b"null", b'"x"', b"\xef\xbb\xbf{}", b"{" * 50_000, b"[" * 50_000]
    bodies += [b'{"messages": {}}', b'{"messages": [[]]}', b'{"trajectory": [1, null, {}]}', b"x" * 3_000_000]
    for body in bodies:
        path.write_bytes(body)
        read(host, path)


@pytest.mark.parametrize("host", ["cline", "roo", "mastra", "swe-agent"])
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=JSON, wrap=st.booleans())
def test_values_where_others_are_expected(tmp_path, host, value, wrap):
    """Every value may be of any type."""
    path = tmp_path / NAMES[host]
    body: Any = {"messages": [value], "trajectory": [value], "history": [value], "sessionId": value, "info": value}
    path.write_text(json.dumps(body if wrap else [value]))
    read(host, path)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=JSON, kind=st.sampled_from(["MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent", "x"]))
def test_events_of_any_shape(tmp_path_factory, value, kind):
    """The same for conversations kept as files."""
    talk = test_openhands.Conversation(tmp_path_factory.mktemp("talk"))
    fields = value if isinstance(value, dict) else {"llm_message": value, "action": value, "observation": value}
    talk.event(**{"kind": kind, **{key: each for key, each in fields.items() if key != "kind"}})
    talk.raw(json.dumps(value))
    read("openhands", talk.path)


def _cline(folder: Path) -> Path:
    calls = test_cline.use("c1", "run_commands", commands=["make", "ls"])
    return test_cline.written(folder, test_cline.user("go"), test_cline.agent("hi", calls))


def _mastra(folder: Path) -> Path:
    return test_mastra.lines(folder / "m.jsonl", test_mastra.message("m", "user", "x"), test_mastra.model_call())


def _aider(folder: Path) -> Path:
    return test_aider.history(folder, test_aider.START, "#### go  \n\nx\n\n", test_aider.UNMATCHED, test_aider.PAID)


def _specstory(folder: Path) -> Path:
    return test_specstory.history(folder, test_specstory.user("go"), test_specstory.shell("ls", "a"))


def _sweagent(folder: Path) -> Path:
    return test_sweagent.run(folder, test_sweagent.step("ls", "x"), history=[test_sweagent.message("user", "go")])


@pytest.mark.parametrize(
    ("host", "make"),
    [("cline", _cline), ("mastra", _mastra), ("aider", _aider), ("specstory", _specstory), ("swe-agent", _sweagent)],
)
def test_cut_and_flipped(tmp_path, host, make: Callable[[Path], Path]):
    """A file that ends anywhere, and one with a byte changed anywhere."""
    path = make(tmp_path)
    whole = path.read_bytes()
    rng = random.Random(11)
    for end in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:end])
        read(host, path)
    for _ in range(60):
        body = bytearray(whole)
        body[rng.randrange(len(body))] = rng.randrange(256)
        path.write_bytes(bytes(body))
        read(host, path)
