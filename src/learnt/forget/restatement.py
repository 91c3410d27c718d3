"""Whether another text says what a forgotten one said. It only shows: a person sees it before it goes."""

from __future__ import annotations

from learnt.forget.digest import plain
from learnt.model.tokens import tokens

LEAST_WORDS = 3
"""Fewer words in common say nothing."""
LIKE_WORDS = 0.7
"""Jaccard similarity of two statements that say the same in nearly the same words. Own choice."""
HELD_WORDS = 0.85
"""Share of a statement's words that a longer piece of evidence holds where it says the statement too. Own choice."""


def says_the_same(text: str, other: str, cosine: float = 0.0, *, least_cosine: float = 0.92) -> bool:
    """Whether `other` repeats or rewords `text`.

    Statements with other numbers say something else, however like their words are.

    Args:
        cosine: Of their vectors; 0 where there is none. `least_cosine`: from where on likeness counts.
    """
    said, heard = plain(text), plain(other)
    if said and said in heard and len(said) >= min(12, len(heard)):
        return True
    words, others = tokens(text), tokens(other)
    if not _numbers(words) <= _numbers(others):
        return False
    common = len(words & others)
    if common < LEAST_WORDS:
        return cosine >= least_cosine
    similar = common / len(words | others) >= LIKE_WORDS and _numbers(words) == _numbers(others)
    return similar or common / len(words) >= HELD_WORDS or cosine >= least_cosine


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if any(sign.isdigit() for sign in word))
