"""Phrases: what an order to an agent sounds like, written once and compiled for prose and for bare letters.

A phrase is an expression of small letters with these signs: a space is any white space, `'` an apostrophe that may
be missing, `~40` up to forty characters of the same line, `^` the beginning of a line or sentence, `{name}` a word
class of the file, and `( ) | ? * [ ]` as in any expression. Letter case never matters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_PIECE: Final = re.compile(
    r"(\[\^?\]?(?:\\.|[^\]\\])*\])|(\\[pPx]\{[^}]*\}|\\.)|(\{\d*,?\d*\}|[?*+]\??)|(\((?:\?[^:)]*:)?)|([A-Za-z]+(?=[A-Za-z])|.)",
    re.DOTALL,
)
_GAP_CHARS: Final = 8
"""A repetition of anything that may be as long as this is a gap."""
_CLASS: Final = re.compile(r"\{([a-z_]+)\}")
_TOKEN: Final = re.compile(
    r"( [?*])|~(\d+)|(\{\d*,?\d*\})|(\[[^\]]*\])([?*]?)|(\\.)([?*]?)|([a-z]+(?=[a-z]))|([a-z])([?*]?)|(.)",
    re.DOTALL,
)
_BEGIN: Final = r"""(?:^|[\n.!?>\](){}*;:"'|-]\s{0,12}(?:[#>*-]{1,4}\s{0,3})?)"""


def spelt(phrase: str, words: Mapping[str, str]) -> str:
    """The phrase with its word classes written out; a class may name others.

    Raises:
        KeyError: There is no such class.
    """
    while (out := _CLASS.sub(lambda match: f"({words[match.group(1)]})", phrase)) != phrase:
        phrase = out
    return phrase


def prose(phrase: str) -> str:
    """The expression that finds the phrase in folded text."""
    body = "".join(_prose(match) for match in _TOKEN.finditer(phrase))
    edge = "" if phrase.startswith(("^", "[", "\\")) else r"\b"
    return f"(?i){edge}(?:{body})" + (r"\b" if phrase[-1:].isalpha() else r"(?:\b|\W|$)")


def _prose(match: re.Match[str]) -> str:
    if match.group(1):
        return r"\s*"
    if match.group(2):
        return rf"[^\n]{{0,{match.group(2)}}}"
    char = match.group()
    return {" ": r"\s+", "'": "['’]?", "^": _BEGIN, "(": "(?:"}.get(char, char)


def bare(phrase: str, *, loose: bool = True) -> str:
    """The expression that finds the phrase in bare letters, with nothing between words.

    Args:
        loose: Whether letters may be doubled, and `l` is read as `i`.
    """
    out: list[str] = []
    last = ""
    for match in _TOKEN.finditer(phrase):
        _, gap, count, _, _, _, _, run, letter, often, other = match.groups()
        if run:
            out.append(_letters(run, last) if loose else run)
            last = run[-1].replace("l", "i")
        elif letter:
            letter = letter.replace("l", "i") if loose else letter
            if not loose:
                out.append(f"{letter}{often}")
            elif letter != last or often:
                out.append(f"{letter}{'*' if often else '+'}")
            last = letter
        elif gap:
            out.append(f"[a-z]{{0,{gap}}}")
            last = ""
        elif count or (other and other in "()|?*"):
            if other in {"?", "*"} and out[-1:] not in ([")"], ["]"]):
                continue  # what could be missing is a sign, which bare letters have not
            out.append("(?:" if other == "(" else match.group())
            last = ""
    return "".join(out)


def _letters(run: str, last: str) -> str:
    """Letters that may each be doubled; one that repeats the letter before it adds nothing."""
    out = []
    for letter in run.replace("l", "i"):
        if letter != last:
            out.append(f"{letter}+")
        last = letter
    return "".join(out)


def head(regex: str) -> str:
    """What an expression begins with, up to its first gap, in every alternative: it matches wherever that one does.

    An automaton over many expressions with gaps is lost: each gap that is open doubles the states it can be in. Heads
    have none, so the automaton tells who may match, and only those are searched.
    """
    pieces = [match.group() for match in _PIECE.finditer(regex)]
    return _alternatives(pieces, 0)[0]


def _alternatives(pieces: list[str], at: int) -> tuple[str, int, bool]:
    """The heads of alternatives from `at` to the end of their group; where that is, and whether any was cut."""
    out: list[str] = []
    cut = any_cut = False
    while at < len(pieces) and pieces[at] != ")":
        piece = pieces[at]
        if piece == "|":
            out.append(piece)
            cut = False
        elif piece.startswith("("):
            inner, at, was_cut = _alternatives(pieces, at + 1)
            if not cut:
                out.append(f"{piece}{inner})")
                if was_cut:
                    out.extend(pieces[at + 1 : at + 2] if pieces[at + 1 : at + 2] in (["?"], ["*"]) else ())
                    cut = any_cut = True
        elif not cut:
            if _is_gap(pieces, at):
                cut = any_cut = True
            else:
                out.append(piece)
        at += 1
    return "".join(out), at, any_cut


def _is_gap(pieces: list[str], at: int) -> bool:
    following = pieces[at + 1] if at + 1 < len(pieces) else ""
    if not (pieces[at].startswith("[^") or pieces[at] == "."):
        return False
    if following[:1] in {"*", "+"}:
        return True
    numbers = re.findall(r"\d+", following)
    return bool(numbers) and (following.endswith(",}") or int(numbers[-1]) >= _GAP_CHARS)
