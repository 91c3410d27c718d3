"""What a statement is about, read off the statement. Source: swarm-memory seed, proposal intake."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from learnt.govern.reference import path_of
from learnt.govern.rules import MAX_TAG, MAX_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.memory import Reference

MAX_FILES = MAX_SYMBOLS = 20
_FAMILIES = {
    "testing": "test tests testing pytest unittest jest vitest coverage fixture fixtures e2e",
    "tooling": "build lint linter compile ci make npm pnpm yarn bun uv pip cargo gradle docker hook hooks",
    "security": "security secret secrets auth token tokens credential credentials password passwords csrf xss injection"
    " permission permissions",
    "api": "api apis endpoint endpoints http rest graphql rpc request requests response responses",
    "architecture": "architecture layer layers module modules boundary boundaries service services design pattern",
    "failure": "fail fails failed failure failures failing error errors bug bugs crash crashes crashed broken"
    " regression flaky",
}
_FAMILY_OF = {word: tag for tag, words in _FAMILIES.items() for word in words.split()}
_WORD = re.compile(r"\w+")
_PATH = re.compile(r"(?<![\w/:@.-])(?:[\w.-]+/)+[\w-]+(?:\.[A-Za-z][\w]{0,9})+")
_QUOTED = re.compile(r"`([^`\n]{3,80})`")
_SYMBOL = re.compile(r"[A-Za-z_$][\w$]*(?:[.:]{1,2}[A-Za-z_$][\w$]*)*(?:\(\))?")
_CODE_WORD = re.compile(r"\b(?:[a-z_]\w*_\w+|[a-z]+[a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Za-z_]\w*(?=\(\)))")
_CODE_HINT = re.compile(r"[a-z0-9][A-Z]|_|\(\)")
"""In every text that holds a `_CODE_WORD`, and much sooner found to be missing."""
_RESERVED = frozenset(
    [
        "and",
        "any",
        "are",
        "but",
        "class",
        "def",
        "else",
        "enum",
        "for",
        "from",
        "func",
        "function",
        "has",
        "have",
        "import",
        "interface",
        "let",
        "new",
        "not",
        "null",
        "package",
        "public",
        "return",
        "self",
        "static",
        "struct",
        "the",
        "this",
        "true",
        "false",
        "type",
        "use",
        "var",
        "void",
        "when",
        "with",
        "while",
    ]
)


def tags(given: Iterable[str], text: str) -> tuple[str, ...]:
    """The given tags in normal form, then the families the text belongs to; at most 32."""
    named = {_FAMILY_OF[word] for word in _FAMILY_OF.keys() & _WORD.findall(text.lower())}
    inferred = (tag for tag in _FAMILIES if tag in named)
    normal = (normal_tag(tag) for tag in (*given, *inferred))
    return tuple(dict.fromkeys(tag for tag in normal if tag))[:MAX_TAGS]


def normal_tag(tag: str) -> str:
    """Lower case, anything but word characters a dash, no dash at the ends, at most 64 characters."""
    if tag.isascii() and tag.isalnum():
        return tag.lower()[:MAX_TAG]
    return re.sub(r"-{2,}", "-", re.sub(r"[^\w-]", "-", tag.strip().lower())).strip("-")[:MAX_TAG].strip("-")


def files(given: Iterable[str], references: Sequence[Reference], text: str) -> tuple[str, ...]:
    """Repository-relative paths: given ones, those of file references, those the text names; at most 20."""
    found = (*given, *(path_of(r) for r in references), *_PATH.findall(text))
    clean = (path.strip().replace("\\", "/").removeprefix("./") for path in found)
    return tuple(dict.fromkeys(path for path in clean if path and not path.startswith("//")))[:MAX_FILES]


def symbols(given: Iterable[str], text: str) -> tuple[str, ...]:
    """Identifiers: given ones, quoted ones, and words that can only be code; at most 20."""
    quoted = (q.strip() for q in _QUOTED.findall(text))
    words = _CODE_WORD.findall(text) if _CODE_HINT.search(text) else ()
    found = (*given, *(q for q in quoted if _SYMBOL.fullmatch(q)), *words)
    clean = (symbol.strip().removesuffix("()") for symbol in found)
    return tuple(dict.fromkeys(s for s in clean if len(s) >= 3 and s.lower() not in _RESERVED))[:MAX_SYMBOLS]
