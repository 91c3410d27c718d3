"""How much of their time writes may spend on vectors."""

from __future__ import annotations

MOST_S, LEAST_S = 0.25, -0.05
SHARE = 0.05
PAUSE_S = 30.0


class Share:
    """An allowance of seconds that fills with time and empties with use.

    A person who writes now and then has every memory embedded at once. A program that writes a thousand a second has
    the first ones embedded and then a twentieth of its time spent on it: what is left over waits for a re-embedding, as
    does everything for half a minute after a model did not answer.
    """

    def __init__(self) -> None:
        self._left_s = MOST_S
        self._at_s: float | None = None

    def allows(self, now_s: float) -> bool:
        """Whether a model may be asked now."""
        if self._at_s is not None:
            self._left_s = min(MOST_S, self._left_s + SHARE * (now_s - self._at_s))
        self._at_s = now_s
        return self._left_s > 0

    def spend(self, seconds: float) -> None:
        """It was asked, and took so long; loading it is not held against the next write for more than a second."""
        self._left_s = max(LEAST_S, self._left_s - seconds)

    def pause(self) -> None:
        """It did not answer."""
        self._left_s = -SHARE * PAUSE_S
