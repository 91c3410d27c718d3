"""From an event's word and standard input to an answer, a receipt, and the end of the process."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3
    from collections.abc import Sequence

    from learnt.interfaces.hook.receipt import Offer
    from learnt.interfaces.hook.visit import Visit

_ALARM_S = 0.95
"""The whole process ends by then. The host waits for it."""

_EVENTS = frozenset(("session-start", "user-prompt-submit", "pre-tool-use", "session-end"))


def run(arguments: Sequence[str], home: str, database: str, config: str) -> int:
    """Handle one event; always 0.

    The process boundary of a hook: whatever goes wrong ends here, on standard error and in the log.

    Args:
        arguments: `EVENT --host NAME`, as on the command line.
        home: The data directory. `database`: the SQLite file. `config`: the user's configuration file.
    """
    event = arguments[0] if arguments else ""
    host = arguments[2] if len(arguments) > 2 and arguments[1] == "--host" else "claude-code"
    if os.environ.get("LEARNT_CHILD") or event not in _EVENTS:
        return 0
    gc.disable()  # nothing here lives long enough to be worth looking for
    _limit(home, event)
    try:
        from learnt.interfaces.hook.lean import load_sqlite

        load_sqlite()
        _handle(event, host, home, database, config)
    except Exception as error:  # noqa: BLE001 - the process boundary; it is recorded
        _failed(event, home, error)
    return 0


def _limit(home: str, event: str) -> None:
    """End the process after `_ALARM_S`, also where a file system does not answer. `signal` itself imports `enum`."""
    import _signal  # type: ignore[import-not-found,unused-ignore]

    if not hasattr(_signal, "setitimer"):
        return

    def late(_number: int, _frame: object) -> None:
        from learnt.interfaces.hook import gap

        gap.record(home, event, f"not done within {_ALARM_S} s")
        os._exit(0)

    _signal.signal(_signal.SIGALRM, late)
    _signal.setitimer(_signal.ITIMER_REAL, _ALARM_S)


def _handle(event: str, host: str, home: str, database: str, config: str) -> None:
    from learnt.interfaces.hook.payload import read_stdin
    from learnt.interfaces.hook.visit import begun, opened

    text = read_stdin()
    connection = opened(database)
    visit = begun(connection, host, text, config)
    if visit is None:
        return
    if event == "session-end":
        if visit.limits.capture:
            from learnt.interfaces.hook.end import capture

            transcript = visit.payload.text("transcript_path")
            capture([transcript] if transcript else [], visit.place.root, home, database, config)
        return
    _inject(visit, event, home, database, config)
    if visit.is_behind(event):
        from learnt.interfaces.hook.follow import follow

        follow(visit, event, home, database, config)
    if event == "session-start" and visit.limits.capture:
        from learnt.interfaces.hook.missed import take_up

        take_up(visit, home, database, config)


def _inject(visit: Visit, event: str, home: str, database: str, config: str) -> None:
    """Answer, then write the receipt."""
    if not visit.limits.inject or not visit.scopes:
        return
    visit.home, visit.database = home, database
    visit.enter(os.path.join(os.path.dirname(config), "keys", "receipts.key"))
    offer, fault = _offer(event, visit)
    if offer is None:
        return
    if offer.text:
        _answer(visit.connection, visit, event, offer)
    from learnt.interfaces.hook.receipt import write

    fault = write(visit, offer) or fault
    if fault:
        from learnt.interfaces.hook import gap

        gap.record(home, event, fault)


def _offer(event: str, visit: Visit) -> tuple[Offer | None, str]:
    """What to inject, and "" or what went wrong on the way without spoiling it."""
    if event == "session-start":
        from learnt.interfaces.hook import start

        return start.offer(visit)
    if event == "pre-tool-use":
        from learnt.interfaces.hook import action

        return action.offer(visit), ""
    from learnt.interfaces.hook import prompt

    return prompt.offer(visit), ""


def _answer(connection: _sqlite3.Connection, visit: Visit, event: str, offer: Offer) -> None:
    from learnt.hosts.dialect import EVENT_NAMES

    name = EVENT_NAMES.get(visit.host, EVENT_NAMES["claude-code"])[event]
    _print(str(connection.execute(visit.sql["context_answer"], (name, offer.text)).fetchone()[0]))


def _print(text: str) -> None:
    """All of `text` on standard output."""
    left = text.encode("utf-8", "replace") + b"\n"
    while left:
        left = left[os.write(1, left) :]


def _failed(event: str, home: str, error: Exception) -> None:
    """Record a fault; a store that does not answer is told to the person at session start, once a day."""
    from learnt.interfaces.hook import gap

    gap.record(home, event, f"{type(error).__name__}: {error}")
    sqlite = sys.modules.get("_sqlite3")
    broken = sqlite is not None and isinstance(error, sqlite.Error) and not _passing(str(error))
    if event == "session-start" and (broken or type(error).__name__ == "NewerError") and gap.first_today(home):
        _notice(f"learnt: the memory store does not answer ({error}); `learnt doctor` says more.")


def _passing(message: str) -> bool:
    """Whether a store's error will pass by itself."""
    return "locked" in message or "interrupted" in message or "busy" in message


def _notice(text: str) -> None:
    import _sqlite3

    from learnt.stores.sqlite.statements import load

    connection = _sqlite3.connect(":memory:")
    _print(str(connection.execute(load("hook")["notice_answer"], (text,)).fetchone()[0]))
