"""Personal data in what is proposed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.settings import GateSettings, Settings
from tests.flows.test_writing import asked

if TYPE_CHECKING:
    from learnt.flows.means import Means

ADDRESS = "ann.example" + "@" + "example.org"
CARD = " ".join(("4012", "8888", "8888", "1881"))


def looking(means: Means) -> Means:
    """The same, with detection on."""
    return replace(means, settings=replace(Settings(), gate=GateSettings(detect_pii=True)))


def test_nothing_is_noted_unless_it_is_turned_on(means: Means) -> None:
    """The default looks for nothing."""
    assert "pii" not in asked(means, f"Ask {ADDRESS} about the lease.").metadata


def test_types_and_counts_are_noted(means: Means) -> None:
    """With how sure the surest is; the proposal waits as any other, and the note holds none of the data."""
    one = asked(looking(means), f"Ask {ADDRESS} about the lease.")
    assert (one.status, one.metadata["pii"]) == ("pending", {"score": 0.9, "types": ["email"], "counts": {"email": 1}})
    two = asked(looking(means), f"Pay the harbour with {CARD}, and tell {ADDRESS}.")
    note = two.metadata["pii"]
    assert note == {"score": 0.95, "types": ["credit_card", "email"], "counts": {"credit_card": 1, "email": 1}}
    assert ADDRESS not in str(note)


def test_what_holds_none_has_no_note(means: Means) -> None:
    """Versions, dates and hashes are no numbers of persons."""
    text = "Since 2026-08-22 version 1.2.3456 rests on 0123456789abcdef0123456789abcdef01234567."
    assert "pii" not in asked(looking(means), text).metadata
