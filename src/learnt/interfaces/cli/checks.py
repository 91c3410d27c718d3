"""What `learnt doctor` looks at: one check after the other, none of which can spoil the next."""

from __future__ import annotations

import os
import platform
import sqlite3
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap import configuration, remote
from learnt.errors import LearntError, StoreError, StoreReadOnlyError
from learnt.interfaces.cli import probe, screen, wired
from learnt.interfaces.cli.check import Check
from learnt.interfaces.cli.drift import differences, recorded_for
from learnt.interfaces.cli.guard import trail
from learnt.interfaces.cli.server import served
from learnt.interfaces.hook import gap
from learnt.interfaces.warm.frame import ROW
from learnt.interfaces.warm.look import WORDS, told
from learnt.model.place import place
from learnt.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.interfaces.cli.frame import Desk

_SERVER = "Does the server run, and is it the one that LEARNT_DATABASE_URL should name? Hooks go on with their copy."
_RIGHTS = "Reads still work. The manual has the rights that a role needs (a store for a team)."
_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700


def examined(desk: Desk) -> list[Check]:
    """Every check, in order."""
    found: dict[str, Check] = {}
    for name, look in _CHECKS:
        for check in _guarded(name, look, desk):
            found.setdefault(check.found, check)  # a store that does not open is one problem, not one of every check
    return list(found.values())


def _guarded(name: str, look: Callable[[Desk], Iterator[Check]], desk: Desk) -> Iterator[Check]:
    """A check's findings; what it cannot get over is a finding too."""
    try:
        yield from look(desk)
    except LearntError as error:
        yield Check(name, "problem", *_where(desk, error))
    except OSError as error:
        yield Check(name, "problem", f"{error.filename or ''} {error.strerror or error}".strip())


def _where(desk: Desk, error: LearntError) -> tuple[str, str]:
    """What an error says, and its advice; of a server also which one, and why: the hint of many is to look here."""
    if not isinstance(error, StoreError) or not desk.home.url:
        return error.message, error.advice
    why = str(error.details.get("message") or "")
    found = f"{desk.home.shown}: {error.message}" + (f" {why}" if why else "")
    return found, _SERVER if "`learnt doctor`" in error.advice else error.advice


def _python(desk: Desk) -> Iterator[Check]:
    del desk
    versions = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    connection = sqlite3.connect(":memory:")
    try:
        options = {row[0] for row in connection.execute("PRAGMA compile_options")}
    finally:
        connection.close()
    if "ENABLE_FTS5" in options:
        yield Check("python", "ok", f"{versions} with full text")
    else:
        yield Check("python", "problem", f"{versions} without full text (FTS5)", "Use a Python whose SQLite has FTS5.")


def _config(desk: Desk) -> Iterator[Check]:
    home = desk.home
    found = configuration(home, place(desk.folder))
    for path, ignored in found.ignored:
        yield Check("config", "warning", f"{path}: {ignored.key or 'the file'} is ignored: {ignored.why}")
    if not found.ignored:
        there = "" if home.config_file.exists() else " (not there; the defaults hold)"
        yield Check("config", "ok", f"{home.config_file}{there}")
    if not found.settings.memory.enabled:
        yield Check("config", "warning", "the memory is off here: [memory] enabled = false")
    for each in differences(home):
        yield Check("config", "warning", each, "Unset the variable, or run `learnt init` with it set.")


def _store(desk: Desk) -> Iterator[Check]:
    status = desk.engine.status()
    facts = status.store
    size = f"{int(str(facts.get('size_bytes', 0))) / 1e6:.1f} MB"
    active = status.memories.get("active", 0)
    found = f"{facts.get('path') or desk.home.shown}: {size}, schema {facts.get('schema_version')}"
    journal = "" if desk.home.url else f", {facts.get('journal_mode')} journal"
    yield Check("store", "ok", f"{found}{journal}, {screen.count(active, 'active memory', 'active memories')} here")
    if facts.get("read_only"):
        advice = _RIGHTS if desk.home.url else StoreReadOnlyError.hint
        yield Check("store", "problem", "it cannot be written", advice)
    yield from (Check("store", *each) for each in served(facts))
    yield from _rights("store", Path(str(facts["path"]) if desk.home.lines else desk.home.database), _PRIVATE_FILE)
    yield from _rights("store", desk.home.data_dir, _PRIVATE_FOLDER)


def _rights(name: str, path: Path, most: int) -> Iterator[Check]:
    """A warning where others may read what is this user's."""
    if os.name != "posix" or not path.exists():
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & ~most:
        yield Check(name, "warning", f"{path} may be read by others ({mode:04o})", f"chmod {most:o} {path}")


def _keys(desk: Desk) -> Iterator[Check]:
    folder = desk.home.keys_dir
    if not desk.home.key("receipts"):
        advice = f"Make {folder} writable; receipts hold no hash of the question until then."
        yield Check("keys", "warning", f"no key can be kept in {folder}", advice)
        return
    yield Check("keys", "ok", str(folder))
    for path in sorted(folder.glob("*.key")):
        yield from _rights("keys", path, _PRIVATE_FILE)


def _identity(desk: Desk) -> Iterator[Check]:
    assembly = desk.engine.assembly
    yield Check("identity", "ok", f"{assembly.place.value} ({assembly.identity.repository_id})")
    if assembly.identity.likeness:
        found = f"this folder looks like the known repository {assembly.identity.likeness}"
        yield Check("identity", "warning", found, "If it is that one: `learnt adopt`.")


def _warm(desk: Desk) -> Iterator[Check]:
    recorded = recorded_for(desk.home)
    if recorded.data_dir:
        row = desk.engine.assembly.means.store.meta.get(ROW)
        found = WORDS if desk.home.url else told(recorded.data_dir, row)
        yield Check("warm", "ok", f"process for search by meaning at prompts: {found}")


def _copy(desk: Desk) -> Iterator[Check]:
    """The copy that hooks read where the store is on a server; also when that does not answer."""
    from learnt.bootstrap import copy as copies

    if not desk.home.url:
        return
    copy = copies.opened(desk.home)
    if copy is None:
        found = "hooks have no copy of this store that can be read: they show nothing"
        yield Check("copy", "warning", found, "`learnt init` makes one.")
        return
    here = place(desk.folder)
    value = copy.state(Scope(type="repository", repo_id=copy.places().get(here.value, here.repository_id)))
    copy.close()
    held = f"{screen.count(value.memories, 'memory', 'memories')} of {screen.count(value.places, 'place')}"
    held += f", as of {value.synced_at or 'never'}"
    yield Check("copy", "ok", f"{value.path}: {held}; receipts that wait: {value.queued:,}")
    yield from _rights("copy", Path(value.path), _PRIVATE_FILE)
    if remote.has_password(recorded_for(desk.home).url):
        advice = "Put it into ~/.pgpass (0600), then `learnt init` writes the URL without it."
        yield Check("copy", "warning", "the password of the store is written down in install.json", advice)
    if lost := remote.unseen(desk.environment):
        advice = "What they say belongs into the URL, or into ~/.pgpass; then `learnt init`."
        yield Check("copy", "warning", f"what hooks start does not see {', '.join(lost)}", advice)
    if not remote.person(desk.home.url):
        found = "the URL names no person: who has your user number on another machine shares your preferences"
        yield Check("copy", "warning", found, "Add person=NAME to the URL, then `learnt init`.")


def _faults(desk: Desk) -> Iterator[Check]:
    data = recorded_for(desk.home).data_dir or str(desk.home.data_dir)
    lines = gap.lines(data)
    if lines:
        found = f"{screen.count(len(lines), 'fault')} of hooks, the last: {lines[-1]}"
        yield Check("faults", "warning", found, f"They are in {data}/{gap.LOG}; remove it once it is dealt with.")


def _gaps(desk: Desk) -> Iterator[Check]:
    status = desk.engine.status()
    if status.jobs.get("rescan") and desk.engine.assembly.means.context.person:
        yield Check("clearance", "ok", f"{desk.engine.rescan():,} memories were scanned by the present pattern set")
    for each in desk.engine.status().gaps:
        if not each.startswith("this folder looks like"):  # told by `identity`
            yield Check("gaps", "warning", each)


_CHECKS: tuple[tuple[str, Callable[[Desk], Iterator[Check]]], ...] = (
    ("python", _python),
    ("config", _config),
    ("store", _store),
    ("index", probe.index),
    ("models", probe.models),
    ("audit", trail),
    ("keys", _keys),
    ("identity", _identity),
    ("hosts", wired.hosts),
    ("hook", wired.hook),
    ("tools", probe.tools),
    ("warm", _warm),
    ("copy", _copy),
    ("faults", _faults),
    ("gaps", _gaps),
)
