"""The project's own files, for tests that read them."""

from __future__ import annotations

import ast
import gc
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "learnt"


@dataclass(frozen=True, slots=True)
class Module:
    """A Python file. `name` is its path below the project."""

    path: Path
    name: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.text.splitlines())


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method. `lines` are those of its body without the docstring; its own inner functions count."""

    module: Module
    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef

    @property
    def lines(self) -> int:
        """Length of the body, docstring left out."""
        body = self.node.body[1:] if ast.get_docstring(self.node, clean=False) is not None else self.node.body
        if not body:
            return 1
        return (body[-1].end_lineno or 0) - body[0].lineno + 1

    @property
    def full_name(self) -> str:
        """`src/learnt/room/module.py::Class.method`, as the exception lists spell it."""
        return f"{self.module.name}::{self.name}"


@cache
def modules(*folders: str) -> tuple[Module, ...]:
    """Every Python file below the folders, `src/learnt` when none is named."""
    gc.collect()  # what other tests left is told as theirs
    gc.disable()  # millions of small objects that stay: looking for garbage among them costs every later test seconds
    paths = (path for folder in folders or ("src/learnt",) for path in sorted((ROOT / folder).rglob("*.py")))
    found = tuple(map(_module, paths))
    gc.freeze()
    gc.enable()
    return found


@cache
def _module(path: Path) -> Module:
    text = path.read_text("utf-8")
    return Module(path, path.relative_to(ROOT).as_posix(), text, ast.parse(text))


def functions(module: Module) -> list[Function]:
    """The functions of a module and the methods of its classes, not those inside functions."""
    found: list[Function] = []

    def walk(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append(Function(module, prefix + node.name, node))
            elif isinstance(node, ast.ClassDef):
                walk(node.body, f"{prefix}{node.name}.")

    walk(module.tree.body, "")
    return found


def classes(module: Module) -> list[ast.ClassDef]:
    """Every class of a module."""
    return [node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]


def bases(node: ast.ClassDef) -> set[str]:
    """The last names of a class's bases."""
    found = set()
    for base in node.bases:
        inner = base.value if isinstance(base, ast.Subscript) else base
        found.add(inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", ""))
    return found


@cache
def tracked() -> tuple[Path, ...]:
    """The files git knows; every file when this is no checkout (a source archive)."""
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return tuple(path for path in sorted(ROOT.rglob("*")) if path.is_file() and not _private(path))
    paths = (ROOT / name for name in listing.decode("utf-8").split("\0") if name)
    return tuple(path for path in paths if path.is_file() and not path.is_symlink())


def _private(path: Path) -> bool:
    return any(part.startswith(".") and part != ".ci" for part in path.relative_to(ROOT).parts)
