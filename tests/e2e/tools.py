"""What the tests' repository holds: programs that insist on an option, what they teach, and a skill."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = {"check": "suite", "build": "mode", "publish": "to"}
FAILS, WORKS = "./tools/check unit", "./tools/check --suite unit"
OTHERS = {"./tools/build fast": "./tools/build --mode fast", "./tools/publish draft": "./tools/publish --to draft"}
SKILL = "warm-the-cache"


def place_skill(folder: Path) -> None:
    """Put a skill into a folder that a client looks into."""
    head = f"---\nname: {SKILL}\ndescription: Warms the cache. Use it before the unit suite.\n---\n"
    text = f"{head}\n# Warm the cache\n\nRun it.\n"
    (folder / SKILL).mkdir(parents=True)
    (folder / SKILL / "SKILL.md").write_text(text, "utf-8")
