"""What a person changed in a file that learnt made, offered back as proposals: nothing of theirs is lost unseen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.distil.names import HEADINGS, SKILLS
from learnt.errors import NotFoundError, UsageError
from learnt.flows.propose import propose
from learnt.model.answer import Proposed
from learnt.model.request import ProposalRequest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.distil.edited import Edit
    from learnt.flows.artifacts import Touched
    from learnt.flows.means import Means
    from learnt.model.kinds import Kind

MOST: Final = 50
"""Of one file; the copy holds the rest."""
MOST_CHARS: Final = 500
MOST_LEFT: Final = 2_000
"""Source: contract, writing: a text that is to become a memory, and any other."""
_SKILL = re.compile(r"skill:[a-z0-9-]+: (.+) \(seen in \d+ sessions\)")
"""The line of a skill, which names nothing that it rests on."""
LEAST_WORDS: Final = 3
"""Of a line of a skill: fewer are a bare command, which says nothing without its skill."""
_NUMBER = re.compile(r"^\d{1,3}[.)]\s+")
_FRAME = re.compile(
    r"```|~~~|---|(?:name|description|license|compatibility|metadata|allowed-tools|generated-by|sessions):"
)
"""Lines of a skill that say nothing by themselves."""
_KIND_OF: Final[dict[str, Kind]] = {
    HEADINGS["decision"]: "architecture_decision",
    HEADINGS["constraint"]: "repo_convention",
    HEADINGS["workflow"]: "repo_convention",
    HEADINGS["failure"]: "failure_pattern",
    HEADINGS["pitfall"]: "failure_pattern",
}


def offer(means: Means, touched: Iterable[Touched]) -> tuple[str, ...]:
    """Propose what was added, changed or removed by hand; gives the proposals that wait.

    A line that names a memory asks for that memory's change or end; any other one, for a memory of its own, or, where
    it was taken out, that what it says be left out from now on.
    """
    found: dict[str, None] = {}
    for file in touched:
        for edit in file.edits[:MOST]:
            if waits := _offered(means, _request(edit, file.name)):
                found[waits] = None
    return tuple(found)


def _offered(means: Means, request: ProposalRequest | None) -> str:
    """The proposal that waits; "" where there is none: the copy of the file holds what cannot be proposed."""
    try:
        answer = propose(means, request, needs_reference=False) if request else None
    except (NotFoundError, UsageError):
        return ""
    return answer.proposal.id if isinstance(answer, Proposed) and answer.proposal.status == "pending" else ""


def _request(edit: Edit, name: str) -> ProposalRequest | None:
    target = next((ref for ref in edit.refs if ref.startswith("mem_")), "")
    why = f"A line of {name} was {edit.change} by hand."
    if name.startswith(f"{SKILLS}/"):
        said = _NUMBER.sub("", edit.after)
        told = len(said.split()) >= LEAST_WORDS and len(said) <= MOST_CHARS and not _FRAME.match(said)
        return ProposalRequest(operation="add", text=said, kind="lesson", rationale=why) if told else None
    if edit.change == "removed":
        if target:
            return ProposalRequest(operation="delete", target_id=target, rationale=why)
        skill = _SKILL.fullmatch(edit.before)
        said = skill[1] if skill else edit.before if edit.refs else ""
        return ProposalRequest(operation="ignore", text=said, rationale=why) if 0 < len(said) <= MOST_LEFT else None
    if not edit.after or len(edit.after) > MOST_CHARS:
        return None
    if target:
        return ProposalRequest(operation="update", text=edit.after, target_id=target, rationale=why)
    kind = _KIND_OF.get(edit.heading, "lesson")
    return ProposalRequest(operation="add", text=edit.after, kind=kind, rationale=why)
