"""The clearance constant and the pattern file."""

from __future__ import annotations

from learnt.gate.clearance import PATTERN_SET
from learnt.gate.patterns import FILE, digest


def test_clearance_names_the_pattern_file() -> None:
    """PATTERN_SET ends in the digest of the file, so a changed pattern makes every memory due for a new scan."""
    assert PATTERN_SET.split(".")[1] == digest(FILE.read_bytes())
