"""Exports of learnt: `manifest.json`, `memories.jsonl`, `proposals.jsonl`, `evidence.jsonl`."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import UsageError
from learnt.formats.file import document
from learnt.formats.rows import Rows
from learnt.model.field import MisfitError, instant, line_of, metadata, table_of, text, texts, whole
from learnt.model.parcel import FILES, FORMAT, MANIFEST, VERSION, Listed, Manifest
from learnt.model.portable import CODECS as BY_CHAPTER
from learnt.model.portable import MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from learnt.model.parcel import Arrival, Backup, Outline
    from learnt.model.portable import Codec, SaidCodec

NAME: Final = "learnt"
CODECS: Final[Mapping[str, Codec | SaidCodec]] = {FILES[chapter]: codec for chapter, codec in BY_CHAPTER.items()}

_NAMED: Final = {FILES["units"]: "", FILES["flags"]: ""}
"""One document may stand in two scopes, under one id; a flag has none."""


class OwnParcel:
    """See `learnt.ports.parcel.Parcel`.

    Args:
        path: The folder, or one of its files.
    """

    format = NAME
    once = False
    settled = True

    def __init__(self, path: Path) -> None:
        self.source = str(path)
        files = [path / name for name in CODECS] if path.is_dir() else [path]
        self._rows = [
            Rows(file, _codec(file.name).value, _NAMED.get(file.name, "id")) for file in files if _there(file)
        ]
        self._manifest = _manifest(path / MANIFEST) if path.is_dir() else None

    def arrivals(self) -> Iterator[Arrival]:
        """Every row."""
        for rows in self._rows:
            yield from rows

    def outlines(self) -> Iterator[Outline]:
        """Of every row what the others need to know."""
        for rows in self._rows:
            yield from rows.outlines()

    def manifest(self) -> Manifest | None:
        """What the export says of itself."""
        return self._manifest

    def digests(self) -> Mapping[str, str]:
        """SHA-256 of each file as it was last read."""
        return {rows.name: rows.sha256 for rows in self._rows}

    def restated(self) -> Mapping[str, str]:
        """The same of each file as an export writes it."""
        return {rows.name: _restated(rows) for rows in self._rows}

    def keep(self, folder: str) -> tuple[Backup, ...]:
        """An export is a copy already."""
        del folder
        return ()


def _there(file: Path) -> bool:
    """Whether anything has this name, be it a link that leads nowhere."""
    return file.is_symlink() or file.exists()


def _codec(name: str) -> Codec | SaidCodec:
    return CODECS.get(name, MEMORY)


def _restated(rows: Rows) -> str:
    found = hashlib.sha256()
    for each in rows:
        if each.value is not None:
            found.update(line_of(_codec(rows.name).row(each.value)).encode() + b"\n")
    return found.hexdigest()


def _manifest(path: Path) -> Manifest | None:
    """The manifest of an export.

    Raises:
        UsageError: It is none, or of a newer format.
    """
    if not _there(path):
        return None
    try:
        return _read(table_of(document(path)))
    except MisfitError as error:
        told = f"The manifest of this export cannot be read: {error}."
        raise UsageError(told, code="invalid_manifest", hint="Export again, or name one file of it.") from None


def _read(table: Mapping[str, Any]) -> Manifest:
    if table.get("format") != FORMAT:
        raise MisfitError(f"format: not {FORMAT}")
    if whole(table.get("version")) > VERSION:
        raise UsageError("This export was made by a newer learnt.", code="newer_format", hint="Upgrade learnt.")
    repository = metadata(table.get("repository"))
    return Manifest(
        exported_at=instant(table.get("exported_at")),
        person=text(table.get("person")),
        repository=text(repository.get("id")),
        place=text(repository.get("value")),
        scopes=texts(table.get("scopes")),
        files={name: _listed(each) for name, each in metadata(table.get("files")).items()},
        left_out={name: whole(each) for name, each in metadata(table.get("left_out", {})).items()},
        unreadable=whole(table.get("unreadable", 0)),
        seal=text(table.get("seal") or ""),
    )


def _listed(held: Any) -> Listed:
    row = metadata(held)
    return Listed(rows=whole(row.get("rows")), bytes=whole(row.get("bytes")), sha256=text(row.get("sha256")))
