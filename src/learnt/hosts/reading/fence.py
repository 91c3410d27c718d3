"""Where a line of Markdown stands in fenced code, so that what looks like a marker there is none.

Source: CommonMark, fenced code blocks (a fence is closed by one of its sign, at least as long, with nothing behind it);
and aider's other fences, tags on a line of their own, which it takes where the code holds back quotes.
"""

from __future__ import annotations

import re
from typing import Final

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_TAG: Final = re.compile(r"<(/?)(source|code|pre|codeblock|sourcecode)>\s*")
_SIGNS: Final = ("```", "~~~", "<")
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
        if line[0] == "<":
            return self._tag(line)
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

    def _tag(self, line: str) -> bool:
        found = _TAG.fullmatch(line)
        if found is None:
            return self._length > 0
        if not self.is_open and not found.group(1):
            self._sign, self._length = found.group(2), 1
            return True
        if self.is_open and found.group(1) and found.group(2) == self._sign:
            self.drop()
            return True
        return self._length > 0

    def drop(self) -> None:
        """Whatever was open is over."""
        self._sign, self._length = "", 0
