"""Flags on a server, where persons are known by the roles they log in with."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg

from learnt.flows.flag import clear, flag
from learnt.model.flag import Flagged
from learnt.model.memory import Provenance
from learnt.testing import samples
from learnt.testing.fakes import FixedClock
from tests.faults.world import means_over, opened
from tests.flows.conftest import context_of
from tests.stores.roles import PASSWORD, as_role, prepare

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server import Server

READERS = ("learnt_ada", "learnt_ben", "learnt_cem")


def _roles(url: str) -> None:
    """The manual's database, and a role for each reader."""
    prepare(url)
    with psycopg.connect(url, autocommit=True) as connection:
        for role in READERS:
            if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).fetchall():
                connection.execute(f"CREATE ROLE {role} LOGIN IN ROLE learnt".encode())
            connection.execute(f"ALTER ROLE {role} PASSWORD '{PASSWORD}'".encode())


def test_three_roles_put_a_memory_aside_and_one_role_does_not(server: Server, tmp_path: Path) -> None:
    """Persons who share a role are one person to the server, whatever they call themselves."""
    clock = FixedClock()
    with server.database(_roles) as url, closing(opened(as_role(url), clock)) as store:
        shared = means_over(store, tmp_path, clock)
        scope = shared.context.sight.one("repository")
        one = samples.memory(scope, "Shared.", provenance=Provenance(writer="session:s"))
        two = samples.memory(scope, "Known.", provenance=Provenance(writer="session:s"))
        with store.transaction():
            store.memories.put(one)
            store.memories.put(two)
        for number in range(4):
            reader = replace(shared, context=replace(context_of(), user_id=f"u{number}"))
            done = flag(reader, one.id, "Wrong.")
            assert isinstance(done, Flagged)
            assert (done.memory.status, done.flags) == ("active", number + 1)
        told = []
        for number, role in enumerate(READERS):
            with closing(opened(as_role(url, role), clock)) as own:
                means = means_over(own, tmp_path, clock, name=role)
                done = flag(replace(means, context=replace(context_of(), user_id=f"u{number}")), two.id, "Wrong.")
                assert isinstance(done, Flagged)
                told.append(done.memory.status)
        assert told == ["active", "active", "quarantined"]
        assert {each.login for each in store.flags.of(shared.context.sight, [two.id])} == set(READERS)
        assert {each.login for each in store.flags.of(shared.context.sight, [one.id])} == {"learnt"}
        cleared = clear(shared, two.id)
        assert isinstance(cleared, Flagged)
        assert (cleared.restored, cleared.memory.status, cleared.memory.flags) == (True, "active", 0)
