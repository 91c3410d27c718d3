"""The verbs about what sessions taught: read them, make the documents, take one out, begin anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.engine.base import Verbs
from learnt.flows import pipeline, threads
from learnt.flows import wipe as wiping

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.answer import Refusal
    from learnt.model.thread import ThreadMode


class Distilling(Verbs):
    """What sessions come to."""

    def rebuild(self, *, tell: Callable[[str, int, int], None] | None = None) -> pipeline.Rebuilt | Refusal:
        """Read every session that waits, then make `MEMORY.md`, the summary and the skills; now.

        A session that cannot be read spoils no other.

        Args:
            tell: Called with `sessions` or `documents`, how many are done, and of how many.
        """
        return self._followed(pipeline.rebuild(self._means, tell=tell))

    def enqueue(self) -> bool | Refusal:
        """Ask for the documents, to be made by the next worker; False where this store has no jobs."""
        return pipeline.enqueue(self._means)

    def phases(self) -> pipeline.Phases:
        """How reading sessions and making documents stand here."""
        return pipeline.phases(self._means)

    def wipe(self) -> wiping.Wiped | Refusal:
        """Remove everything that was learnt of this repository. Sessions count as read; nothing is barred.

        Raises:
            ArtifactError: The folder of its files is a symbolic link; nothing was removed.
        """
        return self._followed(wiping.wipe(self._means))

    def mark_session(self, name: str, mode: ThreadMode) -> threads.Marked | Refusal:
        """Say whether a session is learnt from; what it taught leaves the documents with the next consolidation.

        Args:
            name: Its id, or the host's.

        Raises:
            NotFoundError: Unknown here.
        """
        return self._followed(threads.mark(self._means, name, mode))

    def drop_session(self, name: str) -> threads.Marked | Refusal:
        """Forget that a session taught anything. It comes back when somebody writes to it again, or gives it anew.

        Raises:
            NotFoundError: Unknown here.
        """
        return self._followed(threads.drop(self._means, name))
