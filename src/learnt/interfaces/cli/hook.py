"""`learnt hook`: the same hook process that the stub starts, for settings files which others share.

Data directory, store and configuration are what `learnt init` recorded. The record is looked for at the user's usual
place first, because a repository can set the environment a host gives its hooks.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_OURS = "LEARNT_"


def run_hook(arguments: Sequence[str]) -> None:
    """Handle one event: `EVENT --host NAME`. Exit status is always 0."""
    from learnt.errors import LearntError

    try:
        places = _places()
    except LearntError as error:
        os.write(2, f"learnt hook: {error.message}\n".encode("utf-8", "replace"))
        return
    if places is not None:
        from learnt.interfaces.hook.process import run

        run(_ordered(arguments), *places)


def _ordered(arguments: Sequence[str]) -> list[str]:
    """The event first, then the host, however they came, then what a host put behind them."""
    words = [word for given in arguments for word in _parted(given) if word != "--"]
    host = ""
    if "--host" in words:
        at = words.index("--host")
        host = words[at + 1] if at + 1 < len(words) else ""
        del words[at : at + 2]
    return [*words[:1], "--host", host or "claude-code", *words[1:2]]


def _parted(word: str) -> list[str]:
    return word.split("=", 1) if word.startswith("--host=") else [word]


def _places() -> tuple[str, str, str] | None:
    """Data directory, database and configuration; None where nobody ever used learnt, who then need not hear of it."""
    from learnt.bootstrap import Home, installation
    from learnt.errors import ConfigError

    here = Home()
    usual = Home({name: value for name, value in here.environment.items() if not name.startswith(_OURS)})
    for home in (usual, here):
        try:
            found = installation(home)
        except ConfigError:  # no home directory: the other may know one
            continue
        if found.data_dir:
            return found.data_dir, found.database, found.config_file
    if not os.path.exists(here.database):  # noqa: PTH110 - quick to start
        return None
    return str(here.data_dir), here.database, str(here.config_file)
