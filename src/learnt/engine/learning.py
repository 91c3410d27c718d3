"""The verbs that learn from outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs
from learnt.model.outcome import OutcomeRequest, Spot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.answer import Refusal
    from learnt.model.filter import Page
    from learnt.model.flag import Flagged, Objection
    from learnt.model.outcome import Recorded, Result
    from learnt.model.ranking import Bundle
    from learnt.model.reward import Council, Rewarded


class Learning(Verbs):
    """Outcomes, and what memories are worth by them."""

    def reward(
        self, verdict: Council, *, bundle: str = "", run: str = "", unit: str = "", round_: str = ""
    ) -> Rewarded:
        """Apply a council's verdict to what was recalled: to one bundle, or to a run, its unit and its round.

        Args:
            unit: "" for every unit of the run. `round_`: "" for every round.

        Raises:
            UsageError: No such verdict, or neither one bundle nor one run.
        """
        work = flows.reward.Work(bundle=bundle, run=run, unit=unit, round=round_)
        return self._followed(flows.reward.reward(self._means, verdict, work))

    def outcome(
        self,
        *,
        outcome: Result,
        memory_id: str = "",
        question: str = "",
        correction: str = "",
        anchors: Sequence[str | Mapping[str, str]] = (),
        id: str = "",  # noqa: A002 - the word of every answer
    ) -> Recorded | Refusal:
        """Say what became of a memory, or of an answer to a question: useful, dead_end or corrected.

        Args:
            memory_id: The memory. `question`: instead of it, what was asked; a record of it is kept.
            correction: What is right; always and only with `corrected`.
            anchors: Where it was met: `FILE[#SYMBOL]`, or mappings with `file` and `symbol`; at most 20.
            id: A name for this report: sent again, it counts once. By default a new one.

        Raises:
            UsageError: The input breaks a rule; nothing was stored.
            NotFoundError: There is no such memory here.
        """
        request = OutcomeRequest(
            result=outcome,
            memory_id=memory_id,
            question=question,
            correction=correction,
            spots=tuple(Spot.of(each) for each in anchors),
            id=id,
        )
        return self._followed(flows.outcome.outcome(self._means, request))

    def flag(self, memory: str, reason: str) -> Flagged | Refusal:
        """Say what is wrong with a memory: it falls in rank and is labelled, until the flag is withdrawn or cleared.

        A reader has one flag on a memory; another one takes its place.

        Raises:
            UsageError: No reason, or one of more than 500 characters.
            NotFoundError: There is no such memory here.
        """
        return self._followed(flows.flag.flag(self._means, memory, reason))

    def unflag(self, memory: str) -> Flagged:
        """Withdraw one's own flag.

        Raises:
            NotFoundError: There is no such memory here, or no flag of one's own on it.
        """
        return self._followed(flows.flag.unflag(self._means, memory))

    def flags(self, limit: int = 50) -> Page[Objection]:
        """Flagged memories, the latest flag first, with the newest reasons."""
        return flows.flag.flags(self._means, limit)

    def clear_flags(self, memory: str) -> Flagged | Refusal:
        """A person looked at the flags of a memory and lets it stand.

        Raises:
            NotFoundError: There is no such memory here, or no open flag on it.
        """
        return self._followed(flows.flag.clear(self._means, memory))

    def reflection(self) -> str:
        """What a session is told at its start of what became of memories, as a hook tells it; "" for nothing."""
        return flows.reflect.block(self._means)

    def receipts(self, run: str = "", limit: int = 200) -> tuple[Bundle, ...]:
        """What was recalled, newest first."""
        return flows.read.receipts(self._means, run, limit)

    def recall_log(self, run: str = "", limit: int = 200) -> flows.logs.RecallLog:
        """The newest recalls, of one run or of all, and what all of them come to."""
        return flows.logs.recall_log(self._means, run, limit)

    def value_log(self, limit: int = 20) -> tuple[flows.logs.Valued, ...]:
        """What recalled memories are worth by their outcomes, the latest recall first."""
        return flows.logs.value_log(self._means, limit)
