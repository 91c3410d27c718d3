"""The composition root: the only reader of environment and configuration files.

It finds where things live, reads the settings, derives who is asking from where, and puts an engine together.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import time
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from learnt.errors import ConfigError
from learnt.flows.identify import Identity, identify
from learnt.flows.means import Means
from learnt.gate.scan import Gate
from learnt.hosts.marker import host_of
from learnt.hosts.shelf import Shelf
from learnt.model.context import Context
from learnt.model.instant import from_epoch
from learnt.model.keys import short_id
from learnt.model.place import Place, place
from learnt.model.scope import Scope
from learnt.settings import Ignored, Settings, merged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.ports.store import Store

_GIT_S = 5
INSTALLED = "install.json"


class SystemClock:
    """The machine's clock."""

    def now(self) -> str:
        """See `learnt.ports.clock.Clock`."""
        return from_epoch(time.time())


class RandomIds:
    """Names from the operating system's random source."""

    def new(self, prefix: str) -> str:
        """See `learnt.ports.clock.Ids`."""
        return f"{prefix}_{secrets.token_hex(8)}"

    def marker(self) -> str:
        """See `learnt.ports.clock.Ids`."""
        return secrets.token_hex(4)


@dataclass(frozen=True)
class Home:
    """Where one user's things live. Source: contract, where things live."""

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @cached_property
    def data_dir(self) -> Path:
        """Database, evidence, artifacts."""
        given = self.environment.get("LEARNT_HOME")
        return Path(given).expanduser().absolute() if given else _platform("user_data_path")

    @cached_property
    def config_file(self) -> Path:
        """The user's `config.toml`; it may be absent."""
        given = self.environment.get("LEARNT_CONFIG")
        return Path(given).expanduser().absolute() if given else _platform("user_config_path") / "config.toml"

    @cached_property
    def keys_dir(self) -> Path:
        """Keys, outside the database."""
        return self.config_file.parent / "keys"

    @cached_property
    def database(self) -> str:
        """Path of the SQLite file.

        Raises:
            ConfigError: The URL names an engine this version does not have.
        """
        url = self.environment.get("LEARNT_DATABASE_URL", "")
        if not url:
            return str(self.data_dir / "memory.db")
        parts = urlsplit(url)
        if parts.scheme != "sqlite":
            raise ConfigError(
                f"There is no store for {parts.scheme or 'this'} URLs in this version.",
                hint="Set LEARNT_DATABASE_URL to sqlite:///PATH, or unset it.",
            )
        path = "/" + unquote(parts.path).lstrip("/")
        return path[1:] if re.match(r"/(?:[A-Za-z]:|\./)", path) else path

    def key(self, name: str) -> bytes:
        """The key of this name, made on first use (32 random bytes, 0600); empty where it cannot be kept."""
        path = self.keys_dir / f"{name}.key"
        try:
            return path.read_bytes()
        except OSError:
            return _new_key(path)


def _platform(name: str) -> Path:
    """A platform folder of learnt."""
    import platformdirs

    try:
        found: Path = getattr(platformdirs, name)("learnt", appauthor=False)
    except (RuntimeError, KeyError, OSError) as error:
        raise ConfigError(
            "This user has no home directory.", hint="Set LEARNT_HOME and LEARNT_CONFIG.", code="no_home"
        ) from error
    if not found.is_absolute() or "~" in found.parts:
        raise ConfigError("This user has no home directory.", hint="Set LEARNT_HOME and LEARNT_CONFIG.", code="no_home")
    return found


def _new_key(path: Path) -> bytes:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = secrets.token_bytes(32)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(key)
    except FileExistsError:
        return path.read_bytes()
    except OSError:
        return b""
    return key


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings in force here, what was ignored in which file, and which roles are curators here."""

    settings: Settings
    ignored: tuple[tuple[str, Ignored], ...] = ()
    curators: tuple[str, ...] = ()


def configuration(home: Home, at: Place) -> Configuration:
    """Defaults, then the user's file, then what the repository's file may narrow.

    Raises:
        ConfigError: The user's file cannot be read or is no TOML.
    """
    table = _toml(home.config_file)
    curators = table.pop("curators", {})
    settings, own = merged(Settings(), table, person=True)
    shared_file = Path(at.root) / ".learnt" / "config.toml"
    try:
        shared = _toml(shared_file)
    except ConfigError as error:
        return Configuration(settings, (*_named(home.config_file, own), (str(shared_file), Ignored("", error.message))))
    settings, theirs = merged(settings, shared, person=False)
    roles = curators.get(at.value, []) if isinstance(curators, dict) else []
    ignored = (*_named(home.config_file, own), *_named(shared_file, theirs))
    return Configuration(settings, ignored, tuple(str(role) for role in roles))


def _named(path: Path, ignored: tuple[Ignored, ...]) -> tuple[tuple[str, Ignored], ...]:
    return tuple((str(path), each) for each in ignored)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path.name} cannot be read: {error}", hint=f"Correct {path}.") from error


@dataclass(frozen=True, slots=True)
class Installation:
    """What `learnt init` recorded; everything empty where it never ran."""

    data_dir: str = ""
    database: str = ""
    config_file: str = ""
    hosts: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    accept_instructions: bool = False


def installation(home: Home) -> Installation:
    """The record of `learnt init`, beside the user's configuration."""
    try:
        found = json.loads((home.config_file.parent / INSTALLED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Installation()
    if not isinstance(found, dict):
        return Installation()
    return Installation(
        data_dir=str(found.get("data_dir", "")),
        database=str(found.get("database", "")),
        config_file=str(found.get("config", "")),
        hosts=tuple(map(str, found.get("hosts") or ())),
        shared=tuple(map(str, found.get("shared") or ())),
        accept_instructions=found.get("accept_instructions") is True,
    )


def user_id() -> str:
    """The local id of the OS user: 16 hex digits, so that no name is stored."""
    number = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    return short_id(f"user:{number}")


def context(home: Home, at: Place, repository_id: str, curators: tuple[str, ...]) -> Context:
    """Who is asking and what they may see. Source: contract, scopes and who is a person."""
    env = home.environment
    host = host_of(env)
    agent, role = env.get("LEARNT_AGENT", ""), env.get("LEARNT_AGENT_ROLE", "")
    run, session = env.get("LEARNT_RUN", ""), env.get("LEARNT_SESSION", "")
    user = user_id()
    scopes = [
        Scope(type="global_user", user_id=user),
        Scope(type="repository", repo_id=repository_id, repo_root=at.root),
    ]
    if run or session:
        scopes.append(Scope(type="run", repo_id=repository_id, run_id=run or session))
    if agent or role:
        scopes.append(Scope(type="agent", repo_id=repository_id, run_id=run or session, agent_id=agent or role))
    return Context(
        scopes=tuple(scopes),
        user_id=user,
        person=not (agent or role or host),
        curator=bool(role) and role in curators,
        root=at.root,
        run_id=run,
        unit_id=env.get("LEARNT_UNIT", ""),
        round=env.get("LEARNT_ROUND", ""),
        session_id=session,
        agent_id=agent,
        agent_role=role,
        host=host,
    )


@dataclass(frozen=True, slots=True)
class Assembly:
    """Everything an engine is made of, and what `doctor` shows about it."""

    means: Means
    home: Home
    place: Place
    identity: Identity
    configuration: Configuration


def assemble(
    project: str | os.PathLike[str] = ".", *, home: Home | None = None, store: Store | None = None
) -> Assembly:
    """Put the parts together for a folder.

    Raises:
        ConfigError: No home directory, an unreadable configuration, an unknown engine.
        StoreError: The store does not open.
    """
    home = home or Home()
    at = place(os.fspath(project))
    settings = configuration(home, at)
    means = _means(home, at, settings, store or _opened(home))
    return Assembly(means, home, at, means.identity, settings)


def _means(home: Home, at: Place, settings: Configuration, store: Store) -> Means:
    workplace = GitWorkplace(at.root)
    found = identify(store, at, workplace.root_commit)
    return Means(
        store=store,
        gate=Gate(),
        clock=SystemClock(),
        ids=RandomIds(),
        context=context(home, at, found.repository_id, settings.curators),
        workplace=workplace,
        transcripts=Shelf(home.environment),
        place=at,
        identity=found,
        settings=settings.settings,
        accept_instructions=installation(home).accept_instructions,
        key=home.key("receipts"),
        elsewhere=lambda folder: _elsewhere(home, at, store, folder),
        same=lambda folder: Path(folder).is_dir() and place(folder).value == at.value,
    )


def _elsewhere(home: Home, here: Place, store: Store, folder: str) -> Means | None:
    """The means of another repository on this machine; a folder that is gone counts only inside a repository."""
    there = place(folder)
    if there.value == here.value or not (there.common_dir or Path(folder).is_dir()):
        return None
    return _means(home, there, configuration(home, there), store)


def _opened(home: Home) -> Store:
    from learnt.stores.sqlite.store import SqliteStore

    return SqliteStore.open(home.database, now=SystemClock().now)


@dataclass(frozen=True)
class GitWorkplace:
    """See `learnt.ports.workplace.Workplace`; asks git."""

    root: str

    def is_file(self, path: str) -> bool:
        """Whether a path relative to the root is a file inside it."""
        try:
            found = (Path(self.root) / path).resolve()
            return found.is_file() and found.is_relative_to(self.root)
        except (OSError, ValueError):
            return False

    def root_commit(self) -> str:
        """The oldest root commit, or ""; asked once, for it costs a walk of the history."""
        return self._root_commit

    @cached_property
    def _root_commit(self) -> str:
        return _git(self.root, "rev-list", "--max-parents=0", "HEAD").rpartition("\n")[2]

    def head_commit(self, at: str = "") -> str:
        """The commit checked out at an instant, or now."""
        if not at:
            return _git(self.root, "rev-parse", "HEAD")
        return _git(self.root, "rev-list", "-1", f"--before={at}", "HEAD")


def _git(root: str, *arguments: str) -> str:
    """What git prints; "" where there is no git, no repository or no answer. Hooks and pagers are never started."""
    command = ["git", "-C", root, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_GIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
