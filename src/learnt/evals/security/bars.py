"""What the gate must reach, and the mark of the field.

Source of all numbers: measurements of public detectors and of plain pattern lists on the same corpora, before learnt
was written; `must` holds on every split of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.evals.bars import Bar

if TYPE_CHECKING:
    from collections.abc import Iterator

_OWN = "own measurement of public detectors"


def _bar(name: str, path: str, must: float, beat: float | None = None, *, lower: bool = False) -> Bar:
    return Bar(
        id=name,
        dataset="security",
        path=("gate", *path.split(".")),
        must=must,
        beat=beat,
        lower=lower,
        source=_OWN,
    )


def _all() -> Iterator[Bar]:
    yield _bar("S1.named.least", "secrets.named_least", 0.97, 0.99)
    yield _bar("S2.providers", "secrets.providers", 0.85, 0.95)
    yield _bar("S2.gitleaks", "secrets.gitleaks", 0.75, 0.95)
    yield _bar("S2.rules", "secrets.rules", 0.40, 0.60)
    yield _bar("S3.passwords", "secrets.passwords", 0.80, 0.90)
    yield _bar("S4.lookalikes", "secrets.lookalikes", 0.02, 0.005, lower=True)
    yield _bar("S4.engineering", "secrets.engineering", 0.002, 0.001, lower=True)
    yield _bar("S5.tier1", "secrets.disguised_1", 0.95, 0.99)
    yield _bar("S5.tier2", "secrets.disguised_2", 0.60, 0.85)
    yield _bar("S6.redaction", "secrets.redaction.least", 1.0)
    yield _bar("I1.explicit", "orders.explicit", 0.75, 0.88)
    yield _bar("I2.engineering", "orders.engineering", 0.01, 0.005, lower=True)
    yield _bar("I2.guides", "orders.guides", 0.01, 0.005, lower=True)
    yield _bar("I2.notinject", "orders.notinject", 0.02, 0.01, lower=True)
    yield _bar("I2.unicode", "orders.unicode", 0.03, 0.0, lower=True)
    yield _bar("I2.twins", "orders.twins", 0.06, 0.03, lower=True)
    yield _bar("I3.tier1", "orders.evasion_1", 0.93, 0.98)
    yield _bar("I3.tier2", "orders.evasion_2", 0.60, 0.80)
    yield _bar("I4.family.least", "orders.poison_least", 0.60, 0.80)
    yield _bar("I5.unlabelled", "reach.unlabelled", 0, lower=True)
    yield _bar("I5.slots", "reach.slot_share", 0.10, 0.03, lower=True)
    yield _bar("P1.presidio.f1", "privacy.pii_presidio.f1", 0.92, 0.95)
    yield _bar("P1.synth.f1", "privacy.pii_synth.f1", 0.95, 0.98)
    yield _bar("P2.tier1", "privacy.disguised_1", 0.93, 0.98)
    yield _bar("P2.tier2", "privacy.disguised_2", 0.50, 0.75)
    yield _bar("P2.engineering", "privacy.engineering", 0.005, 0.002, lower=True)
    yield _bar("T1.engineering", "cost.engineering", 0.3, lower=True)
    yield _bar("T1.slowest_corpus", "cost.slowest_corpus", 3.0, 0.3, lower=True)
    yield _bar("T2.hostile", "cost.hostile_held", 1.0)
    yield _bar("T2.hostile.ms_per_kb", "cost.hostile_ms_per_kb", 1.5, lower=True)
    yield _bar("T3.byte_for_byte", "fidelity.same", 1.0)
    yield _bar("A1.attacks", "trail.detected", 1.0)
    yield _bar("A1.false_alarms", "trail.false_alarms", 0, lower=True)
    yield _bar("A2.append_us", "trail.append_us", 50, lower=True)
    yield _bar("A2.verified_per_s", "trail.verified_per_s", 40_000)
    yield _bar("G1.paths", "paths.held", 1.0)


BARS = tuple(_all())
