"""Put a file into the `read:` list of aider's `.aider.conf.yml`, and take it out again. YAML is edited by lines.

Understood are a file without the key, a list of lines (`- NAME`), a list in brackets on one line, and a single name;
anything else is refused untouched.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from learnt.errors import ConfigError
from learnt.hosts.wiring.edit import Insertion

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEY = re.compile(r"^read[ \t]*:(?P<rest>[^\r\n]*)", re.MULTILINE)
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
    newline = "\r\n" if "\r\n" in text else "\n"
    found = _KEY.search(text)
    if found is None:
        start = newline if text and not text.endswith("\n") else ""
        piece = Insertion(len(text), f"{start}read:{newline}  - {name}{newline}")
    else:
        piece = _beside(text, found, name, newline)
    return text[: piece.offset] + piece.text + text[piece.offset :], (piece,)


def _beside(text: str, found: re.Match[str], name: str, newline: str) -> Insertion:
    """Where our name goes in a list that is there."""
    rest = found["rest"].strip()
    if rest.startswith("[") and rest.endswith("]"):
        at = found.start("rest") + found["rest"].rindex("]")
        return Insertion(at, f", {name}" if rest[1:-1].strip() else name)
    item = _ITEM.match(text, found.end())
    if (rest and not rest.startswith("#")) or item is None:
        raise ConfigError(
            "The `read` of .aider.conf.yml is no list that learnt can add to; the file was left untouched.",
            code="host_settings",
            hint="Write it as a list, one `- NAME` a line.",
        )
    return Insertion(found.end(), f"{newline}{item['margin']}- {name}")


def remove(text: str, insertions: Sequence[Insertion] = ()) -> str:
    """`text` without what was put in, as far as it still stands there."""
    for piece in reversed(insertions):
        if text.count(piece.text) == 1:
            text = text.replace(piece.text, "")
    return text
