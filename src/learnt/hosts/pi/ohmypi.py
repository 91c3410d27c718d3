"""oh-my-pi: pi's format with a slot for the title before it, and some entries of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.hosts.host import Asked, Fit, Host
from learnt.hosts.pi.host import PiReader, agent_folder, all_files, fit, is_titled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAME: Final = "oh-my-pi"


def _recognises(path: Path) -> Fit:
    return fit(path) if is_titled(path) else "no"


def _reads(asked: Asked) -> PiReader:
    return PiReader(asked, NAME)


def folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """`~/.omp/agent/sessions`; those of profiles, and what was moved under `XDG_DATA_HOME`, where they are."""
    own = environment.get("PI_CONFIG_DIR") or ".omp"
    data = environment.get("XDG_DATA_HOME", "")
    moved = home.joinpath(data, "omp") if data else None
    profiles = sorted((home / own / "profiles").glob("*/agent/sessions"))
    if moved is not None:
        profiles += sorted(each for each in (moved / "sessions", *moved.glob("profiles/*/sessions")) if each.is_dir())
    return (agent_folder(environment, home, own) / "sessions", *profiles)


def _files(folder: Path) -> tuple[Path, ...]:
    return tuple(path for path in all_files(folder) if is_titled(path))


HOST: Final = Host(name=NAME, recognises=_recognises, reads=_reads, folders=folders, files=_files, resumes=False)
