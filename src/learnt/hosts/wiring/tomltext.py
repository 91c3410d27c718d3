"""Put our tool server and our notice into Codex's `config.toml`, and take exactly those out again.

TOML is edited by lines: a table is appended, a key stands at the top, before every table. Both are read back: what the
file says besides must be what it said before, else it is left untouched. Tried and rejected: a writer for TOML (one
more package, and none keeps every file as it was).
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from learnt.errors import ConfigError
from learnt.hosts.wiring.edit import Insertion
from learnt.hosts.wiring.server import NAME, is_ours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.hosts.wiring.server import Server

_TABLES = "mcp_servers"
_NOTICE = "notify"
_BOM = "\ufeff"
_HEADER = re.compile(r"\s*\[")
_OURS = re.compile(rf"\s*\[\s*{_TABLES}\s*\.\s*[\"']?{NAME}[\"']?\s*[.\]]")


def add(
    text: str, server: Server, notice: Sequence[str], earlier: Sequence[Insertion] = ()
) -> tuple[str, tuple[Insertion, ...]]:
    """`text` with this server and, where no program is told of turns yet, with ours; and what was put in.

    Raises:
        ConfigError: The text is no TOML, or our table cannot be appended to it.
    """
    before = _parsed(text)
    entry = _entry(before)
    own = entry is not None and not is_ours(entry)
    wanted = None if own else server.entry
    told = before.get(_NOTICE)
    told_wanted = list(notice) if notice and (told is None or _is_notice(told)) else told
    if (own or entry == wanted) and told == told_wanted:
        return text, ()
    text = remove(text, earlier) if (entry is not None and not own) or _is_notice(told) else text
    newline = "\r\n" if "\r\n" in text else "\n"
    pieces = []
    if wanted is not None:
        pieces.append(Insertion(len(text), _table(text, wanted, newline)))
    if notice and _NOTICE not in _parsed(text):
        pieces.append(Insertion(len(_BOM) * text.startswith(_BOM), f"{_NOTICE} = {_listed(notice)}{newline}"))
    for piece in pieces:
        text = text[: piece.offset] + piece.text + text[piece.offset :]
    _same(text, before)
    return text, tuple(pieces)


def remove(text: str, insertions: Sequence[Insertion] = ()) -> str:
    """`text` without our server and notice, also where the client wrote something into our table.

    Raises:
        ConfigError: They cannot be told from what stands around them.
    """
    before = _parsed(text)
    for piece in reversed(insertions):
        at = piece.offset if text.startswith(piece.text, piece.offset) else text.find(piece.text)
        if at >= 0 and text.count(piece.text) == 1:
            text = text[:at] + text[at + len(piece.text) :]
    rest = _parsed(text)
    tables = is_ours(_entry(before)) and _entry(rest) is not None
    notice = _is_notice(rest.get(_NOTICE))
    text = _cut(text, tables=tables, notice=notice) if tables or notice else text
    _same(text, before)
    return text


def present(text: str) -> dict[str, Any] | None:
    """The server of our name, whoever wrote it.

    Raises:
        ConfigError: The text is no TOML.
    """
    return _entry(_parsed(text))


def _entry(found: dict[str, Any]) -> dict[str, Any] | None:
    tables = found.get(_TABLES)
    entry = tables.get(NAME) if isinstance(tables, dict) else None
    return entry if isinstance(entry, dict) else None


def shown(text: str | None) -> str:
    """What a change of this file is about: our lines, and nothing else of the file."""
    found = _parsed(text or "")
    lines = []
    if _is_notice(found.get(_NOTICE)):
        lines.append(f"{_NOTICE} = {_listed(found[_NOTICE])}\n")
    entry = _entry(found)
    if entry is not None and is_ours(entry):
        lines.append(_table("", {key: value for key, value in entry.items() if key in ("command", "args")}, "\n"))
    return "".join(lines)


def _cut(text: str, *, tables: bool, notice: bool) -> str:
    """`text` without the lines of our tables, of our notice."""
    kept, ours = [_BOM] if text.startswith(_BOM) else [], False
    for line in text.removeprefix(_BOM).splitlines(keepends=True):
        if _HEADER.match(line):
            ours = tables and bool(_OURS.match(line))
        if not ours and not (notice and _is_notice(_alone(line))):
            kept.append(line)
    return "".join(kept)


def _alone(line: str) -> object:
    """The program that a line by itself has told of turns."""
    if not line.startswith(_NOTICE):
        return None
    try:
        return tomllib.loads(line).get(_NOTICE)
    except tomllib.TOMLDecodeError:
        return None


def _is_notice(value: object) -> bool:
    """Whether the program told of turns is ours, of this or another installation."""
    if not isinstance(value, list):
        return False
    words = [str(word).replace("\\", "/") for word in value]
    stub = any(word.endswith("/hook.py") for word in words) and "-I" in words
    return words[-3:] == [_NOTICE, "--host", "codex"] and (stub or words[1:2] == ["hook"])


def _table(text: str, entry: dict[str, Any], newline: str) -> str:
    """Our table, as it is appended to a text."""
    apart = "" if not text else newline if text.endswith("\n") else newline * 2
    command = json.dumps(entry["command"], ensure_ascii=False)
    lines = (f"[{_TABLES}.{NAME}]", f"command = {command}", f"args = {_listed(entry['args'])}", "")
    return apart + newline.join(lines)


def _listed(words: Sequence[str]) -> str:
    return "[" + ", ".join(json.dumps(word, ensure_ascii=False) for word in words) + "]"


def _same(text: str, before: dict[str, Any]) -> None:
    """Make sure that a changed text says what it said before, besides what is ours."""
    if _without(_parsed(text)) != _without(before):
        raise _refusal("cannot be changed without touching what is not learnt's")


def _without(found: dict[str, Any]) -> dict[str, Any]:
    """What a configuration says besides what is ours."""
    rest = {key: value for key, value in found.items() if key != _NOTICE or not _is_notice(value)}
    tables = rest.get(_TABLES)
    if isinstance(tables, dict) and is_ours(tables.get(NAME)):
        rest[_TABLES] = {name: value for name, value in tables.items() if name != NAME}
    if rest.get(_TABLES) == {}:
        del rest[_TABLES]
    return rest


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix(_BOM))
    except tomllib.TOMLDecodeError as error:
        raise _refusal(f"is no TOML, or would be none with our table ({error})") from None


def _refusal(what: str) -> ConfigError:
    return ConfigError(
        f"Codex's config.toml {what}; it was left untouched.",
        code="host_settings",
        hint="Put right what is said, or add by hand what `learnt init --dry-run` shows.",
    )
