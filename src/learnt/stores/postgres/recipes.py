"""Commands that worked, in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.evidence import Recipe
from learnt.stores.postgres.statements import load

if TYPE_CHECKING:
    from learnt.model.scope import Scope, Sight
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

_SQL = load("recipes")


class PostgresRecipes:
    """See `learnt.ports.archive.Recipes`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def add(self, scope: Scope, recipe: Recipe) -> None:
        """Record one sighting; the same key in the same session counts once."""
        number = self._scopes.number(scope)
        values = (number, recipe.key, recipe.session_id, recipe.commit, recipe.command, recipe.ref, recipe.at)
        self._connection.write(_SQL["add"], values)

    def find(self, sight: Sight, key: str) -> tuple[Recipe, ...]:
        """All sightings of one command, oldest first."""
        rows = self._connection.rows(_SQL["find"], {"scopes": self._scopes.within(sight), "key": key})
        return tuple(
            Recipe(key=key, command=command, session_id=session_id, commit=commit, ref=ref, at=at)
            for command, session_id, commit, ref, at in rows
        )
