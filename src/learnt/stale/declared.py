"""The line that declares a symbol, read off the lines. Hook-safe."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DECLARES = _words(
    """
    def class func function fn fun sub proc type struct interface enum trait impl const let var val static public
    private protected export module namespace record object protocol extension macro_rules define typedef union table
    void int bool string async abstract final override internal package
    """
)
"""Words before a name that declare it, in the languages people write."""
_DECLARES_NOT = _words("return if while for else import from throw raise await new")


def declared(lines: Sequence[bytes], name: str) -> int:
    """The line that declares a symbol, from 1; 0 for none."""
    last = name.replace("::", ".").replace("#", ".").rpartition(".")[2].removesuffix("()")
    key = last.encode()
    if not key:
        return 0
    first = 0
    for number, line in enumerate(lines, 1):
        if key not in line:
            continue
        sure = _declares(line.decode("utf-8", "replace"), last)
        if sure:
            return number
        first = first or (number if sure is False else 0)
    return first


def _declares(line: str, name: str) -> bool | None:
    """Whether the line introduces the name: True for a declaring word just before it, None for not at all.

    False for what only looks like it: a declaring word further before, an assignment, a method that opens.
    """
    words = "".join(char if char.isalnum() or char in "_$" else " " for char in line).split()
    if name not in words or words[0] in _DECLARES_NOT or line.lstrip().startswith(("#", "//", "*", "--", ";")):
        return None
    before = words[: words.index(name)]
    rest = line[line.index(name) + len(name) :].lstrip()
    if before and before[-1] in _DECLARES:
        return True
    assigned = not before and rest.startswith(("=", ":")) and not rest.startswith("==")
    opens = rest.startswith("(") and line.rstrip().endswith(("{",) if before else ("{", ":", "=>"))
    return False if assigned or opens or _DECLARES.intersection(before) else None
