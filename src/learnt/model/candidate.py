"""A memory as the scorer sees it: its token sets and the few fields the factors read. Hook-safe."""

from __future__ import annotations

from learnt.model.tokens import parts, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from learnt.model.memory import Memory


class Candidate:
    """What scoring and filtering need of one memory, cheap to build and to keep.

    Attributes:
        text, tag, file, symbol, ref: Distinct tokens of the fields (see `learnt.model.tokens`).
        part: Identifier parts of text, tags, files and symbols beyond those sets (`lease` of `renewLeaseBatch`).
        run: The run (else session) that wrote it; empty when unknown.
        position: Rank by full text among the candidates, 0 first; -1 when the full-text stage did not rank it.
    """

    __slots__ = (
        "confidence",
        "expires_at",
        "file",
        "id",
        "kind",
        "part",
        "position",
        "q_value",
        "ref",
        "run",
        "scope_key",
        "scope_type",
        "status",
        "symbol",
        "tag",
        "text",
        "trust",
        "updated_at",
        "valid_from",
    )

    id: str
    kind: str
    scope_type: str
    scope_key: str
    status: str
    trust: str
    confidence: float
    q_value: float
    run: str
    updated_at: str
    valid_from: str
    expires_at: str | None
    text: Collection[str]
    tag: Collection[str]
    file: Collection[str]
    symbol: Collection[str]
    ref: Collection[str]
    part: Collection[str]
    position: int


def candidate(memory: Memory, position: int = -1) -> Candidate:
    """A memory as the scorer sees it, where no store keeps its token sets ready."""
    files = " ".join((memory.source.file_path, *memory.files))
    fields = (memory.text, " ".join(memory.tags), files, " ".join(memory.symbols))
    made = Candidate()
    for name in ("id", "kind", "status", "trust", "confidence", "q_value", "updated_at", "valid_from", "expires_at"):
        setattr(made, name, getattr(memory, name))
    made.scope_type, made.scope_key = memory.scope.type, memory.scope.key
    made.run = memory.provenance.run_id or memory.provenance.session_id
    made.text, made.tag, made.file, made.symbol = (tokens(field) for field in fields)
    made.ref = tokens(memory.source.ref)
    made.part = parts("\n".join(fields)).difference(made.text, made.tag, made.file, made.symbol, made.ref)
    made.position = position
    return made
