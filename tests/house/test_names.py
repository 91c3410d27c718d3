"""One concept, one word; names that say something."""

from __future__ import annotations

import re

from tests.house.source import ROOT, classes, modules

EMPTY_MODULES = {"utils", "util", "helpers", "helper", "common", "misc", "data", "info", "manager"}
EMPTY_ENDINGS = re.compile(r"(Manager|Processor|Handler|Helper|Util|Utils|Data|Info|V\d+|_v\d+)$")

NOT_IN_GLOSSARY: dict[str, str] = {}
"""Public classes of model and ports that need no entry, each with its reason."""


def test_no_module_is_named_by_nothing() -> None:
    """No module or folder is called utils, helpers, common, misc, data, info, or by a version."""
    bad = set()
    for module in modules("src/learnt", "bench"):
        for part in (*module.path.relative_to(ROOT).parent.parts, module.path.stem):
            if part in EMPTY_MODULES or re.search(r"_?v\d+$", part):
                bad.add(module.name)
    assert not bad


def test_modules_have_one_word() -> None:
    """A module's name is one word."""
    named = (module for module in modules() if not module.path.stem.startswith("_"))
    assert not [module.name for module in named if "_" in module.path.stem]


def test_no_class_is_named_by_nothing() -> None:
    """No class ends in Manager, Processor, Handler, Data, Info or a version."""
    names = (f"{module.name}::{node.name}" for module in modules("src/learnt", "bench") for node in classes(module))
    assert not [name for name in names if EMPTY_ENDINGS.search(name)]


def test_every_public_noun_is_in_the_glossary() -> None:
    """docs/glossary.md explains every public class of the model and the ports."""
    explained = set(re.findall(r"`([A-Z]\w+)`", (ROOT / "docs" / "glossary.md").read_text("utf-8")))
    nouns = {
        node.name
        for module in modules("src/learnt/model", "src/learnt/ports")
        for node in classes(module)
        if not node.name.startswith("_")
    }
    assert nouns - set(NOT_IN_GLOSSARY) == explained & nouns
    assert not explained - nouns, "the glossary names classes that do not exist"
