"""One clause in its readings: which value it gives which attribute of which subject.

Rules of thumb, each on the side of claiming nothing: a value that only may be one is held loosely, and what happened
(`fails on Python 3.11`) is about its numbers instead of giving them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.model import family
from learnt.model.claim import Claim, Clause

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.model.claim import Grip
    from learnt.model.lexeme import Lexeme

_COPULAS: Final = frozenset({"is", "are", "was", "were", "be", "="})
_NARROWING: Final = frozenset({"in", "on", "for", "at", "under", "with", "during", "per", "of", "from", "until"})
_MOST_WORDS: Final = 24
_PARTICIPLES: Final = ("ed", "able", "ible", "ing", "ful", "less", "ous", "ive", "ly", "ant", "ent")
_IMPERSONAL: Final = family.keyed("require pin set expect")
_WANTING: Final = (
    family.USES | _IMPERSONAL | family.keyed("need target run support upgrade update default move switch migrate")
)
_WANTED: Final = frozenset({"required", "used", "needed", "default", "minimum", "mandatory", "supported", "ours"})
_GIVING: Final = family.USES | _IMPERSONAL | family.keyed("need retry keep allow spawn start wait limit cap take run")
"""Verbs whose number says how much."""
_MOST_SLOTS: Final = 4
_BARE_WORDS: Final = 3
_LIGHT: Final = family.USES | _IMPERSONAL | family.keyed("go be do come stay keep live move switch migrate")
"""Verbs that relate the others wherever they stand; `run`, `build`, `write` may also be what is spoken of."""
_LOCATED: Final = family.keyed("live locate store keep put find found place reside belong sit kept")
_PAIRED: Final = frozenset(first for first, _ in family.PAIRS)
_WANTS: Final = family.USES | {"more", "anymor", "longer"}
_QUIET: Final = family.USES | family.RELATIONS | _IMPERSONAL | frozenset({"more", "anymor", "longer"})
"""Words that relate the others and say nothing themselves."""


def read(raw: Sequence[Lexeme], *, positive: bool, additive: bool) -> Clause:
    """The clause that these words and marks make, without what was taken off them before (labels, denials).

    Args:
        raw: Function words and marks included.
        positive: False when it denies.
        additive: It adds to what is known, so that nothing it says takes another value's place.
    """
    content, turned = _content(raw)
    if not content or len(content) > _MOST_WORDS:
        return Clause()
    positive ^= turned
    keys = tuple(each.key for each in content)
    slots = given(raw, content)
    bare = tuple(each.key for at, each in enumerate(content) if at not in slots)
    loose = additive or not family.MANY.isdisjoint(keys)
    claims = (
        *_fields(raw, positive=positive, loose=loose),
        *_members(raw, content, positive=positive, loose=loose),
        *_typed(content, slots, positive=positive, loose=loose),
        *_said_plainly(content, positive=positive, additive=additive),
    )
    sure = frozenset(each.key for each in content if each.named)
    return Clause(claims, keys, bare, positive, _names(content), frozenset(keys) - _QUIET, sure)


def content_of(raw: Sequence[Lexeme]) -> list[Lexeme]:
    """The words that say something, in order; names of two words are one."""
    kept: list[Lexeme] = []
    for each in raw:
        if each.shape in {"mark", "end"} or (each.shape == "word" and each.low in family.FUNCTION_WORDS):
            continue
        pair = family.PAIRS.get((kept[-1].key, each.key)) if kept and kept[-1].key in _PAIRED else None
        if pair is not None:
            kept[-1] = type(each)("word", f"{kept[-1].text} {each.text}", pair, named=True)
        else:
            kept.append(each)
    return kept


def _content(raw: Sequence[Lexeme]) -> tuple[list[Lexeme], bool]:
    """The words that say something, contraries turned into what they deny; whether that turned the clause round."""
    kept, turned = content_of(raw), False
    if raw and raw[-1].low in {"on", "off"} and len(kept) > (raw[-1].low == "off"):
        turned = raw[-1].low == "off"
        kept = [*(kept[:-1] if turned else kept), type(raw[-1])("word", "on", "on")]
        return kept, turned
    for at, each in enumerate(kept):
        if each.shape == "word" and not each.named:
            other = family.OPPOSITES.get(each.key) if at else None
            same = family.SAME_WORD.get(each.key)
            if other or same:
                kept[at] = type(each)("word", each.text, other or same or each.key)
                turned ^= other is not None
    return kept, turned


def _said_plainly(content: Sequence[Lexeme], *, positive: bool, additive: bool) -> Iterator[Claim]:
    """The words in their order; of a single one its very form, and nothing where it only relates others."""
    words = _plain(tuple(each.key for each in content))
    if len(content) == 1:
        if content[0].key in _QUIET:
            return
        words = (content[0].low,)
    yield Claim("plain", words, positive=positive, grip="loose" if additive else "firm")


def _plain(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The words in order, without verbs that only say that something is wanted."""
    return tuple([key for key in keys if key not in _WANTS]) or keys


def _names(content: Sequence[Lexeme]) -> frozenset[str]:
    """Values a clause rests on: names, members of families, and its last word where that is all it wants."""
    named = [each for each in content if each.named or family.member(each.text)]
    if (
        content[-1].shape == "word"
        and content[-1].key not in _QUIET
        and any(each.key in _QUIET for each in content[:-1])
    ):
        named.append(content[-1])
    return frozenset(family.member(each.text) or each.key for each in named[:3] + named[3:][-1:])


def _fields(raw: Sequence[Lexeme], *, positive: bool, loose: bool) -> Iterator[Claim]:
    """`subject is value`, `subject: value`, of a subject that has one of it."""
    at, labelled = _middle(raw)
    if not at:
        return
    end = _tail(raw, at + 1)
    left, right, rest = content_of(raw[:at]), content_of(raw[at + 1 : end]), content_of(raw[end:])
    if not (1 <= len(left) <= 8 and 1 <= len(right) <= 8) or (rest and any(each.slot for each in rest)):
        return
    subject = frozenset(each.key for each in (*left, *rest))
    if any(each.low in family.POINTERS for each in raw[:at]):
        return
    if family.FUNCTIONAL.isdisjoint(subject) or not _is_value(right, raw[at + 1 :]):
        return
    grip: Grip = "loose" if loose else "firm" if labelled or _is_sharp(right) else "weak"
    yield Claim("field", tuple(sorted(subject)), "is", tuple(each.key for each in right), positive, grip)


def _tail(raw: Sequence[Lexeme], begin: int) -> int:
    """Where what narrows a value begins (`100 in tests`)."""
    narrowing = (at for at in range(begin + 1, len(raw)) if raw[at].low in _NARROWING)
    return next(narrowing, len(raw))


def _middle(raw: Sequence[Lexeme]) -> tuple[int, bool]:
    """Where subject and value meet (0 for nowhere), and whether a mark says so."""
    for at in range(len(raw) - 1, 0, -1):
        if raw[at].text in {":", "="} and raw[at - 1].shape != "flag":
            return at, True
    for at, each in enumerate(raw):
        if at and each.shape == "word" and each.low in _COPULAS:
            return at, False
    return 0, False


def _is_value(right: Sequence[Lexeme], raw: Sequence[Lexeme]) -> bool:
    """Whether what follows a copula can be a value at all: no description, no condition."""
    if any(each.low in family.CONDITIONS for each in raw):
        return False
    if any(each.shape == "word" and each.key in family.ADJECTIVES for each in right):
        return False
    last = right[-1]
    described = last.shape == "word" and not last.named and last.text.casefold().endswith(_PARTICIPLES)
    first = right[0]
    happened = first.shape == "word" and not first.named and first.text.casefold().endswith(("ed", "ing", "able"))
    return not (described or happened)


def _is_sharp(right: Sequence[Lexeme]) -> bool:
    """Whether a value can be nothing but one: a number, a path, a name, a single word."""
    return len(right) == 1 or any(each.slot or each.named or each.key in family.FAMILIES_OF for each in right)


def _members(raw: Sequence[Lexeme], content: Sequence[Lexeme], *, positive: bool, loose: bool) -> Iterator[Claim]:
    """Alternatives of which one is used."""
    held = [(at, each) for at, each in enumerate(content) if _families(each)]
    if not held:
        return
    wanted = {name for _, each in held for name in _families(each)}
    happened = not family.EVENTS.isdisjoint(each.key for each in content)
    stated = any(each.key in family.USES for each in content) or any(each.low in _COPULAS for each in raw)
    quiet = _LIGHT if stated else _QUIET
    for name in sorted(wanted)[:4]:
        mine = [(at, each) for at, each in held if name in _families(each)]
        values, others = _parted(content, [at for at, _ in mine])
        context = frozenset(others) - family.CONTEXT.get(name, frozenset()) - quiet
        grip: Grip = "firm"
        if loose or happened or len(mine) > 1 or _conditional(raw):
            grip = "loose"
        elif _acts(raw, content, mine[0][0]):
            grip = "weak" if _acts_only(content) else "loose"
        yield Claim("member", tuple(sorted(context)), name, values, positive, grip)


def _families(each: Lexeme) -> tuple[str, ...]:
    if each.slot.endswith(" space"):
        return ("indent",)
    name = family.member(each.text) if each.shape in {"word", "code"} else ""
    return family.FAMILIES_OF[name] if name else ()


def _parted(content: Sequence[Lexeme], at: Sequence[int]) -> tuple[tuple[str, ...], list[str]]:
    """The members with the versions that follow them, and everything else."""
    values: list[str] = []
    others: list[str] = []
    for place, each in enumerate(content):
        if place in at:
            values.append(family.member(each.text) if not each.slot else "space")
            if each.slot:
                values.append(each.key.partition(" ")[0])
        elif each.slot in {"version", "number"} and place - 1 in at:
            values.append(each.key)
        else:
            others.append(each.key)
    return tuple(values), others


def _acts(raw: Sequence[Lexeme], content: Sequence[Lexeme], at: int) -> bool:
    """Whether the member is who does something (`pytest needs Redis`), not what is used."""
    if at or len(content) == 1:
        return False
    first = next(place for place, each in enumerate(raw) if each.shape != "mark")
    follows = [each.low for each in raw[first + 1 : first + 3]]
    return not (follows and (follows[0] in _COPULAS or follows[0] in {"for", "in", ",", "as", "over", "on"}))


def _acts_only(content: Sequence[Lexeme]) -> bool:
    return content[1].key in family.RELATIONS


def _conditional(raw: Sequence[Lexeme]) -> bool:
    return not family.CONDITIONS.isdisjoint([each.low for each in raw if each.shape == "word"])


def _typed(content: Sequence[Lexeme], slots: tuple[int, ...], *, positive: bool, loose: bool) -> Iterator[Claim]:
    """Numbers, versions and paths in a frame of words."""
    if not slots or len(slots) > _MOST_SLOTS:
        return
    frame = [each.key for at, each in enumerate(content) if at not in slots and each.key not in _LIGHT]
    if not frame:
        return
    shapes = tuple(content[at].slot for at in slots)
    value = tuple(content[at].key for at in slots)
    grip: Grip = "loose" if loose else "firm"
    yield Claim("typed", tuple(sorted(frame)), " ".join(dict.fromkeys(shapes)), value, positive, grip)


def given(raw: Sequence[Lexeme], content: Sequence[Lexeme]) -> tuple[int, ...]:
    """Places of the numbers, versions and paths that a clause gives as a value.

    The others are part of what it speaks of: `module 3`, `fails on Python 3.11`, `src/a.py is generated`.
    """
    held = [at for at, each in enumerate(content) if each.slot]
    if not held or _conditional(raw):
        return ()
    keys = [each.key for each in content]
    if not (family.EVENTS.isdisjoint(keys) and family.MONTHS.isdisjoint(keys)):
        return ()
    places = [at for at, each in enumerate(raw) if each.slot]
    return tuple(at for at, place in zip(held, places, strict=True) if _is_given(raw, content, at, place))


def _is_given(raw: Sequence[Lexeme], content: Sequence[Lexeme], at: int, place: int) -> bool:
    """Whether `content[at]`, which is `raw[place]`, is given as a value."""
    each = content[at]
    if each.shape == "path":
        return at > 1 and any(other.key in _LOCATED for other in content[:at])
    if each.shape == "version" or _is_version(content, at):
        return _is_wanted(raw, content, at, place)
    if " " in each.slot:  # an amount: it has a unit
        return True
    before = raw[place - 1] if place else None
    if before is None or not before.text.isascii() or before.shape in {"flag", "mark"}:
        return before is None or before.text != ":"
    if before.low in family.FUNCTION_WORDS or before.key in _GIVING:
        return True
    return before.key in family.MEASURED


def _is_version(content: Sequence[Lexeme], at: int) -> bool:
    """Whether a plain number is the version of the name before it: `Node 18`."""
    return bool(at) and (content[at - 1].named or bool(family.member(content[at - 1].text)))


def _is_wanted(raw: Sequence[Lexeme], content: Sequence[Lexeme], at: int, place: int) -> bool:
    """Whether a clause says which version is wanted, not which one something happens with."""
    if len(content) <= _BARE_WORDS and at == len(content) - 1 and content[at].shape == "version":
        return True
    before, after = raw[:place], [each.low for each in raw[place + 1 :]]
    if any(each.key in _WANTING or each.low in _COPULAS | {"="} for each in before):
        return True
    return bool(after) and after[0] in _COPULAS and any(word in _WANTED for word in after[1:4])
