"""What a session teaches again in other numbers: the words under which it is known already.

A lesson of capture is tied to anchors (the command or file it warns of), so that what may say the same is found by
them, without a search. Under the words of the one that is there a proposal joins it, and a memory gains evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.govern.retold import same
from learnt.model.filter import ProposalFilter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.means import Means
    from learnt.model.lesson import Lesson

_MOST: Final = 64
"""Statements looked at."""
_PAST: Final = 200
"""Rejected proposals looked at, the latest first."""


def known_words(means: Means, lesson: Lesson) -> str:
    """The text of what says the same: a memory, a pending proposal, one that a person rejected; else the lesson's.

    Only for observations: what a person or an agent put into words is the same only word for word.
    """
    if not lesson.observation:
        return lesson.text
    return next((text for text in _texts(means, lesson) if same(text, lesson.text)), lesson.text)


def _texts(means: Means, lesson: Lesson) -> Iterator[str]:
    """The statements of its kind that may say the same, memories and pending ones before rejected ones."""
    store, sight = means.store, means.context.sight
    tied = store.lexicon.anchored(sight, lesson.trigger)[:_MOST] if lesson.trigger else ()
    memories = {memory.id: memory for memory in store.memories.many(sight, tied)} if tied else {}
    for name in tied:
        found = memories.get(name) or store.proposals.get(sight, name)
        if found is not None and found.kind == lesson.kind:
            yield found.text
    wanted = ProposalFilter(statuses=("rejected",), newest_first=True, limit=_PAST)
    for past in store.proposals.page(sight, wanted).values:
        if past.kind == lesson.kind and past.reviewer == "user":
            yield past.text
