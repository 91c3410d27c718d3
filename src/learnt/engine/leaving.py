"""The verbs that take memory away for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.engine.base import Verbs
from learnt.flows import forget as forgetting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.answer import Refusal
    from learnt.model.forget import Forgotten


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
        done = forgetting.forget(self._means, memories, reason=reason, restatements=restatements, dry_run=dry_run)
        return self._followed(done)
