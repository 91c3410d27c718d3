"""What the tools of Claude Code do, what a call of one aims at, and how its answer ends.

Names of every generation of the client are here: `Task` became `Agent`, `MultiEdit` went, `NotebookEdit` names its
file otherwise.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.words import exit_code, stopped, timed_out
from learnt.model.lookup import source_type

if TYPE_CHECKING:
    from learnt.model.session import ActionType, FailureType

HEAD_CHARS: Final = 1_500
"""Of a call's input, and of each end of a successful output. Source: the evidence rule of capture."""
WRITTEN_CHARS: Final = 20_000
FAILED_CHARS: Final = 16_000
"""Of each end of a failed call's output, which is kept verbatim."""

_ACTIONS: Final[dict[str, ActionType]] = {
    "Bash": "shell",
    "PowerShell": "shell",
    "Edit": "write",
    "Write": "write",
    "MultiEdit": "write",
    "NotebookEdit": "write",
    "Read": "read",
    "NotebookRead": "read",
    "Task": "agent",
    "Agent": "agent",
}
_KEPT_CHARS: Final[dict[ActionType, int]] = {"agent": 32_000, "lookup": 8_000}
"""Of each end of an output that is more than a sign of success: what a sub-agent found, what a page says."""
NAME_CHARS: Final = 500
_PATH_KEYS: Final = ("file_path", "notebook_path", "path")
_QUERY_KEYS: Final = ("query", "q", "question", "topic", "libraryName", "search_query", "prompt")
_URL_KEYS: Final = ("url", "uri", "source_url", "repoName", "context7CompatibleLibraryID", "libraryId")
_GAP = re.compile(r"\[\.\.\. (\d{1,12}) bytes left out \.\.\.\]")
_TEXT_KEYS: Final = ("content", "new_string", "new_source")


def action(tool: str) -> ActionType:
    """What sort of tool it is."""
    return _ACTIONS.get(tool) or ("lookup" if source_type(tool) else "other")


def kept_chars(kind: ActionType | None) -> int:
    """Of each end of a successful output."""
    return _KEPT_CHARS.get(kind or "other", HEAD_CHARS)


def role(tool: str, given: dict[str, Any]) -> str:
    """Which sort of sub-agent a call starts; "" for any other call."""
    named = given.get("subagent_type") if action(tool) == "agent" else None
    return named[:NAME_CHARS].strip() if isinstance(named, str) else ""


def asked(tool: str, given: dict[str, Any]) -> tuple[str, str]:
    """What a lookup asks for, and the address it reads."""
    if action(tool) != "lookup":
        return "", ""
    return _first(given, _QUERY_KEYS), _first(given, _URL_KEYS)


def _first(given: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((value[:NAME_CHARS] for key in keys if isinstance(value := given.get(key), str) and value), "")


def target(tool: str, given: dict[str, Any]) -> str | None:
    """The command of a shell call, else the file the input names, else None."""
    keys = ("command",) if action(tool) == "shell" else _PATH_KEYS
    return next((value for key in keys if isinstance(value := given.get(key), str)), None)


def head(tool: str, given: dict[str, Any]) -> str:
    """The first 1,500 characters of an input as text."""
    if action(tool) == "shell" and isinstance(given.get("command"), str):
        return str(given["command"])[:HEAD_CHARS]
    short = {key: value[:HEAD_CHARS] if isinstance(value, str) else value for key, value in given.items()}
    return json.dumps(short, ensure_ascii=False)[:HEAD_CHARS]


def written(tool: str, given: dict[str, Any]) -> str:
    """The new text of a write, bounded; "" for anything else."""
    if action(tool) != "write":
        return ""
    edits = given.get("edits")
    parts = [given, *(edit for edit in edits if isinstance(edit, dict))] if isinstance(edits, list) else [given]
    texts = (value for part in parts for key in _TEXT_KEYS if isinstance(value := part.get(key), str))
    return "\n".join(texts)[:WRITTEN_CHARS]


def failure(kind: ActionType | None, output: str, *, marked: bool, interrupted: bool) -> tuple[FailureType, int | None]:
    """How a call ended, and the exit code of a command.

    Only the tool's own format counts: the error mark, or `Exit code N` as the whole first line of a shell's output.
    An exit code anywhere else in an output is text.

    Args:
        kind: None when the call itself was not seen (a reading that began in the middle of a session).
        marked: The client set `is_error`.
        interrupted: The client says that the person stopped it.
    """
    if interrupted or (marked and stopped(output)):
        return "aborted", None
    code = exit_code(output) if kind in ("shell", None) else None
    shell = kind == "shell" or (kind is None and marked and code is not None)
    if not shell:
        return ("error" if marked else ""), None
    if not marked and not code:
        return "", code
    return ("timeout" if timed_out(output) else "exit"), code


def flat(content: Any) -> str:
    """The text of a tool's answer: a string, or blocks of which images become a placeholder."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(part for block in content if isinstance(block, dict) and (part := block_text(block)))


def block_text(block: dict[str, Any]) -> str:
    """A content block as text; "" for one that has none."""
    text = block.get("text")
    if isinstance(text, str):
        return text
    source = block.get("source")
    if block.get("type") not in ("image", "document") or not isinstance(source, dict):
        return ""
    return f"[{block['type']} {source.get('media_type', 'of unknown type')}, {_decoded_size(source.get('data'))} bytes]"


def _decoded_size(encoded: Any) -> int:
    """Bytes of what a base64 text stands for, also where its middle was left out."""
    if not isinstance(encoded, str):
        return 0
    gap = _GAP.search(encoded)
    size = len(encoded) - len(gap.group()) + int(gap.group(1)) if gap else len(encoded)
    return size * 3 // 4


def bounded(text: str, chars: int) -> str:
    """`text`, or its first and last `chars` with a mark between."""
    left_out = len(text) - 2 * chars
    return text if left_out <= 0 else f"{text[:chars]}\n[... {left_out} characters left out ...]\n{text[-chars:]}"
