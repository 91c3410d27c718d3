"""The documents say what the code does."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import pytest

from learnt import errors
from learnt.flows.work import TRADES
from learnt.model.kinds import KINDS, STATUSES, TRUSTS
from learnt.settings import Settings
from tests.house.source import PACKAGE, ROOT, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCS = ROOT / "docs"


def _read(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def test_every_setting_is_documented_with_its_default() -> None:
    """docs/reference/settings.md: a table a section, a row a setting: default, range, what a repository may do."""
    row = re.compile(r"\| `[a-z_]+` \|")
    given = [line for line in _read("reference/settings.md").splitlines() if row.match(line)]
    assert given == [line for line in setting_lines(Settings()) if row.match(line)]


def test_settings_stay_few() -> None:
    """There are at most 60 settings besides those that the seeds name."""
    ours = [each for each in _settings(Settings(), "") if "seed" not in each[1].metadata["source"]]
    assert len(ours) <= 60


def setting_lines(settings: Settings) -> Iterator[str]:
    """The tables of docs/reference/settings.md, in the order of the code."""
    present = ""
    for name, setting in _settings(settings, ""):
        section = name.rpartition(".")[0]
        if section != present:
            yield from ("", f"## `[{section}]`", "", "| key | default | range | what it does | repository | source |")
            yield "|---|---|---|---|---|---|"
            present = section
        yield _row(setting, getattr(_owner(settings, name), setting.name))


def _row(setting: Any, default: Any) -> str:
    may = {"": "", "off": "switch off", "on": "switch on", "lower": "lower", "extend": "add to"}
    facts = setting.metadata
    bounds = ", ".join(f"`{each}`" for each in facts["choices"])
    if facts["low"] is not None:
        bounds = f"{_number(facts['low'])} to {_number(facts['high'])} {facts['unit']}".strip()
    cells = (f"`{setting.name}`", f"`{_toml(default)}`", bounds, facts["doc"], may[facts["narrow"]], facts["source"])
    return "| " + " | ".join(cells) + " |"


def _settings(section: Any, path: str) -> Iterator[tuple[str, Any]]:
    for each in fields(section):
        value = getattr(section, each.name)
        if is_dataclass(value):
            yield from _settings(value, f"{path}{each.name}.")
        else:
            yield f"{path}{each.name}", each


def _owner(settings: Any, name: str) -> Any:
    for part in name.split(".")[:-1]:
        settings = getattr(settings, part)
    return settings


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{each}"' for each in value) + "]"
    return f'"{value}"' if isinstance(value, str) else f"{value}"


def test_every_error_code_is_documented() -> None:
    """docs/reference/exit-codes.md names the code and exit code of every error class."""
    page = _read("reference/exit-codes.md")
    classes = [
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.LearntError)
    ]
    for each in classes:
        if each is not errors.LearntError:
            assert re.search(rf"^\| `{each.code}` \| {each.exit_code} \|", page, re.MULTILINE), each.code


def test_every_table_is_documented() -> None:
    """docs/reference/data-layout.md names every table of the schema."""
    page = _read("reference/data-layout.md")
    schema = "\n".join(path.read_text("utf-8") for path in sorted((PACKAGE / "stores/sqlite/schema").glob("*.sql")))
    tables = re.findall(r"^CREATE (?:VIRTUAL )?TABLE (\w+)", schema, re.MULTILINE)
    assert [table for table in tables if f"`{table}`" not in page] == []


def test_every_kind_of_job_is_documented() -> None:
    """The page on workers and the command's own say what each kind of job does."""
    for page in ("how-to/run-workers.md", "reference/cli.md"):
        assert [trade.kind for trade in TRADES if f"`{trade.kind}`" not in _read(page)] == [], page


def test_the_vocabularies_are_documented() -> None:
    """The glossary names every kind and status; the page on trust every level."""
    glossary = _read("glossary.md")
    assert [kind for kind in KINDS if f"`{kind}`" not in glossary] == []
    assert [status for status in STATUSES if status not in glossary] == []
    assert [trust for trust in TRUSTS if trust not in _read("explanation/trust.md")] == []


@pytest.mark.parametrize("path", sorted((DOCS / "adr").glob("0*.md")), ids=lambda path: path.stem)
def test_a_decision_fits_on_a_page(path: Path) -> None:
    """A decision has context, decision, consequences and evidence, and at most 60 lines."""
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 60
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences", "Evidence"]
    assert re.match(r"# \d{4} ", text)


def test_every_page_is_in_the_menu_and_every_link_leads_somewhere() -> None:
    """mkdocs.yml lists every page, and every relative link of a page names a file."""
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")
    for page in sorted(DOCS.rglob("*.md")):
        assert page.relative_to(DOCS).as_posix() in menu
    for page in [path for path in tracked() if path.suffix == ".md" and "tests" not in path.parts]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_working_rules_are_short() -> None:
    """AGENTS.md has at most 120 lines, the justfile at most twelve recipes."""
    assert len((ROOT / "AGENTS.md").read_text("utf-8").splitlines()) <= 120
    recipes = re.findall(r"^[a-z][a-z-]*(?: [*A-Z]+)?:$", (ROOT / "justfile").read_text("utf-8"), re.MULTILINE)
    assert 0 < len(recipes) <= 12
