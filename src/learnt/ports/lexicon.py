"""The full-text stage, and what it narrows to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.candidate import Candidate
    from learnt.model.scope import Sight


class Lexicon(Protocol):
    """The full-text stage."""

    def candidates(
        self, sight: Sight, terms: Sequence[str], limit: int, *, kinds: Sequence[str] = (), now: str = ""
    ) -> Narrowed:
        """The memories to score: all active ones of a scope set of at most `limit`, else the `limit` best by BM25.

        With `kinds` other kinds, with `now` expired memories take no place among the `limit`. BM25 statistics are
        those of the scopes in `sight` only; other scopes' rows never change the answer.
        """
        ...

    def named(self, sight: Sight, memory_ids: Sequence[str], *, words: bool = True) -> Sequence[Candidate]:
        """The active ones of these memories, as candidates that full text did not rank, in this order.

        Without `words` their token sets are empty, which is quicker.
        """
        ...

    def retired(self, sight: Sight, limit: int) -> Sequence[Candidate]:
        """The superseded memories retired last, at most `limit`, to be scored as if they were active."""
        ...

    def anchored(self, sight: Sight, anchors: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """Ids of active memories and pending observations tied to one of these `(type, key)` anchors.

        In order of the anchors, then id.
        """
        ...


class Narrowed(Protocol):
    """Outcome of the full-text stage."""

    @property
    def candidates(self) -> Sequence[Candidate]:
        """In full-text order where it ranked, else by id."""
        ...

    @property
    def matched(self) -> bool:
        """Whether the full-text stage found anything (always True when the scope was taken whole)."""
        ...

    @property
    def whole(self) -> bool:
        """Whether every active memory in sight is among the candidates."""
        ...
