"""Where one user's things lie, and what `learnt init` recorded of that."""

from __future__ import annotations

import json
import os
import re
import secrets
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from learnt.bootstrap import remote
from learnt.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

INSTALLED = "install.json"
COPY = "copy.db"
"""What hooks read in the data directory where the store is on a server."""

_PLACES = ("LEARNT_HOME", "LEARNT_CONFIG", "LEARNT_DATABASE_URL")


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
    def url(self) -> str:
        """URL of the store where that is on a server, else "". It may hold a password: never show it (see `shown`).

        In a process that a hook started it is the one that `learnt init` recorded, never the environment's.
        """
        given = self.environment.get("LEARNT_DATABASE_URL", "")
        if not given and self.environment.get("LEARNT_CHILD"):
            given = installation(self).url
        return given if remote.is_remote(given) else ""

    @cached_property
    def lines(self) -> str:
        """Folder of the store where that is a file of JSON lines, else "".

        Raises:
            ConfigError: The URL names no folder.
        """
        url = self.environment.get("LEARNT_DATABASE_URL", "")
        return _path(url, "jsonl") if url.partition(":")[0] == "jsonl" else ""

    @cached_property
    def database(self) -> str:
        """Path of the SQLite file that hooks read: the store itself, or the copy of one on a server.

        Raises:
            ConfigError: The URL names an engine this version does not have, or no file.
        """
        if self.url:
            return str(self.data_dir / COPY)
        if self.lines:
            hint = "`learnt migrate --to sqlite:///PATH` moves it into one that hooks read."
            raise ConfigError("A store of JSON lines is no SQLite file.", code="unsupported", hint=hint)
        url = self.environment.get("LEARNT_DATABASE_URL", "")
        if not url:
            return str(self.data_dir / "memory.db")
        path = _path(url, "sqlite")
        if path == str(self.data_dir / COPY):
            hint = "Give the store another name."
            raise ConfigError(f"{COPY} in the data directory is the copy of a store on a server.", hint=hint)
        return path

    @property
    def shown(self) -> str:
        """Where the store is, for reading: a path, or a URL without its password."""
        return remote.shown(self.url) if self.url else self.lines or self.database

    def key(self, name: str) -> bytes:
        """The key of this name, made on first use (32 random bytes, 0600); empty where it cannot be kept."""
        path = self.keys_dir / f"{name}.key"
        try:
            return path.read_bytes() or _new_key(path)
        except OSError:
            return _new_key(path)


def _path(url: str, engine: str) -> str:
    """The file, or folder, that a database URL names."""
    hint = "Set LEARNT_DATABASE_URL to sqlite:///PATH, jsonl:///DIR or postgresql://USER@HOST/DATABASE, or unset it."
    scheme, mark, _ = url.partition(":")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ConfigError("LEARNT_DATABASE_URL is no URL.", hint=hint) from None
    if parts.scheme != engine:
        what = f"{scheme} URLs" if mark else "what LEARNT_DATABASE_URL names"
        raise ConfigError(f"There is no store for {what} in this version.", hint=hint)
    path = "/" + unquote(parts.path).lstrip("/")
    name = path.rpartition("/")[2] if engine == "sqlite" else path.strip("/")
    if parts.netloc or parts.query or parts.fragment or "\0" in path or name in {"", ".", "..", ":memory:"}:
        what = "file" if engine == "sqlite" else "folder"
        raise ConfigError(f"LEARNT_DATABASE_URL names no {what}: no host, no options, a path.", hint=hint)
    return path[1:] if re.match(r"/(?:[A-Za-z]:|\./)", path) else path


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
        fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(secrets.token_bytes(32))
            _settle(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
        return path.read_bytes()
    except OSError:
        return b""


def _settle(fresh: Path, path: Path) -> None:
    """Give a whole key its name; of two processes at once the first wins, and an empty one left by a crash goes."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        if not path.stat().st_size:
            fresh.replace(path)
    except OSError:  # a file system without hard links
        fresh.replace(path)


@dataclass(frozen=True, slots=True)
class Installation:
    """What `learnt init` recorded; everything empty where it never ran.

    Attributes:
        database: The file that hooks read. `url`: the store's, where that is on a server; never shown as it is.
    """

    data_dir: str = ""
    database: str = ""
    url: str = ""
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
        url=str(found.get("url", "")),
        config_file=str(found.get("config", "")),
        hosts=tuple(map(str, found.get("hosts") or ())),
        shared=tuple(map(str, found.get("shared") or ())),
        accept_instructions=found.get("accept_instructions") is True,
    )


def wired(environment: Mapping[str, str], config: str = "") -> dict[str, str]:
    """The environment of what a coding agent starts: its places are what `learnt init` recorded, as for hooks.

    A repository can set the environment an agent gives its tools, so what that says of places counts only where nothing
    was recorded. Source: contract, where things live.

    Args:
        config: The user's configuration file as `init` wrote it into the agent's settings; "" for the usual place.
    """
    usual = {name: value for name, value in environment.items() if name not in _PLACES}
    tried = [{**usual, "LEARNT_CONFIG": config}] if config else [usual, dict(environment)]
    for each in tried:
        try:
            found = installation(Home(each))
        except ConfigError:  # no home directory: the other may know one
            continue
        if found.data_dir:
            url = found.url or "sqlite:///" + quote(found.database)
            return usual | dict(zip(_PLACES, (found.data_dir, found.config_file, url), strict=True))
    return dict(environment)
