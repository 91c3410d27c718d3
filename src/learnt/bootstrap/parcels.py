"""Where memory is exported to, and what a person named to be imported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from learnt.bootstrap.home import Home
    from learnt.model.place import Place
    from learnt.ports.parcel import Export, Parcel

EXPORTS = "exports"
"""Where an export goes that names no folder: beside the store, not into a repository that would commit it."""

BACKUPS = "backups"
"""Where originals are copied to that are taken over once. Whoever forgets strikes lines from both (`attic`)."""

ELSEWHERE = "elsewhere"
"""In the folder of exports: where others were written, so that whoever forgets is told of them."""


def export_folder(home: Home, at: Place, folder: str, now: str) -> Export:
    """The folder of an export, about to be written.

    Raises:
        UsageError: Something else is there.
        ConfigError: It cannot be made.
    """
    from learnt.formats.folder import ExportFolder

    own = home.data_dir / EXPORTS
    return ExportFolder(folder, listed=own / ELSEWHERE) if folder else ExportFolder(str(own / _name(at, now)))


def _name(at: Place, now: str) -> str:
    """What a folder is called by itself: the repository's name and the moment."""
    last = at.value.rstrip("/").removesuffix("/.git").rpartition("/")[2]
    named = re.sub(r"[^\w.-]+", "-", last).strip("-.")[:60] or "memory"
    return f"{named}-{re.sub(r'[-:.]', '', now)}"


def parcel(path: str, form: str) -> Parcel:
    """What is to be imported.

    Args:
        form: Name of the format; "" to find out.

    Raises:
        UsageError: It cannot be read, or no format is known by which it could be.
    """
    from learnt.formats.choose import chosen

    return chosen(path, form)
