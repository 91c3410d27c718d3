"""The configuration files, read."""

from __future__ import annotations

import stat
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.bootstrap.writers import split
from learnt.errors import ConfigError
from learnt.govern.rule import read as read_rules
from learnt.model.kinds import CURATOR_ROLES
from learnt.model.writer import WriterChoice
from learnt.settings import Ignored, Settings, merged

if TYPE_CHECKING:
    from learnt.bootstrap.home import Home
    from learnt.model.place import Place
    from learnt.model.rule import AcceptRule


_SHARED_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings in force here, what was ignored in which file; curators, rules and models of the person.

    Attributes:
        own: What the person set, without what the repository narrowed: for what concerns more than this repository.
        curators, rules, writers: Of the user's own file only; a repository's cannot name any.
    """

    settings: Settings
    own: Settings = field(default_factory=Settings)
    ignored: tuple[tuple[str, Ignored], ...] = ()
    curators: tuple[str, ...] = ()
    rules: tuple[AcceptRule, ...] = ()
    writers: WriterChoice = field(default_factory=WriterChoice)


def configuration(home: Home, at: Place) -> Configuration:
    """Defaults, then the user's file, then what the repository's file may narrow.

    Raises:
        ConfigError: The user's file cannot be read or is no TOML.
    """
    table = _toml(home.config_file)
    curators, unknown = _curators(table.pop("curators", {}), at.value)
    rules, wrong = read_rules(table.pop("rules", []))
    writers, odd = split(table, at.value)
    mine, own = merged(Settings(), table, person=True)
    own = (*own, *odd, *(Ignored(key, why) for key, why in (*unknown, *wrong)))
    shared_file = Path(at.root) / ".learnt" / "config.toml"
    try:
        shared = _shared(shared_file)
    except ConfigError as error:
        told = (*_named(home.config_file, own), (str(shared_file), Ignored("", error.message)))
        return Configuration(mine, mine, told, curators, rules, writers)
    settings, theirs = merged(mine, shared, person=False)
    ignored = (*_named(home.config_file, own), *_named(shared_file, theirs))
    return Configuration(settings, mine, ignored, curators, rules, writers)


def _curators(table: Any, place: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The roles enabled for this repository, and what of the table has no effect."""
    if not isinstance(table, dict):
        return (), (("curators", "must be a table of repositories"),)
    wrong = [
        (f"curators.{key}", f"must be a list of {', '.join(sorted(CURATOR_ROLES))}")
        for key, roles in table.items()
        if not isinstance(roles, list) or any(role not in CURATOR_ROLES for role in roles)
    ]
    roles = table.get(place, [])
    enabled = [role for role in roles if role in CURATOR_ROLES] if isinstance(roles, list) else []
    return tuple(enabled), tuple(wrong)


def _named(path: Path, ignored: tuple[Ignored, ...]) -> tuple[tuple[str, Ignored], ...]:
    return tuple((str(path), each) for each in ignored)


def _shared(path: Path) -> dict[str, Any]:
    """The file a repository brought along. A pipe or a device in its place would make every command wait, or read on.

    Raises:
        ConfigError: It is no plain file of a sensible size, or no TOML.
    """
    try:
        found = path.stat()
    except OSError:
        return {}
    if not stat.S_ISREG(found.st_mode) or found.st_size > _SHARED_BYTES:
        raise ConfigError(f"{path.name} is no plain file of at most {_SHARED_BYTES >> 10} KB", hint=f"Correct {path}.")
    return _toml(path)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path.name} cannot be read: {error}", hint=f"Correct {path}.") from error
