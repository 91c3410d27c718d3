"""The named statements of `sql/NAME.sql`, as plain text. Hook-safe: opens one file and splits it, nothing else.

A file holds statements one after another; each begins with a line `-- name: WORD` and may carry further comment lines.
"""

from __future__ import annotations

_MARK = "-- name: "


def load(name: str) -> dict[str, str]:
    """The statements of `sql/<name>.sql` by their names, without comments and without the final semicolon.

    Raises:
        ValueError: A name stands twice in the file.
    """
    folder = __file__.replace("\\", "/").rpartition("/")[0]
    with open(f"{folder}/sql/{name}.sql", encoding="utf-8") as file:
        return parsed(file.read())


def parsed(text: str) -> dict[str, str]:
    """The statements in the text of one such file."""
    found: dict[str, str] = {}
    for piece in ("\n" + text).split("\n" + _MARK)[1:]:
        word, _, body = piece.partition("\n")
        lines = [line for line in body.split("\n") if not line.lstrip().startswith("--")]
        if word.strip() in found:
            raise ValueError(f"statement {word.strip()!r} stands twice")
        found[word.strip()] = "\n".join(lines).strip().removesuffix(";")
    return found
