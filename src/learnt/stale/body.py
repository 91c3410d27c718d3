"""Where a symbol is declared, and where its body ends: Python by its own parser, other languages by their lines.

The lines are read for a word that declares, then for braces or deeper indentation. That is wrong where a brace stands
in a string; a body taken too long or too short is still compared with itself.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_LINES = 400


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


def body(lines: Sequence[bytes], name: str, *, python: bool) -> tuple[int, int] | None:
    """First and last line of a symbol (`name`, `Class.name`), from 1; None where it is not declared."""
    if python and (found := _parsed(lines, name)):
        return found
    start = declared(lines, name)
    return (start, _end(lines, start)) if start else None


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


def _end(lines: Sequence[bytes], start: int) -> int:
    """The last line of what begins at `start`: where its braces close, else where the indentation comes back."""
    depth, opened = 0, False
    for number in range(start, min(len(lines), start + MAX_LINES) + 1):
        line = lines[number - 1]
        depth += line.count(b"{") - line.count(b"}")
        opened = opened or b"{" in line
        if opened and depth <= 0:
            return number
        if not opened and number >= start + 3:
            break
    return start if opened else _indented(lines, start)


def _indented(lines: Sequence[bytes], start: int) -> int:
    margin, last = _margin(lines[start - 1]), start
    for number in range(start + 1, min(len(lines), start + MAX_LINES) + 1):
        line = lines[number - 1]
        if line.strip() and _margin(line) <= margin:
            break
        last = number if line.strip() else last
    return last


def _margin(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _parsed(lines: Sequence[bytes], name: str) -> tuple[int, int] | None:
    """By Python's parser; None for a file it cannot read."""
    try:
        tree = ast.parse(b"\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    wanted = name.replace("::", ".").replace("#", ".").removesuffix("()")
    every = list(_declarations(tree, ""))
    fits = [place for full, place in every if full == wanted]
    fits = fits or [place for full, place in every if full.endswith("." + wanted)]
    return fits[0] if fits else None


def _declarations(node: ast.AST, inside: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Qualified names of functions, classes and assigned names, with their lines, decorators included."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min((each.lineno for each in child.decorator_list), default=child.lineno)
            yield inside + child.name, (first, child.end_lineno or child.lineno)
            yield from _declarations(child, f"{inside}{child.name}.")
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield inside + target.id, (child.lineno, child.end_lineno or child.lineno)
        elif isinstance(child, ast.If | ast.Try | ast.With):
            yield from _declarations(child, inside)
