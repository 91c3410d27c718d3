"""Who speaks in a message of Cline or Roo, and the tool calls that old versions wrote as XML into their text.

A message of the user role holds the person's words only inside a tag (`<task>`, `<feedback>`, ...) or, where the
client uses none, by itself; the rest of it is the client's: answers of tools, the state of the editor, reminders.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.words import summary

if TYPE_CHECKING:
    from collections.abc import Iterator

_PERSON: Final = re.compile(
    r"<(task|feedback|user_message|answer|user_input|new_user_message)(?: [^<>\n]{0,200})?>(.*?)(?:</\1>|\Z)", re.DOTALL
)
_NOISE: Final = re.compile(r"<(environment_details|explicit_instructions)\b.*?(?:</\1>|\Z)", re.DOTALL)
_HOOK: Final = re.compile(r"<hook_context\b[^>]{0,400}>(.*?)(?:</hook_context>|\Z)", re.DOTALL)
_CLIENT: Final = (
    "[ERROR]",
    "[TASK RESUMPTION]",
    "[Response interrupted",
    "[The user ",
    "# TO" + "DO LIST",  # one word in the client; apart here, where an open mark would be one
    "# task_progress",
    "# Task Progress",
    "Files attached by the user:",
    "Condensing conversation",
    "New instructions for task continuation:",
    "<file_content",
    "<folder_content",
    "<url_content",
)
_CONTINUED: Final = "This session is being continued from a previous conversation"
_ANSWER: Final = re.compile(r"\[(\w{1,64})(?: for .{0,2000}?)?(?:\..{0,400}?)?\] Result:\s*", re.DOTALL)
_FOLDER: Final = re.compile(r"# Current (?:Working|Workspace) Directory \(([^()\n]{1,1000})\)")
_THOUGHT: Final = re.compile(r"<thinking>.*?(?:</thinking>|\Z)", re.DOTALL)
_TOOLS: Final = (
    "execute_command read_file write_to_file replace_in_file apply_diff insert_content search_and_replace search_files "
    "list_files list_code_definition_names browser_action use_mcp_tool access_mcp_resource ask_followup_question "
    "attempt_completion plan_mode_respond switch_mode new_task fetch_instructions update_todo_list codebase_search "
    "load_mcp_documentation web_fetch condense new_rule edit_file"
)
_CALL: Final = re.compile(rf"<({'|'.join(_TOOLS.split())})>")
_PARAMETER: Final = re.compile(r"<(\w{1,64})>")
_BODIES: Final = frozenset(["content", "diff", "result", "arguments", "args"])
"""Parameters that may themselves hold tags: they reach to their last end."""


@dataclass(frozen=True, slots=True)
class Said:
    """A text of the user role taken apart.

    Attributes:
        own: What the person wrote.
        hooks: What hooks added.
        client: What the client wrote.
        summary: The summary a compaction left.
    """

    own: str = ""
    hooks: tuple[str, ...] = ()
    client: str = ""
    summary: str = ""


def said(text: str) -> Said:
    """Who speaks in `text`, which is no tool's answer."""
    hooks = tuple(found.strip() for found in _HOOK.findall(text))
    rest = _NOISE.sub("", _HOOK.sub("", text) if hooks else text).strip()
    if rest.startswith(_CONTINUED):
        return Said(hooks=hooks, summary=summary(rest))
    own = "\n".join(words.strip() for _, words in _PERSON.findall(rest) if words.strip())
    if own:
        return Said(own=own, hooks=hooks, client=_PERSON.sub("", rest).strip())
    if rest.startswith(_CLIENT):
        return Said(hooks=hooks, client=rest)
    return Said(own=rest, hooks=hooks)


def feedback(text: str) -> str:
    """The person's words inside a tool's answer."""
    return "\n".join(words.strip() for tag, words in _PERSON.findall(text) if tag != "task" and words.strip())


def answer(text: str) -> tuple[str, str] | None:
    """The tool and the answer, when the text is an answer in prose to a call in XML."""
    found = _ANSWER.match(text)
    return (found.group(1), text[found.end() :]) if found else None


def folder(text: str) -> str:
    """The working folder the client told the agent; "" when it does not."""
    found = _FOLDER.search(text) if "<environment_details>" in text else None
    return found.group(1) if found else ""


def replies(text: str) -> tuple[str, tuple[tuple[str, dict[str, Any]], ...]]:
    """The agent's words, and the tool calls written as XML among them."""
    text = _THOUGHT.sub("", text) if "<thinking>" in text else text
    words, calls, at = [], [], 0
    for begin, end, tool, body in _called(text):
        words.append(text[at:begin])
        calls.append((tool, dict(_given(body))))
        at = end
    words.append(text[at:])
    return "".join(words).strip(), tuple(calls)


def _called(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Begin, end, name and inside of every call; one that was not finished is text."""
    at = 0
    for found in _CALL.finditer(text):
        if found.start() < at:
            continue
        close = f"</{found.group(1)}>"
        end = text.find(close, found.end())
        if end < 0:
            return
        at = end + len(close)
        yield found.start(), at, found.group(1), text[found.end() : end]


def _given(body: str) -> Iterator[tuple[str, str]]:
    at = 0
    for found in _PARAMETER.finditer(body):
        if found.start() < at:
            continue
        name, close = found.group(1), f"</{found.group(1)}>"
        end = body.rfind(close) if name in _BODIES else body.find(close, found.end())
        if end < found.end():
            continue
        at = end + len(close)
        yield name, body[found.end() : end].strip("\n")
