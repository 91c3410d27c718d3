"""What `learnt init` puts where, and how `learnt uninit` takes it away again.

Order matters: everything a hook needs is there before the host's settings name it, and the settings are restored
before anything of that goes.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt import __version__
from learnt.bootstrap import INSTALLED, installation, remote
from learnt.bootstrap import copy as copies
from learnt.errors import ConfigError, UsageError
from learnt.hosts import installed
from learnt.hosts.server import NAME, shared_server, user_server
from learnt.hosts.wiring import claude_hooks
from learnt.interfaces.hook import limits, stub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from learnt.bootstrap import Home
    from learnt.engine import Engine
    from learnt.hosts.installed import Change, Part

CLAUDE = "claude-code"
_LAST_S = 10.0
"""How long the last receipts of hooks may take to reach the store."""

LATER = (
    *("codex", "opencode", "pi", "oh-my-pi", "gemini-cli", "copilot-cli", "cursor", "cline", "roo", "openhands"),
    *("mastra", "swe-agent", "aider", "specstory"),
)
"""Hosts of the contract whose turn comes in a later part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done.

    Attributes:
        hooks: The change to each host's settings. `servers`: to each host's list of tool servers.
        root: The repository's root when only this one is to be turned on; None for all of this user's.
        found: Whether the hosts were found on this machine rather than named.
    """

    hosts: tuple[str, ...]
    hooks: tuple[Change, ...]
    servers: tuple[Change, ...]
    root: Path | None
    found: bool

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every change, in the order it is made."""
        return self.hooks + self.servers


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


def plan(home: Home, named: Sequence[str], root: Path | None) -> Plan:
    """The change to each host's settings. Reads only.

    Raises:
        UsageError: A host that is unknown, or comes in a later part.
        ConfigError: Settings that cannot be changed safely.
    """
    for host in named:
        _known(host)
    hosts = tuple(dict.fromkeys(named)) or _present(home)
    hooks = tuple(_change(home, root) for _ in hosts)
    servers = tuple(_served(home, root) for _ in hosts)
    return Plan(hosts=hosts, hooks=hooks, servers=servers, root=root, found=not named)


def _known(host: str) -> None:
    if host in LATER:
        raise UsageError(
            f"{host} comes in a later version; this one knows {CLAUDE}.",
            code="host_later",
            hint="`learnt sessions` and the other commands work without hooks.",
        )
    if host != CLAUDE:
        raise UsageError(f"There is no host {host!r}.", code="unknown_host", hint=f"This version knows {CLAUDE}.")


def _present(home: Home) -> tuple[str, ...]:
    return (CLAUDE,) if installed.claude_installed(home.environment, user_folder(home.environment)) else ()


def _change(home: Home, root: Path | None) -> Change:
    path = installed.claude_settings(home.environment, user_folder(home.environment), root)
    data = str(home.data_dir)

    def line(event: str) -> str:
        if root is not None:
            return stub.shared_command_line(event, CLAUDE)
        return stub.command_line(sys.executable, data, event, CLAUDE)

    return installed.planned(path, claude_hooks(line), home.data_dir, within=root)


def _served(home: Home, root: Path | None) -> Change:
    path = installed.claude_servers(home.environment, user_folder(home.environment), root)
    server = shared_server(CLAUDE) if root else user_server(sys.executable, str(home.config_file), CLAUDE)
    return installed.planned_server(path, server, home.data_dir, within=root)


def install(engine: Engine, wanted: Plan, *, accept_instructions: bool) -> None:
    """Carry the plan out; the same again changes nothing.

    Raises:
        ConfigError: A file cannot be written.
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
    for change in wanted.hooks:
        installed.apply(change, home.data_dir)
    for _ in wanted.servers:  # planned anew: a host writes this file all the time, also while a person reads the diff
        installed.apply(_served(home, wanted.root), home.data_dir)


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
        "hosts": sorted({*before.hosts, *wanted.hosts}),
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


def removal(home: Home, root: Path) -> tuple[Change, ...]:
    """The changes that take our hooks out of every settings file that has them.

    Raises:
        ConfigError: A file that was wired cannot be changed safely any more.
    """
    wired = installed.connected(home.data_dir)
    changes = [installed.undone(path, home.data_dir, of) for path, of in wired.items()]
    user = user_folder(home.environment)
    places: dict[Part, Callable[[Mapping[str, str], Path, Path | None], Path]]
    places = {"hooks": installed.claude_settings, "server": installed.claude_servers}
    for of, place in places.items():  # what is there without a record, because that was lost
        for shared_root in (None, root):
            path = Path(os.path.realpath(place(home.environment, user, shared_root)))
            if path not in wired and _mentions_us(path):
                changes.append(installed.undone(path, home.data_dir, of))
    return tuple(change for change in changes if change.differs)


def _mentions_us(path: Path) -> bool:
    """Whether a settings file could hold something of ours; what else is in it is no matter of ours."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return any(word in text for word in (stub.STUB, "learnt hook ", f'"{NAME}"'))


def uninstall(home: Home, engine: Engine | None, changes: Sequence[Change]) -> tuple[str, ...]:
    """Take everything away but the memory and its keys; gives what was removed.

    Args:
        engine: None where the store does not open: the hooks go all the same.
    """
    for change in changes:
        anew = change.of == "server"
        installed.apply(installed.undone(change.path, home.data_dir, "server") if anew else change, home.data_dir)
    if engine is not None:
        _switched_off(home, engine)
    return (*_removed(home), *(copies.removed(home) if home.url or installation(home).url else ()))


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
