"""Rules that can be read off the source text."""

from __future__ import annotations

import ast
import re

import pytest

from tests.house.source import PACKAGE, Module, modules

BROAD_HANDLERS = {
    "src/learnt/evals/security/paths.py": "a measurement of doors: an error not ours is a door that gave way",
    "src/learnt/interfaces/cli/entry.py": "the command line's boundary: what is left is a bug, said and exit 70",
    "src/learnt/interfaces/hook/process.py": "the hook's boundary: written to the log `learnt status` shows",
    "src/learnt/interfaces/mcp/seat.py": "a tool call's boundary: a bug fails the call, the client and stderr are told",
    "src/learnt/interfaces/warm/serve.py": "the warm process's boundary: written to its lock file for `learnt doctor`",
    "src/learnt/testing/transactions.py": "a thread of the conformance suite carries its fault to the asserting thread",
}
"""Where `except Exception` stands: process boundaries only, each with what it records."""

OPEN_MARKS = re.compile(r"NotImplementedError|\bTODO\b|\bFIXME\b|\bXXX\b|# *stub\b|pragma: no cover")
SQL = re.compile(
    r"^\s*(SELECT\s.+\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s"
    r"|CREATE\s+(TABLE|INDEX|VIRTUAL|TEMP)|ALTER\s+TABLE|DROP\s+TABLE|WITH\s+\w+.*\sAS\s*\()",
    re.IGNORECASE | re.DOTALL,
)


def test_sql_lives_in_sql_files() -> None:
    """No string of the package is an SQL statement; statements are named in .sql files."""
    found = []
    for module in modules():
        for node in ast.walk(module.tree):
            text = _text(node)
            if text is not None and SQL.search(text):
                found.append(f"{module.name}:{getattr(node, 'lineno', 0)}")
    assert not found


def test_statements_carry_a_comment() -> None:
    """Every named statement in a .sql file is followed by a comment that says what it is for."""
    bare = []
    for path in sorted(PACKAGE.rglob("sql/*.sql")):
        lines = path.read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            if line.startswith("-- name:") and not lines[number + 1].startswith("-- "):
                bare.append(f"{path.name}: {line}")
    assert not bare


def test_names_in_docstrings_lead_somewhere() -> None:
    """What a text of the package names in full, `learnt.room.module.Name`, is there under that name."""
    lost = []
    for module in modules():
        for name in re.findall(r"`(learnt\.[\w.]+)`", module.text):
            parts = name.split(".")[1:]
            path, rest = PACKAGE, [*parts, ""]
            while rest[0] and (path / rest[0]).is_dir():
                path /= rest.pop(0)
            source = path / f"{rest[0]}.py"
            named = rest[1] if source.is_file() else rest[0]
            text = (source if source.is_file() else path / "__init__.py").read_text("utf-8")
            if named and not re.search(rf"\b{named}\b", text):
                lost.append(f"{module.name}: {name}")
    assert not lost


def test_broad_handlers_stand_only_at_process_boundaries() -> None:
    """`except Exception`, `except BaseException` and a bare except stand only where listed, or raise in turn."""
    found = set()
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler) and _broad(node.type) and not _raises_again(node):
                found.add(module.name)
    assert found == set(BROAD_HANDLERS)


def test_nothing_is_left_open() -> None:
    """The package holds no stub and no open mark."""
    found = [
        f"{module.name}:{number}"
        for module in modules()
        for number, line in enumerate(module.text.splitlines(), 1)
        if OPEN_MARKS.search(line)
    ]
    assert not found


def test_the_command_line_reaches_flows_through_the_engine() -> None:
    """The command line imports flows for the type checker only; at run time it asks the engine."""
    found = [
        module.name
        for module in modules("src/learnt/interfaces/cli")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("learnt.flows")
        if not _for_types(module.tree, node)
    ]
    assert not found


def test_every_test_says_what_it_shows() -> None:
    """Every test function has a docstring, and its first line is one sentence or phrase."""
    silent = [
        f"{module.name}::{node.name}"
        for module in modules("tests", "src/learnt/testing")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert not silent


def test_tests_use_fakes_not_mocks() -> None:
    """No test imports unittest.mock."""
    assert not [module.name for module in modules("tests", "src/learnt/testing") if _imports(module, "unittest")]


@pytest.mark.parametrize("room", ["model", "ports"])
def test_nouns_need_only_the_standard_library(room: str) -> None:
    """Model and ports read no clock, no file and no environment."""
    world = {"os", "pathlib", "sqlite3", "_sqlite3", "subprocess", "socket", "random", "secrets", "uuid"}
    # Repository identity reads git's own files, in one place for hook and engine alike.
    allowed = {"src/learnt/model/place.py", "src/learnt/model/origin.py"}
    bad = [
        module.name
        for module in modules(f"src/learnt/{room}")
        if module.name not in allowed and any(_imports(module, name) for name in world)
    ]
    assert not bad


def _text(node: ast.AST) -> str | None:
    """The text of a string literal or f-string, its holes as underscores."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "_" for part in node.values)
    return None


def _broad(node: ast.expr | None) -> bool:
    names = [node] if node is None or not isinstance(node, ast.Tuple) else node.elts
    return any(name is None or getattr(name, "id", "") in {"Exception", "BaseException"} for name in names)


def _for_types(tree: ast.Module, wanted: ast.stmt) -> bool:
    blocks = [
        node for node in tree.body if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    ]
    return any(wanted in block.body for block in blocks)


def _raises_again(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.body[-1], ast.Raise)


def _imports(module: Module, package: str) -> bool:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import) and any(name.name.split(".")[0] == package for name in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package:
            return True
    return False
