"""What became of transcripts that were read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What became of one file.

    Attributes:
        status: read, unchanged, disabled, failed.
        messages: New messages of person and agent; `records` new lines of the file.
        skipped: Lines that are no records of the format, or were counted before.
        proposals, accepted: Ids of what was proposed, and of memories kept by a rule.
        error: Why it failed, "" otherwise.
    """

    path: str
    status: str
    host: str = ""
    session: str = ""
    records: int = 0
    messages: int = 0
    skipped: int = 0
    units: int = 0
    alarms: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What became of all files, in the order given."""

    readings: tuple[Reading, ...]

    @property
    def failed(self) -> int:
        """How many could not be read."""
        return sum(reading.status == "failed" for reading in self.readings)
