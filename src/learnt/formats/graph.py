"""The knowledge graph of the Model Context Protocol's memory server: `memory.jsonl` (`memory.json` before).

One object a line: `{"type": "entity", "name", "entityType", "observations": [texts]}` or `{"type": "relation", "from",
"to", "relationType"}`. Each observation becomes one memory, its entity's name before it; each relation one as well.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from learnt.formats.draft import draft
from learnt.formats.foreign import Foreign
from learnt.model.field import MisfitError, table_of, text, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from learnt.formats.foreign import Told
    from learnt.model.memory import Memory

NAME: Final = "mcp-memory"


def parcel(path: Path) -> Foreign:
    """The server's file, or the folder it lies in."""
    if not path.is_dir():
        return Foreign(NAME, path, [path], _told)
    found = [file for name in ("memory.jsonl", "memory.json") if (file := path / name).is_file()]
    return Foreign(NAME, path, found[:1], _told)


def is_one(row: Mapping[str, Any]) -> bool:
    """Whether a row is one of these."""
    return (row.get("type") == "entity" and "observations" in row) or (
        row.get("type") == "relation" and "relationType" in row
    )


def _told(name: str, content: bytes) -> Iterator[Told]:
    del name
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            yield number, partial(_memories, line)


def _memories(line: bytes) -> Iterator[Memory]:
    row = table_of(line)
    match row.get("type"):
        case "entity":
            name, kind = text(row.get("name")), text(row.get("entityType"))
            for said in texts(row.get("observations")):
                yield draft(NAME, name, f"{name}: {said}", "project_fact", tags=[kind, name])
        case "relation":
            ends = [text(row.get(each)) for each in ("from", "relationType", "to")]
            yield draft(NAME, ends[0], " ".join(ends), "project_fact", tags=["relation", ends[0], ends[2]])
        case _:
            raise MisfitError("type: neither entity nor relation")
