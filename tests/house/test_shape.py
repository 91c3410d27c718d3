"""The line (docs/explanation/how-it-works.md): short functions, small modules, narrow classes and ports.

An exception stands here with its reason. The lists only shrink: an entry that is no longer needed fails the test.
"""

from __future__ import annotations

import ast
from statistics import median

from tests.house.source import bases, classes, functions, modules

LONG_FUNCTIONS: dict[str, str] = {}
"""Functions longer than 100 lines, each with why one piece reads better."""

LONG_MODULES = {
    "src/learnt/model/tokens.py": "every rule of tokens in one place, so that writer and reader cannot differ",
    "src/learnt/recall/factors.py": "factors, filters and places, which engine and hook share as one module",
    "src/learnt/settings.py": "every setting in one table, in the order of its page",
    "src/learnt/stores/index/stack.py": "a scope of evidence as columns: read, settled and scored as the same arrays",
}
"""Modules longer than 300 lines, each with why it is one story."""

WIDE_CLASSES: dict[str, str] = {}
"""Classes of more than ten public methods, each with its reason."""


ROOMS = ("capture", "gate", "govern", "recall", "inject", "stale", "learn", "distil", "forget", "audit", "jobs")


def test_functions_are_short() -> None:
    """Half of all functions have at most 8 lines, 95 of 100 at most 40."""
    lengths = sorted(function.lines for module in modules() for function in functions(module))
    assert median(lengths) <= 8
    assert lengths[int(len(lengths) * 0.95)] <= 40


def test_no_function_is_a_scroll() -> None:
    """No function has more than 100 lines."""
    long = {function.full_name for module in modules() for function in functions(module) if function.lines > 100}
    assert long == set(LONG_FUNCTIONS)


def test_modules_are_small() -> None:
    """No module has more than 300 lines."""
    assert {module.name for module in modules() if module.lines > 300} == set(LONG_MODULES)


def test_classes_are_narrow() -> None:
    """No class has more than ten public methods, and no port more than eight."""
    wide = set()
    for module in modules():
        for node in classes(module):
            methods = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
            public = [item for item in methods if not item.name.startswith("_")]
            limit = 8 if "Protocol" in bases(node) else 10
            if sum(not _is_property(item) for item in public) > limit and not node.name.endswith(("Tests", "Suite")):
                wide.add(f"{module.name}::{node.name}")
    assert wide == set(WIDE_CLASSES)


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {item.id for item in node.decorator_list if isinstance(item, ast.Name)}
    return bool(names & {"property", "cached_property"})


def test_a_store_inherits_its_tests() -> None:
    """A store's file of the conformance suite is a factory and raw access: under 60 lines."""
    files = [module for module in modules("tests/stores") if "StoreSuite" in module.text]
    assert {module.path.stem for module in files} >= {"test_sqlite", "test_ephemeral"}
    assert not [module.name for module in files if module.lines >= 60]


def test_rooms_open_with_an_essay() -> None:
    """Each room tells in its first lines what comes in, what goes out, its invariant, and what was rejected."""
    short = []
    for module in modules():
        if module.name in {f"src/learnt/{room}/__init__.py" for room in ROOMS}:
            words = (ast.get_docstring(module.tree) or "").split()
            if len(words) < 40:
                short.append(module.name)
    assert not short


def test_flows_are_listed_by_subject() -> None:
    """Whoever opens the folder finds every flow in the table of its first lines."""
    essay = next(module for module in modules() if module.name == "src/learnt/flows/__init__.py").text
    names = {module.path.stem for module in modules("src/learnt/flows")} - {"__init__"}
    assert {name for name in names if f"`{name}`" not in essay} == set()
