"""Which repository a place is: the id once given stays, whatever happens to remote and folder.

A value that was seen before has its id. An unknown value whose git directory (by inode) and root commit were both seen
together is the same repository under a new name: a changed or first remote, a moved folder. The same history in another
folder is only a likeness, which `doctor` shows and a person may adopt. Source: contract, repository identity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.model.place import witness

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.place import Place
    from learnt.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What is known of a place.

    Attributes:
        repository_id: The id to use.
        likeness: Id of a known repository with the same history in another folder; "" for none.
    """

    repository_id: str
    likeness: str = ""


def identify(store: Store, at: Place, root_commit: Callable[[], str]) -> Identity:
    """The identity of a place. Reads only; asks for the root commit only when the value is unknown."""
    if known := store.meta.alias(at.value):
        return Identity(repository_id=known)
    inode = witness(at)[0]
    by_inode = store.meta.alias(inode)
    commit = root_commit() if at.common_dir else ""
    by_history = store.meta.alias(f"root:{commit}") if commit else None
    if by_inode and by_inode == by_history:
        return Identity(repository_id=by_inode)
    return Identity(repository_id=at.repository_id, likeness=by_history or (by_inode or "" if not commit else ""))


def register(store: Store, at: Place, repository_id: str, root_commit: Callable[[], str]) -> None:
    """Write down every name of a place, inside the caller's transaction; names given before stay."""
    commit = root_commit() if at.common_dir else ""
    for name in (at.value, *witness(at, commit)):
        if store.meta.alias(name) is None:
            store.meta.adopt(name, repository_id)


def adopt(store: Store, at: Place, repository_id: str) -> None:
    """From now on this place is that repository: a person said so."""
    with store.transaction():
        for name in (at.value, witness(at)[0]):
            store.meta.adopt(name, repository_id)
