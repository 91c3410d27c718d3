"""What is in dispute, as a block shows it (see `learnt.flows.dispute`). Loaded only where something is."""

from __future__ import annotations

from learnt.recall.dispute import ordered, sides

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeVar

    from learnt.inject.block import Shown
    from learnt.interfaces.hook.known import Known

    Entry = TypeVar("Entry", bound=tuple[Any, Any])


def told(found: Sequence[Entry], pairs: Sequence[tuple[Any, ...]]) -> list[Entry]:
    """Entries of score and item: those in dispute labelled, newer evidence before older.

    Args:
        pairs: Rows of the statement `disputes`.
    """
    sure = [(str(newer), str(older)) for newer, older in pairs]
    labels = sides(sure)
    for _, item in found:
        mark(item, labels.get(item.id, ""))
    return [found[at] for at in ordered([item.id for _, item in found], sure)]


def mark(item: Shown, label: str) -> None:
    """Say it of one item, once."""
    if label and label not in item.labels:
        item.labels = (*item.labels, label)


def settled(found: Sequence[Known], pairs: Sequence[tuple[Any, ...]]) -> list[Known]:
    """The same of memories that are not items yet."""
    sure = [(str(newer), str(older)) for newer, older in pairs]
    labels = sides(sure)
    for known in found:
        known.dispute = labels.get(known.id, "")
    return [found[at] for at in ordered([known.id for known in found], sure)]
