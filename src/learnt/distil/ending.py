"""The commands that worked in a session, and the sequence that was run once everything was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.distil.draft import fact
from learnt.distil.payload import MAX_OPEN_CALLS
from learnt.model.anchor import command_keys
from learnt.model.extraction import Quote
from learnt.model.shell import proven

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from learnt.model.evidence import Recipe
    from learnt.model.extraction import Fact
    from learnt.model.session import Call, Result

MAX_STEPS: Final = 8
MAX_ROUND: Final = 256
"""Commands of one round that are remembered, the latest."""


class Ending:
    """A fold over calls and results."""

    def __init__(self, session_id: str, root: str, risky: Callable[[str], bool]) -> None:
        self._session_id = session_id
        self._root = root
        self._risky = risky
        self._calls: dict[str, tuple[bool, str, int]] = {}
        self._round: dict[str, tuple[str, int]] = {}
        self._whole: dict[str, tuple[str, int]] = {}
        self._wrote = False

    def called(self, call: Call) -> None:
        """A command or a write that waits for its answer."""
        if call.action in {"shell", "write"} and call.target:
            self._calls[call.call_id] = (call.action == "write", call.target, call.span.record)
            if len(self._calls) > MAX_OPEN_CALLS:
                del self._calls[next(iter(self._calls))]

    def answered(self, result: Result) -> None:
        """A write begins a new round; a command that ended well belongs to the present one."""
        writes, target, record = self._calls.pop(result.call_id, (False, "", -1))
        if writes:
            self._written(failed=bool(result.failure))
            return
        for words in () if result.failure or result.unsaid else proven(target):
            keys = command_keys(" ".join(words), self._root)
            if keys:
                self._round.pop(keys[0], None)
                self._round[keys[0]] = (target, record)
                if len(self._round) > MAX_ROUND:
                    del self._round[next(iter(self._round))]

    def _written(self, *, failed: bool) -> None:
        self._wrote = self._wrote or not failed
        if not failed and self._round:
            self._whole, self._round = self._round, {}

    def facts(self, recipes: Iterable[Recipe]) -> Iterator[Fact]:
        """The last round as a sequence, then its commands one by one.

        Args:
            recipes: The commands of the session that are worth telling, by key.
        """
        known = {each.key: each.command for each in recipes if not self._risky(each.command)}
        for last in (self._round, self._whole):
            steps = [(known[key], *last[key]) for key in last if key in known][-MAX_STEPS:]
            if len(steps) > 1:
                commands = tuple(command for command, _, _ in steps)
                quotes = tuple(Quote(speaker="tool", text=ran[:500], record=record) for _, ran, record in steps)
                told = ", then ".join(f"`{command}`" for command in commands)
                yield fact(
                    self._session_id,
                    "workflow",
                    f"{'After a change, these' if self._wrote else 'These'} worked in order: {told}.",
                    quotes,
                    commands=commands,
                    worked=True,
                )
                break
