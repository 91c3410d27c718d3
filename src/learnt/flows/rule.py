"""A proposal put to the person's rules: accepted with the reviewer `auto_policy`, or left to wait."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.capture.risk import danger
from learnt.flows.decide import accept_by_rule
from learnt.govern import queue, rule
from learnt.model.filter import ProposalFilter

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory, Reference

_COMPARED: Final = 1_000
"""Waiting proposals that are looked through for those that say the same, the most valuable."""
_COMMAND: Final = re.compile(r"`([^`\n]+)`")


def ruled_in(means: Means, proposal_id: str) -> Memory | None:
    """The memory a rule makes of a waiting proposal; None where it goes on waiting.

    A text that names a command which deletes, publishes, or touches credentials waits for a person, whatever a rule
    says.
    """
    if not means.rules:
        return None
    asked = means.store.proposals.get(means.context.sight, proposal_id)
    if asked is None or any(danger(command) for command in _COMMAND.findall(asked.text)):
        return None
    waiting = means.store.proposals.page(means.context.sight, ProposalFilter(limit=_COMPARED)).values
    alike = [each for each in waiting if each.id != asked.id and queue.says_same(asked, each)]
    found = rule.accepting(
        means.rules, asked, alike, place=means.place.value, checked=lambda reference: _checked(means, reference)
    )
    return accept_by_rule(means, asked.id, found.reason) if found else None


def _checked(means: Means, reference: Reference) -> bool:
    """Whether what a reference points at was looked at: a file that is there, words found in a session, a person."""
    match reference.type:
        case "file":
            return means.workplace.is_file(rule.place_of(reference).removeprefix("file:"))
        case "person":
            return True
        case _:
            return reference.verified
