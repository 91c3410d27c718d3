"""What is put in front of an agent, and the receipt that stays of it: ids, scores, cost, a keyed hash of the query."""

from __future__ import annotations

import _sqlite3
import os

from learnt.model.keys import bundle_id, keyed_hash, sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.interfaces.hook.visit import Visit


_LOG_BYTES = 1_048_576
"""A longer log is emptied. `bench starts`: with 4 MiB, as SQLite would, 2 % slower; with 512 KiB no faster."""
_LONGEST = 80
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/#"
"""What names of runs, units and rounds are made of. Source: swarm-memory seed, run log, and what trackers use."""


class Offer:
    """One injection.

    Attributes:
        text: What the agent reads; "" for nothing.
        ids: The memories and observations in it. `scores`: theirs, 0 where nothing was scored.
        skip: Why there is nothing; "" when there is.
        dense: How the search by meaning did; "" where there is none on this machine.
        begins: Whether a new context begins with it, `context`. `note`: of the summary given; "" for none.
    """

    __slots__ = (
        "begins",
        "bundle",
        "context",
        "dense",
        "ids",
        "marker",
        "moment",
        "note",
        "query",
        "scores",
        "skip",
        "text",
        "tokens",
    )

    def __init__(self, visit: Visit, moment: str, query: str, context: str) -> None:
        self.moment = moment
        self.query = query
        self.context = context
        self.bundle = bundle_id(visit.now, query)
        self.marker = os.urandom(4).hex()
        self.text = ""
        self.tokens = 0
        self.ids: Sequence[str] = ()
        self.scores: Sequence[float] = ()
        self.skip = ""
        self.dense = self.note = ""
        self.begins = False


def write(visit: Visit, offer: Offer) -> str:
    """Keep the receipt, and the context it begins, in a short transaction; gives "" or why it could not be kept.

    A store that another process holds is not waited for: the answer has been given, and a lost receipt costs at most
    one repetition.
    """
    connection, sql = visit.connection, visit.sql
    told = None
    try:
        if connection.execute(sql["journal"]).fetchone()[0] == "wal":
            connection.execute(sql["synchronous"])
        connection.execute(sql["begin"])
        if offer.begins:
            connection.execute(sql["advance"], {"session": visit.session, "at": visit.now})
        if offer.note:
            connection.execute(sql["guide"], (offer.note, visit.session))
        seq = connection.execute(sql["receipt"], _values(visit, offer)).lastrowid
        for memory_id in offer.ids:
            connection.execute(sql["receipt_memory"], (memory_id, seq, offer.context, offer.moment))
        for scope in visit.scopes:
            connection.execute(sql["receipt_scope"], (scope.no, seq))
        if visit.uncleared:
            connection.execute(sql["wants_rescan"], (f"{visit.uncleared} {visit.now}",))
        if offer.ids and not visit.limits.copy:  # a store on a server has it from whoever sends the receipt on
            from learnt.interfaces.hook.disclosed import append

            told = append(visit, offer.bundle, offer.moment, offer.query, offer.ids, offer.tokens)
        connection.execute(sql["commit"])
        _shorten(visit)
    except _sqlite3.Error as error:
        return f"no receipt: {error}"
    if told is not None:
        from learnt.interfaces.hook.disclosed import saw

        return saw(visit, told)
    return ""


def _shorten(visit: Visit) -> None:
    """Empty a log that grew long: every hook is the only process, and reads the whole of it at its beginning.

    What a hook brings back into the file, the next one cannot know: SQLite forgets that with the last process that had
    the file open, unless that closed it. So only one that writes twice, or does this, begins the log anew.
    """
    try:
        long = os.stat(visit.database + "-wal").st_size > _LOG_BYTES
    except OSError:
        return
    if long:
        visit.connection.execute(visit.sql["unwaiting"])
        visit.connection.execute(visit.sql["shorten"])


def _values(visit: Visit, offer: Offer) -> dict[str, object]:
    def listed(texts: Sequence[str]) -> str:
        quoted = [str(visit.connection.execute(visit.sql["quoted"], (text,)).fetchone()[0]) for text in texts]
        return "[" + ",".join(quoted) + "]"

    run, unit, turn = _work(visit)
    parts = (offer.bundle, visit.now, run, unit, turn, *offer.ids)
    return {
        "run_id": run,
        "unit_id": unit,
        "round": turn,
        "signature": sealed(visit.key, parts) if visit.key else "",
        "id": offer.bundle,
        "timestamp": visit.now,
        "context": offer.context,
        "moment": offer.moment,
        "query_hash": keyed_hash(visit.key, offer.query) if visit.key else "",
        "memory_ids": listed(offer.ids),
        "scores": "[" + ",".join(f"{score:.6f}" for score in offer.scores) + "]",
        "token_estimate": offer.tokens,
        "dense": offer.dense,
        "skip_reason": offer.skip or None,
        "session_id": visit.payload.text("session_id")[:200],
        "agent_id": visit.payload.text("agent_id")[:200],
        "scope_keys": listed([scope.key for scope in visit.scopes]),
    }


def _work(visit: Visit) -> tuple[str, str, str]:
    """Run, unit and round that this is given for, as an orchestrator named them; without a run the session is one.

    They only name what a verdict may reward later. A hook scans nothing, so a name that is not plain counts as none.
    """
    run, unit, turn = (_plain(os.environ.get(name, "")) for name in ("LEARNT_RUN", "LEARNT_UNIT", "LEARNT_ROUND"))
    return run or visit.payload.text("session_id")[:200], unit, turn


def _plain(name: str) -> str:
    return name if len(name) <= _LONGEST and not name.strip(_LETTERS) else ""


def advance(visit: Visit) -> str:
    """Begin a new context of this session; gives "" or why it could not be kept."""
    try:
        visit.connection.execute(visit.sql["advance"], {"session": visit.session, "at": visit.now})
    except _sqlite3.Error as error:
        return f"no new context: {error}"
    return ""
