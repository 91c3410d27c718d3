"""A tool use as SpecStory writes it: which tool, what it aimed at, and what its output says about how it ended.

Inputs are shortened by SpecStory: of an edit only the answer names the file, of a command stands what was run, of other
tools a line of names and values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading import tools
from learnt.hosts.reading.moment import End, Use
from learnt.hosts.reading.value import from_stamp
from learnt.hosts.reading.words import stopped
from learnt.model.instant import from_epoch, to_epoch

if TYPE_CHECKING:
    from learnt.model.session import ActionType

OPENING: Final = "<tool-use "
CLOSING: Final = ("</details></tool-use>", "</tool-use>")
_TAG: Final = re.compile(r'<tool-use data-tool-type="([^"]{0,40})" data-tool-name="([^"]{0,200})">')
_SUMMARY: Final = re.compile(r"\s*(?:<details>\s*)?<summary>(.*?)</summary>[ \t]*\n?", re.DOTALL)
_NAME: Final = re.compile(r"Tool use: \*\*[^*]{0,200}\*\*\s*")
_LABEL: Final = re.compile(r"\u2022 ([A-Z][a-z]+ (?:command|file)): ")
_SORTS: Final[dict[str, ActionType]] = {"shell": "shell", "write": "write", "read": "read"}
_FENCE: Final = re.compile(r"(`{3,})([\w+-]{0,20})")
_NAMED: Final = re.compile(r"(\w{1,40}):? `([^`\n]{1,2000})`")
_PATH: Final = re.compile(r"`([^`\n]{1,1000})`")
_WRITTEN: Final = re.compile(
    r"(?:The file (.{1,1000}?) has been (?:updated|created|overwritten|modified)"
    r"|File created successfully at: (.{1,1000}))"
)
_HEAD_CHARS: Final = 600
"""Within which an answer in parts has its head; only what stands before `Output:` is the client's."""
_CODE: Final = re.compile(
    r"^(?:Process exited with code|Command exited with code|Exit [Cc]ode:|\[exit code:) ?(-?\d{1,10})",
    re.MULTILINE,
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
    whole = "\n".join([lines[0][tag.end() :] if tag else "", *lines[1:]])
    found = _SUMMARY.match(whole)
    body = [line for line in whole[found.end() if found else 0 :].split("\n") if "</" not in line or not _closes(line)]
    action = _SORTS.get(sort) or tools.action(tool)
    parts = _divided(body, action)
    asked = _NAME.sub("", found.group(1), count=1).strip() if found else ""
    label = _LABEL.match(asked)
    if label is not None:
        asked = f"`{asked[label.end() :]}`"
    parts.asked[:0] = [asked] if asked else []
    use = Use(
        call_id=call_id,
        tool=tool,
        action=action,
        target=_target(action, parts),
        given=_given(parts.asked),
        text=parts.written if action == "write" else "",
    )
    return use, _end(action, parts.output) if parts.output is not None else None


@dataclass(slots=True)
class _Parts:
    """A tool use taken apart: what was asked, the text fenced before the output, the output."""

    asked: list[str]
    written: str = ""
    output: str | None = None


def _closes(line: str) -> bool:
    return line.startswith(CLOSING) or line.strip() == "</details>"


def _divided(body: list[str], action: ActionType) -> _Parts:
    """The last fenced text is the output; a shell or a write may have its input fenced before it.

    Inputs have their fences escaped; an output is written as it is, and reaches to the end.
    """
    while body and not body[-1].strip():
        body.pop()
    fences = [number for number, line in enumerate(body) if line.startswith("```") and _FENCE.fullmatch(line)]
    if not fences or not body[-1].startswith("```"):
        answer = next((number for number, line in enumerate(body) if line.startswith(_ANSWER)), None)
        if answer is None:
            return _Parts(body)
        return _Parts(body[:answer], output="\n".join(body[answer:]).removeprefix(_ANSWER).strip())
    begin = fences[0]
    if action not in ("write", "shell") or _language(body[begin]) in ("", "text"):
        return _Parts(body[:begin], output="\n".join(body[begin + 1 : -1]))
    close = next((number for number in fences if number > begin and not _language(body[number])), len(body) - 1)
    written = "\n".join(body[begin + 1 : close]).replace("\\```", "```")
    behind = next((number for number in fences if close < number < len(body) - 1), None)
    return _Parts(body[:begin], written, "\n".join(body[behind + 1 : -1]) if behind is not None else None)


def _language(fence: str) -> str:
    found = _FENCE.fullmatch(fence)
    return found.group(2) if found else ""


def _target(action: ActionType, parts: _Parts) -> str | None:
    if action == "shell":
        return parts.written or _command(parts.asked)
    text = "\n".join(parts.asked)
    if found := _WRITTEN.match(parts.output or "") if action == "write" else None:
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
        return dict(_NAMED.findall("\n".join(asked))).get("command")
    end = next((number for number in range(begin, len(asked)) if asked[number].rstrip().endswith("`")), len(asked) - 1)
    return "\n".join(asked[begin : end + 1]).strip().removeprefix("`").removesuffix("`") or None


def _given(asked: list[str]) -> dict[str, Any]:
    text = "\n".join(asked).strip()
    return {**dict(_NAMED.findall(text)), "asked": text} if text else {}


def _end(action: ActionType, output: str) -> End:
    """How it ended. Source: integrations, the failure texts of each client; only the beginning of an output counts."""
    found = None
    if action == "shell":
        head, divided, _ = output[:_HEAD_CHARS].partition("\nOutput:")
        found = _CODE.search(head) if divided else _CODE.match(output)
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
