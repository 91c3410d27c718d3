"""Whom a memory belongs to, and whose memories a reader may see."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from learnt.errors import UsageError
from learnt.model.keys import SCOPE_FIELDS, scope_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.kinds import ScopeType

_ATTRIBUTES = dict(
    zip(
        SCOPE_FIELDS,
        (
            "user_id",
            "workspace_id",
            "project_id",
            "repo_id",
            "repo_root",
            "run_id",
            "agent_id",
            "channel_id",
            "team_id",
            "organization_id",
        ),
        strict=True,
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One owner of memories. Two scopes are the same exactly when their `key` is.

    Attributes:
        type: What sort of owner.
        repo_root: Where the checkout lies; shown, never part of a repository's key.
    """

    type: ScopeType
    user_id: str = ""
    workspace_id: str = ""
    project_id: str = ""
    repo_id: str = ""
    repo_root: str = ""
    run_id: str = ""
    agent_id: str = ""
    channel_id: str = ""
    team_id: str = ""
    organization_id: str = ""

    @property
    def key(self) -> str:
        """The canonical key, `{"type":...}`. Source: swarm-memory seed, data model."""
        return _key(self)


@lru_cache(maxsize=4_096)
def scope_of(key: str) -> Scope:
    """The scope a canonical key names; where a repository lies is not in it.

    Raises:
        UsageError: `scope_foreign`: it is no such key.
    """
    try:
        found = json.loads(key)
        scope = Scope(type=found.pop("type"), **{_ATTRIBUTES[name]: str(value) for name, value in found.items()})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError("This is not the key of a scope.", code="scope_foreign") from None
    return scope


@lru_cache(maxsize=4_096)
def _key(scope: Scope) -> str:
    """Remembered, because one write asks for it eight times."""
    return scope_key(scope.type, [(name, getattr(scope, attr)) for name, attr in _ATTRIBUTES.items()])


@dataclass(frozen=True, slots=True)
class Sight:
    """The scopes a reader may see: never empty, each once, in order of derivation.

    Raises:
        UsageError: `scope_required` when there is none. A missing scope refuses; it never means all.
    """

    scopes: tuple[Scope, ...]
    keys: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        if not self.scopes:
            raise UsageError("No scope was given.", code="scope_required")
        object.__setattr__(self, "keys", tuple(dict.fromkeys(scope.key for scope in self.scopes)))

    def __iter__(self) -> Iterator[Scope]:
        return iter(self.scopes)

    def __contains__(self, scope: Scope) -> bool:
        return scope.key in self.keys

    def narrowed(self, keys: tuple[str, ...]) -> Sight:
        """Only the scopes with these keys.

        Raises:
            UsageError: `scope_required` for none, `scope_foreign` for one outside this sight.
        """
        if any(key not in self.keys for key in keys):
            raise UsageError("A scope outside this context was named.", code="scope_foreign")
        return Sight(tuple(scope for scope in self.scopes if scope.key in keys))

    def one(self, scope_type: ScopeType) -> Scope:
        """The scope of this type.

        Raises:
            UsageError: `scope_foreign` when this context has none.
        """
        for scope in self.scopes:
            if scope.type == scope_type:
                return scope
        raise UsageError(
            f"There is no {scope_type} scope here.",
            code="scope_foreign",
            hint="Scopes here: " + ", ".join(scope.type for scope in self.scopes),
        )
