"""The verbs that take memory away for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.answer import Refusal
    from learnt.model.forget import Ended, Erased, Forgotten


class Leaving(Verbs):
    """Memory, forgotten."""

    def forget(
        self, memories: Sequence[str], *, reason: str = "", restatements: bool = False, dry_run: bool = False
    ) -> Forgotten | Refusal:
        """Forget memories with every copy: what was made of them, their evidence, what asked for them.

        Args:
            reason: Kept in the audit trail, unless it repeats what is forgotten.
            restatements: Also what says the same in other words. `dry_run`: only tell what would go.

        Raises:
            NotFoundError: One of them is unknown here; nothing was forgotten.
        """
        done = flows.forget.forget(self._means, memories, reason=reason, restatements=restatements, dry_run=dry_run)
        return self._followed(done)

    def erase_person(
        self, name: str, *, also: Sequence[str] = (), reason: str = "", dry_run: bool = False
    ) -> Erased | Refusal:
        """Erase what a person wrote, what was said to them and what is about them, in every repository.

        Args:
            name: An id (`person:ID`) or a name. `also`: other names and addresses of theirs.
        """
        done = flows.erase.erase_person(self._means, name, also=also, reason=reason, dry_run=dry_run)
        return self._followed(done, everywhere=True)

    def erase_repository(self, name: str, *, reason: str = "", dry_run: bool = False) -> Ended | Refusal:
        """End a repository with everything learnt keeps of it.

        Args:
            name: Its id, its address, its folder, or `.` for this one.

        Raises:
            NotFoundError: Nothing is known of it.
        """
        done = flows.erase.erase_repository(self._means, name, reason=reason, dry_run=dry_run)
        return self._followed(done, everywhere=True)
