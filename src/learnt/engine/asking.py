"""The verbs that ask memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs
from learnt.model.filter import MemoryFilter
from learnt.model.ranking import Query
from learnt.model.search import EvidenceFilter, SearchQuery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.filter import Page
    from learnt.model.kinds import Kind, Mode, Profile, Status
    from learnt.model.memory import Memory
    from learnt.model.ranking import Ranking
    from learnt.model.search import Grouping, SearchAnswer, Where


class Asking(Verbs):
    """Memory, asked."""

    def recall(
        self,
        query: str,
        *,
        task: str = "",
        kinds: Sequence[Kind] = (),
        role: str = "",
        mode: Mode = "manual",
        profile: Profile = "default",
        max_items: int | None = None,
        budget_tokens: int | None = None,
        min_score: float | None = None,
        as_of: str | None = None,
        include_low_q: bool = False,
        include_expired: bool = False,
    ) -> Ranking:
        """The memories that bear on a question, best first, and the block they make.

        Raises:
            UsageError: Fewer than three characters to search for.
        """
        asked = Query(
            text=query,
            task=task,
            kinds=tuple(kinds),
            role=role,
            mode=mode,
            profile=profile,
            max_items=max_items,
            budget_tokens=budget_tokens,
            min_score=min_score,
            as_of=as_of,
            include_low_q=include_low_q,
            include_expired=include_expired,
        )
        return flows.recall.recall(self._means, asked)

    def choices(self, prompt: str) -> Ranking:
        """Every memory that a recall of `prompt` in injection mode chooses from, best first.

        Without a block and without a receipt: a hook leaves out what it gave before, and makes both itself.
        """
        return flows.recall.choices(self._means, Query(text=prompt, mode="injection"))

    def search(
        self,
        query: str,
        where: Where = "all",
        k: int = 10,
        profile: Profile = "default",
        *,
        group: Grouping = "",
        files: Sequence[str] = (),
        wanted: EvidenceFilter | None = None,
    ) -> SearchAnswer:
        """Evidence and memories about a question in one list, best first.

        Args:
            group: `session` for one hit a session, its best unit.
            files: Of the task at hand: what names them rises, and so do the sessions that touched them.
            wanted: Narrows the evidence: types, who, session, time.

        Raises:
            UsageError: A place, profile or number that does not exist.
        """
        narrowed = wanted or EvidenceFilter()
        asked = SearchQuery(
            text=query, where=where, k=k, profile=profile, group=group, files=tuple(files), wanted=narrowed
        )
        return flows.search.search(self._means, asked)

    def show(self, memory: str, *, as_of: str = "") -> Memory:
        """One memory; with `as_of` as it was recorded then.

        Raises:
            NotFoundError: Unknown here, or not known then.
        """
        return flows.then.shown(self._means, memory, as_of) if as_of else flows.read.show(self._means, memory)

    def explain(self, memory: str) -> flows.read.Explanation:
        """Where a memory came from, what it replaced, and its events.

        Raises:
            NotFoundError: Unknown here.
        """
        return flows.read.explain(self._means, memory)

    def list(
        self,
        *,
        statuses: Sequence[Status] = ("active",),
        kinds: Sequence[Kind] = (),
        tag: str = "",
        flagged: bool = False,
        as_of: str = "",
        limit: int = 50,
        after: str = "",
    ) -> Page[Memory]:
        """A page of memories, latest change first; no `statuses` for all; `as_of` for what held then."""
        wanted = MemoryFilter(
            statuses=tuple(statuses),
            kinds=tuple(kinds),
            tag=tag,
            flagged=flagged,
            as_of=as_of,
            limit=limit,
            after=after,
        )
        return flows.read.listing(self._means, wanted)
