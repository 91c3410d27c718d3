"""How `learnt uninit` takes away what `learnt init` put in: the settings first, then what they name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap import INSTALLED, installation
from learnt.bootstrap import copy as copies
from learnt.errors import ConfigError
from learnt.hosts.wiring import installed
from learnt.hosts.wiring.fitting import FITTINGS
from learnt.hosts.wiring.piece import MARK, WRITTEN_BY_HOSTS
from learnt.hosts.wiring.server import NAME
from learnt.interfaces.cli.install import Left, site
from learnt.interfaces.hook import limits, stub

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.bootstrap import Home
    from learnt.engine import Engine
    from learnt.hosts.wiring.installed import Change

_LAST_S = 10.0
"""How long the last receipts of hooks may take to reach the store."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What takes our hooks out again.

    Attributes:
        left: Files that were wired and cannot be changed safely any more.
    """

    changes: tuple[Change, ...]
    left: tuple[Left, ...] = ()


def removal(home: Home, root: Path) -> Removal:
    """The changes that take our hooks out of every file that has them; one that cannot be changed stops no other."""
    wired = installed.connected(home.data_dir)
    places = (site(home, None, root), site(home, root, root))
    pieces = (piece for where in places for each in FITTINGS.values() for piece in each.wired(where))
    for piece in pieces:  # what is there without a record, because that was lost
        path = Path(os.path.realpath(piece.path))
        if path not in wired and _mentions_us(path):
            wired[path] = piece.of
    changes, left = [], []
    for path, of in wired.items():
        try:
            changes.append(installed.undone(path, home.data_dir, of))
        except ConfigError as error:
            left.append(Left(str(path), error.message, error.advice))
    return Removal(tuple(change for change in changes if change.differs), tuple(left))


def _mentions_us(path: Path) -> bool:
    """Whether a settings file could hold something of ours; what else is in it is no matter of ours."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return any(word in text for word in (stub.STUB, "learnt hook ", f'"{NAME}"', f".{NAME}]", MARK))


def uninstall(home: Home, engine: Engine | None, wanted: Removal) -> tuple[tuple[str, ...], tuple[Left, ...]]:
    """Take everything away but the memory and its keys; gives what was removed, and which files could not be changed.

    Where a file still names the hook, what it starts stays, silent: a host may take a program that is not there for a
    refusal of what it was about to do.

    Args:
        engine: None where the store does not open: the hooks go all the same.
    """
    left = [*wanted.left]
    for change in wanted.changes:
        anew = change.of in WRITTEN_BY_HOSTS
        try:
            installed.apply(installed.undone(change.path, home.data_dir, change.of) if anew else change, home.data_dir)
        except ConfigError as error:  # of one file: the others go all the same
            left.append(Left(str(change.path), error.message, error.advice))
    if engine is not None:
        _switched_off(home, engine)
    if left:
        return (), tuple(left)
    return (*_removed(home), *(copies.removed(home) if home.url or installation(home).url else ())), ()


def _switched_off(home: Home, engine: Engine) -> None:
    here = engine.assembly.identity.repository_id
    off = {limits.ALL: "0", **{limits.repository_row(each): "0" for each in (*installation(home).shared, here)}}
    engine.follow(_LAST_S)
    engine.enable({} if home.url else off)
    engine.close()


def _removed(home: Home) -> Iterator[str]:
    for path in (home.data_dir / stub.STUB, home.config_file.parent / INSTALLED):
        if path.is_file() or path.is_symlink():
            path.unlink()
            yield str(path)
    rest = home.data_dir / "wiring.json"
    if rest.is_file() and not any(path.exists() for path in installed.connected(home.data_dir)):
        rest.unlink()
