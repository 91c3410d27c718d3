"""The tools of one host as a table: what each does, and under which keys its input says what it aims at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.moment import Use
from learnt.hosts.reading.tools import NAME_CHARS, WRITTEN_CHARS
from learnt.model.lookup import source_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from learnt.model.session import ActionType

_MAX_PATCHED: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolbox:
    """See the module.

    Attributes:
        actions: By the tool's name; one that is not here looks something up, or is just another tool.
        paths, texts, roles: Keys of the file a call aims at, of the new text of a write (also inside a list `edits`),
            of the sort of sub-agent it starts.
    """

    actions: Mapping[str, ActionType]
    paths: tuple[str, ...]
    texts: tuple[str, ...]
    roles: tuple[str, ...] = ("subagent_type",)

    def action(self, tool: str) -> ActionType:
        """What sort of tool it is."""
        return self.actions.get(tool) or ("lookup" if source_type(tool) else "other")

    def use(self, tool: str, call_id: str, given: dict[str, Any]) -> Use:
        """A call of it."""
        action = self.action(tool)
        target = _first(given, ("command",) if action == "shell" else self.paths)
        role = _first(given, self.roles) if action == "agent" else ""
        return Use(
            call_id=call_id,
            tool=tool,
            action=action,
            target=target,
            given=given,
            text="\n".join(self._written(given))[:WRITTEN_CHARS] if action == "write" else "",
            role=(role or "")[:NAME_CHARS].strip(),
        )

    def _written(self, given: dict[str, Any]) -> Iterator[str]:
        edits = given.get("edits")
        inner = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
        for part in (given, *inner):
            yield from (value for key in self.texts if isinstance(value := part.get(key), str))


def several(use: Use, paths: Iterable[str], patch: str) -> list[Use]:
    """A write as it is told: a patch of several files is several writes of one call."""
    named = list(dict.fromkeys(paths))[:_MAX_PATCHED]
    return [
        replace(use, target=path, text=patch, part=at > 0, call_id=f"{use.call_id}:{at}" if at else use.call_id)
        for at, path in enumerate(named)
    ] or [use]


def _first(given: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((value for key in keys if isinstance(value := given.get(key), str)), None)
