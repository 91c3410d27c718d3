"""A text to its statement: clauses parted, denials and rejected values taken off, the rest read clause by clause."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from learnt.model import family
from learnt.model.claim import MOST_CHARS, Clause, Statement, bare_key, said_key
from learnt.model.clause import content_of, read
from learnt.model.lexeme import lexemes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.model.lexeme import Lexeme

_MOST_CLAUSES: Final = 4
_MOST_KEYS: Final = 12
_NO_DENIAL: Final = frozenset({"only", "just", "forget", "hesitate", "necessarily"})
_INSTEAD: Final = (("instead", "of"), ("rather", "than"), ("in", "place"), ("in", "favor"), ("in", "favour"))
_REJECTED_WORDS: Final = 3
_PLACES: Final = family.ENVIRONMENTS | family.PLATFORMS
_TURNS: Final = frozenset({"not", "over", "from", "with", "by"}).union(first for first, _ in _INSTEAD)
"""Words by one of which a value is taken back."""
_DENYING: Final = family.NEGATORS | _NO_DENIAL
_WITH: Final = frozenset({"with", "by"})
_STOPS: Final = frozenset(
    {",", ";", "for", "in", "on", "at", "when", "if", "because", "since", "as", "and", "but", "to"}
)


@lru_cache(maxsize=4_096)
def stated(text: str) -> Statement:
    """What a text claims; of a longer one than a statement nothing."""
    if len(text) > MOST_CHARS or not text.strip():
        return Statement()
    raw = lexemes(text)
    parts = list(_parted(raw))
    if not 1 <= len(parts) <= _MOST_CLAUSES:
        return Statement()
    words = frozenset(each.key for each in content_of(raw))
    lower = frozenset([each.low for each in raw])
    additive = not family.ADDITIVE.isdisjoint(lower)
    rejects: set[str] = set()
    clauses = tuple(clause for part in parts if (clause := _clause(part, rejects, additive=additive)) is not None)
    return Statement(
        clauses=clauses,
        rejects=frozenset(rejects),
        words=words,
        changed=bool(rejects) or _is_changed(raw),
        places=words & _PLACES,
        keys=_keys(clauses),
    )


def looked_for(statement: Statement) -> tuple[int, ...]:
    """The numbers under which what a statement may touch is kept: its own, and those of what it rejects."""
    return tuple(dict.fromkeys((*statement.keys, *(said_key(name) for name in sorted(statement.rejects)))))


def _keys(clauses: tuple[Clause, ...]) -> tuple[int, ...]:
    """The numbers a statement is found by; the most telling first."""
    own = [claim.key for clause in clauses for claim in clause.claims]
    names = [said_key(name) for clause in clauses for name in sorted(clause.names)]
    bare = [bare_key(clause.bare) for clause in clauses if clause.bare]
    return tuple(dict.fromkeys((*own, *bare, *names)))[:_MOST_KEYS]


def _parted(raw: Sequence[Lexeme]) -> Iterator[tuple[Lexeme, ...]]:
    """Clauses: up to a full stop, a semicolon, a line's end, or a comma before another verdict."""
    part: list[Lexeme] = []
    for each in raw:
        if each.shape == "end":
            if part and each.text != "?":
                yield tuple(part)
            elif part:
                yield ()
            part = []
        else:
            part.append(each)
    if part:
        yield tuple(part)


def _is_changed(raw: Sequence[Lexeme]) -> bool:
    """Whether it tells of a change: `we moved deploys to ...`, `now`, `as of`."""
    told = any(each.shape == "word" and each.key in family.CHANGED and each.text.endswith("ed") for each in raw)
    return told or any(each.low in {"now", "anymore"} for each in raw)


def _clause(part: tuple[Lexeme, ...], rejects: set[str], *, additive: bool) -> Clause | None:
    """The clause; None for one that only says what is gone. A question, and talk, claim nothing."""
    part = _unlabelled(part)
    if (
        not part
        or part[-1].text == ":"
        or _is_pointing(part)
        or not family.TALK.isdisjoint([each.low for each in part])
    ):
        return Clause()
    if _is_farewell(part):
        rejects.update(_rejectable(part, family.GONE))
        return None
    part = _without_rejected(part, rejects)
    kept, positive = _asserted(part)
    return read(kept, positive=positive, additive=additive) if kept else Clause()


def _is_pointing(part: Sequence[Lexeme]) -> bool:
    """Whether it is about something that stands elsewhere: `it works`, `that makes sense`."""
    first, then = part[0].low, part[1].low if len(part) > 1 else ""
    return first in family.POINTERS or (first in {"this", "that"} and (then in family.POINTED or not then))


def _unlabelled(part: tuple[Lexeme, ...]) -> tuple[Lexeme, ...]:
    """Without a heading that names nothing (`Note:`), bullets and leading marks."""
    at = 0
    while at < len(part) and part[at].shape == "mark":
        at += 1
    if at + 1 < len(part) and part[at + 1].text == ":" and part[at].low in family.LABELS:
        at += 2
    return part[at:]


def _is_farewell(part: Sequence[Lexeme]) -> bool:
    """Whether it says of something that it is gone, and nothing else."""
    if family.GONE.isdisjoint([each.key for each in part]):
        return False
    content = content_of(part)
    gone = [each for each in content if each.key in family.GONE]
    denied = any(each.low in family.NEGATORS for each in part)
    return bool(gone) and 2 <= len(content) <= 4 and not denied and content[-1] is gone[-1]


def _rejectable(words: Sequence[Lexeme], but: frozenset[str] = frozenset()) -> Iterator[str]:
    for each in content_of(words):
        if each.key not in but and each.key not in family.USES:
            yield family.ONE_NAME.get(each.key, each.key)


def _without_rejected(part: tuple[Lexeme, ...], rejects: set[str]) -> tuple[Lexeme, ...]:
    """Without `, not X`, `instead of X`, `from X to`, `over X`, which go to `rejects`."""
    lower = [each.low for each in part]
    for at in [at for at, low in enumerate(lower) if low in _TURNS]:
        if (
            at
            and lower[at] == "not"
            and (lower[at - 1] in {",", "and", "-", "–", "—", "("})
            and _is_short(part, at + 1)
        ):
            return _cut(part, at - 1, at + 1, rejects)
        if tuple(lower[at : at + 2]) in _INSTEAD:
            return _cut(part, at, at + 2 + (lower[at + 1] in {"place", "favor", "favour"}), rejects)
        if at and lower[at] == "over" and any(each.key == "prefer" for each in part[:at]):
            return _cut(part, at, at + 1, rejects)
        if lower[at] == "from" and "to" in lower[at:] and any(each.key in family.CHANGED for each in part[:at]):
            return _cut(part, at, at + 1, rejects)
        if at and lower[at] in _WITH and part[at - 1].shape == "word" and _replaced(part[:at]):
            return _swapped(part, at, rejects)
    return part


def _is_short(part: Sequence[Lexeme], at: int) -> bool:
    """Whether what is denied there is a value, not another sentence."""
    return 1 <= len(content_of(part[at:])) <= _REJECTED_WORDS


def _cut(part: tuple[Lexeme, ...], begin: int, first: int, rejects: set[str]) -> tuple[Lexeme, ...]:
    """`part` without its words from `begin` to the end of the value that is rejected, which begins at `first`."""
    end = first
    while end < len(part) and end - first < _REJECTED_WORDS and part[end].low not in _STOPS:
        end += 1
    rejects.update(_rejectable(part[first:end]))
    return part[:begin] + part[end:]


def _replaced(before: Sequence[Lexeme]) -> bool:
    """Whether `replace X` stands there."""
    return any(each.key == "replac" for each in before[:-1]) and len(content_of(before)) <= 3


def _swapped(part: tuple[Lexeme, ...], at: int, rejects: set[str]) -> tuple[Lexeme, ...]:
    """`replaced X with Y`: what is left says Y."""
    verb = next(place for place, each in enumerate(part) if each.key == "replac")
    rejects.update(_rejectable(part[verb + 1 : at]))
    return part[at + 1 :]


def _asserted(part: Sequence[Lexeme]) -> tuple[tuple[Lexeme, ...], bool]:
    """The words without denials, and whether they are asserted."""
    if _DENYING.isdisjoint([each.low.replace("’", "'") for each in part]):
        return tuple(part), True
    kept: list[Lexeme] = []
    positive = True
    for at, each in enumerate(part):
        lower = each.low.replace("’", "'")
        follows = part[at + 1].low if at + 1 < len(part) else ""
        if each.shape == "word" and lower in family.NEGATORS and follows not in _NO_DENIAL:
            positive = False
        elif lower not in _NO_DENIAL or lower in {"only", "just"}:
            kept.append(each)
    return tuple(kept), positive
