"""Memories made of what another system wrote: what it says, where it came from, and nothing it does not say.

Whose memory it is, and the present for what tells no time, are filled in where it is imported. What a statement of
another system is worth is not known here: confidence 0.5, trust external.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.model.field import MisfitError
from learnt.model.keys import short_id
from learnt.model.memory import Memory, Provenance, Reference, Source
from learnt.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.model.kinds import Kind

MAX_CHARS: Final = 2_000
"""Of a memory; see `learnt.govern.rules`."""

_MAX_REF: Final = 300
_TAG = re.compile(r"[^\w-]+")


def draft(
    form: str,
    name: str,
    text: str,
    kind: Kind,
    *,
    tags: Sequence[str] = (),
    files: Sequence[str] = (),
    created_at: str = "",
    updated_at: str = "",
    expires_at: str = "",
    session: str = "",
) -> Memory:
    """One memory.

    Args:
        form: The format it comes from. `name`: what it is called there.

    Raises:
        MisfitError: It says nothing, or too much for one memory.
    """
    said = text.strip()
    if not said:
        raise MisfitError("text: is empty")
    if len(said) > MAX_CHARS:
        raise MisfitError(f"text: has {len(said):,} characters; a memory at most {MAX_CHARS:,}")
    ref = f"{form}:{name}"[:_MAX_REF]
    return Memory(
        id=f"mem_{short_id(f'{form}{chr(10)}{kind}{chr(10)}{said}')}",
        scope=Scope(type="global_user" if kind == "user_preference" else "repository"),
        kind=kind,
        text=said,
        created_at=created_at,
        updated_at=updated_at or created_at,
        valid_from=created_at,
        expires_at=expires_at or None,
        tags=tuple(dict.fromkeys(tag for tag in map(_normal, tags) if tag))[:32],
        files=tuple(dict.fromkeys(path for path in files if 0 < len(path) <= _MAX_REF))[:20],
        trust="external",
        source=Source(type="manual", ref=ref, created_by=form),
        evidence=(Reference(type="manual", ref=ref, trust="external"),),
        provenance=Provenance(session_id=session),
        metadata={"imported": {"from": form, "name": name[:_MAX_REF]}},
    )


def _normal(tag: str) -> str:
    return _TAG.sub("-", tag.strip().lower()).strip("-")[:64].strip("-")


def parts(text: str) -> Iterator[str]:
    """A text in pieces of which each fits into one memory, cut between its paragraphs, else between its lines."""
    held = ""
    for piece in _pieces(text.strip()):
        if held and len(held) + len(piece) + 2 > MAX_CHARS:
            yield held
            held = ""
        held = f"{held}\n\n{piece}" if held else piece
    if held:
        yield held


def _pieces(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        if len(paragraph) <= MAX_CHARS:
            yield paragraph.strip()
        else:
            yield from (
                line[at : at + MAX_CHARS] for line in paragraph.splitlines() for at in range(0, len(line), MAX_CHARS)
            )
