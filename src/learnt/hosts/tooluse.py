"""A tool use as SpecStory writes it: which tool, what it aimed at, and what its output says about how it ended.

Inputs are shortened by SpecStory: of an edit only the answer names the file, of a command stands what was run, of other
tools a line of names and values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts import tools
from learnt.hosts.moment import End, Use, from_stamp
from learnt.hosts.words import stopped
from learnt.model.instant import from_epoch, to_epoch

if TYPE_CHECKING:
    from learnt.model.session import ActionType

OPENING: Final = "<tool-use "
CLOSING: Final = "</details></tool-use>"
_TAG: Final = re.compile(r'<tool-use data-tool-type="([^"]{0,40})" data-tool-name="([^"]{0,200})">')
_SORTS: Final[dict[str, ActionType]] = {"shell": "shell", "write": "write", "read": "read"}
_FENCE: Final = re.compile(r"(`{3,})([\w+-]{0,20})")
_NAMED: Final = re.compile(r"(\w{1,40}):? `([^`\n]{1,2000})`")
_PATH: Final = re.compile(r"`([^`\n]{1,1000})`")
_WRITTEN: Final = re.compile(
    r"(?:The file (.{1,1000}?) has been (?:updated|created|overwritten|modified)"
    r"|File created successfully at: (.{1,1000}))"
)
_CODE: Final = re.compile(
    r"(?:Process exited with code|Command exited with code|Exit [Cc]ode:|\[exit code:) ?(-?\d{1,10})"
)
_MARKED: Final = ("<tool_use_error>", "File does not exist.", "Error: ", "EISDIR: ", "ENOENT: ", "MCP error ")
"""How an output begins that is an error of the tool."""
_ANSWER: Final = "**Answer:**"
"""Before what the person answered to a question of the agent."""
_ZONE: Final = re.compile(r"(.{19})(\.\d{1,9})?([+-])(\d\d):?(\d\d)")


def parsed(call_id: str, lines: list[str]) -> tuple[Use, End | None]:
    """The call, and how it ended; None where no output was written down."""
    tag = _TAG.match(lines[0])
    sort, tool = (tag.group(1), tag.group(2)) if tag else ("", "")
    body = [line for line in lines[1:] if not line.startswith(CLOSING)]
    while body and (body[0].startswith("<summary>") or not body[0].strip()):
        body.pop(0)
    action = _SORTS.get(sort) or tools.action(tool)
    asked, given, output = _divided(body, action)
    end = _end(action, output) if output is not None else None
    use = Use(
        call_id=call_id,
        tool=tool,
        action=action,
        target=_target(action, asked, output or ""),
        given=_given(asked),
        text=given,
    )
    return use, end


def _divided(body: list[str], action: ActionType) -> tuple[list[str], str, str | None]:
    """What was asked, the text that was written, and the output: the last fenced text."""
    fences = [number for number, line in enumerate(body) if _FENCE.fullmatch(line)]
    while body and not body[-1].strip():
        body.pop()
    if not fences or not body[-1].startswith("```"):
        answer = next((number for number, line in enumerate(body) if line.startswith(_ANSWER)), None)
        if answer is None:
            return body, "", None
        return body[:answer], "", "\n".join(body[answer:]).removeprefix(_ANSWER).strip()
    begin = fences[0]
    if action in ("write", "shell") and _language(body[begin]) not in ("", "text"):
        later = [number for number in fences if number > begin and _language(body[number]) == "text"]
        close = later[-1] if later else len(body)
        written = "\n".join(body[begin + 1 : close]).rstrip().removesuffix("```").rstrip("\n").replace("\\```", "```")
        if not later:
            return body[:begin], written, None
        if action == "shell":
            return [*body[:begin], f"`{written}`"], "", "\n".join(body[close + 1 : -1])
        return body[:begin], written, "\n".join(body[close + 1 : -1])
    return body[:begin], "", "\n".join(body[begin + 1 : -1])


def _language(fence: str) -> str:
    found = _FENCE.fullmatch(fence)
    return found.group(2) if found else ""


def _target(action: ActionType, asked: list[str], output: str) -> str | None:
    if action == "shell":
        return _command(asked)
    text = "\n".join(asked)
    if found := _WRITTEN.match(output) if action == "write" else None:
        return (found.group(1) or found.group(2)).strip()
    named = dict(_NAMED.findall(text))
    path = next((named[key] for key in ("path", "file_path", "filePath") if key in named), None)
    if path is None and action in ("read", "write") and (alone := _PATH.search(text)):
        path = alone.group(1)
    return path


def _command(asked: list[str]) -> str | None:
    """The command: the text between the first and the last back quote of the paragraph that begins with one."""
    begin = next((number for number, line in enumerate(asked) if line.startswith("`")), None)
    if begin is None:
        return None
    return "\n".join(asked[begin:]).strip().removeprefix("`").removesuffix("`") or None


def _given(asked: list[str]) -> dict[str, Any]:
    text = "\n".join(asked).strip()
    return {**dict(_NAMED.findall(text)), "asked": text} if text else {}


def _end(action: ActionType, output: str) -> End:
    """How it ended. Source: integrations, the failure texts of each client; only the beginning of an output counts."""
    found = _CODE.match(output) if action == "shell" else None
    if found is not None:
        code = int(found.group(1))
        return End(text=output, failure="exit" if code else "", exit_code=code)
    if stopped(output):
        return End(text=output, failure="aborted")
    marked = output.startswith(_MARKED)
    failure, told = tools.failure(action, output, marked=marked and action != "shell", interrupted=False)
    return End(text=output, failure=failure, exit_code=told)


def instant_of(stamp: str) -> str:
    """A time of the file in canonical form: in UTC, with a zone, or without one this machine's."""
    zoned = _ZONE.fullmatch(stamp)
    if zoned is None:
        return from_stamp(stamp.replace(" ", "T"))
    head, fraction, sign, hours, minutes = zoned.groups()
    east = (int(hours) * 3600 + int(minutes) * 60) * (1 if sign == "+" else -1)
    there = from_stamp(head.replace(" ", "T") + (fraction or "") + "Z")
    return from_epoch(to_epoch(there) - east + 0.0004) if there else ""
