"""The gate on a pinned baseline: the evaluation twice, then precision against what it was.

Source: swarm-memory seed, recall-quality regression gate (tolerance 0.05, label `lexical-default-v1`).
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]

TOLERANCE = 0.05
MODEL_LABEL = "lexical-default-v1"
MAX_BASELINE_BYTES = 65_536
_PINNED = ("precision@k", "recall@k", "fixture_count", "run_count", "passed_run_count")
MEASURED = frozenset(("generated_at", "latency_ms", "p50_ms", "p95_ms", "elapsed_ms"))
"""Keys whose values are times; two passes may differ in these only."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What was measured when the baseline was pinned."""

    precision: float
    tolerance: float = TOLERANCE


def read(path: Path) -> Baseline:
    """The pinned figures.

    Raises:
        UsageError: There is no such file, or it is no baseline.
    """
    try:
        if path.stat().st_size > MAX_BASELINE_BYTES:
            raise _unusable("is too large")
        found = json.loads(path.read_text("utf-8"))
        return Baseline(_share(found["metrics"]["precision@k"]), _share(found.get("tolerance", TOLERANCE)))
    except FileNotFoundError:
        raise _unusable("does not exist") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _unusable("cannot be read") from None


def _share(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ValueError(value)
    return float(value)


def _unusable(why: str) -> UsageError:
    return UsageError(f"The baseline {why}.", code="baseline", hint="`--update` writes one.")


def pinned(report: Mapping[str, Any]) -> Json:
    """The baseline a report makes."""
    return {
        "schema_version": 1,
        "embedding_model_version": MODEL_LABEL,
        "tolerance": TOLERANCE,
        "metrics": {name: report["summary"][name] for name in _PINNED},
        "generated_at": report["generated_at"],
    }


def write(path: Path, document: Json) -> None:
    """Put the baseline in place in one step.

    Raises:
        ConfigError: It cannot be written there.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=".baseline-", dir=path.absolute().parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(document, indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError as error:
        raise ConfigError(f"The baseline cannot be written: {error.strerror}.", code="unwritable") from None


def canonical(value: Any) -> Any:
    """A report without its times, for comparing two passes."""
    if isinstance(value, dict):
        return {name: canonical(each) for name, each in value.items() if name not in MEASURED}
    if isinstance(value, list):
        return [canonical(each) for each in value]
    return value


def gate(first: Json, second: Json, baseline: Baseline) -> Json:
    """Whether both passes are the same and precision fell by no more than the tolerance."""
    same = canonical(first) == canonical(second)
    drop = baseline.precision - first["summary"]["precision@k"]
    return {
        "deterministic": same,
        "baseline_precision@k": baseline.precision,
        "precision_drop": round(drop, 9),
        "tolerance": baseline.tolerance,
        "passed": same and round(drop, 9) <= baseline.tolerance,
    }
