"""Texts of files that `learnt init` writes for hosts; `filled` puts this installation's command lines into them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMAND, _HOST, _LINE = "__COMMAND__", "__HOST__", "__LINE__"


def filled(name: str, *, words: Sequence[str] = (), host: str = "", line: str = "") -> str:
    """A template with its places filled.

    Args:
        words: The command that runs a hook, without the event. `line`: the same for a shell, with the event.
    """
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    for place, value in ((_COMMAND, json.dumps(list(words))), (_HOST, host), (_LINE, line)):
        text = text.replace(place, value)
    return text
