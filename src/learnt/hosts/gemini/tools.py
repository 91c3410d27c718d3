"""What the tools of Gemini CLI do, and how a call of one ended.

A command that failed is a success to the client: only a line `Exit Code: N` behind its output tells, before what else
the client adds there. An exit code anywhere else in an output is text.
"""

from __future__ import annotations

import html
import re
from typing import Any, Final

from learnt.hosts.reading import tools
from learnt.hosts.reading.moment import End
from learnt.hosts.reading.toolbox import Toolbox
from learnt.hosts.reading.value import blocks, fields, text

TOOLS: Final = Toolbox(
    actions={
        "run_shell_command": "shell",
        "replace": "write",
        "edit": "write",
        "write_file": "write",
        "read_file": "read",
        "read_many_files": "read",
        "invoke_agent": "agent",
        "delegate_to_agent": "agent",
        "codebase_investigator": "agent",
    },
    paths=("file_path", "absolute_path", "path"),
    texts=("new_string", "content"),
    roles=("agent_name",),
)
_HOOK = re.compile(r"\n*<hook_context>(.*?)(?:</hook_context>|\Z)", re.DOTALL)
_WRAPPER = re.compile(r"\A<untrusted_context>\n?(.*?)\n?(?:</untrusted_context>\s*)?\Z", re.DOTALL)
_BEHIND = re.compile(
    r"\n(?:Error: \(none\)|Signal: [^\n]*|Background PIDs: [^\n]*|Process Group PGID: [^\n]*|Exit Code: \(none\))\Z"
)
_CODE = re.compile(r"(?:\A|\n)Exit Code: (-?\d{1,10})\Z")
_OUTPUT = re.compile(r"\A(?:Command: [^\n]*\nDirectory: [^\n]*\n)?(?:Output|Stdout): ")
_STOPPED: Final = ("Command was cancelled by user", "[Operation Cancelled]", "User cancelled", "User denied")
_TIMED_OUT: Final = ("automatically cancelled because it exceeded the timeout", "Command timed out")
_TRAILING_LINES: Final = 8
_LOOKED_AT_CHARS: Final = 400


def parted(told: str) -> tuple[str, tuple[str, ...]]:
    """A text without what hooks put into it, and that; the client escapes it there."""
    if "<hook_context>" not in told:
        return told, ()
    return _HOOK.sub("", told), tuple(html.unescape(context) for context in _HOOK.findall(told))


def end_of(call: dict[str, Any], *, shell: bool) -> End | None:
    """How a call ended; None while it goes on."""
    status = text(call, "status")
    if status == "cancelled":
        return End(text=parted(output_of(call)[0])[0], failure="aborted")
    if status not in ("success", "error"):
        return None
    output, error = output_of(call)
    return ending(output, failed=status == "error" or error, shell=shell)


def ending(output: str, *, failed: bool, shell: bool) -> End:
    """How a call ended, by its output and whether it is marked as an error."""
    output, _ = parted(output)
    found = _WRAPPER.match(output) if output.startswith("<untrusted_context>") else None
    output = found[1] if found else output
    if any(mark in output[:_LOOKED_AT_CHARS] for mark in _STOPPED) and (failed or shell):
        return End(text=output, failure="aborted")
    if not shell:
        return End(text=output, failure="error" if failed else "")
    body, code = _shell(output)
    if not failed and not code:
        late = any(mark in output[:_LOOKED_AT_CHARS] for mark in _TIMED_OUT)
        return End(text=body, failure="timeout" if late else "", exit_code=code)
    late = any(mark in output[:_LOOKED_AT_CHARS] for mark in _TIMED_OUT)
    return End(text=body, failure="timeout" if late else "exit", exit_code=code)


def _shell(output: str) -> tuple[str, int | None]:
    """A command's own output, and its exit code where the client gives one."""
    body = output.rstrip("\n")
    for _ in range(_TRAILING_LINES):
        start = max(0, len(body) - _LOOKED_AT_CHARS)
        if (code := _CODE.search(body, start)) is not None:
            return _OUTPUT.sub("", body[: code.start()]), int(code[1])
        behind = _BEHIND.search(body, start)
        if behind is None:
            break
        body = body[: behind.start()]
    return _OUTPUT.sub("", body), None


def output_of(call: dict[str, Any]) -> tuple[str, bool]:
    """The text of a call's result, and whether the tool gave it as an error."""
    result = call.get("result")
    if isinstance(result, list):
        told = [response_text(part) for part in result if isinstance(part, dict)]
        output, error = "\n".join(part for part, _ in told if part), any(failed for _, failed in told)
        if output:
            return output, error
    if isinstance(result, str) and result:
        return result, False
    return text(call, "resultDisplay"), False


def response_text(part: dict[str, Any]) -> tuple[str, bool]:
    """The text of one part of a result, and whether it is an error."""
    response = fields(fields(part.get("functionResponse")).get("response"))
    if response.get("error"):
        error = response["error"]
        return error if isinstance(error, str) else text(fields(error), "message"), True
    output = response.get("output")
    return output if isinstance(output, str) else tools.flat(output) or text(part, "text"), False


def answers(content: Any) -> list[dict[str, Any]]:
    """The parts of a message that are results of tools."""
    return [part for part in blocks(content) if isinstance(part.get("functionResponse"), dict)]
