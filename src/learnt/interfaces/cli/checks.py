"""What `learnt doctor` looks at: one check after the other, none of which can spoil the next."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap import configuration, remote
from learnt.errors import LearntError, StoreError, StoreReadOnlyError
from learnt.interfaces.cli import probe, screen
from learnt.interfaces.cli.check import Check
from learnt.interfaces.cli.drift import differences, recorded_for
from learnt.interfaces.cli.guard import trail
from learnt.interfaces.cli.server import served
from learnt.interfaces.hook import gap
from learnt.interfaces.hook.stub import STUB, command_line
from learnt.interfaces.warm.frame import ROW
from learnt.interfaces.warm.look import WORDS, told
from learnt.model.place import place
from learnt.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.hosts.installed import Change
    from learnt.interfaces.cli.frame import Desk
    from learnt.interfaces.cli.install import Plan

HOOK_S = 2
"""A host waits for a hook; one that takes longer than this is in the way."""
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


def _hosts(desk: Desk) -> Iterator[Check]:
    from learnt.interfaces.cli.install import CLAUDE, plan

    recorded = recorded_for(desk.home)
    if not recorded.data_dir:
        yield Check("hosts", "warning", "no hooks: sessions are not read, memories not brought", "`learnt init`")
        return
    wanted = plan(desk.home, recorded.hosts, None)
    if not wanted.hosts:
        yield Check("hosts", "warning", "no coding agent is wired", f"`learnt init --host {CLAUDE}`")
    shared = plan(desk.home, wanted.hosts, Path(place(desk.folder).root))
    for host in wanted.hosts:
        if host in recorded.hosts:
            yield from _wired(host, _first(wanted, host), _first(shared, host))
        else:
            yield Check("hosts", "warning", f"{host} is there, but not wired", "`learnt init`")


def _first(wanted: Plan, host: str) -> Change | None:
    """The change to the file that holds a host's hooks."""
    return next((step.change for step in wanted.steps if step.host == host), None)


def _wired(host: str, own: Change | None, shared: Change | None) -> Iterator[Check]:
    """Whether a host's settings hold exactly the hooks that this learnt writes."""
    if own is None:
        return
    if not own.differs:
        yield Check("hosts", "ok", f"{host}: hooks in {own.path}")
    elif shared is not None and not shared.differs:
        yield Check("hosts", "ok", f"{host}: hooks of this repository in {shared.path}")
    elif f"/{STUB}" in (own.before or ""):
        found = f"{host}: the hooks in {own.path} are those of another Python or version of learnt"
        yield Check("hosts", "warning", found, "`learnt init` writes those of this one.")
    else:
        yield Check("hosts", "problem", f"{host}: the hooks are not in {own.path}", "`learnt init` puts them there.")


def _hook(desk: Desk) -> Iterator[Check]:
    recorded = recorded_for(desk.home)
    if not recorded.data_dir:
        return
    stub = Path(recorded.data_dir) / STUB
    if not stub.is_file():
        yield Check("hook", "problem", f"{stub} is not there", "`learnt init` writes it.")
        return
    yield _answered(command_line(sys.executable, recorded.data_dir, "session-start", "claude-code"), desk)


def _answered(command: str, desk: Desk) -> Check:
    """Whether the exact command that a host runs answers a session start as it must.

    It is always the same session taken up again, so that what it was given once is not counted every time.
    """
    payload = {"hook_event_name": "SessionStart", "session_id": "learnt-doctor", "source": "resume"}
    payload["cwd"] = str(Path(desk.folder).resolve())
    quiet = {name: value for name, value in desk.environment.items() if name != "LEARNT_CHILD"}
    try:
        done = subprocess.run(
            shlex.split(command),
            input=json.dumps(payload).encode(),
            env=quiet,
            capture_output=True,
            timeout=HOOK_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Check(
            "hook", "problem", f"no answer within {HOOK_S} s", "`learnt status` shows what hooks complained of."
        )
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode or said:
        return Check("hook", "problem", f"exit {done.returncode}: {said[:300]}", "`learnt init` writes the hook anew.")
    try:
        json.loads(done.stdout or b"{}")
    except ValueError:
        return Check("hook", "problem", "the answer is no JSON", "`learnt init` writes the hook anew.")
    return Check("hook", "ok", f"session start answered, {len(done.stdout):,} bytes")


def _warm(desk: Desk) -> Iterator[Check]:
    recorded = recorded_for(desk.home)
    if recorded.data_dir:
        row = desk.engine.assembly.means.store.meta.get(ROW)
        found = WORDS if desk.home.url else told(recorded.data_dir, row)
        yield Check("warm", "ok", f"the process for search by meaning at prompts {found}")


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
        yield Check("clearance", "ok", f"{desk.engine.clear():,} memories were scanned by the present pattern set")
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
    ("hosts", _hosts),
    ("hook", _hook),
    ("tools", probe.tools),
    ("warm", _warm),
    ("copy", _copy),
    ("faults", _faults),
    ("gaps", _gaps),
)
