"""How the audit chain fares against attacks, and what it costs. Bars A1 and A2.

The chain's own room knows how to make one, attack it and verify it: `learnt.evals.security.chain` (where it is there)
gives `measured(attacks) -> {"detected", "false_alarms", "missed", "append_us", "verified_per_s", "proof_ratio"}`.
"""

from __future__ import annotations

from importlib import import_module, util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Json = dict[str, Any]
_MODULE = "learnt.evals.security.chain"


def figures(attacks: Sequence[Mapping[str, Any]]) -> Json:
    """The figures of A1 and A2; empty where there are no attacks, or nothing that measures them."""
    if not attacks or util.find_spec(_MODULE) is None:
        return {}
    measured: Json = import_module(_MODULE).measured(attacks)
    return measured
