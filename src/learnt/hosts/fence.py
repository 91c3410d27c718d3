"""Where a line of Markdown stands in fenced code, so that what looks like a marker there is none.

Source: CommonMark, fenced code blocks (a fence is closed by one of its sign, at least as long, with nothing behind it).
"""

from __future__ import annotations

import re
from typing import Final

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_SIGNS: Final = ("```", "~~~")
_REACH: Final = 6
"""Three blanks at most, and a sign three times."""


class Fence:
    """Takes lines in order."""

    def __init__(self) -> None:
        self._sign = ""
        self._length = 0

    @property
    def is_open(self) -> bool:
        """Whether the next line is code."""
        return self._length > 0

    def feed(self, line: str) -> bool:
        """Whether this line is code or a fence."""
        if not line[:_REACH].lstrip(" ").startswith(_SIGNS):  # nearly every line, so looking has to be cheap
            return self._length > 0
        found = _FENCE.match(line)
        if found is None:
            return self._length > 0
        run, rest = found.group(1), found.group(2).strip()
        if not self.is_open:
            if run[0] == "`" and "`" in rest:
                return False
            self._sign, self._length = run[0], len(run)
        elif run[0] == self._sign and len(run) >= self._length and not rest:
            self.drop()
        return True

    def drop(self) -> None:
        """Whatever was open is over."""
        self._sign, self._length = "", 0
