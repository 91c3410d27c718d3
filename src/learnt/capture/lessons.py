"""A streaming fold over a session's events that gives what the session taught, without a model.

Five kinds, all proposals: a command that failed and the form that then worked; an edit that a check refused and the
form that was taken; a file edited again and again before its check passed; an instruction a person gave; a durable
statement in the agent's closing words. A junk proposal costs more than a missed one, so every rule asks for more than
it could, and a session gives at most `MAX_LESSONS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.capture.attempt import attempt
from learnt.capture.churn import Churn
from learnt.capture.commands import Corrections
from learnt.capture.echo import Veil, without_echo
from learnt.capture.instructions import Instructions
from learnt.capture.notes import Notes
from learnt.capture.recipes import Recipes
from learnt.capture.refusal import Refusals
from learnt.capture.writes import written_files
from learnt.model.anchor import relative
from learnt.model.lesson import Harvest
from learnt.model.session import Call, Compaction, Prompt, Reply, Result

if TYPE_CHECKING:
    from learnt.model.lesson import Lesson
    from learnt.model.session import SessionEvent

MAX_LESSONS: Final = 5
MAX_OPEN_CALLS: Final = 512
_PER_ORIGIN: Final = {"failed_then_fixed": 3, "churn_before_pass": 1, "instruction": 3, "final_note": 3}


class Gatherer:
    """Takes events one at a time (`feed`), then gives the harvest. Memory does not grow with the session."""

    def __init__(self, *, session_id: str, root: str, commit: str = "") -> None:
        self._root = root
        self._calls: dict[str, Call] = {}
        self._answered = -1
        self._numbers = 0
        self._edits = 0
        self._veil = Veil()
        self._corrections = Corrections(session_id, root)
        self._churn = Churn(session_id, root)
        self._refusals = Refusals(session_id, root)
        self._recipes = Recipes(session_id, commit, root)
        self._instructions = Instructions(session_id)
        self._notes = Notes(session_id)
        self._found: list[Lesson] = []

    def feed(self, event: SessionEvent) -> None:
        """Take the next event. What a sub-agent was told or said is no source of lessons; its commands are."""
        match event:
            case Prompt():
                # A refusal carries the person's words inside a tool's answer: the turn goes on, and a tool could
                # have composed them.
                alone = event.span.record != self._answered
                if alone and not event.sidechain:
                    self._notes.turned()
                self._instructions.feed(event, alone=alone)
            case Reply():
                self._notes.said(event)
            case Call():
                self._calls[event.call_id] = event
                if len(self._calls) > MAX_OPEN_CALLS:
                    del self._calls[next(iter(self._calls))]
            case Result():
                self._result(event)
            case Compaction():
                self._notes.turned()
            case _:
                pass

    def _result(self, result: Result) -> None:
        self._answered = result.span.record
        call = self._calls.pop(result.call_id, None)
        if call is None or not call.target or result.failure == "aborted" or result.unsaid:
            return
        if call.action == "write":
            self._edited(call.target, call, result)
        elif call.action == "shell":
            self._shell(call, result)

    def _edited(self, path: str, call: Call, result: Result) -> None:
        """An edit by a tool, taken or refused."""
        if result.failure:
            if (local := self._own(path)) is not None:
                self._refusals.refused(local, call, result)
            return
        local = self._written(path, call)
        lesson = self._refusals.taken(local, call) if local is not None else None
        if lesson is not None:
            self._found.append(lesson)

    def _own(self, path: str) -> str | None:
        """A path of the repository, None for any other."""
        local = relative(path, self._root)
        return None if local.startswith(("/", "..", "~")) or ":" in local[:3] else local

    def _written(self, path: str, call: Call) -> str | None:
        local = self._own(path)
        if local is not None:
            self._edits += 1
            self._churn.wrote(local, call.span, call.target or "")
        return local

    def _shell(self, call: Call, result: Result) -> None:
        command = self._veil.hide(call.message_id, call.target or "")
        self._numbers += 1
        tried = attempt(
            command,
            self._root,
            number=self._numbers,
            edits=self._edits,
            at=result.at,
            said=call.span,
            answered=result.span,
            failed=bool(result.failure),
            output=without_echo(result.text),
        )
        for lesson in (self._corrections.feed(tried), self._churn.feed(tried)):
            if lesson is not None:
                self._found.append(lesson)
        if not result.failure:
            self._recipes.feed(tried)
            for path in written_files(command, call.cwd or self._root):
                self._written(path, call)

    def harvest(self) -> Harvest:
        """What was gathered: lessons by expected value then order, each statement once; recipes by first success."""
        every = [*self._instructions.lessons(), *self._found, *self._notes.lessons()]
        kept: list[Lesson] = []
        counts: dict[str, int] = {}
        for lesson in sorted(every, key=lambda lesson: -lesson.expected_value):
            taken = counts.get(lesson.origin, 0)
            if taken < _PER_ORIGIN[lesson.origin] and all(lesson.text != other.text for other in kept):
                counts[lesson.origin] = taken + 1
                kept.append(lesson)
        return Harvest(tuple(kept[:MAX_LESSONS]), self._recipes.found)
