"""The hooks of every host but Claude Code: what they say, what they are answered, what is captured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from learnt.hosts.dialects import MOMENTS, kebab
from learnt.interfaces.hook.stub import OTHERWISE, command_line, write_stub
from learnt.interfaces.hook.trace import place_of
from tests.hook.test_guidance import consolidated, guided
from tests.hook.test_process import HEAVY

if TYPE_CHECKING:
    from tests.hook.conftest import Machine

SHARED = Path(os.environ.get("LEARNT_SHARED") or Path(__file__).parents[3] / "shared") / "reference/samples/hooks"
FACT = "Run `cargo nextest run --workspace` for the tests of the workspace."
LESSON = "`npm test -- --watch` hangs here; use `npm run test:ci`."
ASK = "how do I run the cargo tests of the workspace?"
SHELL = "npm test -- --watch"


def run(machine: Machine, host: str, event: str, payload: object, **variables: str) -> Any:
    """What a host's hook answers; None for nothing. The rules that hold for all are checked."""
    done = subprocess.run(
        ["/bin/sh", "-c", command_line(sys.executable, str(machine.home), event, host).removesuffix(OTHERWISE)],
        input=payload if isinstance(payload, bytes) else json.dumps(payload).encode(),
        capture_output=True,
        cwd=machine.project,
        env={**os.environ, **machine.environment, **variables},
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout) if done.stdout else None


def nested(name: str) -> Any:
    """Reads an answer in the shape of Claude Code, strictly."""

    def read(answer: dict[str, Any]) -> str:
        assert list(answer) == ["hookSpecificOutput"]
        inner = answer["hookSpecificOutput"]
        assert set(inner) == {"hookEventName", "additionalContext"}
        assert inner["hookEventName"] == name
        return str(inner["additionalContext"])

    return read


def alone(key: str) -> Any:
    """Reads an answer of one member."""

    def read(answer: dict[str, Any]) -> str:
        assert set(answer) - {"cancel"} == {key}
        assert answer.get("cancel", False) is False
        return str(answer[key])

    return read


def cline(body: str, content: object) -> dict[str, Any]:
    """What Cline says at an event."""
    return {
        "taskId": "conv_1",
        "sessionContext": {"rootSessionId": "17959_t6"},
        "workspaceRoots": ["PROJECT"],
        "workspaceInfo": {"rootPath": "PROJECT"},
        "agent_id": "agent_1",
        "parent_agent_id": None,
        body: content,
    }


OPENCODE = {"cwd": "PROJECT", "input": {"sessionID": "ses_1"}}
PI = {"cwd": "PROJECT", "session_id": "p1"}
COPILOT = {"sessionId": "c1", "timestamp": 1, "cwd": "PROJECT"}
SNAKE = {"session_id": "s1", "cwd": "PROJECT"}
HANDS = {"session_id": "s1", "working_dir": "PROJECT"}

STARTS = [
    ("codex", "session-start", SNAKE | {"source": "startup", "transcript_path": None}, nested("SessionStart")),
    ("gemini-cli", "session-start", SNAKE | {"source": "startup"}, nested("SessionStart")),
    ("copilot-cli", "session-start", COPILOT | {"source": "new"}, alone("additionalContext")),
    (
        "cursor",
        "session-start",
        {"conversation_id": "k1", "workspace_roots": ["PROJECT"]},
        alone("additional_context"),
    ),
    ("openhands", "session-start", HANDS | {"event_type": "SessionStart"}, alone("additionalContext")),
    ("opencode", "session-created", OPENCODE | {"source": "startup"}, alone("additionalContext")),
    ("pi", "session-start", PI | {"source": "startup"}, alone("additionalContext")),
    ("oh-my-pi", "session-start", PI | {"source": "new"}, alone("additionalContext")),
]
PROMPTS = [
    ("codex", "user-prompt-submit", SNAKE | {"prompt": ASK}, nested("UserPromptSubmit")),
    (
        "gemini-cli",
        "before-agent",
        SNAKE | {"prompt": f"<hook_context>x</hook_context>\n\n{ASK}"},
        nested("BeforeAgent"),
    ),
    ("copilot-cli", "user-prompt-submitted", COPILOT | {"prompt": ASK}, alone("additionalContext")),
    (
        "cline",
        "user-prompt-submit",
        cline("userPromptSubmit", {"prompt": f'<user_input mode="act">{ASK}</user_input>'}),
        alone("contextModification"),
    ),
    ("openhands", "user-prompt-submit", HANDS | {"message": ASK}, alone("additionalContext")),
    (
        "opencode",
        "chat-message",
        OPENCODE | {"output": {"parts": [{"type": "text", "text": ASK}]}},
        alone("additionalContext"),
    ),
    ("pi", "before-agent-start", PI | {"prompt": ASK}, alone("additionalContext")),
    ("oh-my-pi", "before_agent_start", PI | {"prompt": ASK}, alone("additionalContext")),
]
ACTIONS = [
    ("codex", "pre-tool-use", SNAKE | {"tool_name": "Bash", "tool_input": {"command": SHELL}}, nested("PreToolUse")),
    (
        "gemini-cli",
        "after-tool",
        SNAKE | {"tool_name": "run_shell_command", "tool_input": {"command": SHELL}},
        nested("AfterTool"),
    ),
    (
        "copilot-cli",
        "post-tool-use",
        COPILOT | {"toolName": "bash", "toolArgs": {"command": SHELL}},
        alone("additionalContext"),
    ),
    (
        "copilot-cli",
        "postToolUse",
        COPILOT
        | {"toolCalls": [{"name": "view", "args": {}}, {"name": "bash", "args": json.dumps({"command": SHELL})}]},
        alone("additionalContext"),
    ),
    (
        "cursor",
        "post-tool-use",
        {
            "conversation_id": "k",
            "workspace_roots": ["PROJECT"],
            "tool_name": "Shell",
            "tool_input": {"command": SHELL},
        },
        alone("additional_context"),
    ),
    (
        "cline",
        "pre-tool-use",
        cline("preToolUse", {"toolName": "run_commands", "parameters": {"commands": json.dumps(["ls", SHELL])}}),
        alone("contextModification"),
    ),
    (
        "opencode",
        "tool.execute.after",
        {"cwd": "PROJECT", "input": {"sessionID": "s", "tool": "bash", "args": {"command": SHELL}}},
        alone("additionalContext"),
    ),
    ("pi", "tool-result", PI | {"toolName": "bash", "input": {"command": SHELL}}, alone("additionalContext")),
]


def at(machine: Machine, payload: dict[str, Any]) -> dict[str, Any]:
    """A payload with the project's folder in it."""
    filled = json.loads(json.dumps(payload).replace('"PROJECT"', json.dumps(str(machine.project))))
    assert isinstance(filled, dict)
    return filled


@pytest.mark.parametrize(("host", "event", "payload", "read"), STARTS, ids=[each[0] for each in STARTS])
def test_start(machine: Machine, host: str, event: str, payload: dict[str, Any], read: Any) -> None:
    """A starting session is given what is known, in the host's own shape; taken up again where it lost that."""
    machine.keep(FACT, kind="repo_convention")
    assert FACT in read(run(machine, host, event, at(machine, payload)))
    again = run(machine, host, event, at(machine, payload | {"source": "resume"}))
    assert (again is None) == (host not in ("gemini-cli", "copilot-cli"))  # those lose what hooks gave


@pytest.mark.parametrize(("host", "event", "payload", "read"), PROMPTS, ids=[each[0] for each in PROMPTS])
def test_prompt(machine: Machine, host: str, event: str, payload: dict[str, Any], read: Any) -> None:
    """A prompt is given what matches it, in the host's own shape, and once."""
    machine.keep(FACT, kind="repo_convention")
    machine.keep("The billing export runs nightly at two.", kind="scratch")
    text = read(run(machine, host, event, at(machine, payload)))
    assert FACT in text
    assert "billing" not in text
    assert run(machine, host, event, at(machine, payload)) is None


@pytest.mark.parametrize(("host", "event", "payload", "read"), ACTIONS, ids=[f"{e[0]}-{e[1]}" for e in ACTIONS])
def test_action(machine: Machine, host: str, event: str, payload: dict[str, Any], read: Any) -> None:
    """A command that failed before is told of, where the host takes context with a tool."""
    machine.keep(LESSON, kind="failure_pattern")
    assert LESSON in read(run(machine, host, event, at(machine, payload)))
    assert run(machine, host, event, at(machine, payload)) is None


@pytest.mark.parametrize(
    ("host", "event", "tool", "given"),
    [
        (
            "codex",
            "pre-tool-use",
            "apply_patch",
            {"command": "*** Begin Patch\n*** Update File: src/lease.py\n@@\n+x\n"},
        ),
        ("gemini-cli", "after-tool", "replace", {"file_path": "src/lease.py", "new_string": "b"}),
        ("gemini-cli", "after-tool", "write_file", {"file_path": "src/lease.py", "content": "b"}),
        ("copilot-cli", "post-tool-use", "edit", {"path": "src/lease.py", "new_str": "b"}),
        ("copilot-cli", "post-tool-use", "str_replace_editor", {"command": "create", "path": "src/lease.py"}),
        ("opencode", "tool-execute-after", "edit", {"filePath": "src/lease.py", "newString": "b"}),
        ("pi", "tool-result", "write", {"path": "src/lease.py", "content": "b"}),
        ("cursor", "post-tool-use", "Write", {"file_path": "src/lease.py", "content": "b"}),
        ("cline", "pre-tool-use", "editor", {"path": "src/lease.py", "new_text": "b"}),
    ],
)
def test_write(machine: Machine, host: str, event: str, tool: str, given: dict[str, str]) -> None:
    """A file that is about to be written, or was, is recognised in every host's words."""
    lesson = "src/lease.py: the lock is not re-entrant."
    machine.keep(lesson, kind="failure_pattern", files=("src/lease.py",))
    payload = {"session_id": "s", "cwd": str(machine.project), "tool_name": tool, "tool_input": given}
    assert lesson in json.dumps(run(machine, host, event, payload))


@pytest.mark.parametrize(
    ("host", "event", "payload"),
    [
        ("copilot-cli", "user-prompt-submitted", COPILOT | {"prompt": ASK, "agentId": "a1", "agentType": "general"}),
        ("codex", "user-prompt-submit", SNAKE | {"prompt": ASK, "agent_id": "a1"}),
        ("codex", "user-prompt-submit", SNAKE | {"prompt": f"# AGENTS.md instructions for /x\n\n{ASK}"}),
        ("codex", "user-prompt-submit", SNAKE | {"prompt": f"<environment_context>{ASK}</environment_context>"}),
        ("cline", "user-prompt-submit", cline("userPromptSubmit", {"prompt": ASK}) | {"parent_agent_id": "agent_0"}),
        (
            "opencode",
            "chat-message",
            OPENCODE | {"output": {"parts": [{"type": "text", "text": ASK, "synthetic": True}]}},
        ),
        (
            "opencode",
            "session-created",
            {"properties": {"info": {"id": "s2", "parentID": "s1", "directory": "PROJECT"}}},
        ),
        ("gemini-cli", "before-tool", SNAKE | {"tool_name": "run_shell_command", "tool_input": {"command": SHELL}}),
        ("copilot-cli", "pre-tool-use", COPILOT | {"toolName": "bash", "toolArgs": {"command": SHELL}}),
        ("roo", "session-start", SNAKE),
        ("nobody", "session-start", SNAKE),
    ],
)
def test_silent(machine: Machine, host: str, event: str, payload: dict[str, Any]) -> None:
    """Prompts of machines and sub-agents, events whose answer no model reads, and hosts without hooks get nothing."""
    machine.keep(FACT, kind="repo_convention")
    machine.keep(LESSON, kind="failure_pattern")
    assert run(machine, host, event, at(machine, payload)) is None


@pytest.mark.parametrize("at_first", ["prompt", "action"])
def test_first_event_brings_the_start(machine: Machine, at_first: str) -> None:
    """Where no model reads what a start is answered, the first event of a session brings it, once, and no other's."""
    machine.keep(FACT, kind="repo_convention")
    machine.keep(LESSON, kind="failure_pattern")
    prompt = at(machine, cline("userPromptSubmit", {"prompt": "hello there, what is next?"}))
    action = at(machine, cline("preToolUse", {"toolName": "list_files", "parameters": {}}))
    first = ("user-prompt-submit", prompt) if at_first == "prompt" else ("pre-tool-use", action)
    sub_agent = first[1] | {"agent_id": "agent_2", "parent_agent_id": "agent_1"}
    assert run(machine, "cline", first[0], sub_agent) is None
    text = alone("contextModification")(run(machine, "cline", *first))
    assert FACT in text
    assert LESSON in text
    assert run(machine, "cline", *first) is None
    warned = at(machine, cline("preToolUse", {"toolName": "run_commands", "parameters": {"commands": [SHELL]}}))
    assert LESSON in alone("contextModification")(run(machine, "cline", "pre-tool-use", warned))


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_sub_agent_start(machine: Machine, host: str) -> None:
    """A sub-agent is given the standing rules, once, where its host takes context at its start."""
    machine.keep(FACT, kind="repo_convention")
    machine.keep(LESSON, kind="failure_pattern")
    payload = at(machine, SNAKE | {"agent_id": "a1", "agent_type": "x", "hook_event_name": "SubagentStart"})
    text = nested("SubagentStart")(run(machine, host, "subagent-start", payload))
    assert FACT in text
    assert "npm" not in text


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_session_of_a_sub_agent_is_told_no_summary(machine: Machine, host: str) -> None:
    """Where its start comes as a session's, it is a sub-agent's all the same (T137)."""
    machine.keep(LESSON, kind="failure_pattern")
    payload = at(machine, SNAKE | {"source": "startup"})
    assert "npm" in json.dumps(run(machine, host, "session-start", payload))
    assert run(machine, host, "session-start", payload | {"session_id": "other", "agent_id": "a1"}) is None


def test_compaction_begins_a_context(machine: Machine) -> None:
    """What was given before a compaction may be given again after it, where the host tells of one."""
    machine.keep(FACT, kind="repo_convention")
    asked = at(machine, SNAKE | {"prompt": ASK})
    assert FACT in json.dumps(run(machine, "gemini-cli", "before-agent", asked))
    assert run(machine, "gemini-cli", "before-agent", asked) is None
    assert run(machine, "gemini-cli", "pre-compress", at(machine, SNAKE | {"trigger": "auto"})) is None
    assert run(machine, "gemini-cli", "before-agent", asked) is None  # told before each request, compressed or not
    assert run(machine, "gemini-cli", "pre-compress", at(machine, SNAKE | {"trigger": "manual"})) is None
    assert FACT in json.dumps(run(machine, "gemini-cli", "before-agent", asked))


@pytest.mark.parametrize("letter", ["x", "字", "ж"])
def test_codex_is_given_what_it_shows(machine: Machine, letter: str) -> None:
    """What Codex is given at a start stays within what it shows, of which it takes four bytes for a token."""
    for number in range(60):
        machine.keep(f"Fact {number}: " + letter * 250, kind="repo_convention")
    payload = at(machine, SNAKE | {"source": "startup"})
    text = nested("SessionStart")(run(machine, "codex", "session-start", payload))
    assert 1_000 < len(text) <= 6_666
    assert 6_000 < len(text.encode()) <= 4 * 2_500


def test_codex_keeps_the_bytes_of_a_summary_that_was_cut(machine: Machine) -> None:
    """A summary in another script is given as far as Codex shows it, and after a compaction the same bytes again."""
    known = [machine.keep(f"{number} " + "字" * 90, kind="repo_convention") for number in range(60)]
    consolidated(machine, *(f"- {number} {'字' * 90} [{name}] (person)" for number, name in enumerate(known)))
    payload = at(machine, SNAKE | {"source": "startup"})
    first = nested("SessionStart")(run(machine, "codex", "session-start", payload))
    again = nested("SessionStart")(run(machine, "codex", "session-start", payload | {"source": "compact"}))
    assert 6_000 < len(first.encode()) <= 4 * 2_500
    assert len(again.encode()) <= 4 * 2_500
    assert guided(first) == guided(again) != ""


def test_own_children_are_ignored(machine: Machine) -> None:
    """A client that learnt itself runs fires no hooks of learnt."""
    machine.keep(FACT, kind="repo_convention")
    payload = at(machine, SNAKE | {"source": "startup"})
    assert run(machine, "codex", "session-start", payload, LEARNT_CHILD="1") is None


@pytest.mark.parametrize(("host", "event", "payload"), [(*each[:2], each[2]) for each in (*PROMPTS, *ACTIONS)])
def test_imports(machine: Machine, host: str, event: str, payload: dict[str, Any]) -> None:
    """A firing of any host that shows something loads none of the modules that cost a start."""
    machine.keep(FACT, kind="repo_convention")
    machine.keep(LESSON, kind="failure_pattern")
    listing = machine.home / "modules"
    noted = f"open({str(listing)!r}, 'w').write(' '.join(sys.modules)); os._exit(0)"
    write_stub(str(machine.home), (machine.home / "hook.py").read_text().replace("os._exit(0)", noted))
    assert run(machine, host, event, at(machine, payload)) is not None
    assert set(listing.read_text().split()) & set(HEAVY.split()) == set()


ODD = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"cwd": 3, "input": "x", "toolCalls": "[{", "properties": []}',
    b'{"a": "\\u0000", "prompt": [1], "tool_input": "{"}',
    b"\xff\xfe{}",
]


@pytest.mark.parametrize("host", sorted(MOMENTS))
def test_any_input(machine: Machine, host: str) -> None:
    """Whatever comes, the answer is nothing or one object, and the status 0."""
    events = [*MOMENTS[host], "nonsense"]
    for number in range(max(len(events), len(ODD))):  # each event and each input
        event, text = events[number % len(events)], ODD[number % len(ODD)]
        line = command_line(sys.executable, str(machine.home), event, host).removesuffix(OTHERWISE)
        done = subprocess.run(["/bin/sh", "-c", line], input=text, capture_output=True, check=False)
        assert done.returncode == 0
        assert not done.stdout or isinstance(json.loads(done.stdout), dict)
        assert b"Traceback" not in done.stderr


def recorded() -> list[Path]:
    """Payloads that the real clients sent."""
    return sorted(SHARED.glob("*/*.json")) if SHARED.is_dir() else []


@pytest.mark.skipif(not recorded(), reason="the recorded payloads are not here")
@pytest.mark.parametrize("host", sorted({path.parent.name for path in recorded()}))
def test_recorded(machine: Machine, host: str) -> None:
    """Every payload recorded from the real client is taken, and answered with nothing or one object."""
    for path in recorded():
        if path.parent.name == host:
            event = kebab(path.stem.partition("-")[0] if host != "opencode" else path.stem.removeprefix("event-"))
            answer = run(machine, host, event, path.read_bytes())
            assert answer is None or isinstance(answer, dict), path


def test_places(tmp_path: Path) -> None:
    """Sessions are found by their ids where a host names no path."""
    home = {"HOME": str(tmp_path)}
    day = tmp_path / ".codex/sessions/2026/11/29"
    made = [
        day / "rollout-2026-11-29T19-36-09-01a2-b.jsonl",
        tmp_path / ".copilot/session-state/c1/events.jsonl",
        tmp_path / ".local/share/opencode/storage/session/p/ses_1.json",
        tmp_path / ".cline/data/sessions/179_x/179_x.json",
        tmp_path / ".cursor/projects/a-b/agent-transcripts/k1/k1.jsonl",
        tmp_path / ".openhands/conversations/abc/base_state.json",
    ]
    for path in made:
        path.parent.mkdir(parents=True)
        path.touch()
    assert place_of("codex", "01a2-b", home) == str(made[0])
    assert place_of("copilot-cli", "c1", home) == str(made[1])
    assert place_of("opencode", "ses_1", home) == str(made[2])
    assert place_of("cline", "179_x", home) == str(made[3])
    assert place_of("cursor", "k1", home) == str(made[4])
    assert place_of("openhands", "a-bc", home) == str(made[5].parent)
    database = tmp_path / ".local/share/opencode/opencode.db"
    database.touch()
    assert place_of("opencode", "ses_1", home) == f"{database}#ses_1"
    moved = home | {"CODEX_HOME": str(tmp_path / "elsewhere")}
    for session in ("01a2-b", "", "../x", "a/b", "x" * 200):
        assert place_of("codex", session, moved) == ""
    assert place_of("mastra", "c1", home) == ""


@pytest.mark.parametrize(
    ("event", "word"),
    [
        ("beforeAgent", "before-agent"),
        ("BeforeAgent", "before-agent"),
        ("before_agent", "before-agent"),
        ("chat.message", "chat-message"),
        ("session-idle", "session-idle"),
        ("tool.execute.after", "tool-execute-after"),
    ],
)
def test_kebab(event: str, word: str) -> None:
    """An event is known in every spelling."""
    assert kebab(event) == word
