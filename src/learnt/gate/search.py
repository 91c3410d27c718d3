"""What stands where in a text, read plainly, as bare letters, and in every disguise that it bears the marks of."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from learnt.gate import ciphers, letters, orders
from learnt.gate.disguise import readings
from learnt.gate.joints import MARK, joined
from learnt.gate.linear import compiled
from learnt.gate.normal import View, fold, is_plain, mend, view
from learnt.gate.patterns import Automaton, Pattern, load
from learnt.gate.phrase import bare
from learnt.gate.spans import finds, is_excused, spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from learnt.gate.spans import Place

    Way = Callable[[], View]


class Seen(NamedTuple):
    """What hits a text. A tuple, because one is made of every text.

    Attributes:
        stored: The text, mended. `folded`: the copy that was read.
        plain, bare, raw: The patterns that hit the copy, its bare letters, and the text as stored.
    """

    stored: str
    folded: str
    plain: Sequence[Pattern]
    bare: Sequence[Pattern]
    raw: Sequence[Pattern]

    @property
    def is_clean(self) -> bool:
        """Whether no pattern hits, which spares everything else."""
        return not (self.plain or self.bare or self.raw)


def _order(place: Place) -> tuple[int, int]:
    return place[1], -place[2]


class Search:
    """The automata over one pattern set."""

    __slots__ = ("_bare", "_parts", "_raw")

    def __init__(self, patterns: Iterable[Pattern], told: Iterable[Pattern]) -> None:
        """Makes the automata: secrets, marks and orders apart, since one over all has more states than fit into memory.

        Args:
            patterns: Secrets, markers and the marks of disguises.
            told: Orders.
        """
        everything, commands = tuple(patterns), tuple(told)
        values = Automaton(each for each in everything if each.family != "view")
        marks = Automaton(each for each in everything if each.family == "view")
        self._raw = (values, marks)
        self._parts = (values, marks, Automaton(commands))
        self._bare = Automaton((each for each in commands if each.tight), bare=True)

    @classmethod
    def of(cls, path: Path) -> Search:
        """The search for the patterns of a file, for orders, and for the marks of ciphers.

        Raises:
            GateError: A file cannot be loaded.
        """
        return cls((*load(path), *ciphers.marks()), orders.load())

    def look(self, text: str, *, values: bool = False) -> Seen:
        """Which patterns hit; where they stand is not asked yet.

        Args:
            text: The text as stored.
            values: Whether only secrets are looked for.
        """
        plain = is_plain(text)
        stored = text if plain else mend(text)
        folded = text if plain else fold(stored)
        content = folded.encode()
        bare = () if values else self._bare.hits(letters.bare(folded, content))
        raw = () if plain else [pattern for each in self._raw for pattern in each.raw(stored)]
        return Seen(stored, folded, self._hits(content, values=values), bare, raw)

    def _hits(self, content: bytes, *, values: bool) -> list[Pattern]:
        if values:
            return [*self._parts[0].hits(content), *self._parts[1].hits(content)]
        return [*self._parts[0].hits(content), *self._parts[1].hits(content), *self._parts[2].hits(content)]

    def places(self, text: str, seen: Seen | None = None, *, values: bool = False) -> list[Place]:
        """What stands where in the text as stored.

        Args:
            text: The text as stored.
            seen: What `look` gave for it, if it was asked before.
            values: Whether only secrets are looked for.
        """
        seen = seen or self.look(text, values=values)
        if seen.is_clean:
            return []
        stored, folded = seen.stored, seen.folded
        found = _mapped(seen.plain, folded, lambda: view(stored))
        if seen.raw:
            found += _mapped(seen.raw, stored, lambda: View(stored))
        if seen.bare:
            found += self._hidden(folded, lambda: view(stored), seen.bare)
        marks = frozenset(each.name for each in (*seen.plain, *seen.raw) if each.family == "view" or each.refuse)
        if marks:
            found += self._disguised(seen, marks, found, values=values)
        if MARK in marks:
            found += self._joined(seen, found)
        return sorted(found, key=_order) if len(found) > 1 else found

    def _disguised(self, seen: Seen, marks: frozenset[str], found: Iterable[Place], *, values: bool) -> Iterator[Place]:
        known = [(pattern.name, start, end) for pattern, start, end in found]
        for copy, way in readings(seen.stored, seen.folded, marks):
            places = _mapped(self._hits(copy.encode(), values=values), copy, way)
            if not values:
                places += self._hidden(copy, way, self._bare.hits(letters.bare(copy)))
            for place in places:
                pattern, start, end = place
                if not any(name == pattern.name and first <= start and end <= last for name, first, last in known):
                    known.append((pattern.name, start, end))
                    yield place

    def _joined(self, seen: Seen, found: Iterable[Place]) -> Iterator[Place]:
        """Secrets that were cut in pieces, each with all that lies between its pieces.

        Where only the label tells, what was put together counts only as the rest of a secret that was found.
        """
        known = [(start, end) for pattern, start, end in found if pattern.family == "secret"]
        for copy, way in joined(seen.stored, seen.folded, frozenset(start for start, _ in known)):
            for place in _mapped(self._hits(copy.encode(), values=True), copy, way):
                pattern, start, end = place
                told = any(first < end and start < last for first, last in known)
                if (told or not pattern.by_label) and not any(first <= start and end <= last for first, last in known):
                    known.append((start, end))
                    yield place

    def _hidden(self, copy: str, way: Way, hit: Sequence[Pattern]) -> list[Place]:
        """Orders that are only there in the bare letters of a copy."""
        if not hit:
            return []
        bare, at = letters.bare(copy), letters.places(copy)
        found = []
        for pattern in hit:
            for (first, last), *_ in finds(pattern.tight, bare.decode()):
                start, end = at[first], at[last - 1] + 1
                excused = pattern.unless and is_excused(pattern, copy, start)
                if not excused and not _is_plain(pattern, letters.whole(copy, start, end)):
                    found.append((pattern, start, end))
                    break
        if not found:
            return []
        back = way()
        if back.text != copy:
            return [(pattern, *back.span(0, len(back.text))) for pattern, _, _ in found]
        return [(pattern, *back.span(start, end)) for pattern, start, end in found]


def _is_plain(pattern: Pattern, piece: str) -> bool:
    """Whether a piece is written as people write: then its pattern over prose has the say."""
    return letters.is_prose(piece) and compiled(_exact(pattern.phrase)).search(letters.spelt(piece)) is not None


@cache
def _exact(phrase: str) -> str:
    """The expression over letters as they are spelt; made when it is first needed, which is seldom."""
    return bare(phrase, loose=False)


def _mapped(patterns: Iterable[Pattern], copy: str, way: Way) -> list[Place]:
    """The places of the patterns in the original of a copy; the way back is only built when there are any.

    The way back is made from small pieces, and its copy may differ from one made at once (Korean letters that join).
    Where a pattern is lost by that, all of the text is its place.
    """
    shown = [pattern for pattern in patterns if pattern.family != "view"]
    found = spans(shown, copy) if shown else []
    if not found:
        return []
    back = way()
    if back.text != copy:
        lost = [(pattern, 0, len(back.text)) for pattern, _, _ in found]
        found = spans(shown, back.text) or lost
    return [(pattern, *back.span(start, end)) for pattern, start, end in found]
