"""Text of transcripts as a part of one line of our artifacts: it cannot leave it, nor pose as a mark of ours."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from learnt.model.quoted import BLOCKS

CUT: Final = " …"
_HIDDEN: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
_LEAD = re.compile(r"(?:[#>+=|:*\\-]|\d{1,9}[.)](?=\s|$)|\[(?=[^\]]{1,200}\]:))")
_MARKS: Final = (
    r"(?:\[(?=(?:mem|prop|fact)_|session:|skill:)|\((?=trust |(?:not )?reviewed|said by |seen (?:once|in )))"
)
_POSING = re.compile(_MARKS)
_POSED = re.compile(rf"\\(?={_MARKS})")
"""Text that would read like our own references and labels, and the same with the stroke that tells it from them."""
_QUOTED = re.compile(r"^(?:[ ]{0,3}>|[ ]{4,}\S|\t)[^\n]*$", re.MULTILINE)
_FENCES = re.compile(r"`{3,}|~{3,}")
_BLOCK = re.compile(r"(`{3,}|~{3,}).*?(?:\1|\Z)", re.DOTALL)
_ITEM = re.compile(r"^\s*(?:(?:#{1,6}|[-*+>]|\d{1,3}[.)])\s+|\[[ xX]\]\s+)*")
_RULE = re.compile(r"[-=_*\s]+")
_ENDED: Final = ".!?:;,…。！？：；、"
_JOINER: Final = "\u200d"


def words_of(text: str) -> frozenset[str]:
    """The words of a written-out list."""
    return frozenset(text.split())


def collapsed(text: str) -> str:
    """`text` on one line: hidden characters and white space become one blank each run."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    seen = "".join(char if char == _JOINER or unicodedata.category(char) not in _HIDDEN else " " for char in text)
    return " ".join(seen.split())


def clipped(text: str, most_chars: int) -> str:
    """`text`, or its beginning with a mark, cut at a blank where one is near."""
    if len(text) <= most_chars:
        return text
    head = text[: max(0, most_chars - len(CUT))]
    at = head.rfind(" ")
    return (head[:at] if at > most_chars // 2 else head).rstrip() + CUT


def line(text: str, most_chars: int = 600) -> str:
    """`text` as it may stand in a line of Markdown: bounded, with no tag, comment, fence, heading or list."""
    shown = clipped(collapsed(text), most_chars).replace("<", "&lt;").replace("-->", "--&gt;")
    shown = _FENCES.sub(lambda found: "'" * 3 if found[0][0] == "`" else "--", shown)
    posed = _POSING.sub(lambda found: "\\" + found[0], shown)
    return "\\" + posed if _LEAD.match(shown) else posed


def unlined(text: str) -> str:
    """What `line` was given, as far as it was not cut."""
    plain = text.replace("&lt;", "<").replace("--&gt;", "-->")
    plain = plain[1:] if plain.startswith("\\") and _LEAD.match(plain, 1) else plain
    return _POSED.sub("", plain)


def prose(text: str) -> str:
    """What a text of Markdown says, on one line: no code blocks, tables and rules, no marks of headings and lists."""
    rows: list[str] = []
    for row in _BLOCK.sub("\n", text).splitlines():
        plain = _ITEM.sub("", row).replace("**", "").strip()
        if plain and plain[0] != "|" and not _RULE.fullmatch(plain):
            mark = ":" if row.lstrip()[:1] == "#" else ";"
            rows.append(plain if plain[-1] in _ENDED else plain + mark)
    return collapsed(" ".join(rows)).rstrip(";:")


def unquoted(text: str) -> str:
    """A message without what stands in it of somebody else's: quoted lines, code and what was pasted between marks."""
    return _QUOTED.sub("", BLOCKS.sub("", text))


def fenced(code: str, language: str = "") -> str:
    """`code` in a fence that nothing in it can close."""
    longest = max((len(found[0]) for found in re.finditer(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"
