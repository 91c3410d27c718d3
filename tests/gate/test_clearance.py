"""The clearance constant and the pattern files."""

from __future__ import annotations

from learnt.gate.clearance import PATTERN_SET
from learnt.gate.patterns import FILES, digest


def test_clearance_names_the_pattern_files() -> None:
    """PATTERN_SET ends in the digest of the files, so a changed pattern makes every memory due for a new scan."""
    assert PATTERN_SET.split(".")[1] == digest(FILES)
