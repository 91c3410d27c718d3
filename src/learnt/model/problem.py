"""Why an input cannot be used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A rule that an input breaks: `code` in snake_case for programs, `message` for people."""

    code: str
    message: str
