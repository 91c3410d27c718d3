"""The statements of the full-text stage, by their names. Hook-safe.

`learnt.stores.index.narrow` ranks; here its lists become JSON arrays, which statements take apart with `json_each`.
"""

from __future__ import annotations

from learnt.stores.index import narrow as stage
from learnt.stores.sqlite.statements import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from learnt.stores.index.area import Rows
    from learnt.stores.index.narrow import Answer

    Run = Callable[[str, dict[str, object]], list[tuple[Any, ...]]]

SQL = load("lexicon")


def listed(values: Iterable[object]) -> str:
    """Numbers as a JSON array."""
    return "[" + ",".join(map(str, values)) + "]"


def texts(values: Iterable[str]) -> str:
    """Terms as a JSON array; what could need escaping is no term."""
    return (
        "[" + ",".join(f'"{value}"' for value in values if value.isprintable() and not {'"', "\\"} & set(value)) + "]"
    )


def by_name(run: Run) -> Rows:
    """What runs statements of the full-text stage by their names, with what runs SQL."""

    def rows(name: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        return run(SQL[name], {key: _bound(value) if type(value) is list else value for key, value in values.items()})

    return rows


def _bound(values: list[Any]) -> str:
    return texts(values) if values and type(values[0]) is str else listed(values)


def narrow(
    run: Run, scopes: Sequence[int], terms: Sequence[str], limit: int, kinds: Sequence[str] = (), now: str = ""
) -> Answer:
    """The memories to score (`learnt.ports.lexicon.Lexicon.candidates`); `run` runs SQL, scopes are numbers."""
    return stage.narrow(by_name(run), scopes, terms, limit, kinds, now)
