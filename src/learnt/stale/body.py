"""Where a symbol is declared, and where its body ends: Python by its own parser, other languages by their lines.

The lines are read for a word that declares, then for braces or deeper indentation. That is wrong where a brace stands
in a string; a body taken too long or too short is still compared with itself.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from learnt.stale.declared import declared

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_LINES = 400


def body(lines: Sequence[bytes], name: str, *, python: bool) -> tuple[int, int] | None:
    """First and last line of a symbol (`name`, `Class.name`), from 1; None where it is not declared."""
    if python and (found := _parsed(lines, name)):
        return found
    start = declared(lines, name)
    return (start, _end(lines, start)) if start else None


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
