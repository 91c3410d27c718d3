"""`learned.md` of a repository: the lessons a person gave, kept as they come, and read back for what people wrote in.

Rows are the truth, the file is for reading and writing by hand. Each save is a change of its own, one after the other;
nothing a person wrote is lost, and a bullet that is nobody's memory is offered as a proposal, once.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from learnt.distil import learned
from learnt.errors import ArtifactError
from learnt.flows.artifacts import PROJECTS
from learnt.flows.bar import struck
from learnt.flows.propose import propose
from learnt.model.filter import MemoryFilter
from learnt.model.keys import collapse
from learnt.model.request import ProposalRequest
from learnt.model.scope import Sight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from learnt.flows.means import Means
    from learnt.model.kinds import Kind, Status
    from learnt.model.memory import Memory

KIND: Final[Kind] = "lesson"


def save(means: Means, memory: Memory | None) -> None:
    """Put a lesson of this repository that became active into the file. A file that cannot be written costs nothing.

    The rows hold it; the next consolidation writes what is missing.
    """
    if means.artifacts is None or memory is None or not _is_lesson(memory):
        return
    sight = Sight((memory.scope,))

    def saved(text: str) -> str:
        held = means.store.memories.get(sight, memory.id)  # here, where whoever forgets it waits
        if held is None or not _is_lesson(held):
            return text
        return learned.saved(text, held.text, _where(held), means.gate.redact)

    try:
        _change(means, saved)
    except ArtifactError:
        return


def drop(means: Means, is_gone: Callable[[str], bool]) -> None:
    """Take every line out that holds what was forgotten.

    Raises:
        ArtifactError: The file cannot be changed: what was forgotten is still in it.
    """
    if means.artifacts is not None and means.artifacts.read(_name(means), learned.MAX_BYTES):
        _change(means, lambda text: "\n".join(line for line in text.split("\n") if not is_gone(line)))


def leave(means: Means, memories: Iterable[Memory] = ()) -> None:
    """Take lessons out whose rows go, so that none of them is taken for a person's; and what a killed writer left.

    A file that cannot be written costs nothing: what is said of it comes with the next consolidation.
    """
    if means.artifacts is None or not means.artifacts.names(_name(means).rpartition("/")[0]):
        return
    texts = [each.text for each in memories if each.kind == KIND]
    with suppress(ArtifactError):
        _change(means, lambda text: learned.dropped(text, texts, means.gate.redact))


def refresh(means: Means) -> int:
    """Bring file and rows together: lessons that are missing are written, retired ones taken out, foreign ones offered.

    Gives how many proposals were made of what people wrote.

    Raises:
        ArtifactError: The file cannot be written.
    """
    if means.artifacts is None:
        return 0
    sight = Sight((means.context.sight.one("repository"),))
    if _text(means) or _lessons(means, sight, "active", means.clock.now()):
        _change(means, lambda text: _together(means, text, sight))
    known = {collapse(each.text) for each in _lessons(means, sight, "active", means.clock.now())}
    return sum(_offered(means, said) for said in _foreign(means, known))


_LEFT: Final[tuple[Status, ...]] = ("superseded", "consolidated", "deleted")


def _together(means: Means, text: str, sight: Sight) -> str:
    """The file by the rows, which are read here: whoever forgets one waits for this change, and takes its line out."""
    redact, now = means.gate.redact, means.clock.now()
    active = _lessons(means, sight, "active", now)
    gone = [each.text for status in _LEFT for each in _lessons(means, sight, status, now)]
    text = struck(means, learned.dropped(text, gone, redact))
    written = {learned.lesson_of(line) for line in text.split("\n")}
    for memory in reversed(active):
        if learned.clean(memory.text, learned.MAX_LESSON_CHARS, redact) not in written:
            text = learned.saved(text, memory.text, _where(memory), redact)
    return text


def _lessons(means: Means, sight: Sight, status: Status, now: str) -> tuple[Memory, ...]:
    """The newest lessons of a status, newest first, at most as many as the file holds."""
    wanted = MemoryFilter(statuses=(status,), kinds=(KIND,), limit=learned.MAX_BULLETS)
    return means.store.memories.page(sight, wanted, now).values


def _foreign(means: Means, known: set[str]) -> list[str]:
    """Bullets that are no memory's."""
    lines = _text(means).split("\n")
    said = (learned.clean(learned.lesson_of(line), learned.MAX_LESSON_CHARS, means.gate.redact) for line in lines)
    return [each for each in dict.fromkeys(said) if each and collapse(each) not in known]


def _offered(means: Means, said: str) -> bool:
    """Whether a proposal was made: one that was made before, whatever became of it, is not made again."""
    sight = Sight((means.context.sight.one("repository"),))
    if means.store.proposals.saying(sight, said):
        return False
    request = ProposalRequest(
        operation="add",
        text=said,
        kind=KIND,
        rationale="written into learned.md by hand",
        evidence=(learned.NAME,),
        own_trust="agent",
    )
    propose(means, request)
    return True


def _is_lesson(memory: Memory) -> bool:
    return memory.kind == KIND and memory.status == "active" and memory.scope.type == "repository"


def _where(memory: Memory) -> str:
    """What stands behind a lesson: why it is kept, unless that only says it again."""
    reason = memory.rationale or ""
    return "" if collapse(reason) == collapse(memory.text) else reason


def _name(means: Means) -> str:
    return f"{PROJECTS}/{means.identity.repository_id}/{learned.NAME}"


def _text(means: Means) -> str:
    held = means.artifacts.read(_name(means), learned.MAX_BYTES) if means.artifacts else None
    return held.decode("utf-8", "replace") if held else ""


def _change(means: Means, edit: Callable[[str], str]) -> bool:
    if means.artifacts is None:
        return False
    odd = "surrogateescape"  # what is no UTF-8 stays as it is

    def changed(held: bytes) -> bytes:
        return edit(held.decode("utf-8", odd)).encode("utf-8", odd)

    return means.artifacts.change(_name(means), learned.MAX_BYTES, changed)
