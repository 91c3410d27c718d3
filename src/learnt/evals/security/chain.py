"""The audit trail attacked: each attack of a catalogue done to a real store, with its keys and an anchor outside.

An attacker may write the database file past the store, and may run our code; one of them holds the key that marks
events too. What is anchored and what lies in the folder of keys they cannot write.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from learnt.audit.walk import Walk
from learnt.evals.security.assault import ATTACKS
from learnt.evals.security.honest import HONEST, chosen
from learnt.evals.security.scene import Scene
from learnt.model.seal import log_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Json = dict[str, Any]
_DESIGN = "keyed_merkle_with_external_anchor"
_APPENDS, _VERIFIED = 2_000, 20_000


def measured(attacks: Sequence[Mapping[str, Any]]) -> Json:
    """Which of the attacks were found where they were done, honest histories that were not believed, and what it costs.

    Counts:
        detected: Share of those that must be found that were, with the right position named.
        false_alarms: How many honest histories were refused.
        missed: Names of those that were not found, or found elsewhere; of honest ones that were refused.
    """
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder) / "scene")
        scene.lived()
        scene.kept()
        tried = [_tried(scene, each) for each in attacks]
        costs = _costs(Path(folder) / "costs")
    wanted = [each for each in tried if each["must"] is True]
    found = [each for each in wanted if each["found"]]
    alarms = [each["id"] for each in tried if each["must"] is None and not each["found"]]
    return {
        "attacks": len(tried),
        "detected": len(found) / len(wanted) if wanted else 1.0,
        "false_alarms": len(alarms),
        "missed": [*(each["id"] for each in wanted if not each["found"]), *alarms],
        "by_attack": {each["id"]: each["said"] for each in tried},
        **costs,
    }


def _tried(scene: Scene, attack: Mapping[str, Any]) -> Json:
    """One attack on what was lived: whether the answer is the one that must be, and what `verify` said."""
    must = dict(attack.get("must_detect") or {}).get(_DESIGN)
    scene.renewed()
    name = chosen(attack)
    expected = (HONEST[name] if must is None else ATTACKS[name])(scene)
    report = scene.verified()
    first = report.divergence
    said = f"{name}: " + ("holds" if first is None else f"{first.kind} at {first.position}, {first.detail}")
    if must is None:
        return {"id": str(attack["id"]), "must": must, "found": report.verified, "said": said}
    named = first is not None and first.position <= expected <= max(first.position, first.until)
    return {"id": str(attack["id"]), "must": must, "found": named, "said": said}


def _costs(folder: Path) -> Json:
    """Processor time of an append inside a transaction, events verified in a second, length of a proof."""
    scene = Scene(folder)
    with scene.opened() as engine:
        means = engine.assembly.means
        events = [means.event("upsert", f"mem_{number:016x}", means.clock.now()) for number in range(_VERIFIED)]
        timed = []
        for stretch in _stretches(events):
            began = process_time()
            with means.store.transaction():
                for each in stretch:
                    means.store.events.append(each)
            timed.append((process_time() - began) / len(stretch) * 1e6)
        engine.checkpoint()
        path = engine.prove(events[777].id).path
        end = means.store.trail.end()
        keys = {name: log_key(key, end.log) for name, key in means.keyring.masters().items()} if means.keyring else {}
        began = process_time()
        walk = Walk(keys, ())
        walk.go(means.store.trail.rows(0, end.position))
        verified_s = process_time() - began
    return {
        "append_us": min(timed),
        "verified_per_s": walk.marked / verified_s,
        "proof_ratio": len(path) / math.log2(end.position),
    }


def _stretches(events: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for begin in range(0, len(events), _APPENDS):
        yield events[begin : begin + _APPENDS]
