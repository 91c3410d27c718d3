"""Keys as they are pressed: what is typed ahead is kept, nothing is echoed, the terminal is given back as it was."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

_MEANS = {" ": "s", "\x1b[B": "s", "\x1b[A": "b", "\x1b": "q", "\x03": "q", "\x04": "q", "": "q"}


class Keyboard:
    """A terminal's keys, one at a time, while `open` holds it."""

    def __init__(self) -> None:
        self._held = ""
        self._raw = False

    @contextmanager
    def open(self) -> Iterator[None]:
        """Take keys as they come, until the end; where a terminal cannot do that each key is asked for by itself."""
        try:
            import termios
            import tty
        except ImportError:
            yield
            return
        place = sys.stdin.fileno()
        before = termios.tcgetattr(place)
        try:
            tty.setcbreak(place, termios.TCSADRAIN)
            self._raw = True
            yield
        finally:
            self._raw = False
            termios.tcsetattr(place, termios.TCSADRAIN, before)

    @contextmanager
    def away(self) -> Iterator[None]:
        """An editor or a question has the terminal as it was before."""
        if not self._raw:
            yield
            return
        import termios
        import tty

        place = sys.stdin.fileno()
        held = termios.tcgetattr(place)
        plain = list(held)
        plain[3] = int(held[3]) | termios.ECHO | termios.ICANON
        termios.tcsetattr(place, termios.TCSADRAIN, plain)
        try:
            yield
        finally:
            tty.setcbreak(place, termios.TCSADRAIN)

    def key(self) -> str:
        """The next key; `q` for an end of input, an escape and an interruption."""
        try:
            found = self._next() if self._raw else click.getchar()
        except (EOFError, KeyboardInterrupt, OSError):
            return "q"
        return _MEANS.get(found, found)

    def _next(self) -> str:
        if not self._held:
            self._held = os.read(sys.stdin.fileno(), 1024).decode("utf-8", "replace")
        size = 3 if self._held.startswith(("\x1b[", "\x1bO")) else 1
        found, self._held = self._held[:size], self._held[size:]
        return found.replace("\x1bO", "\x1b[")
