"""What `learnt doctor` looks at of each host: whether it is wired, its hook answers, and what it still waits for."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.errors import LearntError
from learnt.hosts.wiring import trial
from learnt.hosts.wiring.fitting import FITTINGS
from learnt.interfaces.cli.check import Check
from learnt.interfaces.cli.drift import recorded_for
from learnt.interfaces.cli.install import CLAUDE, plan, site
from learnt.interfaces.hook.stub import STUB
from learnt.model.place import place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.hosts.wiring.installed import Change
    from learnt.hosts.wiring.site import Site
    from learnt.interfaces.cli.frame import Desk
    from learnt.interfaces.cli.install import Plan

HOOK_S = 2
"""A host waits for a hook; one that takes longer than this is in the way."""
_ANEW = "`learnt init` writes the hook anew."


def hosts(desk: Desk) -> Iterator[Check]:
    """Whether each host that was wired is still wired by this learnt, and what else is on this machine."""
    recorded = recorded_for(desk.home)
    if not recorded.data_dir:
        yield Check("hosts", "warning", "no hooks: sessions are not read, memories not brought", "`learnt init`")
        return
    if not recorded.hosts:
        yield Check("hosts", "warning", "no coding agent is wired", f"`learnt init --host {CLAUDE}`")
    for host in recorded.hosts:
        if host in FITTINGS:
            yield from _one(host, desk)
    where = site(desk.home, None, Path(desk.folder))
    found = [host for host, each in FITTINGS.items() if not each.asked and each.found(where)]
    if unwired := [host for host in found if host not in recorded.hosts]:
        told = f"on this machine and not wired: {', '.join(unwired)}"
        yield Check("hosts", "ok", told, "`learnt init` wires every coding agent it finds.")


def _one(host: str, desk: Desk) -> Iterator[Check]:
    """One host; what cannot be planned for it spoils no other."""
    root = Path(place(desk.folder).root)
    try:
        own = plan(desk.home, [host], None, root)
        shared = plan(desk.home, [host], root, root)
    except LearntError as error:
        yield Check("hosts", "problem", f"{host}: {error.message}", error.advice)
        return
    yield from _wired(host, _first(own), _first(shared))
    where = site(desk.home, root if _is_shared(own, shared) else None, root)
    for obstacle in trial.obstacles(FITTINGS[host], where):
        yield Check("hosts", "warning", obstacle, FITTINGS[host].todo)


def _first(wanted: Plan) -> Change | None:
    """The change to the file that holds a host's hooks."""
    return next(iter(wanted.changes), None)


def _is_shared(own: Plan, shared: Plan) -> bool:
    """Whether the repository's file has the hooks, and the user's has not."""
    mine, ours = _first(own), _first(shared)
    return bool(ours and not ours.differs and (mine is None or mine.differs))


def _wired(host: str, own: Change | None, shared: Change | None) -> Iterator[Check]:
    """Whether a host's files hold exactly the hooks that this learnt writes."""
    if own is None:
        yield Check("hosts", "ok", f"{host}: nothing to wire")
    elif not own.differs:
        yield Check("hosts", "ok", f"{host}: hooks in {own.path}")
    elif shared is not None and not shared.differs:
        yield Check("hosts", "ok", f"{host}: hooks of this repository in {shared.path}")
    elif f"/{STUB}" in (own.before or ""):
        found = f"{host}: the hooks in {own.path} are those of another Python or version of learnt"
        yield Check("hosts", "warning", found, "`learnt init` writes those of this one.")
    else:
        yield Check("hosts", "problem", f"{host}: the hooks are not in {own.path}", "`learnt init` puts them there.")


def hook(desk: Desk) -> Iterator[Check]:
    """Whether the hook of each wired host answers as that host reads it."""
    recorded = recorded_for(desk.home)
    if not recorded.data_dir:
        return
    stub = Path(recorded.data_dir) / STUB
    if not stub.is_file():
        yield Check("hook", "problem", f"{stub} is not there", "`learnt init` writes it.")
        return
    for host in recorded.hosts or (CLAUDE,):
        event, payload = trial.trial(host, str(Path(desk.folder).resolve()))
        if event:
            yield _answered(host, event, payload, _where(host, desk), desk)


def _where(host: str, desk: Desk) -> Site:
    """Where a host is wired: for this user, or in this repository, whose files start another command."""
    root = Path(place(desk.folder).root)
    try:
        shared = _is_shared(plan(desk.home, [host], None, root), plan(desk.home, [host], root, root))
    except LearntError:  # told of by `hosts`
        shared = False
    return site(desk.home, root if shared else None, root)


def _answered(host: str, event: str, payload: dict[str, object], where: Site, desk: Desk) -> Check:
    """Whether the exact command that a host runs answers as it must."""
    line = shlex.split(where.line(event, host))
    quiet = {name: value for name, value in desk.environment.items() if name != "LEARNT_CHILD"}
    try:
        done = subprocess.run(
            line,
            input=json.dumps(payload).encode(),
            env=quiet,
            capture_output=True,
            timeout=HOOK_S,
            check=False,
        )
    except OSError as error:
        advice = "Put learnt on the PATH that the host starts with." if where.root else _ANEW
        return Check("hook", "problem", f"{host}: {line[0]} cannot be started: {error.strerror}", advice)
    except subprocess.TimeoutExpired:
        advice = "`learnt status` shows what hooks complained of."
        return Check("hook", "problem", f"{host}: no answer within {HOOK_S} s", advice)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode or said:
        return Check("hook", "problem", f"{host}: exit {done.returncode}: {said[:300]}", _ANEW)
    try:
        answer = json.loads(done.stdout or b"null")
    except ValueError:
        return Check("hook", "problem", f"{host}: the answer is no JSON", _ANEW)
    if answer is not None and not trial.shaped(host, answer):
        return Check("hook", "problem", f"{host}: the answer is not in the host's shape", _ANEW)
    return Check("hook", "ok", f"{host}: {event} answered, {len(done.stdout):,} bytes")
