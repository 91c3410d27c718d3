"""Put our hooks into a coding agent's settings file, and take exactly those out again.

The file is the person's: nothing else in it is touched, its order, indentation and line ends stay, and removal gives
the very bytes there were before when nothing was changed meanwhile. What is not plain JSON is refused untouched.
Tried and rejected: parse, change and write the document anew (it reformats a file that people keep under version
control), and a copy of the old file put back at removal (it would undo what was changed since).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from learnt.errors import ConfigError
from learnt.hosts.jsontext import Node, margin, scan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TIMEOUT_S = 5
_TOOLS = "Bash|Edit|MultiEdit|Write|NotebookEdit"
"""Tools whose calls are looked up; a call of another tool starts no hook at all."""
_EVENTS = (
    ("SessionStart", "session-start", "startup|resume|clear|compact|fork"),
    ("UserPromptSubmit", "user-prompt-submit", ""),
    ("PreToolUse", "pre-tool-use", _TOOLS),
    ("SessionEnd", "session-end", ""),
)
_EMPTY = "{}\n"


@dataclass(frozen=True, slots=True)
class Hook:
    """One command the host is to run. `matcher` is the host's own pattern; "" for every event of the name."""

    event: str
    command: str
    matcher: str = ""
    timeout_s: int = _TIMEOUT_S

    @property
    def group(self) -> dict[str, object]:
        """The hook as the host's settings have it."""
        entry = {"type": "command", "command": self.command, "timeout": self.timeout_s}
        return {"matcher": self.matcher, "hooks": [entry]} if self.matcher else {"hooks": [entry]}


@dataclass(frozen=True, slots=True)
class Insertion:
    """A piece of text that was put in, and where; the later pieces of a list may stand inside or before the earlier."""

    offset: int
    text: str


def claude_hooks(command: Callable[[str], str]) -> tuple[Hook, ...]:
    """What Claude Code is to run. `command` gives the command line of an event in kebab case."""
    return tuple(Hook(event, command(kebab), matcher) for event, kebab, matcher in _EVENTS)


def is_ours(command: object) -> bool:
    """Whether a command line of the settings is a hook of learnt, of this or another installation."""
    if not isinstance(command, str) or " --host " not in command:
        return False
    words = command.replace('"', " ").replace("\\", "/").split()
    if "hook" in words[1:2] and words[0].rpartition("/")[2].removesuffix(".exe") == "learnt":
        return True
    return any(word.endswith("/hook.py") for word in words) and "-I" in words and "-S" in words


def add(text: str, hooks: Sequence[Hook], earlier: Sequence[Insertion] = ()) -> tuple[str, tuple[Insertion, ...]]:
    """`text` with these hooks, and what was put in; unchanged when they are all there.

    Our hooks of another installation are replaced, `earlier` being what it put in. Hooks of others stay as they are.

    Raises:
        ConfigError: The text is no JSON object, or its `hooks` are not shaped as the host's documentation says.
    """
    settings = _checked(text)
    present = {(event, json.dumps(group, sort_keys=True)) for event, group in _ours(settings)}
    wanted = {(hook.event, json.dumps(hook.group, sort_keys=True)) for hook in hooks}
    if present == wanted and len(_ours(settings)) == len(wanted):
        return text, ()
    text = remove(text, earlier) if present else text
    text = text if text.strip("\ufeff \t\r\n") else _EMPTY
    done: list[Insertion] = []
    for hook in hooks:
        piece = _insertion(text, hook)
        text = text[: piece.offset] + piece.text + text[piece.offset :]
        done.append(piece)
    return text, tuple(done)


def _insertion(text: str, hook: Hook) -> Insertion:
    """Where and what to put in for one hook: a group, an event with a group, or all of `hooks`."""
    root = scan(text)
    hooks = root.member("hooks")
    if hooks is None:
        return _appended(text, root, f"{_key('hooks')}", {hook.event: [hook.group]})
    groups = hooks.member(hook.event)
    if groups is None:
        return _appended(text, hooks, _key(hook.event), [hook.group])
    return _appended(text, groups, "", hook.group)


def _key(name: str) -> str:
    return json.dumps(name) + ": "


def _appended(text: str, container: Node, key: str, value: object) -> Insertion:
    """The insertion of one more member at the end of a container, in the manner of the file."""
    newline = "\r\n" if "\r\n" in text else "\n"
    step = _step(text)
    last = container.members[-1] if container.members else None
    own = margin(text, last[1]) if last else _margin_of(text, container, step) + step
    if own is None or (last is None and "\n" not in text):
        piece = key + json.dumps(value)
        return Insertion(last[2].end, ", " + piece) if last else Insertion(container.start + 1, piece)
    body = json.dumps(value, indent=step).replace("\n", newline + own)
    if last:
        return Insertion(last[2].end, f",{newline}{own}{key}{body}")
    tail = "" if "\n" in text[container.start : container.end] else newline + own[: len(own) - len(step)]
    return Insertion(container.start + 1, f"{newline}{own}{key}{body}{tail}")


def _step(text: str) -> str:
    """One level of indentation as the file has it; two blanks where it has none."""
    root = scan(text)
    return (margin(text, root.members[0][1]) if root.members else None) or "  "


def _margin_of(text: str, container: Node, step: str) -> str:
    """The indentation of the line a container begins on."""
    line = text[text.rfind("\n", 0, container.start) + 1 : container.start]
    return line[: len(line) - len(line.lstrip(" \t"))] if step else ""


def remove(text: str, insertions: Sequence[Insertion] = ()) -> str:
    """`text` without our hooks.

    With what `add` put in, the bytes from before come back as far as those pieces still stand there; without, our
    groups are cut out, and an event or `hooks` that is then empty goes with them.
    """
    plain = text
    for piece in reversed(insertions):
        at = piece.offset
        if not plain.startswith(piece.text, at):
            at = plain.find(piece.text) if plain.count(piece.text) == 1 else -1
        if at < 0:
            break
        plain = plain[:at] + plain[at + len(piece.text) :]
    else:
        if insertions and _valid(plain) and not _ours(_checked(plain)):
            return plain
    return _cut(text)


def _valid(text: str) -> bool:
    try:
        return isinstance(json.loads(text.removeprefix("\ufeff")), dict)
    except ValueError:
        return False


def _cut(text: str) -> str:
    """`text` without our hooks, found by their commands, one after the other."""
    _checked(text)
    while True:
        span = _next_cut(text)
        if span is None:
            return text
        text = text[: span[0]] + text[span[1] :]


def _next_cut(text: str) -> tuple[int, int] | None:
    """The span of one thing to cut: an entry of ours, or the largest container that holds nothing else."""
    root = scan(text)
    hooks = root.member("hooks")
    for _, _, groups in hooks.members if hooks else ():
        for _, _, group in groups.members:
            entries = group.member("hooks")
            for place, (_, _, entry) in enumerate(entries.members if entries else ()):
                command = entry.member("command")
                if command is None or not is_ours(json.loads(text[command.start : command.end])):
                    continue
                chain = [(root, hooks), (hooks, groups), (groups, group), (entries, entry)]
                if entries and len(entries.members) > 1:
                    return _span(entries, place)
                return _widest(chain)
    return None


def _widest(chain: Sequence[tuple[Node | None, Node | None]]) -> tuple[int, int]:
    """The span of the outermost member that goes when the entry at the end of `chain` goes."""
    at = len(chain) - 2  # a group without entries means nothing: it goes with its only entry
    while at > 0:
        parent = chain[at][0]
        if parent is None or len(parent.members) > 1:
            break
        at -= 1
    parent, child = chain[at]
    if parent is None or child is None:
        raise ConfigError("The host's settings have a shape learnt does not know.", code="host_settings")
    place = [node.start for _, _, node in parent.members].index(child.start)
    return _span(parent, place)


def _span(parent: Node, place: int) -> tuple[int, int]:
    """What to cut for one member: with the comma before it, else with the one behind it."""
    members = parent.members
    if place:
        return members[place - 1][2].end, members[place][2].end
    if len(members) > 1:
        return members[0][1], members[1][1]
    return parent.start + 1, parent.end - 1


def _checked(text: str) -> dict[str, Any]:
    """The parsed settings.

    Raises:
        ConfigError: Not an object, not plain JSON, or hooks of another shape.
    """
    if not text.strip("\ufeff \t\r\n"):
        return {}
    try:
        settings = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        what = "has comments" if _commented(text) else f"is not valid JSON ({error})"
        raise _refusal(what) from None
    if not isinstance(settings, dict):
        raise _refusal("is not a JSON object")
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise _refusal("has hooks of a shape learnt does not know")
    return settings


def _refusal(what: str) -> ConfigError:
    return ConfigError(
        f"The host's settings file {what}; it was left untouched.",
        code="host_settings",
        hint="Make it plain JSON, or add the hooks that `learnt init --dry-run` shows by hand.",
    )


def _commented(text: str) -> bool:
    """Whether a comment stands outside the strings."""
    at = 0
    while at < len(text):
        if text[at] == '"':
            end = text.find('"', at + 1)
            while end > 0 and text[end - 1] == "\\":
                end = text.find('"', end + 1)
            if end < 0:
                return False
            at = end
        elif text[at : at + 2] in ("//", "/*"):
            return True
        at += 1
    return False


def _ours(settings: dict[str, Any]) -> list[tuple[str, object]]:
    """Event and group of every hook of ours; a group that also holds others is given with ours alone."""
    found: list[tuple[str, object]] = []
    for event, groups in settings.get("hooks", {}).items():
        for group in groups:
            entries = group.get("hooks") if isinstance(group, dict) else None
            each_of = entries if isinstance(entries, list) else ()
            ours = [each for each in each_of if isinstance(each, dict) and is_ours(each.get("command"))]
            if ours:
                found.append((event, {**group, "hooks": ours}))
    return found


def difference(before: str, after: str, name: str) -> str:
    """A unified diff to show before anything is written; "" for no change."""
    lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), name, name)
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)
