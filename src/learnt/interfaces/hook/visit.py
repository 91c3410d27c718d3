"""One event in one place: the open store, the scopes that may be seen, the limits, and the context it happens in."""

from __future__ import annotations

import _sqlite3
import os
import time

from learnt.hosts.dialect import MAX_CHARS
from learnt.interfaces.hook.limits import Limits
from learnt.interfaces.hook.payload import Payload, parsed
from learnt.model.instant import from_epoch
from learnt.model.keys import keyed_hash, scope_key, short_id
from learnt.model.place import Place, place, user_id
from learnt.stores.sqlite.statements import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Values = tuple[object, ...] | dict[str, object]

SCHEMA = 12
"""The newest schema this hook knows; a test holds it equal to the newest migration."""

AFTER_S = {"session-start": 60.0, "user-prompt-submit": 900.0}
"""How old the copy may be at an event, and how long ago the last attempt to bring it up."""

OLD_S = 86_400
"""What a copy older than a day shows says so."""

DEADLINE_S = 0.8
_STEPS = 20_000
"""Steps of SQLite's machine between two looks at the clock, about a millisecond."""


class NewerError(Exception):
    """The store was written by a newer learnt."""


class ScopeRow:
    """One scope that may be seen here. `no` is its number in the store."""

    __slots__ = ("active", "key", "no", "terms", "type")

    def __init__(self, kind: str, key: str, row: tuple[Any, ...]) -> None:
        self.type = kind
        self.key = key
        self.no, self.active, self.terms = row


class Visit:
    """Everything an event needs.

    Attributes:
        now: The one clock reading of this event.
        repository_id: Of the repository here, as the store knows it.
        scopes: Those of the scopes here that hold something, the repository first.
        session: Keyed hash of host, session and sub-agent.
        home, database, config: What `learnt init` recorded.
        synced_at: When the copy of a store on a server was last equal to it here; "" for never, or where there is none.
        label: What there is to say of the copy's age; "" for nothing.
        most_chars: Of one injection into this host.
        uncleared: How many memories were met that the present pattern set has not cleared.
    """

    __slots__ = (
        "config",
        "connection",
        "database",
        "home",
        "host",
        "key",
        "label",
        "limits",
        "most_chars",
        "now",
        "payload",
        "place",
        "repository_id",
        "scopes",
        "session",
        "sql",
        "synced_at",
        "uncleared",
    )

    def __init__(
        self, connection: _sqlite3.Connection, sql: dict[str, str], payload: Payload, host: str, config: str
    ) -> None:
        self.connection = connection
        self.sql = sql
        self.payload = payload
        self.host = host
        self.most_chars = MAX_CHARS.get(host, 9_000)
        self.home = self.database = self.synced_at = self.label = ""
        self.config = config
        self.now = from_epoch(time.time())
        self.uncleared = 0
        self.place: Place = place(payload.text("cwd") or os.getcwd())
        self.key = b""
        self.repository_id = repository_id = self._repository_id()
        self.limits = Limits(dict(self.rows("recorded")), repository_id)
        self.limits.set(config)
        self.limits.narrow(self.place.root)
        self.scopes = self._scopes(repository_id)
        self.session = ""

    def rows(self, name: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """All rows of a named statement."""
        found: list[tuple[Any, ...]] = self.connection.execute(self.sql[name], values).fetchall()
        return found

    def row(self, name: str, values: Values = ()) -> tuple[Any, ...] | None:
        """The first row of a named statement, or None."""
        found: tuple[Any, ...] | None = self.connection.execute(self.sql[name], values).fetchone()
        return found

    def about(self, name: str, found: Iterable[str]) -> list[tuple[Any, ...]]:
        """What a statement tells of the memories with these ids: their merges, their disputes; mostly nothing."""
        ids = ",".join(f'"{each}"' for each in found)
        scopes = ",".join(str(scope.no) for scope in self.scopes)
        return self.rows(name, {"scopes": f"[{scopes}]", "ids": f"[{ids}]"})

    def _repository_id(self) -> str:
        known = self.row("alias", (self.place.value,))
        return str(known[0]) if known else self.place.repository_id

    def _scopes(self, repository_id: str) -> list[ScopeRow]:
        wanted = (
            ("repository", scope_key("repository", (("repoId", repository_id),))),
            ("global_user", scope_key("global_user", (("userId", self.limits.person or user_id()),))),
        )
        if self.limits.copy:
            self._date(wanted[0][1])
        found = []
        for kind, key in wanted:
            row = self.row("scope", (key,))
            if row is not None:
                found.append(ScopeRow(kind, key, row))
        return found

    def _date(self, key: str) -> None:
        """How old the copy of a store on a server is, as far as this repository goes."""
        row = self.row("copied", ("copy.at." + short_id(key),))
        self.synced_at = str(row[0]).rpartition(" ")[2] if row else ""
        if self.synced_at < from_epoch(time.time() - OLD_S):
            self.label = f"as of {self.synced_at[:10] or 'an unfinished copy'}"

    def is_behind(self, event: str) -> bool:
        """Whether the copy of a store on a server is so old that this event has it brought up."""
        after_s = AFTER_S.get(event)
        return self.limits.copy and after_s is not None and self.synced_at < from_epoch(time.time() - after_s)

    def owes(self) -> bool:
        """Whether a worker may have sessions of this repository to learn from; what a copy does not tell counts so."""
        if self.limits.copy:
            return True
        number = next((scope.no for scope in self.scopes if scope.type == "repository"), None)
        if number is None:
            return False
        now_s = time.time()
        values = {
            "scope": number,
            "repository": self.repository_id,
            "since": from_epoch(now_s - self.limits.age_days * 86_400),
            "until": from_epoch(now_s - self.limits.idle_hours * 3_600),
            "now": self.now,
        }
        return self.row("owed", values) is not None

    def enter(self, key_file: str) -> None:
        """Read the key and name the session; needed before `context` and receipts."""
        try:
            with open(key_file, "rb") as file:
                self.key = file.read(4096)
        except OSError:
            self.key = b""
        parts = (self.host, self.payload.text("session_id"), self.payload.text("agent_id"))
        self.session = keyed_hash(self.key, "\n".join(parts))

    def context(self, later: int = 0) -> str:
        """Keyed hash of the session's present context, the same until it is advanced; of the next with `later` 1."""
        row = self.row("generation", (self.session,))
        return keyed_hash(self.key, f"{self.session}\n{(row[0] if row else 0) + later}")

    def shown(self, context: str) -> dict[str, bool]:
        """What this context was given: id -> whether already before an action."""
        return {str(memory_id): bool(warned) for memory_id, warned in self.rows("shown", (context,))}


def opened(database: str) -> _sqlite3.Connection:
    """The store, with the deadline built in.

    Raises:
        _sqlite3.Error: It cannot be opened.
    """
    if os.path.islink(database):
        raise _sqlite3.OperationalError("the database file is a symbolic link")
    path = database.replace("%", "%25").replace("?", "%3f").replace("#", "%23").replace(os.sep, "/")
    connection = _sqlite3.connect(f"file:{path}?mode=rw", timeout=0.15, isolation_level=None, uri=True)
    until = time.monotonic() + DEADLINE_S
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    return connection


def begun(connection: _sqlite3.Connection, host: str, text: str, config: str) -> Visit | None:
    """The visit an event's input leads to, or None for empty input.

    Raises:
        ValueError: The input is no JSON object, or the user's configuration no TOML.
        NewerError: The store is not ours to read.
        _sqlite3.Error: The store does not answer.
    """
    sql = load("hook")
    payload = parsed(connection, sql["members"], text)
    if payload is None:
        return None
    if connection.execute(sql["version"]).fetchone()[0] > SCHEMA:
        raise NewerError("the store was written by a newer learnt")
    if host != "claude-code":
        from learnt.interfaces.hook.abroad import translated

        payload = translated(connection, sql["members"], host, payload)
    return Visit(connection, sql, payload, host, config)
