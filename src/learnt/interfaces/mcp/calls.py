"""What each tool does with the engine: checked arguments in, a document out."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import UsageError
from learnt.interfaces.mcp import tools
from learnt.model.answer import Refusal
from learnt.model.keys import short_id
from learnt.model.kinds import KINDS
from learnt.wire import tools as wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from learnt.engine import Engine

    Json = dict[str, Any]
    Call = Callable[[Engine, Mapping[str, Any]], Json | Refusal]

_PROCESS: Final = secrets.token_hex(8)
"""One conversation of an agent: the life of this process."""


def _recall(engine: Engine, asked: Mapping[str, Any]) -> Json:
    kinds = asked.get("kinds", [])
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        message = f"There is no kind {unknown[0][:40]!r}."
        raise UsageError(message, code="kind", hint=f"Kinds: {', '.join(KINDS)}.", details={"argument": "kinds"})
    most = asked.get("max_items")
    return wire.recalled(engine.recall(asked["query"], task=asked.get("task", ""), kinds=kinds, max_items=most))


def _propose(engine: Engine, asked: Mapping[str, Any]) -> Json | Refusal:
    found = engine.propose(
        asked["operation"],
        asked.get("text", ""),
        kind=asked.get("kind"),
        target=asked.get("target_id", ""),
        related=asked.get("related_ids", ()),
        rationale=asked.get("rationale", ""),
        evidence=asked.get("evidence", ()),
        tags=asked.get("tags", ()),
    )
    return found if isinstance(found, Refusal) else wire.proposed(found)


def _search(engine: Engine, asked: Mapping[str, Any]) -> Json:
    return wire.searched(engine.search(asked["query"], asked.get("in", "all"), asked.get("k", 10)))


def _explain(engine: Engine, asked: Mapping[str, Any]) -> Json:
    name = str(asked["id"])
    return wire.skill(engine.skill(name)) if name.startswith("skill:") else wire.explained(engine.explain(name))


def _outcome(engine: Engine, asked: Mapping[str, Any]) -> Json | Refusal:
    found = engine.outcome(
        outcome=asked["outcome"],
        memory_id=asked.get("memory_id", ""),
        question=asked.get("question", ""),
        correction=asked.get("correction", ""),
        anchors=asked.get("anchors", ()),
        id=_report(asked),
    )
    return found if isinstance(found, Refusal) else wire.outcome(found)


def _report(asked: Mapping[str, Any]) -> str:
    """The name of a report: the same one again from this process counts once, also when its answer was lost."""
    return "mcp_" + short_id(f"{_PROCESS}\n{json.dumps(asked, sort_keys=True)}")


CALLS: dict[str, Call] = {
    tools.RECALL.name: _recall,
    tools.PROPOSE.name: _propose,
    tools.OUTCOME.name: _outcome,
    tools.SEARCH.name: _search,
    tools.EXPLAIN.name: _explain,
}
