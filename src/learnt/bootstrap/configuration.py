"""The configuration files, read."""

from __future__ import annotations

import stat
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.errors import ConfigError
from learnt.settings import Ignored, Settings, merged

if TYPE_CHECKING:
    from learnt.bootstrap.home import Home
    from learnt.model.place import Place


_SHARED_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings in force here, what was ignored in which file, and which roles are curators here.

    Attributes:
        own: What the person set, without what the repository narrowed: for what concerns more than this repository.
    """

    settings: Settings
    own: Settings = field(default_factory=Settings)
    ignored: tuple[tuple[str, Ignored], ...] = ()
    curators: tuple[str, ...] = ()


def configuration(home: Home, at: Place) -> Configuration:
    """Defaults, then the user's file, then what the repository's file may narrow.

    Raises:
        ConfigError: The user's file cannot be read or is no TOML.
    """
    table = _toml(home.config_file)
    curators = table.pop("curators", {})
    mine, own = merged(Settings(), table, person=True)
    shared_file = Path(at.root) / ".learnt" / "config.toml"
    try:
        shared = _shared(shared_file)
    except ConfigError as error:
        told = (*_named(home.config_file, own), (str(shared_file), Ignored("", error.message)))
        return Configuration(mine, mine, told)
    settings, theirs = merged(mine, shared, person=False)
    roles = curators.get(at.value, []) if isinstance(curators, dict) else []
    ignored = (*_named(home.config_file, own), *_named(shared_file, theirs))
    return Configuration(settings, mine, ignored, tuple(str(role) for role in roles))


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
