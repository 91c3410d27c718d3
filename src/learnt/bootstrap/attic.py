"""Old copies in the data directory: of the store before a migration, of files that were taken in."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.bootstrap.parcels import BACKUPS, ELSEWHERE, EXPORTS
from learnt.errors import StoreError
from learnt.flows.artifacts import PROJECTS
from learnt.model.parcel import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_BYTES = 1 << 20
_WHOLE = ("*.db.v*.backup", "*.db.v*.backup.part")
_LINES, _MADE = (BACKUPS, EXPORTS), "reflections"


class FolderAttic:
    """See `learnt.ports.attic.Attic`. Symbolic links are left alone."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    def copies(self) -> tuple[str, ...]:
        """Whole copies, then files of lines."""
        return tuple(str(path) for path in (*self._whole(), *self._lined()))

    def clear(self, texts: Sequence[str], *, shared: bool = False) -> tuple[str, ...]:
        """Remove the copies of the store, and lines that hold one of `texts`."""
        changed = []
        try:
            for path in (*self._whole(), *(self._made() if shared else ())):
                path.unlink(missing_ok=True)
                changed.append(str(path))
            changed += [str(path) for path in self._lined() if _struck(path, texts)]
        except OSError as error:
            raise _stuck(error) from error
        return tuple(changed)

    def end(self, repository_id: str) -> tuple[str, ...]:
        """Remove the exports of a repository."""
        gone = []
        for manifest in sorted((self._folder / EXPORTS).glob(f"*/{MANIFEST}")):
            if _repository_of(manifest) == repository_id and not manifest.parent.is_symlink():
                try:
                    shutil.rmtree(manifest.parent)
                except OSError as error:
                    raise _stuck(error) from error
                gone.append(str(manifest.parent))
        return tuple(gone)

    def exports(self) -> tuple[str, ...]:
        """Exports of this machine that are still where they were written, in the order in which they were."""
        try:
            listed = (self._folder / EXPORTS / ELSEWHERE).read_text("utf-8").splitlines()
        except (OSError, ValueError):
            return ()
        return tuple(path for path in listed if path and (Path(path) / MANIFEST).is_file())

    def links(self) -> tuple[str, ...]:
        """Links of the folders themselves, and below them, in order."""
        tops = [self._folder / name for name in (PROJECTS, _MADE, *_LINES)]
        below = (Path(at, each) for top in tops for at, *held in os.walk(top) for each in (*held[0], *held[1]))
        return tuple(sorted(str(path) for path in (*tops, *below) if path.is_symlink()))

    def _whole(self) -> list[Path]:
        return [path for pattern in _WHOLE for path in sorted(self._folder.glob(pattern)) if _is_plain(path)]

    def _made(self) -> list[Path]:
        """What was made from rows of any repository; it is made again when it is wanted."""
        return [path for path in sorted((self._folder / _MADE).rglob("*")) if _is_plain(path)]

    def _lined(self) -> list[Path]:
        return [path for name in _LINES for path in sorted((self._folder / name).rglob("*")) if _is_plain(path)]


def _stuck(error: OSError) -> StoreError:
    return StoreError(
        "An old copy in the data directory cannot be cleared.",
        hint="Remove it, then forget once more.",
        details={"path": str(error.filename), "cause": error.strerror or ""},
    )


def _repository_of(manifest: Path) -> str:
    """Which repository an export is of; "" where that cannot be read."""
    try:
        with manifest.open("rb") as file:
            return str(json.loads(file.read(_MOST_BYTES))["repository"]["id"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _struck(path: Path, texts: Sequence[str]) -> bool:
    """Write a file again without the lines that hold one of `texts`; whether there were any."""
    spelled = [form for text in texts if text for form in _forms(text)]
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not any(form in line for form in spelled)]
    if len(kept) == len(lines):
        return False
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as fresh:
        fresh.writelines(kept)
        fresh.flush()
        os.fsync(fresh.fileno())
    Path(fresh.name).replace(path)
    return True


def _forms(text: str) -> tuple[bytes, ...]:
    """How JSON may spell a text, and how it stands by itself."""
    return (
        json.dumps(text)[1:-1].encode(),
        json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass"),
        text.encode("utf-8", "surrogatepass"),
    )
