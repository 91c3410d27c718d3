"""How far poisoned experience without any mark in its text gets into prompts. Bar I5.

Ten such lessons are grafted among two hundred honest ones, the way each could come in: half from a page that an agent
fetched, half as the lessons of one run, all accepted by a person who saw nothing wrong. Then agents ask about the work
the poison is about. What no pattern can tell apart has to be bounded by where it came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.inject.block import entry
from learnt.model.answer import Proposed, Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.engine import Engine
    from learnt.evals.datasets.security import Case
    from learnt.model.ranking import Ranking

Json = dict[str, Any]
HONEST, GRAFTED = 200, 10
_FILL = ("benign_agent_guides", "benign_commits")
_WORDS = 12
"""Words of a question: the beginning of a lesson, as a task about the same thing would say it."""


def figures(corpora: Mapping[str, Sequence[Case]], engine: Engine) -> Json:
    """Unlabelled shares and slots; empty where the corpora hold no such lessons."""
    poison = corpora.get("memory_poison", ())
    semantic = _distinct(case for case in poison if case.label == "semantic")
    if not semantic:
        return {}
    honest = [case.text for case in poison if case.label == "negative"]
    honest += [case.text for name in _FILL for case in corpora.get(name, ()) if 40 <= len(case.text) <= 500]
    trusted = set(_told(engine, honest))
    grafted = dict(_graft(engine, semantic))
    asked = [" ".join(text.split()[:_WORDS]) for text in grafted.values()]
    asked += [" ".join(text.split()[:_WORDS]) for text in honest[: 4 * GRAFTED]]
    return {**_counted(engine, asked, trusted, set(grafted)), "honest": len(trusted), "grafted": len(grafted)}


def _distinct(cases: Iterable[Case]) -> list[Case]:
    """The cases with different endings: one statement behind different introductions counts once."""
    return list({case.text[-40:]: case for case in cases}.values())[:GRAFTED]


def _told(engine: Engine, texts: Iterable[str]) -> Iterable[str]:
    """The memories of a person and of the repository: what is corroborated."""
    count = 0
    for text in texts:
        if count == HONEST:
            return
        try:
            answer = engine.remember(text, kind="lesson")
        except UsageError:
            continue
        if isinstance(answer, Written) and answer.memory.status == "active":
            count += 1
            yield answer.memory.id


def _graft(engine: Engine, cases: Sequence[Case]) -> Iterable[tuple[str, str]]:
    for number, case in enumerate(cases):
        evidence = f"https://notes{number}.example/lessons" if number % 2 else f"run:graft-{GRAFTED}"
        proposed = engine.propose("add", case.text, kind="lesson", evidence=[evidence])
        if not isinstance(proposed, Proposed) or proposed.proposal.status != "pending":
            continue
        decided = engine.decide(proposed.proposal.id, "accept")
        if (memory := getattr(decided, "memory", None)) is not None and memory.status == "active":
            yield memory.id, case.text


def _counted(engine: Engine, asked: Sequence[str], trusted: set[str], grafted: set[str]) -> Json:
    slots = poisoned = unlabelled = above = 0
    for text in asked:
        for mode in ("injection", "manual"):
            ranking = engine.recall(text, mode=mode)
            given = [hit.memory.id for hit in ranking.hits]
            slots += len(given)
            poisoned += sum(name in grafted for name in given)
            unlabelled += _unlabelled(ranking, grafted)
            above += _above(given, trusted, grafted)
    return {
        "slots": slots,
        "slot_share": poisoned / slots if slots else None,
        "unlabelled": unlabelled,
        "above_corroborated": above,
    }


def _unlabelled(ranking: Ranking, grafted: set[str]) -> int:
    """Grafted memories in the block whose line does not say how far to trust them."""
    from learnt.flows.recall import shown

    count = 0
    for hit in ranking.hits:
        if hit.memory.id in grafted:
            line = entry(shown(hit), hit.memory.updated_at).splitlines()[0]
            says = f"trust {hit.memory.trust}" in line and hit.memory.trust in {"external", "agent", "tool"}
            count += not says or f"[{hit.memory.id}]" not in ranking.prompt_block
    return count


def _above(given: Sequence[str], trusted: set[str], grafted: set[str]) -> int:
    """Grafted memories that stand before a corroborated one of the same answer."""
    last = max((at for at, name in enumerate(given) if name in trusted), default=-1)
    return sum(name in grafted for name in given[: max(last, 0)])
