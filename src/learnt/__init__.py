"""learnt: the memory of coding agents.

    from learnt import Engine

    with Engine.open(project=".") as engine:
        engine.remember("This repository uses uv.", kind="repo_convention", evidence=["pyproject.toml"])
        print(engine.recall("how do I install dependencies").prompt_block)

Names are loaded on first use, because the hook process imports this package and must stay light.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from learnt.engine import Engine as Engine
    from learnt.errors import LearntError as LearntError
    from learnt.model.memory import Memory as Memory
    from learnt.model.proposal import Proposal as Proposal
    from learnt.model.ranking import Hit as Hit
    from learnt.model.ranking import Query as Query
    from learnt.model.ranking import Ranking as Ranking
    from learnt.model.scope import Scope as Scope
    from learnt.model.verdict import Verdict as Verdict
    from learnt.settings import Settings as Settings

_HOMES = {
    "Engine": "learnt.engine",
    "Hit": "learnt.model.ranking",
    "LearntError": "learnt.errors",
    "Memory": "learnt.model.memory",
    "Proposal": "learnt.model.proposal",
    "Query": "learnt.model.ranking",
    "Ranking": "learnt.model.ranking",
    "Scope": "learnt.model.scope",
    "Settings": "learnt.settings",
    "Verdict": "learnt.model.verdict",
}
__all__ = [*sorted(_HOMES), "__version__"]  # noqa: PLE0604 - all of them are strings
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'learnt' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
