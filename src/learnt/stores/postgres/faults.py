"""What a server's errors mean to a caller: one table from SQLSTATE to our errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg

from learnt.errors import (
    LearntError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_BUSY = "Somebody else was changing the same things; nothing was written."
_SCHEMA = "Upgrade learnt if another one did; else run `learnt migrate` as the owner of the tables."
_MEANINGS: Mapping[str, tuple[type[LearntError], str, str, str]] = {
    "28P01": (
        StoreError,
        "store_password",
        "The server refused the password, or got none.",
        "Correct the password file (~/.pgpass), PGPASSWORD, or LEARNT_DATABASE_URL.",
    ),
    "28000": (
        StoreError,
        "store_role",
        "The server refused this role.",
        "Correct LEARNT_DATABASE_URL, or pg_hba.conf.",
    ),
    "3D000": (
        StoreError,
        "store_missing",
        "There is no such database.",
        "Create it: CREATE DATABASE name ENCODING 'UTF8'.",
    ),
    "3F000": (StoreError, "store_missing", "There is no such schema.", "Create it, or correct the search path."),
    "42501": (StoreReadOnlyError, "", "The role may not do that.", "The manual has the rights that a role needs."),
    "25006": (StoreReadOnlyError, "", "The server only reads: a replica.", "Reads still work. Write to its primary."),
    "40001": (StoreBusyError, "", _BUSY, ""),
    "40P01": (StoreBusyError, "", _BUSY, ""),
    "55P03": (StoreBusyError, "", "", ""),
    "53100": (StoreFullError, "", "No space left on the server; nothing was written.", "Free some space there."),
    "53200": (StoreError, "store_exhausted", "The server is out of memory.", "Try again."),
    "53300": (StoreBusyError, "store_connections", "The server has no free connection.", "Raise max_connections."),
    "57P01": (StoreError, "store_stopping", "The server was stopped.", "Try again once it runs."),
    "57P02": (StoreError, "store_stopping", "The server crashed.", "Try again once it runs."),
    "57P03": (StoreError, "store_starting", "The server is starting or ending.", "Try again in a moment."),
    "57014": (StoreBusyError, "store_cancelled", "The server ended a statement; nothing was written.", ""),
    "25P02": (StoreError, "store_undone", "A statement of the transaction had failed; nothing was written.", ""),
    "25P03": (StoreBusyError, "", "The transaction stood still for too long; nothing was written.", ""),
    "54000": (UsageError, "too_long", "One of the values is too long for the store.", ""),
    "0A000": (StoreError, "store_extension", "The server lacks something that is needed.", "Install it on the server."),
    "58P01": (StoreError, "store_extension", "The server lacks an extension.", "Install it on the server."),
    "42P01": (StoreError, "store_schema", "A table is missing.", _SCHEMA),
    "42703": (StoreError, "store_schema", "A column is not what it was.", _SCHEMA),
    "XX001": (StoreCorruptError, "", "The server found damaged rows.", "Restore a backup; the server's log says more."),
    "XX002": (StoreCorruptError, "", "The server found a damaged index.", "REINDEX; the server's log says more."),
}
"""Class, code (empty: the class's own), message and hint (empty: the class's own). Source: PostgreSQL, appendix A."""

_PASSING = frozenset({"53200", "57P01", "57P02", "57P03"})
"""What may be gone at the next attempt, although its class is not retryable."""


_SAID = (
    ("the database system ", "57P03"),
    ("too many c", "53300"),
    ("connection slots", "53300"),
    ("password", "28P01"),
    ("pg_hba.conf", "28000"),
    ("role ", "28000"),
    ("database ", "3D000"),
)
"""What a server says before a connection stands, where the driver has no SQLSTATE: by its words, in English only.

The first that fits counts: what a server says while it starts, and of too many connections, names databases and roles.
"""


def refused(error: psycopg.Error, secret: str = "") -> LearntError:
    """Why there is no connection; a server that speaks another language is only said not to answer."""
    said = str(error)
    told = said.rpartition("FATAL:")[2] if "FATAL:" in said else ""
    state = error.sqlstate or next((state for words, state in _SAID if words in told), "")
    if "password supplied" in said:
        state = "28P01"
    if state not in _MEANINGS:
        return translated(error, secret)
    return _meant(state, {"sqlstate": state, "message": _told(error, secret)})


def translated(error: psycopg.Error, secret: str = "") -> LearntError:
    """Our error for the driver's. Neither the password nor a bound value is in it.

    Args:
        secret: What must not be shown, whatever the server says.
    """
    state = error.sqlstate or ""
    details = {"sqlstate": state, "message": _told(error, secret)}
    if state == "0A000" and "cached plan" in str(details["message"]):
        state = "42703"  # a column of a prepared statement is another one now
    if state.startswith("23"):
        return UsageError("The change contradicts what is stored.", code="constraint", details=details)
    if state in _MEANINGS:
        return _meant(state, details)
    if isinstance(error, psycopg.OperationalError):
        return StoreError(
            "The database server does not answer.",
            hint="`learnt doctor` shows where it should be. What was under way was not written.",
            details=details,
            retryable=True,
        )
    return StoreError(f"The store does not answer: {details['message']}.", details=details)


def lost(secret: str, error: psycopg.Error) -> StoreError:
    """The connection broke while the end of a transaction was under way: nobody knows whether it was kept."""
    return StoreError(
        "The connection broke at the very end: whether the change was kept is not known.",
        code="store_outcome_unknown",
        hint="Look whether it is there (`learnt list`) before you repeat it.",
        details={"sqlstate": error.sqlstate or "", "message": _told(error, secret)},
        retryable=False,
    )


def _meant(state: str, details: Mapping[str, object]) -> LearntError:
    kind, code, message, hint = _MEANINGS[state]
    return kind(message, code=code, hint=hint, details=details, retryable=state in _PASSING or None)


def _told(error: psycopg.Error, secret: str) -> str:
    """The first line of what the server said: details of it may hold values."""
    said = (error.diag.message_primary or str(error)).strip().partition("\n")[0]
    return said.replace(secret, "***") if secret else said
