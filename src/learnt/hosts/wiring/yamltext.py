"""Put a file into the `read:` list of aider's `.aider.conf.yml`, and take it out again. YAML is edited by lines.

Understood are plain keys from the first column on, without the key `read` or with it as a list of lines (`- NAME`) or
in brackets on one line; anything else is refused untouched.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from learnt.errors import ConfigError
from learnt.hosts.wiring.edit import Insertion

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEY = re.compile(r"^\ufeff?read[ \t]*:(?P<rest>[^\r\n]*)", re.MULTILINE)
_ITEM = re.compile(r"\r?\n(?P<margin>[ \t]*)-[ \t][^\r\n]*")


def add(text: str, path: str, earlier: Sequence[Insertion] = ()) -> tuple[str, tuple[Insertion, ...]]:
    """`text` with this file to be read, and what was put in; unchanged when it is there.

    Raises:
        ConfigError: The list is written in a way that is not understood.
    """
    del earlier
    name = json.dumps(path, ensure_ascii=False)
    if name in text:
        return text, ()
    if not _plain(text):
        raise _refusal("The file .aider.conf.yml is not one plain mapping")
    newline = "\r\n" if "\r\n" in text else "\n"
    found = _KEY.search(text)
    if found is None:
        start = newline if text and not text.endswith("\n") else ""
        piece = Insertion(len(text), f"{start}read:{newline}  - {name}{newline}")
    else:
        piece = _beside(text, found, name, newline)
    return text[: piece.offset] + piece.text + text[piece.offset :], (piece,)


def _plain(text: str) -> bool:
    """Whether one document is written in plain keys from the first column on: else a key added is none, or a second."""
    rows = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    said = [row for row in rows if row.strip() and not row.lstrip().startswith("#")]
    said = said[1:] if said and said[0].rstrip() == "---" else said
    usual = all(row[0].isalpha() or row[0] in " -_" for row in said)
    once = not any(row.startswith("---") or "\r" in row for row in said)
    return usual and once and (not said or said[0][0].isalpha())


def _refusal(what: str) -> ConfigError:
    return ConfigError(
        f"{what}; the file was left untouched.",
        code="host_settings",
        hint="Write `read:` as a list, one `- NAME` a line.",
    )


def _beside(text: str, found: re.Match[str], name: str, newline: str) -> Insertion:
    """Where our name goes in a list that is there."""
    rest = found["rest"].strip()
    if rest.startswith("[") and rest.endswith("]"):
        at = found.start("rest") + found["rest"].rindex("]")
        inside = rest[1:-1].strip()
        return Insertion(at, f", {name}" if inside and not inside.endswith(",") else name)
    item = _ITEM.match(text, found.end())
    if (rest and not rest.startswith("#")) or item is None:
        raise _refusal("The `read` of .aider.conf.yml is no list that learnt can add to")
    return Insertion(found.end(), f"{newline}{item['margin']}- {name}")


def remove(text: str, insertions: Sequence[Insertion] = ()) -> str:
    """`text` without what was put in, as far as it still stands there."""
    for piece in reversed(insertions):
        if text.count(piece.text) == 1:
            text = text.replace(piece.text, "")
    return text
