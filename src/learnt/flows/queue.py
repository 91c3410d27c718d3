"""What waits for a person: put in order, folded, with what is needed to decide beside it; and many answers at once."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from learnt.errors import LearntError, StoreBusyError, StoreError, StoreReadOnlyError
from learnt.flows.decide import decide, person_required
from learnt.flows.read import Support, support
from learnt.govern.compare import compared
from learnt.govern.queue import Entry, folded, says_same
from learnt.model.answer import Decided, Refusal
from learnt.model.filter import MOST_PAST, Page, ProposalFilter, QueueFilter
from learnt.model.flag import FlagCount
from learnt.model.instant import plus_days
from learnt.model.proposal import Decision
from learnt.model.reward import is_promotable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from learnt.flows.means import Means
    from learnt.model.kinds import Action, ProposalStatus
    from learnt.model.memory import Memory
    from learnt.model.piece import Piece
    from learnt.model.proposal import Proposal

MOST_VALUED: Final = 200
"""Promotion candidates looked at, the most valued."""
MOST_SUPPORT: Final = 5
"""Pieces of evidence read beside one entry."""
_AT_ONCE: Final = 200
"""Proposals that expire in one transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One entry with what is needed to decide it.

    Attributes:
        target: The memory it is about, where there is one. `related`: those it would merge.
        changes: From the target's text to the one proposed; empty where there are not both.
        support: The first pieces of evidence of all proposals in it, each once.
    """

    entry: Entry
    target: Memory | None = None
    related: tuple[Memory, ...] = ()
    changes: tuple[Piece, ...] = ()
    support: tuple[Support, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What waits for a person.

    Attributes:
        cards: The entries shown, most valuable first. `entries`: how many there are.
        proposals: The proposals shown of them; its total counts every proposal that waits, folded ones too.
        expired: How many left the queue unanswered.
        rejected: Rejected lately. `promotion_candidates`: session memories worth keeping for longer.
        flags: What readers have flagged, which waits for a person too: `learnt flags`.
    """

    cards: tuple[Card, ...]
    entries: int
    proposals: Page[Proposal]
    expired: int = 0
    rejected: tuple[Proposal, ...] = ()
    promotion_candidates: tuple[Memory, ...] = ()
    flags: FlagCount = field(default_factory=FlagCount)


@dataclass(frozen=True, slots=True)
class Failed:
    """A proposal of a batch that could not be answered, and why."""

    proposal_id: str
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What became of a batch."""

    done: tuple[Decided, ...] = ()
    failed: tuple[Failed, ...] = ()


def pending(means: Means, wanted: QueueFilter | None = None) -> Queue:
    """The queue, most valuable first; what is past its time leaves it now."""
    wanted = wanted or QueueFilter()
    now = means.clock.now()
    with suppress(StoreReadOnlyError, StoreBusyError):  # then it leaves at the next look
        expire(means)
    waiting = _waiting(means, wanted, now)
    entries = folded(waiting, now)
    shown = entries[: wanted.limit]
    sight, proposals = means.context.sight, means.store.proposals
    rejected = proposals.page(sight, ProposalFilter(statuses=("rejected",), newest_first=True, limit=10))
    return Queue(
        cards=tuple(card(means, entry) for entry in shown),
        entries=len(entries),
        proposals=Page(tuple(entry.proposal for entry in shown), len(waiting)),
        expired=proposals.count(sight).get("expired", 0),
        rejected=rejected.values,
        promotion_candidates=_promotable(means),
        flags=means.store.flags.count(sight),
    )


def _waiting(means: Means, wanted: QueueFilter, now: str) -> list[Proposal]:
    """What waits and is meant, at most 10,000 of it, the most valuable by its own value."""
    statuses: tuple[ProposalStatus, ...] = ("expired",) if wanted.expired else ("pending",)
    page = means.store.proposals.page(means.context.sight, ProposalFilter(statuses=statuses, limit=MOST_PAST)).values
    since = "" if wanted.expired else _since(means, now)
    return [each for each in page if each.created_at >= since and _meant(each, wanted)]


def _since(means: Means, now: str) -> str:
    days = means.settings.proposals.expire_days
    return plus_days(now, -days) if days else ""


def _meant(proposal: Proposal, wanted: QueueFilter) -> bool:
    text = f"{proposal.text}\n{proposal.rationale}".casefold()
    return (
        (not wanted.kinds or proposal.kind in wanted.kinds)
        and (not wanted.operations or proposal.operation in wanted.operations)
        and (not wanted.trusts or proposal.trust in wanted.trusts)
        and (not wanted.ids or proposal.id in wanted.ids)
        and all(word in text for word in wanted.words.casefold().split())
        and (not wanted.session or _of_session(proposal, wanted.session))
    )


def _of_session(proposal: Proposal, session: str) -> bool:
    names = [each.ref.removeprefix("session:").partition("#")[0] for each in proposal.evidence]
    if proposal.provenance is not None:
        names.append(proposal.provenance.session_id)
    return any(name == session or (len(session) >= 8 and name.startswith(session)) for name in names)


def card(means: Means, entry: Entry) -> Card:
    """An entry with the memories it speaks of and the words it rests on."""
    sight, asked = means.context.sight, entry.proposal
    references = {(each.type, each.ref): each for one in entry.all for each in one.evidence if each.type != "person"}
    target = means.store.memories.get(sight, asked.target_id) if asked.target_id else None
    return Card(
        entry=entry,
        target=target,
        changes=compared(target.text, asked.text) if target is not None and asked.text else (),
        related=means.store.memories.many(sight, asked.related) if asked.related else (),
        support=tuple(support(means, each) for each in list(references.values())[:MOST_SUPPORT]),
    )


def _promotable(means: Means) -> tuple[Memory, ...]:
    """Memories whose learned value and number of recalls speak for them, highest value first."""
    sight, above, now = means.context.sight, means.settings.learning.promotion_threshold, means.clock.now()
    valued = means.store.memories.many(sight, means.store.usage.valued(sight, above, MOST_VALUED))
    return tuple(
        memory
        for memory in valued
        if (memory.expires_at is None or memory.expires_at > now)
        and is_promotable(memory.q_value, means.store.usage.recalls(memory.id), above)
    )


def expire(means: Means, hold: Callable[[], None] = lambda: None) -> int:
    """Take out of the queue what nobody answered in time; gives how many. They stay, with the status `expired`.

    Args:
        hold: Stands inside each transaction.
    """
    sight, now = means.context.sight, means.clock.now()
    since = _since(means, min(now, means.store.queue.backlog().now))  # a clock set forward expires nothing early
    page = means.store.proposals.page(sight, ProposalFilter(limit=MOST_PAST)).values
    old = [each.id for each in page if each.created_at < since]
    gone = 0
    for at in range(0, len(old), _AT_ONCE):
        with means.store.transaction():
            hold()
            found = (means.store.proposals.get(sight, name) for name in old[at : at + _AT_ONCE])
            still = [each for each in found if each is not None and each.status == "pending"]
            for each in still:
                means.store.proposals.put(_expired(each, now))
            detail = {"status": "expired", "proposals": [each.id for each in still]}
            if still:
                means.store.events.append(means.event("proposal", still[0].id, now, detail))
            gone += len(still)
    return gone


def _expired(proposal: Proposal, now: str) -> Proposal:
    reason = "nobody answered in time"
    return replace(
        proposal,
        status="expired",
        reviewer="auto_policy",
        reviewed_at=now,
        rejection_reason=reason,
        observation=False,
    )


def answer(means: Means, decision: Decision, *, alike: Sequence[str] | None = None) -> Decided | Refusal:
    """Decide a proposal, and what else asks for the same with it.

    Args:
        alike: Ids of the others that were shown as one with it; None takes those that say the same in the same words.

    Raises:
        NotFoundError: No such proposal here.
        UsageError: The decision does not fit the proposal; nothing was changed.
    """
    sight = means.context.sight
    asked = means.store.proposals.get(sight, decision.proposal_id)
    others: Iterable[str] = alike if alike is not None else _same(means, asked)
    first = decide(means, decision)
    if isinstance(first, Refusal):
        return first
    done = [given for name in others if (given := _also(means, name, decision, first))]
    names, events = tuple(each.proposal.id for each in done), tuple(each.event for each in done)
    return replace(first, folded=names, folded_events=events)


def _same(means: Means, asked: Proposal | None) -> list[str]:
    if asked is None or asked.status != "pending":
        return []
    page = means.store.proposals.page(means.context.sight, ProposalFilter(limit=1_000)).values
    return [each.id for each in page if each.id != asked.id and says_same(asked, each)]


def _also(means: Means, name: str, decision: Decision, first: Decided) -> Decided | None:
    """Answer one more as the first was answered; what somebody else answered meanwhile is left as it is."""
    try:
        given = decide(means, _likewise(name, decision, first))
    except StoreError:
        raise
    except LearntError:
        return None
    return given if isinstance(given, Decided) else None


def _likewise(name: str, decision: Decision, first: Decided) -> Decision:
    """An addition adds its evidence to the memory that was made; any other request is fulfilled already."""
    if first.proposal.status == "rejected":
        return replace(decision, proposal_id=name)
    if first.proposal.operation == "add" and first.memory is not None:
        made = first.memory
        return replace(decision, proposal_id=name, text=made.text, kind=made.kind, tags=None, confidence=None)
    return Decision(proposal_id=name, action="noop", reason=f"asks for the same as {first.proposal.id}")


def sweep(means: Means, wanted: QueueFilter, action: Action, reason: str = "") -> Swept | Refusal:
    """Answer everything that waits and is meant, each by itself; one that cannot be answered spoils no other."""
    if not means.context.curator and (refused := person_required(means, "decide")):
        return refused
    done, failed = list[Decided](), list[Failed]()
    now = means.clock.now()
    for entry in folded(_waiting(means, wanted, now), now):
        name = entry.proposal.id
        try:
            given = answer(means, Decision(proposal_id=name, action=action, reason=reason), alike=_names(entry.alike))
        except StoreError:
            raise
        except LearntError as error:
            failed.append(Failed(name, error.error_code, error.message))
            continue
        if isinstance(given, Refusal):
            failed.append(Failed(name, given.code, given.message))
        else:
            done.append(given)
    return Swept(done=tuple(done), failed=tuple(failed))


def _names(proposals: Iterable[Proposal]) -> tuple[str, ...]:
    return tuple(each.id for each in proposals)
