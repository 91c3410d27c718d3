"""What the hooks of all hosts but Claude Code say and expect, in tables. Hook-safe, and loaded for those hosts only.

Source: payloads recorded from the real clients (Codex 0.171, Gemini CLI 0.61, Copilot CLI 1.0.102, opencode 1.18,
pi 1.6, Cline CLI 3.0), and for Cursor and OpenHands their documentation and source.
"""

from __future__ import annotations

from learnt.hosts.dialect import machine_made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Inside = Callable[[str], Mapping[str, str]]
    """The members of a JSON object or list, containers as JSON text; {} of anything else."""

_START, _PROMPT, _ACTION, _END = "session-start", "user-prompt-submit", "pre-tool-use", "session-end"
_AGENT, _TURN, _COMPACT = "subagent-start", "turn-end", "pre-compact"

_PI = {
    "session-start": _START,
    "before-agent-start": _PROMPT,
    "tool-result": _ACTION,
    "session-shutdown": _END,
}
MOMENTS: dict[str, dict[str, str]] = {
    "codex": {
        "session-start": _START,
        "user-prompt-submit": _PROMPT,
        "pre-tool-use": _ACTION,
        "subagent-start": _AGENT,
        "session-end": _END,
        "stop": _TURN,
        "notify": _TURN,
    },
    "gemini-cli": {
        "session-start": _START,
        "before-agent": _PROMPT,
        "after-tool": _ACTION,
        "pre-compress": _COMPACT,
        "session-end": _END,
        "after-agent": _TURN,
    },
    "copilot-cli": {
        "session-start": _START,
        "user-prompt-submitted": _PROMPT,
        "post-tool-use": _ACTION,
        "pre-compact": _COMPACT,
        "session-end": _END,
        "agent-stop": _TURN,
    },
    "cursor": {
        "session-start": _START,
        "post-tool-use": _ACTION,
        "pre-compact": _COMPACT,
        "session-end": _END,
        "stop": _TURN,
    },
    "cline": {
        "task-start": _START,
        "task-resume": _START,
        "pre-tool-use": _ACTION,
        "user-prompt-submit": _PROMPT,
        "pre-compact": _COMPACT,
        "task-complete": _END,
        "session-shutdown": _END,
    },
    "openhands": {
        "session-start": _START,
        "user-prompt-submit": _PROMPT,
        "session-end": _END,
        "stop": _TURN,
    },
    "opencode": {
        "session-created": _START,
        "chat-message": _PROMPT,
        "tool-execute-after": _ACTION,
        "session-idle": _TURN,
        "session-deleted": _TURN,
        "dispose": _END,
    },
    "pi": _PI,
    "oh-my-pi": _PI,
}
"""Host -> its event in kebab case -> the moment it is for us, in the words of Claude Code's events.

An event whose answer cannot reach the model is not here: where the host takes context with a tool's result only, that
is the moment of an action.
"""

_UNOPENED = {"cline": frozenset((_PROMPT, _ACTION)), "openhands": frozenset((_PROMPT,))}
"""Hosts of whose start the model reads nothing, and the events that bring it, the first of a session. `learnt init`
does not wire their start; who does gets it there."""

_NAMED = {
    "codex": {
        _START: "SessionStart",
        _PROMPT: "UserPromptSubmit",
        _ACTION: "PreToolUse",
        _AGENT: "SubagentStart",
    },
    "gemini-cli": {_START: "SessionStart", _PROMPT: "BeforeAgent", _ACTION: "AfterTool"},
}
_PLAIN = {"cursor": "additional_context", "cline": "contextModification"}

_ALSO: dict[str, dict[str, tuple[str, ...]]] = {
    "copilot-cli": {
        "session_id": ("sessionId",),
        "agent_id": ("agentId",),
        "transcript_path": ("transcriptPath",),
        "tool_name": ("toolName",),
        "tool_input": ("toolArgs",),
    },
    "codex": {"session_id": ("thread-id",)},
    "cursor": {"session_id": ("conversation_id",), "cwd": ("workspace_roots.0",)},
    "cline": {
        "session_id": ("sessionContext.rootSessionId", "taskId"),
        "cwd": ("workspaceInfo.rootPath", "workspaceRoots.0"),
        "tool_name": ("preToolUse.toolName", "tool_call.name"),
        "tool_input": ("preToolUse.parameters", "tool_call.input"),
        "prompt": ("userPromptSubmit.prompt",),
    },
    "openhands": {"cwd": ("working_dir",), "prompt": ("message",)},
    "opencode": {
        "session_id": ("input.sessionID", "properties.sessionID", "properties.info.id"),
        "cwd": ("directory", "properties.info.directory"),
        "agent_id": ("properties.info.parentID",),
        "tool_name": ("input.tool",),
        "tool_input": ("input.args", "output.args"),
    },
    "pi": {"session_id": ("id",), "transcript_path": ("file",), "tool_name": ("toolName",), "tool_input": ("input",)},
}
_ALSO["oh-my-pi"] = _ALSO["pi"]
"""Where a host says what Claude Code says under a name of its own; a dot goes into an object, a number into a list."""

_FIELDS = ("session_id", "agent_id", "transcript_path", "cwd", "prompt", "source", "trigger", "tool_name", "tool_input")

_MACHINE = (
    "# AGENTS.md instructions for",
    "<environment_context>",
    "<environment_details>",
    "<user_instructions>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<skill>",
    "<session_context>",
    "<state_snapshot>",
)
_AROUND = ("hook_context", "environment_details", "session_context")
"""Elements a client puts before or behind what the person typed."""

_WRAPPERS = ("user_input", "user_query", "task", "feedback")
"""Elements a client puts around it."""

_SOURCES = {"new": "startup", "create": "startup", "reload": "resume", "again": "resume"}
_FORGETFUL = frozenset(("gemini-cli", "copilot-cli"))
"""Clients that do not put back what hooks gave when a session is taken up again: there that begins a new context.
Source: their requests to a scripted model."""


def moment(host: str, event: str) -> str:
    """Which of our moments a host's event is, in any spelling of it; "" for none."""
    known = MOMENTS.get(host, {})
    return known.get(event) or known.get(kebab(event), "")


def kebab(event: str) -> str:
    """`beforeAgent`, `before_agent` and `before.agent` as `before-agent`."""
    plain = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in event[:60])
    return plain.replace("_", "-").replace(".", "-").strip("-").replace("--", "-")


def answer(host: str, moment: str) -> tuple[str, str]:
    """How context is given to a host: the statement that makes the JSON, and the name it is given under."""
    named = _NAMED.get(host)
    if named is not None:
        return "context_answer", named.get(moment, "")
    name = _PLAIN.get(host, "additionalContext")
    return ("context_uncancelled" if host == "cline" else "context_alone"), name


def opens(host: str, moment: str) -> bool:
    """Whether the first such event of a session also brings what its start would have."""
    return moment in _UNOPENED.get(host, ())


def takes_notices(host: str) -> bool:
    """Whether a hook can say a line to the person."""
    return host in _NAMED


def fields_of(host: str, given: Mapping[str, str], inside: Inside) -> dict[str, str]:
    """A payload in Claude Code's words, the prompt as a person typed it; "" for a prompt no person wrote."""
    also = _ALSO.get(host, {})
    found: dict[str, str] = {}
    for name in _FIELDS:
        values = (_at(given, path, inside) for path in (*also.get(name, ()), name))
        found[name] = next((value for value in values if value), "")
    if host == "opencode":
        found["prompt"] = found["prompt"] or _typed(_at(given, "output.parts", inside), inside)
        found["agent_id"] = found["agent_id"] or given.get("parent", "")
    if host == "cline" and not given.get("parent_agent_id"):
        found["agent_id"] = ""  # there every agent has an id, a person's own too
    source = found["source"]
    found["source"] = "startup" if source == "resume" and host in _FORGETFUL else _SOURCES.get(source, source)
    prompt = unwrapped(found["prompt"])
    found["prompt"] = "" if machine_made(prompt) or prompt.startswith(_MACHINE) else prompt
    return found


def _at(given: Mapping[str, str], path: str, inside: Inside) -> str:
    """What stands at a path; "" for nothing."""
    first, *rest = path.split(".")
    value: str = given.get(first, "")
    for name in rest:
        value = inside(value).get(name, "") if value else ""
    return value


def _typed(parts: str, inside: Inside) -> str:
    """The text of a message's parts that a person wrote, of a list of them."""
    texts = []
    for part in inside(parts).values():
        fields = inside(part)
        if fields.get("type") == "text" and '"synthetic":true' not in part.replace(" ", ""):
            texts.append(fields.get("text", ""))
    return "\n".join(texts)


def unwrapped(prompt: str) -> str:
    """A prompt without what a client put around it."""
    text = prompt.strip()
    for name in _AROUND:
        while text.startswith(f"<{name}>") and f"</{name}>" in text:
            text = text.partition(f"</{name}>")[2].strip()
        if text.endswith(f"</{name}>") and f"<{name}>" in text:
            text = text.rpartition(f"<{name}>")[0].strip()
    for name in _WRAPPERS:
        if text.startswith((f"<{name}>", f"<{name} ")) and text.endswith(f"</{name}>"):
            text = text.partition(">")[2][: -len(name) - 3].strip()
    return text
