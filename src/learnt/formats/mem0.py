"""What mem0 gives for all memories: `{"results": [...]}` or the list itself, as JSON in one file.

An entry has `id`, `memory`, and may have `metadata`, `categories`, `created_at`, `updated_at`, `expiration_date`,
`user_id`, `agent_id`, `run_id`. What is about a preference is the person's own; all else is about the repository.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from learnt.formats.draft import draft
from learnt.formats.foreign import Foreign
from learnt.formats.moment import moment_or
from learnt.model.field import MisfitError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.formats.foreign import Told
    from learnt.model.memory import Memory

NAME: Final = "mem0"


def parcel(path: Path) -> Foreign:
    """The file."""
    return Foreign(NAME, path, [path], _told)


def parsed(content: bytes) -> Any:
    """A JSON document.

    Raises:
        MisfitError: It is none, or nested too deeply.
    """
    try:
        return json.loads(content)
    except RecursionError:
        raise MisfitError("nested too deeply") from None
    except UnicodeDecodeError:
        raise MisfitError("not UTF-8") from None
    except ValueError:
        raise MisfitError("not JSON") from None


def entries(held: Any) -> list[Any] | None:
    """The entries of a document; None where it is none of these."""
    found = held.get("results") if isinstance(held, dict) else held
    if not isinstance(found, list):
        return None
    return found if all(isinstance(each, dict) and "memory" in each for each in found[:20]) else None


def _told(name: str, content: bytes) -> Iterator[Told]:
    del name
    found = entries(parsed(content))
    if found is None:
        raise MisfitError("holds no list of memories")
    for number, each in enumerate(found, 1):
        yield number, partial(_memories, each)


def _memories(row: Any) -> Iterator[Memory]:
    if not isinstance(row, dict) or not isinstance(row.get("memory"), str):
        raise MisfitError("memory: not a text")
    held = row.get("metadata")
    free: dict[str, Any] = held if isinstance(held, dict) else {}
    tags = [*_words(row.get("categories")), *_words(free.get("category")), *_words(free.get("tags"))]
    tags += _words(free.get("type"))
    kind = "user_preference" if any("preference" in tag.lower() for tag in tags) else "project_fact"
    yield draft(
        NAME,
        str(row.get("id", ""))[:100],
        row["memory"],
        kind,  # type: ignore[arg-type]
        tags=tags,
        created_at=moment_or(row.get("created_at")),
        updated_at=moment_or(row.get("updated_at")),
        expires_at=moment_or(row.get("expiration_date")),
        session=str(row.get("run_id") or "")[:100],
    )


def _words(held: Any) -> list[str]:
    if isinstance(held, str):
        return [held]
    return [each for each in held if isinstance(each, str)][:32] if isinstance(held, list) else []
