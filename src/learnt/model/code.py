"""What of a program text says what it is for: the names it defines, its prose, and the language it is in.

A program repeats its variables, which tells nothing: in code every word counts once. Prose (the texts that document a
definition, comments) speaks as a question does, and its words count once more; those of a name that is defined, twice
more. A program seldom names its own language and a question often does: the language counts as one of its words, so
that it finds nothing in particular in a heap of one language, and elsewhere finds the code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_SLASHES: Final = re.compile(r"//[ \t]*([^\n]*)|/\*(.*?)\*/", re.DOTALL)
_PYTHONS: Final = re.compile(r"\"\"\"(.*?)(?:\"\"\"|\Z)|'''(.*?)(?:'''|\Z)|(?<![\w'\"])#[ \t]*([^\n]*)", re.DOTALL)

_LANGUAGES: Final = tuple(
    (language, re.compile(rf"^[ \t]*(?:{defines})", re.MULTILINE), prose)
    for language, defines, prose in (
        ("python", r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)\s*(?:\(|:)", _PYTHONS),
        ("go", r"func[ \t]+(?:\([^)\n]*\)[ \t]*)?(\w+)\(", _SLASHES),
        ("rust", r"(?:pub(?:\([a-z]+\))?[ \t]+)?(?:(?:async|const|unsafe)[ \t]+)*fn[ \t]+(\w+)[ \t]*[<(]", _SLASHES),
        ("javascript", r"(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?function\*?[ \t]+(\w+)[ \t]*\(", _SLASHES),
        ("java", r"(?:public|private|protected)[ \t][\w<>\[\], \t]*?(\w+)[ \t]*\([^;\n]*$", _SLASHES),
    )
)
_RUBY: Final = re.compile(r"^[ \t]*def[ \t]+[^\n:]*$(?=.*^[ \t]*end\b)", re.MULTILINE | re.DOTALL)
"""A definition that Python would write alike, and that ends with a word."""
_LEAD: Final = re.compile(r"\s*(?:(?:[#@/*]|import\b|from\b|package\b|use\b|\"\"\").*?(?:\n|$)\s*)*")
"""What may stand before the first definition: comments, decorators, imports."""


@dataclass(frozen=True, slots=True)
class Code:
    """What a program text tells: its language, the names it defines, and its prose."""

    language: str
    names: str
    prose: str


def code_of(text: str) -> Code | None:
    """What a text tells as a program; None when it does not begin with a definition."""
    start = _LEAD.match(text)
    for language, defines, prose in _LANGUAGES:
        if defines.match(text, start.end() if start else 0):
            names = [match[1] for match in defines.finditer(text)]
            said = [part for match in prose.finditer(text) for part in match.groups() if part]
            name = "ruby" if language == "python" and _RUBY.search(text) else language
            return Code(name, " ".join(names), "\n".join(said))
    return None
