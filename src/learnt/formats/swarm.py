"""The line files of the swarm-memory seed, as they lie in a project.

`.swarm/memory/memories.jsonl`, `proposals.jsonl`, `outcomes.jsonl`, and the documents of its evidence cache. They are
taken over once; the originals are copied aside and never changed. Source: swarm-memory seed, JSONL migration.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import ConfigError
from learnt.formats import seed
from learnt.formats.rows import Rows
from learnt.model.keys import short_id
from learnt.model.parcel import Backup, outlined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from learnt.model.parcel import Arrival, Carried, Outline

NAME: Final = "swarm"
SUFFIX: Final = ".pre-sqlite-migration"
"""What the seed calls a copy of an original."""

_MEMORIES, _PROPOSALS, _DOCUMENTS = "memories.jsonl", "proposals.jsonl", "documents.jsonl"
_OUTCOMES: Final = "outcomes.jsonl"
_FOLDERS: Final = ("", "memory", ".swarm/memory")
_CACHES: Final = ("evidence-cache", "../evidence-cache", ".swarm/evidence-cache")


class SwarmParcel:
    """See `learnt.ports.parcel.Parcel`.

    Args:
        path: The project, its `.swarm`, the `memory` folder in it, or one file.
    """

    format = NAME
    once = True
    settled = True

    def __init__(self, path: Path) -> None:
        self.source = str(path)
        self._files = self.files(path) if path.is_dir() else [path]
        self._rows = [Rows(file, _MADE.get(file.name, seed.memory)) for file in self._files]

    @staticmethod
    def files(path: Path) -> list[Path]:
        """The files of a folder, in the order in which they are read."""
        places = [path / folder for folder in _FOLDERS]
        found = [place / name for name in (_MEMORIES, _PROPOSALS) for place in places]
        said = [place / _OUTCOMES for place in places]
        caches = [path / cache / _DOCUMENTS for cache in _CACHES if not cache.startswith("..") or path.name == "memory"]
        return [file for file in (*found, *caches, *said) if file.is_symlink() or file.is_file()]

    def arrivals(self) -> Iterator[Arrival]:
        """Every row."""
        for rows in self._rows:
            yield from rows

    def outlines(self) -> Iterator[Outline]:
        """Of every row what the others need to know."""
        return map(outlined, self.arrivals())

    def manifest(self) -> None:
        """There is none."""

    def digests(self) -> Mapping[str, str]:
        """SHA-256 of each file as it was last read."""
        return {rows.name: rows.sha256 for rows in self._rows}

    def restated(self) -> Mapping[str, str]:
        """Nothing to compare with."""
        return {}

    def keep(self, folder: str) -> tuple[Backup, ...]:
        """A copy of each file, in a folder named after the place it lies in; none where there is no folder for them."""
        if not folder:
            return ()
        return tuple(_kept(file, Path(folder) / short_id(str(file.parent))) for file in self._files)


def _kept(file: Path, folder: Path) -> Backup:
    copy = folder / f"{file.name}{SUFFIX}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with file.open("rb") as source, os.fdopen(os.open(copy, flags, 0o600), "wb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
    except FileExistsError:
        return Backup(str(file), str(copy), created=False)
    except OSError as error:
        told = f"The original cannot be copied aside: {error.strerror}. Nothing was imported."
        raise ConfigError(told, code="backup_failed", details={"path": str(folder)}) from None
    return Backup(str(file), str(copy), created=True)


_MADE: Final[Mapping[str, Callable[[Mapping[str, Any]], Carried]]] = {
    _MEMORIES: seed.memory,
    _PROPOSALS: seed.proposal,
    _DOCUMENTS: seed.document,
    _OUTCOMES: seed.outcome,
}
