"""What `learnt init` puts where.

Order matters: everything a hook needs is there before the host's settings name it.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt import __version__
from learnt.bootstrap import INSTALLED, installation, remote
from learnt.bootstrap import copy as copies
from learnt.errors import ConfigError, UsageError
from learnt.hosts.wiring import installed
from learnt.hosts.wiring.fitting import FITTINGS
from learnt.hosts.wiring.piece import WRITTEN_BY_HOSTS
from learnt.hosts.wiring.server import shared_server, user_server
from learnt.hosts.wiring.site import Site
from learnt.interfaces.hook import limits, stub
from learnt.model.place import place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from learnt.bootstrap import Home
    from learnt.engine import Engine
    from learnt.hosts.wiring.installed import Change
    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.server import Server, Style

CLAUDE = "claude-code"
_UNSHARED = "{} has no file that a repository shares: nothing was wired. `learnt init` without --shared says more."


@dataclass(frozen=True, slots=True)
class Left:
    """What cannot be changed: a host or one of its files, why, and what to do."""

    name: str
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class Step:
    """One change for one host."""

    host: str
    piece: Piece
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done.

    Attributes:
        steps: The changes, in the order they are made.
        root: The repository's root when only this one is to be turned on; None for all of this user's.
        found: Whether the hosts were found on this machine rather than named.
        bare: Those of the hosts that have no file to be wired in.
        left: Hosts that were found, and have a file that cannot be changed safely.
    """

    hosts: tuple[str, ...]
    steps: tuple[Step, ...]
    root: Path | None
    found: bool
    bare: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()

    @property
    def wired(self) -> tuple[str, ...]:
        """The hosts that are wired when this is done."""
        return tuple(host for host in self.hosts if host not in self.bare)

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every change."""
        return tuple(step.change for step in self.steps)

    @property
    def notes(self) -> dict[str, str]:
        """What a person should know of each host: what is left to do, and what it does without being wired."""
        said = {host: " ".join(filter(None, (FITTINGS[host].gets, FITTINGS[host].todo))) for host in self.hosts}
        if self.root is not None:
            wired = {step.host for step in self.steps}
            said |= {host: _UNSHARED.format(host) for host in self.hosts if host not in wired}
        return {host: text for host, text in said.items() if text}


def user_folder(environment: Mapping[str, str]) -> Path:
    """The user's home directory.

    Raises:
        ConfigError: There is none.
    """
    given = environment.get("HOME") or environment.get("USERPROFILE")
    try:
        return Path(given) if given else Path.home()
    except RuntimeError:
        raise ConfigError("This user has no home directory.", hint="Set HOME.", code="no_home") from None


def plan(home: Home, named: Sequence[str], root: Path | None, here: Path | None = None) -> Plan:
    """The change to each host's files. Reads only.

    Args:
        root: Of the repository whose own files are to be changed; None for this user's.
        here: A folder of the repository one is in; None for the working directory.

    Raises:
        UsageError: A host that is unknown.
        ConfigError: Settings of a named host, or of every one that was found, that cannot be changed safely.
    """
    for host in named:
        if host not in FITTINGS:
            known = ", ".join(FITTINGS)
            raise UsageError(f"There is no host {host!r}.", code="unknown_host", hint=f"There are: {known}.")
    where = site(home, root, here)
    hosts = tuple(dict.fromkeys(named)) or tuple(
        host for host, each in FITTINGS.items() if not each.asked and each.found(where)
    )
    steps: dict[str, tuple[Step, ...]] = {}
    left: list[Left] = []
    for host in hosts:
        try:
            steps[host] = tuple(_steps(home, host, where))
        except ConfigError as error:
            if named or len(left) == len(hosts) - 1:
                raise
            left.append(Left(host, error.message, error.advice))
    changes: dict[Path, Step] = {}
    for step in chain.from_iterable(steps.values()):
        changes.setdefault(step.change.path, step)  # two hosts may share one folder
    bare = tuple(host for host in steps if not steps[host])
    return Plan(
        hosts=tuple(steps), steps=tuple(changes.values()), root=root, found=not named, bare=bare, left=tuple(left)
    )


def _steps(home: Home, host: str, where: Site) -> Iterator[Step]:
    for piece in FITTINGS[host].wired(where):
        yield Step(host, piece, installed.planned(piece, home.data_dir, within=where.root))


def site(home: Home, root: Path | None, here: Path | None = None) -> Site:
    """Where hosts are wired: for this user, or in a repository."""
    data = str(home.data_dir)
    known = place(str(here or Path.cwd()))

    def line(event: str, host: str) -> str:
        if root is not None:
            return stub.shared_command_line(event, host)
        return stub.command_line(sys.executable, data, event, host)

    def server(host: str, style: Style) -> Server:
        if root is not None:
            return shared_server(host, style)
        return user_server(sys.executable, str(home.config_file), host, style)

    words = ("learnt", "hook") if root is not None else stub.command_words(sys.executable, data)
    return Site(
        environment=home.environment,
        home=user_folder(home.environment),
        root=root,
        words=words,
        line=line,
        server=server,
        here=Path(known.root),
        memory=home.data_dir / "projects" / known.repository_id / "memory_summary.md",
    )


def install(engine: Engine, wanted: Plan, *, accept_instructions: bool) -> Plan:
    """Carry the plan out, and give it as far as it was; the same again changes nothing.

    Raises:
        ConfigError: A file of ours cannot be written, or one of a host that was named.
        StoreError: The store does not answer.
    """
    home = engine.assembly.home
    repository = engine.assembly.identity.repository_id
    rows = {limits.ALL if wanted.root is None else limits.repository_row(repository): "1"}
    _copied(home, rows)
    engine.enable({} if home.url else rows)  # what this machine's hooks may do is nobody else's matter
    home.key("receipts")
    home.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    data, config = str(home.data_dir), str(home.config_file)
    text = stub.stub_text(source=stub.source_folder(), home=data, database=home.database, config=config)
    try:
        stub.write_stub(data, text)
        _write_record(home, _record(home, wanted, repository, accept_instructions=accept_instructions))
    except OSError as error:
        raise ConfigError(f"{error.filename or data} cannot be written: {error.strerror}", code="not_written") from None
    done, left = [], [*wanted.left]
    for step in wanted.steps:
        try:
            _applied(home, step, wanted.root)
        except ConfigError as error:
            if not wanted.found:
                raise
            left.append(Left(step.host, error.message, error.advice))
        else:
            done.append(step)
    hosts = tuple(host for host in wanted.hosts if host not in {each.name for each in left})
    return replace(wanted, hosts=hosts, steps=tuple(done), left=tuple(left))


def _applied(home: Home, step: Step, root: Path | None) -> None:
    change = step.change
    if change.of in WRITTEN_BY_HOSTS:  # planned anew: a host writes it all the time, also while a person reads
        change = installed.planned(step.piece, home.data_dir, within=root)
    installed.apply(change, home.data_dir)


def _copied(home: Home, rows: Mapping[str, str]) -> None:
    """Make the copy that hooks read where the store is on a server; one of an earlier such store goes."""
    if not home.url:
        copies.removed(home)
        return
    copy = copies.made(home)
    copy.record(rows, {})
    copy.close()


def _record(home: Home, wanted: Plan, repository: str, *, accept_instructions: bool) -> dict[str, Any]:
    before = installation(home)
    shared = [*before.shared, *([repository] if wanted.root is not None else [])]
    return {
        "data_dir": str(home.data_dir),
        "database": home.database,
        "url": remote.recorded(home.url, home.environment, user_folder(home.environment)) if home.url else "",
        "config": str(home.config_file),
        "hosts": sorted({*before.hosts, *wanted.wired}),
        "shared": sorted(set(shared)),
        "accept_instructions": accept_instructions,
        "learnt": __version__,
        "python": sys.executable,
    }


def _write_record(home: Home, record: Mapping[str, Any]) -> None:
    """Write `install.json` beside the user's configuration in one step, for this user alone."""
    path = home.config_file.parent / INSTALLED
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".{INSTALLED}.{os.getpid()}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
