"""The named statements of `sql/NAME.sql` beside this file, as psycopg takes them: values are `%(name)s` or `%s`."""

from __future__ import annotations

from pathlib import Path

from learnt.stores.sqlite.statements import parsed


def load(name: str) -> dict[str, str]:
    """The statements of `sql/<name>.sql` by their names, without comments and without the final semicolon.

    Raises:
        ValueError: A name stands twice in the file.
    """
    return parsed((Path(__file__).parent / "sql" / f"{name}.sql").read_text(encoding="utf-8"))
