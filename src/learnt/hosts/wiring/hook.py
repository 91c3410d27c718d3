"""Put our hooks into a coding agent's settings file, and take exactly those out again.

The file is the person's: nothing else in it is touched, its order, indentation and line ends stay, and removal gives
the very bytes there were before when nothing was changed meanwhile. What its host would not read is refused untouched.
Most hosts have taken over Claude Code's shape, groups of commands by event, each with a pattern; Cursor has a plain
list of commands by event, and Gemini CLI counts time-outs in milliseconds.
Tried and rejected: parse, change and write the document anew (it reformats a file that people keep under version
control), and a copy of the old file put back at removal (it would undo what was changed since).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from learnt.errors import ConfigError
from learnt.hosts.wiring.edit import (
    EMPTY,
    Insertion,
    appended,
    begun,
    blank,
    key,
    parsed,
    plain,
    refusal,
    span,
    taken_out,
)
from learnt.hosts.wiring.jsontext import Node, scan

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
    ("SubagentStart", "subagent-start", ""),
)
Style = Literal["grouped", "milliseconds", "flat"]
"""How a host writes a hook down: as Claude Code, as Gemini CLI, as Cursor."""


@dataclass(frozen=True, slots=True)
class Hook:
    """One command the host is to run. `matcher` is the host's own pattern; "" for every event of the name."""

    event: str
    command: str
    matcher: str = ""
    timeout_s: int = _TIMEOUT_S
    style: Style = "grouped"

    @property
    def group(self) -> dict[str, object]:
        """The hook as the host's settings have it."""
        if self.style == "flat":
            found: dict[str, object] = {"command": self.command, "timeout": self.timeout_s}
            return {**found, "matcher": self.matcher} if self.matcher else found
        entry: dict[str, object] = {"type": "command", "command": self.command, "timeout": self.timeout_s}
        if self.style == "milliseconds":
            name = f"learnt-{self.event}"
            entry = {"name": name, "type": "command", "command": self.command, "timeout": self.timeout_s * 1_000}
        return {"matcher": self.matcher, "hooks": [entry]} if self.matcher else {"hooks": [entry]}


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


def add(
    text: str, hooks: Sequence[Hook], earlier: Sequence[Insertion] = (), *, comments: bool = False, empty: str = EMPTY
) -> tuple[str, tuple[Insertion, ...]]:
    """`text` with these hooks, and what was put in; unchanged when they are all there.

    Our hooks of another installation are replaced, `earlier` being what it put in. Hooks of others stay as they are.

    Args:
        comments: Whether the host reads comments. `empty`: how a new file begins.

    Raises:
        ConfigError: The text is no JSON object, or its `hooks` are not shaped as the host's documentation says.
    """
    settings = _checked(text, comments=comments)
    present = {(event, json.dumps(group, sort_keys=True)) for event, group in _ours(settings)}
    wanted = {(hook.event, json.dumps(hook.group, sort_keys=True)) for hook in hooks}
    if present == wanted and len(_ours(settings)) == len(wanted):
        return text, ()
    text = remove(text, earlier) if present else text
    text, done = begun(text, empty)
    for hook in hooks:
        piece = _insertion(text, hook)
        text = text[: piece.offset] + piece.text + text[piece.offset :]
        done = (*done, piece)
    return text, done


def _insertion(text: str, hook: Hook) -> Insertion:
    """Where and what to put in for one hook: a group, an event with a group, or all of `hooks`."""
    root = scan(plain(text))
    hooks = root.member("hooks")
    if hooks is None:
        return appended(text, root, key("hooks"), {hook.event: [hook.group]})
    groups = hooks.member(hook.event)
    if groups is None:
        return appended(text, hooks, key(hook.event), [hook.group])
    return appended(text, groups, "", hook.group)


def remove(text: str, insertions: Sequence[Insertion] = ()) -> str:
    """`text` without our hooks.

    With what `add` put in, the bytes from before come back as far as those pieces still stand there; without, our
    groups are cut out, and an event or `hooks` that is then empty goes with them.
    """
    if blank(text):
        return text
    plain = taken_out(text, insertions)
    if plain is not None and not _ours(_checked(plain)):
        return plain
    return _cut(text)


def _cut(text: str) -> str:
    """`text` without our hooks, found by their commands, one after the other."""
    _checked(text)
    while True:
        found = _next_cut(text)
        if found is None:
            return text
        text = text[: found[0]] + text[found[1] :]


def _next_cut(text: str) -> tuple[int, int] | None:
    """The span of one thing to cut: an entry of ours, or the largest container that holds nothing else."""
    root = scan(plain(text))
    hooks = root.member("hooks")
    for _, _, groups in hooks.members if hooks else ():
        for _, _, group in groups.members:
            if _runs_us(text, group):
                return _widest([(root, hooks), (hooks, groups), (groups, group), (group, None)])
            entries = group.member("hooks")
            for place, (_, _, entry) in enumerate(entries.members if entries else ()):
                if not _runs_us(text, entry):
                    continue
                chain = [(root, hooks), (hooks, groups), (groups, group), (entries, entry)]
                if entries and len(entries.members) > 1:
                    return span(entries, place)
                return _widest(chain)
    return None


def _runs_us(text: str, entry: Node) -> bool:
    """Whether an entry's command is a hook of learnt."""
    command = entry.member("command")
    return command is not None and is_ours(json.loads(text[command.start : command.end]))


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
    return span(parent, place)


def _checked(text: str, *, comments: bool = True) -> dict[str, Any]:
    """The parsed settings.

    Raises:
        ConfigError: Not an object, not plain JSON, or hooks of another shape.
    """
    settings = parsed(text, comments=comments)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise refusal("has hooks of a shape learnt does not know")
    return settings


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
            elif isinstance(group, dict) and is_ours(group.get("command")):
                found.append((event, group))
    return found


def hooks_of(text: str) -> dict[str, list[object]]:
    """Our hooks alone, by event."""
    found: dict[str, list[object]] = {}
    for event, group in _ours(_checked(text)):
        found.setdefault(event, []).append(group)
    return found
