"""An edit that a check of the code refused, and the same lines that were then taken.

Some tools look at a file before they let an edit stand, and undo what breaks it. Where the very same lines with other
blanks before them were taken next, the tool wants the lines as they have to stand, which is known before the next edit
of that file. A change of the words themselves is no lesson: it is the work.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from learnt.capture.attempt import ERROR_CHARS, homeless, localise, shortened
from learnt.capture.evidence import cited
from learnt.model.lesson import Lesson

if TYPE_CHECKING:
    from learnt.model.session import Call, Result

MAX_OPEN: Final = 32
"""Files with a refused edit that are remembered."""
_ABOUT: Final = re.compile(r"syntax error|lint(?:er|ing)? error|does not parse|parse error", re.IGNORECASE)
_LOOKED_AT_CHARS: Final = 2_000
_COMPLAINT: Final = re.compile(r"^[\s*-]{0,8}((?:[A-Z]{1,4}\d{2,4}:? )?\w{0,40}Error\b: .{1,200})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Refused:
    """A refused edit of a file, and what the check said."""

    call: Call
    result: Result
    complaint: str


class Refusals:
    """A fold over edits and their answers: `refused` and `taken`; the latter gives the lesson it completes."""

    def __init__(self, session_id: str, root: str) -> None:
        self._session_id = session_id
        self._root = root
        self._open: dict[str, _Refused] = {}

    def refused(self, path: str, call: Call, result: Result) -> None:
        """An edit failed."""
        head = result.text[:_LOOKED_AT_CHARS]
        found = _COMPLAINT.search(head) if _ABOUT.search(head) and call.text.strip() else None
        if found is None:
            return
        self._open[path] = _Refused(call, result, found.group(1).strip())
        if len(self._open) > MAX_OPEN:
            del self._open[next(iter(self._open))]

    def taken(self, path: str, call: Call) -> Lesson | None:
        """An edit succeeded."""
        refused = self._open.pop(path, None)
        if refused is None or refused.call.text == call.text or _lines(refused.call.text) != _lines(call.text):
            return None
        error = shortened(homeless(localise(refused.complaint, self._root)), ERROR_CHARS).rstrip(".")
        quoted = (
            (refused.call.span, call.target or ""),
            (refused.result.span, refused.complaint),
            (call.span, call.target or ""),
        )
        return Lesson(
            origin="failed_then_fixed",
            kind="failure_pattern",
            text=f"An edit of `{path}` whose lines lack their own indentation is refused: {error}. "
            "The same lines with their indentation are taken.",
            rationale="The first edit was refused by a check; the next, of the same lines but for blanks, was not.",
            evidence=cited(self._session_id, quoted, "tool"),
            at=call.at,
            tags=("failure", "editing"),
            files=(path,),
            trigger=(("file", path),),
            observation=True,
            confidence=0.5,
            expected_value=0.5,
        )


def _lines(text: str) -> tuple[str, ...]:
    """The lines of a text without the blanks around them."""
    return tuple(line for each in text.splitlines() if (line := each.strip()))
