"""What the clients were seen to do, as a table, and the same table where the documentation shows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "hosts.md"
BEGINS, ENDS = "<!-- seen with the real clients -->", "<!-- end -->"
COLUMNS = ("start", "prompt", "action", "capture", "tools", "skills")

Row = dict[str, str]


def documented() -> dict[str, Row]:
    """The table of the documentation, by host."""
    table = PAGE.read_text("utf-8").partition(BEGINS)[2].partition(ENDS)[0]
    lines = [line.strip("| ").split("|") for line in table.splitlines() if line.startswith("|")]
    rows = [[cell.strip(" `") for cell in line] for line in lines[2:]]
    return {row[0]: dict(zip(COLUMNS, row[2:], strict=True)) for row in rows}


def merged(seen: Iterable[tuple[str, str, Mapping[str, str]]]) -> Iterator[str]:
    """The lines of the table: host, version, and what several tests saw of it."""
    versions: dict[str, str] = {}
    rows: dict[str, Row] = {}
    for host, version, cells in seen:
        versions[host] = version
        rows.setdefault(host, {}).update(cells)
    yield f"| host | version | {' | '.join(COLUMNS)} |"
    yield "|---" * (len(COLUMNS) + 2) + "|"
    for host, row in rows.items():
        yield f"| `{host}` | {versions[host]} | {' | '.join(row.get(column, '?') for column in COLUMNS)} |"
