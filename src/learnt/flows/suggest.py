"""What a model read in a session, proposed: nothing of it is memory until a person decides.

Facts that the offline writer finds are what capture proposes already; nothing is asked twice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from learnt.errors import NotFoundError, UsageError
from learnt.flows.propose import propose
from learnt.model.answer import Proposed
from learnt.model.keys import memory_id
from learnt.model.memory import Reference
from learnt.model.request import ProposalRequest

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.extraction import Extraction, Fact, Section, Speaker
    from learnt.model.kinds import Kind, Trust
    from learnt.model.thread import Thread

MOST: Final = 5
"""Of one session: a queue nobody reads helps nobody. Source: our choice, as of capture's lessons."""
KIND_OF: Final[dict[Section, Kind]] = {
    "decision": "architecture_decision",
    "constraint": "repo_convention",
    "failure": "failure_pattern",
    "workflow": "repo_convention",
    "pitfall": "failure_pattern",
}
_TRUST: Final[dict[Speaker, Trust]] = {"person": "person", "tool": "tool", "agent": "agent"}


def suggest(means: Means, thread: Thread, found: Extraction) -> tuple[str, ...]:
    """Propose the facts of a model's extraction that nobody said before; gives the proposals that wait."""
    acting = replace(
        means,
        context=replace(
            means.context,
            person=False,
            curator=False,
            session_id=thread.session_id,
            agent_id=f"session:{thread.session_id}",
            agent_role="extraction",
            host=thread.host,
        ),
    )
    fresh = (fact for fact in found.facts if not _is_known(means, fact))
    asked = (_asked(acting, thread, fact, found.writer) for fact, _ in zip(fresh, range(MOST), strict=False))
    return tuple(name for name in asked if name)


def _is_known(means: Means, fact: Fact) -> bool:
    """Whether it is a memory, or was proposed before, whatever became of it."""
    scope, sight = means.context.sight.one("repository"), means.context.sight
    names = [memory_id(scope.key, kind, fact.text) for kind in dict.fromkeys(KIND_OF.values())]
    return bool(means.store.memories.many(sight, names) or means.store.proposals.saying(sight, fact.text))


def _asked(means: Means, thread: Thread, fact: Fact, writer: str) -> str:
    request = ProposalRequest(
        operation="add",
        text=fact.text,
        kind=KIND_OF[fact.section],
        rationale=f"read in a session by {writer}",
        references=tuple(
            Reference(
                type="transcript",
                ref=f"session:{thread.session_id}#{quote.record}",
                quote=quote.text,
                verified=True,
                trust=_TRUST[quote.speaker],
            )
            for quote in fact.quotes
        ),
        files=fact.files,
        symbols=fact.symbols,
        confidence=0.5,
        own_trust="agent",
    )
    try:
        answer = propose(means, request)
    except (NotFoundError, UsageError):  # nothing that can be proposed: it stays a fact
        return ""
    waits = isinstance(answer, Proposed) and answer.proposal.status == "pending" and not answer.existing
    return answer.proposal.id if isinstance(answer, Proposed) and waits else ""
