"""What a session taught, proposed; and the two sorts of lesson that a rule may accept.

Every lesson becomes a proposal first, so that what a rule accepted can be undone like a person's decision. A statement
that is known already, in these words or in those of another run, adds its evidence to the memory or to the proposal;
one that a person rejected is not asked again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from learnt.capture.accept import Known, Ruling, judge, recipe_lesson
from learnt.capture.evidence import verified
from learnt.flows.bar import barred
from learnt.flows.decide import accept_by_rule
from learnt.flows.intake import told
from learnt.flows.propose import drafted, propose
from learnt.flows.remember import store
from learnt.flows.rule import ruled_in
from learnt.flows.same import known_words
from learnt.govern.draft import promoted
from learnt.model.answer import Proposed, Written
from learnt.model.keys import memory_id
from learnt.model.request import ProposalRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.means import Means
    from learnt.model.intake import Taken
    from learnt.model.lesson import Harvest, Lesson
    from learnt.model.memory import Reference
    from learnt.model.scope import Scope
    from learnt.model.session import Header


@dataclass(slots=True)
class Learnt:
    """What came of a session's lessons.

    Attributes:
        found: Proposals that wait. `kept`: memories a rule accepted. `corroborated`: memories that were known.
        dropped: Lessons that were not even proposed. `alarms`: what a person should know of the agents' own arrays.
    """

    found: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    corroborated: list[str] = field(default_factory=list)
    dropped: int = 0
    alarms: list[str] = field(default_factory=list)

    def take(self, taken: Taken) -> None:
        """Add what an agent's own arrays gave."""
        self.found += [each.proposal.id for each in taken.proposals if each.proposal.status == "pending"]
        self.kept += taken.accepted
        self.alarms += told(taken)

    @property
    def proposals(self) -> tuple[str, ...]:
        """Proposals that wait for a person."""
        return tuple(self.found)

    @property
    def accepted(self) -> tuple[str, ...]:
        """Memories a rule accepted."""
        return tuple(self.kept)


def learn(means: Means, header: Header, harvest: Harvest) -> Learnt:
    """Propose what a session taught; `means` act for the session, not for a person."""
    learnt = Learnt()
    instructions = 0
    for lesson in (*harvest.lessons, *_recipes(means, harvest)):
        known = Known(instructions_granted=means.accept_instructions, accepted=instructions)
        before = len(learnt.kept)
        _one(means, lesson, judge(lesson, header, known), learnt)
        instructions += lesson.origin == "instruction" and len(learnt.kept) > before
    return learnt


def _recipes(means: Means, harvest: Harvest) -> Iterator[Lesson]:
    """Commands that this session was the second to prove; one that holds a secret proves nothing, and is not kept."""
    sight, scope = means.context.sight, _scope(means)
    gone = barred(means, (), [recipe.ref for recipe in harvest.recipes])
    shown = means.gate.redact
    recipes = [each for each in harvest.recipes if each.ref not in gone and shown(each.command) == each.command]
    with means.store.transaction():
        for recipe in recipes:
            means.store.recipes.add(scope, recipe)
    for recipe in recipes:
        lesson = recipe_lesson(means.store.recipes.find(sight, recipe.key))
        if lesson is not None:
            yield lesson


def _scope(means: Means) -> Scope:
    return means.context.sight.one("repository")


def _one(means: Means, lesson: Lesson, ruling: Ruling, learnt: Learnt) -> None:
    if ruling.action == "drop" or means.gate.redact(lesson.text) != lesson.text:
        learnt.dropped += 1
        return
    lesson = replace(lesson, text=known_words(means, lesson))
    request = _request(means, lesson)
    known = means.store.memories.get(means.context.sight, memory_id(_scope(means).key, lesson.kind, lesson.text))
    if known is not None and known.status != "deleted":
        _corroborate(means, request, learnt)
    elif known is not None or _rejected(means, lesson):
        learnt.dropped += 1
    else:
        _ask(means, request, ruling, learnt)


def _request(means: Means, lesson: Lesson) -> ProposalRequest:
    return ProposalRequest(
        operation="add",
        text=lesson.text,
        kind=lesson.kind,
        rationale=means.gate.redact(lesson.rationale),
        references=tuple(_verified(means, reference) for reference in lesson.evidence),
        tags=lesson.tags,
        files=lesson.files,
        symbols=lesson.symbols,
        confidence=lesson.confidence,
        observation=lesson.observation,
        trigger=lesson.trigger,
        expected_value=lesson.expected_value,
        origin=lesson.origin,
        own_trust="person",  # capture only copies: the trust is that of the spans alone
    )


def _verified(means: Means, reference: Reference) -> Reference:
    """The reference with its quote checked against the evidence it names."""
    unit = means.store.archive.unit(means.context.sight, reference.ref)
    return verified(reference, unit, means.gate.redact)


def _rejected(means: Means, lesson: Lesson) -> bool:
    """Whether a person said no to this very statement."""
    alike = means.store.proposals.saying(means.context.sight, lesson.text)
    return any(each.status == "rejected" and each.reviewer == "user" for each in alike)


def _corroborate(means: Means, request: ProposalRequest, learnt: Learnt) -> None:
    """Add the evidence of a statement that is known."""
    now = means.clock.now()
    asked = drafted(means, request, now)
    if asked.kind is None:
        return
    memory = promoted(asked, asked.text, asked.kind, asked.confidence, asked.tags, now)
    _cite(means, request)
    answer = store(means, memory, now, operation="corroborate")
    if isinstance(answer, Written) and answer.event:
        learnt.corroborated.append(memory.id)


def _ask(means: Means, request: ProposalRequest, ruling: Ruling, learnt: Learnt) -> None:
    answer = propose(means, request, needs_reference=False)
    if not isinstance(answer, Proposed) or answer.proposal.status != "pending":
        learnt.dropped += 1
        return
    _cite(means, request)
    held = "quarantine" in answer.proposal.metadata
    if ruling.action == "accept" and not held:
        memory = accept_by_rule(means, answer.proposal.id, ruling.reason)
        if memory is not None:
            learnt.kept.append(memory.id)
            return
    if not held and (ruled := ruled_in(means, answer.proposal.id)) is not None:
        learnt.kept.append(ruled.id)
        return
    if not answer.existing:
        learnt.found.append(answer.proposal.id)


def _cite(means: Means, request: ProposalRequest) -> None:
    refs = [reference.ref for reference in request.references]
    with means.store.transaction():
        means.store.archive.cite(means.context.sight, refs)
