"""The verbs about what sessions taught: read them, make the artifacts, take one out, begin anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.model.answer import Refusal
    from learnt.model.thread import ThreadMode


class Distilling(Verbs):
    """What sessions come to."""

    def rebuild(self, *, tell: Callable[[str, int, int], None] | None = None) -> flows.pipeline.Rebuilt | Refusal:
        """Read every session that waits, then make `MEMORY.md`, the summary and the skills; now.

        A session that cannot be read spoils no other.

        Args:
            tell: Called with `sessions` or `artifacts`, how many are done, and of how many.
        """
        return self._followed(flows.pipeline.rebuild(self._means, tell=tell))

    def enqueue(self) -> bool | Refusal:
        """Ask for the artifacts, to be made by the next worker; False where this store has no jobs."""
        return flows.pipeline.enqueue(self._means)

    def phases(self) -> flows.pipeline.Phases:
        """How reading sessions and making artifacts stand here."""
        return flows.pipeline.phases(self._means)

    def guidance(self, most_chars: int) -> flows.guidance.Guidance:
        """What a session is told at its start of earlier ones, byte for byte.

        Args:
            most_chars: The host's limit of one injection.
        """
        return flows.guidance.guidance(self._means, most_chars)

    def publish(self, file: str, *, remove: bool = False, dry_run: bool = False) -> flows.regions.Redrawn | Refusal:
        """Keep a region of reviewed memories in a file that agents read, or take it out again.

        Raises:
            UsageError: `not_an_outlet`: it is no such file.
            ConfigError: The file cannot be changed safely; nothing was.
        """
        return self._followed(flows.regions.publish(self._means, file, remove=remove, dry_run=dry_run))

    def give_skills(
        self, host: str, names: Sequence[str] = (), *, remove: bool = False, dry_run: bool = False
    ) -> flows.regions.Redrawn | Refusal:
        """Keep copies of skills where a host looks for them, all there are where none is named; or take them out.

        Raises:
            UsageError: `no_skills`: the host has no place for them.
            NotFoundError: There is no skill of that name.
            ConfigError: A file there is somebody else's.
        """
        return flows.skills.copy(self._means, host, names, remove=remove, dry_run=dry_run)

    def skill(self, name: str) -> flows.skills.Held:
        """One skill, by its name with or without `skill:`.

        Raises:
            NotFoundError: There is none.
        """
        return flows.skills.read(self._means, name)

    def wipe(self) -> flows.wipe.Wiped | Refusal:
        """Remove everything that was learnt of this repository. Sessions count as read; nothing is barred.

        Raises:
            ArtifactError: The folder of its files is a symbolic link; nothing was removed.
        """
        return self._followed(flows.wipe.wipe(self._means))

    def mark_session(self, name: str, mode: ThreadMode) -> flows.threads.Marked | Refusal:
        """Say whether a session is learnt from; what it taught leaves the artifacts with the next consolidation.

        Args:
            name: Its id, or the host's.

        Raises:
            NotFoundError: Unknown here.
        """
        return self._followed(flows.threads.mark(self._means, name, mode))

    def drop_session(self, name: str) -> flows.threads.Marked | Refusal:
        """Forget that a session taught anything. It comes back when somebody writes to it again, or gives it anew.

        Raises:
            NotFoundError: Unknown here.
        """
        return self._followed(flows.threads.drop(self._means, name))
