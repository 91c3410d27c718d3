"""The copy that hooks read where the store is on a server: `learnt init` makes it, engines of that store open it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap.home import COPY
from learnt.bootstrap.machine import SystemClock
from learnt.bootstrap.remote import shown
from learnt.errors import LearntError, StoreCorruptError, StoreError
from learnt.model.keys import short_id
from learnt.stores.sqlite.copy import SqliteCopy
from learnt.stores.sqlite.opening import sidecars
from learnt.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from learnt.bootstrap.home import Home

_OF, FAULT = "copy.of", "copy.fault"
ON = "hook.copy"
"""The row that tells hooks that this is a copy."""

_WAIT_S = 2.0


def made(home: Home) -> SqliteCopy:
    """The copy of this store, made where there is none; one of another store, or a damaged one, is replaced.

    Raises:
        StoreError: It cannot be opened.
    """
    path = Path(home.data_dir / COPY)
    try:
        copy = _opened(path)
    except StoreCorruptError:
        removed(home)
        copy = _opened(path)
    known = copy.facts().get(_OF, "")
    if known and known != _name(home):
        copy.close()
        removed(home)
        copy = _opened(path)
    copy.record({_OF: _name(home), ON: "1"}, {})
    return copy


def opened(home: Home) -> SqliteCopy | None:
    """The copy of this store; None where `learnt init` made none, made one of another store, or it cannot be opened.

    A command works without: `doctor` says what is wrong with it.
    """
    path = home.data_dir / COPY
    if not home.url or not path.is_file():
        return None
    try:
        copy = _opened(path)
        if copy.facts().get(_OF) == _name(home):
            return copy
    except StoreError:
        return None
    copy.close()
    return None


def removed(home: Home) -> tuple[str, ...]:
    """Remove the copy; gives what was removed."""
    path = home.data_dir / COPY
    there = [each for each in (path, *sidecars(path), *_backups(path)) if each.is_file() or each.is_symlink()]
    for each in there:
        each.unlink(missing_ok=True)
    return tuple(str(each) for each in there[:1])


def stranded(home: Home, error: LearntError) -> None:
    """The store did not open: note it in the copy, and keep what waits there within bounds."""
    copy = opened(home)
    if copy is None:
        return
    try:
        now = SystemClock().now()
        copy.record({FAULT: f"{error.error_code} {now}"}, {})
        copy.outbox.sent(0, now)
    except StoreError:  # the store's own error is the one to tell
        return
    finally:
        copy.close()


def _opened(path: Path) -> SqliteCopy:
    copy = SqliteCopy(SqliteStore.open(path, now=SystemClock().now, wait_s=_WAIT_S))
    for each in _backups(path):
        each.unlink(missing_ok=True)
    return copy


def _backups(path: Path) -> list[Path]:
    """Whole copies from before a migration: a copy needs none, and what is forgotten would stay in them."""
    return list(path.parent.glob(f"{path.name}.v*.backup*"))


def _name(home: Home) -> str:
    """Which store a copy is of; never its URL."""
    return short_id(shown(home.url))
