"""A memory as the scorer sees it: its token sets and the few fields the factors read. Hook-safe."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


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
