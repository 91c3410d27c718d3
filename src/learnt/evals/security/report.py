"""The whole measurement: every corpus, every figure, every bar."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from learnt.evals import subject
from learnt.evals.bars import held
from learnt.evals.datasets.security import catalogue, read
from learnt.evals.security import cost, credentials, fidelity, orders, paths, privacy, reach, trail
from learnt.evals.security.bars import BARS
from learnt.evals.security.judge import FOUND, corpus, judged
from learnt.gate.personal import find
from learnt.gate.scan import Gate
from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from learnt.engine import Engine

Json = dict[str, Any]
NAME = "security"


def measured(folder: Path, environment: Mapping[str, str], tell: Callable[[int, int], None] | None = None) -> Json:
    """The report on the corpora in `folder`; corpora that are not there leave their figures and bars out.

    Raises:
        UsageError: There is no corpus, or one is not in this format.
    """
    corpora, gate = read(folder), Gate()
    gate.redact("")
    steps = len(corpora) + 6
    done = iter(range(1, steps + 1))

    def step() -> None:
        if tell:
            tell(next(done), steps)

    found = {}
    for name, cases in corpora.items():
        found[name] = judged(gate, cases)
        step()
    figures: Json = {"by_category": {name: corpus(those) for name, those in found.items()}}
    figures["secrets"] = credentials.figures(found)
    figures["secrets"]["redaction"] = credentials.redaction(gate, corpora.get("secrets_synth", ()))
    step()
    figures["orders"] = orders.figures(found, lambda text: _is_found(gate, text))
    step()
    figures["privacy"] = privacy.figures(corpora, _places)
    step()
    figures["cost"] = cost.figures(corpora, catalogue(folder, "redos"), gate, find)
    for name, spent in figures["cost"]["ms_per_kb"].items():
        figures["by_category"][name]["ms_per_kb"] = spent
    step()
    with subject.engine(environment) as engine:
        figures["fidelity"] = fidelity.figures((c.text for c in corpora.get("benign_unicode", ())), engine)
    with subject.engine(environment) as engine:
        figures["reach"] = reach.figures(corpora, engine)
    step()
    figures["paths"] = paths.figures(catalogue(folder, "path_traversal"), lambda place: _there(place, environment))
    figures["trail"] = trail.figures(catalogue(folder, "audit_attacks"))
    step()
    profiles = {"gate": {"status": "ran", "reason": "", **figures}}
    return {"dataset": NAME, "profiles": profiles, "bars": held(BARS, profiles)}


def _is_found(gate: Gate, text: str) -> bool:
    return gate.scan([Passage(field="text", text=text)]).outcome in FOUND


def _places(text: str) -> list[tuple[int, int, str]]:
    return [(finding.start, finding.end, finding.name) for finding in find(text)]


@contextmanager
def _there(place: Path, environment: Mapping[str, str]) -> Iterator[Engine]:
    """An engine whose project is the one laid out in `place`."""
    with subject.engine(environment, place / "project") as engine:
        yield engine
