"""Identifiers of a piece of code that look like a project's own. Hook-safe."""

from __future__ import annotations

_SYMBOL_CHARS = 6_000


def _words(text: str) -> list[str]:
    return text.split()


_KEYWORDS = frozenset(
    _words(
        """
        return function const class import from export default async await struct interface package
        public private static void self this None True False null true false undefined string number
        boolean if elif else while for in not and switch case func type var let print len range
        isinstance super assert raise yield with lambda catch try except append make Errorf Println
        Sprintf String Error Fatalf Fatal expect describe
        """
    )
)


def code_symbols(text: str) -> tuple[str, ...]:
    """Identifiers that look like a project's own (`renewLease`, `retry_count`, `Foo(`), at most 30, in order."""
    found: dict[str, None] = {}
    word: list[str] = []
    for char in text[:_SYMBOL_CHARS] + "\n":
        if char.isalnum() or char == "_":
            word.append(char)
            continue
        name = "".join(word)
        word = []
        if 3 < len(name) <= 80 and name not in _KEYWORDS and _named(name, char):
            found[name] = None
            if len(found) >= 30:
                break
    return tuple(found)


def _named(name: str, follower: str) -> bool:
    if not (name[0].isalpha() or name[0] == "_"):
        return False
    return follower == "(" or "_" in name.strip("_") or (not name.isupper() and name[1:] != name[1:].lower())
