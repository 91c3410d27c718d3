"""What the repository itself may hold."""

from __future__ import annotations

import json
import re

from tests.house.source import ROOT, tracked

BINARY = {".png", ".ico", ".woff2", ".gz", ".zip", ".bin", ".db"}
BIG_BYTES = 400_000
HOSTS = re.compile(r"https?://(?:files|registry|deb|index|" + "py" + r"pi)\.[a-z]+(?:\.[a-z]+)?/")
PLACES = re.compile("|".join(re.escape("/" + name + "/") for name in ("work", "root", "tmp/team", "home/" + "user")))

BIG_FILES: dict[str, str] = {}
"""Tracked files above the size limit, each with its reason."""


def test_no_file_is_big() -> None:
    """No tracked file is larger than 400 kB."""
    big = {path.relative_to(ROOT).as_posix() for path in tracked() if path.stat().st_size > BIG_BYTES}
    assert big == set(BIG_FILES)


def test_no_place_of_this_machine_and_no_registry_is_named() -> None:
    """No tracked file names a folder of the machine it was written on, or the address of a package registry."""
    found = []
    for path in tracked():
        if path.suffix in BINARY:
            continue
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
            if HOSTS.search(line) or PLACES.search(line):
                found.append(f"{path.relative_to(ROOT).as_posix()}:{number}")
    assert not found


def test_requirements_are_pinned_with_hashes() -> None:
    """Every requirement names one version and its hashes."""
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        text = path.read_text("utf-8").replace("\\\n", " ")
        lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        assert lines, path.name
        for line in lines:
            assert re.match(r"^[a-z0-9._-]+(\[[a-z,]+\])?==\S+ .*--hash=sha256:[0-9a-f]{64}", line, re.IGNORECASE), line


def test_changelog_fragments_are_named_for_towncrier() -> None:
    """A fragment is `changes/NAME.KIND.md`, its kind one that pyproject.toml lists, its text one short paragraph."""
    kinds = {"feature", "fix", "change", "removal", "security", "docs"}
    for path in sorted((ROOT / "changes").glob("*")):
        if path.name in {"README.md", ".gitignore"}:
            continue
        assert re.fullmatch(r"[a-z0-9+-]+\.(" + "|".join(kinds) + r")\.md", path.name), path.name
        assert 0 < len(path.read_text("utf-8").split()) <= 120, path.name


def test_ci_runs_the_second_command_of_the_readme() -> None:
    """.ci/run holds the README's test command, word for word."""
    blocks = re.findall(r"```(?:sh|console)\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    command = blocks[1].strip()
    assert command in (ROOT / ".ci" / "run").read_text("utf-8")


def test_samples_are_readable() -> None:
    """Every tracked JSON file parses."""
    for path in tracked():
        if path.suffix == ".json" and "broken" not in path.name and "corrupt" not in path.name:
            json.loads(path.read_text("utf-8"))
