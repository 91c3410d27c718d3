"""Where a command looks against where `learnt init` wired the hooks to. Source: contract, where things live."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.bootstrap import Home, Installation
    from learnt.engine import Engine

_VARIABLES = ("LEARNT_HOME", "LEARNT_DATABASE_URL", "LEARNT_CONFIG")


def warn(engine: Engine, note: Callable[[str], None]) -> None:
    """One line when this command works elsewhere than the hooks do."""
    found = differences(engine.assembly.home)
    if found:
        note(f"the hooks of `learnt init` work elsewhere than this command: {'; '.join(found)}")


def differences(home: Home) -> list[str]:
    """What differs, one phrase each; [] where nothing was recorded or nothing differs."""
    recorded = recorded_for(home)
    if not recorded.data_dir or not (recorded.url or any(home.environment.get(name) for name in _VARIABLES)):
        return []
    return list(_compared(home, recorded))


def recorded_for(home: Home) -> Installation:
    """What `init` recorded for this user: beside the configuration in force, else beside the usual one."""
    from learnt.bootstrap import Home, installation
    from learnt.errors import ConfigError

    found = installation(home)
    if found.data_dir or not home.environment.get("LEARNT_CONFIG"):
        return found
    usual = {name: value for name, value in home.environment.items() if name not in _VARIABLES}
    try:
        return installation(Home(usual))
    except ConfigError:
        return found


def _compared(home: Home, recorded: Installation) -> Iterator[str]:
    if recorded.data_dir != str(home.data_dir):
        yield f"LEARNT_HOME is {home.data_dir}, recorded was {recorded.data_dir}"
    elif _store(recorded.url, recorded.database) != home.shown:
        yield f"the database is {home.shown}, recorded was {_store(recorded.url, recorded.database)}"
    if recorded.config_file != str(home.config_file):
        yield f"LEARNT_CONFIG is {home.config_file}, recorded was {recorded.config_file}"


def _store(url: str, database: str) -> str:
    """Where a store was recorded, without a password."""
    from learnt.bootstrap import remote

    return remote.shown(url) if url else database
