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

CLAUDE = "claude-code"
_EVENTS = frozenset(("session-start", "user-prompt-submit", "pre-tool-use", "session-end", "subagent-start"))
_ENDS = frozenset(("session-end", "turn-end"))
_ASKED = frozenset(("session-start", "user-prompt-submit"))


def run(arguments: Sequence[str], home: str, database: str, config: str) -> int:
    """Handle one event; always 0.

    The process boundary of a hook: whatever goes wrong ends here, on standard error and in the log.

    Args:
        arguments: `EVENT --host NAME`, as on the command line; behind it Codex gives a notice's JSON.
        home: The data directory. `database`: the SQLite file. `config`: the user's configuration file.
    """
    event = arguments[0] if arguments else ""
    host = arguments[2] if len(arguments) > 2 and arguments[1] == "--host" else CLAUDE
    if os.environ.get("LEARNT_CHILD"):
        return 0
    notice = arguments[3] if event == "notify" and len(arguments) > 3 else None
    if host != CLAUDE:
        from learnt.hosts.dialects import moment

        event = moment(host, event)
    elif event not in _EVENTS:
        return 0
    if not event:
        return 0
    gc.disable()  # nothing here lives long enough to be worth looking for
    _limit(home, event)
    try:
        from learnt.interfaces.hook.lean import load_sqlite

        load_sqlite()
        _handle(event, host, home, database, config, notice)
    except Exception as error:  # noqa: BLE001 - the process boundary; it is recorded
        _failed(event, host, home, error)
    _unlimited()
    return 0


def _unlimited() -> None:
    """The alarm is off: an interpreter that shuts down gives signals back, and one then ends it with a failure."""
    import _signal  # type: ignore[import-not-found,unused-ignore]

    if hasattr(_signal, "setitimer"):
        _signal.setitimer(_signal.ITIMER_REAL, 0)


def _limit(home: str, event: str) -> None:
    """End the process after `_ALARM_S`, also where a file system does not answer. `signal` itself imports `enum`."""
    import _signal  # type: ignore[import-not-found,unused-ignore]

    if not hasattr(_signal, "setitimer"):
        return

    def late(_number: int, _frame: object) -> None:
        from learnt.interfaces.hook import gap

        if hasattr(gap, "record"):  # not while it was being imported
            gap.record(home, event, f"not done within {_ALARM_S} s")
        os._exit(0)

    _signal.signal(_signal.SIGALRM, late)
    _signal.setitimer(_signal.ITIMER_REAL, _ALARM_S)


def _handle(event: str, host: str, home: str, database: str, config: str, notice: str | None) -> None:
    from learnt.interfaces.hook.payload import read_stdin
    from learnt.interfaces.hook.visit import begun, opened

    text = read_stdin() if notice is None else notice
    connection = opened(database)
    visit = begun(connection, host, text, config)
    if visit is None:
        return
    if event in _ENDS:
        if visit.limits.capture:
            _capture(visit, event, home, database, config)
        return
    _inject(visit, event, home, database, config)
    if visit.is_behind(event):
        from learnt.interfaces.hook.follow import follow

        follow(visit, event, home, database, config)
    if event == "session-start" and visit.limits.capture:
        from learnt.interfaces.hook.missed import take_up

        take_up(visit, home, database, config)
    if visit.limits.capture and _begins(visit, event) and visit.owes():
        from learnt.interfaces.hook.owed import pay

        pay(visit, home, database, config)


def _begins(visit: Visit, event: str) -> bool:
    """Whether a session starts with this event, or may: some hosts tell of no start."""
    if event == "session-start" or visit.host == CLAUDE:
        return event == "session-start"
    from learnt.hosts.dialects import opens

    return opens(visit.host, event)


def _capture(visit: Visit, event: str, home: str, database: str, config: str) -> None:
    """Read the session in a process of its own; at the end of a turn only when that was not done a while ago."""
    from learnt.interfaces.hook.end import capture, recent

    transcript = visit.payload.text("transcript_path")
    if not transcript and visit.host != CLAUDE:
        from learnt.interfaces.hook.trace import place_of

        transcript = place_of(visit.host, visit.payload.text("session_id"), os.environ)
    if transcript and not (event == "turn-end" and recent(home, transcript)):
        capture([transcript], visit.place.root, home, database, config, rests=visit.host == CLAUDE)


def _inject(visit: Visit, event: str, home: str, database: str, config: str) -> None:
    """Answer, then write the receipt."""
    if not visit.limits.inject or not visit.scopes or _is_agents(visit, event):
        return
    visit.home, visit.database = home, database
    visit.enter(os.path.join(os.path.dirname(config), "keys", "receipts.key"))
    opening = _opening(event, visit) if visit.host != CLAUDE else ""
    offer, fault = _fitting(event, visit)
    text = "\n\n".join(filter(None, (opening, offer.text if offer else "")))
    if text:
        _answer(visit.connection, visit, event, text)
    if offer is not None:
        from learnt.interfaces.hook.receipt import write

        fault = write(visit, offer) or fault
    if fault:
        from learnt.interfaces.hook import gap

        gap.record(home, event, fault)


def _is_agents(visit: Visit, event: str) -> bool:
    """Whether a prompt was written for a sub-agent, by another; Claude Code's own have their contexts."""
    return visit.host != CLAUDE and event in _ASKED and bool(visit.payload.text("agent_id"))


def _opening(event: str, visit: Visit) -> str:
    """What the start of a session would have brought, where its host reads nothing at a start; "" but for once."""
    from learnt.hosts.dialects import opens

    if not opens(visit.host, event) or visit.payload.text("agent_id"):
        return ""
    if visit.row("generation", (visit.session,)) is not None:
        return ""
    from learnt.interfaces.hook import receipt, start

    offer = start.offer(visit)
    return "" if receipt.write(visit, offer) else offer.text


def _fitting(event: str, visit: Visit) -> tuple[Offer | None, str]:
    """What to inject, within what the host counts in bytes."""
    from learnt.hosts.dialect import TRIES, narrowed

    offer, fault = _offer(event, visit)
    for _ in range(TRIES):
        most_chars = narrowed(visit.host, visit.most_chars, offer.text if offer else "")
        if most_chars == visit.most_chars:
            break
        visit.most_chars = most_chars
        offer, fault = _offer(event, visit)
    return offer, fault


def _offer(event: str, visit: Visit) -> tuple[Offer | None, str]:
    """What to inject, and "" or what went wrong on the way without spoiling it."""
    if event == "pre-compact":
        if visit.host == "gemini-cli" and visit.payload.text("trigger") == "auto":
            return None, ""  # told before each request to the model, whether it is compressed or not (0.61)
        from learnt.interfaces.hook.receipt import advance

        return None, advance(visit)
    if event in ("session-start", "subagent-start"):
        from learnt.interfaces.hook import start

        if event == "subagent-start" or visit.payload.text("agent_id"):  # some hosts call it a session's start
            visit.payload.fields["source"] = start.AGENT
        return start.offer(visit), ""
    if event == "pre-tool-use":
        from learnt.interfaces.hook import action

        return action.offer(visit), ""
    from learnt.interfaces.hook import prompt

    return prompt.offer(visit), ""


def _answer(connection: _sqlite3.Connection, visit: Visit, event: str, text: str) -> None:
    statement = "context_answer"
    if visit.host == CLAUDE:
        from learnt.hosts.dialect import EVENT_NAMES

        name = EVENT_NAMES[event]
    else:
        from learnt.hosts.dialects import answer

        statement, name = answer(visit.host, event)
    _print(str(connection.execute(visit.sql[statement], (name, text)).fetchone()[0]))


def _print(text: str) -> None:
    """All of `text` on standard output."""
    left = text.encode("utf-8", "replace") + b"\n"
    while left:
        left = left[os.write(1, left) :]


def _failed(event: str, host: str, home: str, error: Exception) -> None:
    """Record a fault; a store that does not answer is told to the person at session start, once a day."""
    from learnt.interfaces.hook import gap

    gap.record(home, event, f"{type(error).__name__}: {error}")
    sqlite = sys.modules.get("_sqlite3")
    broken = sqlite is not None and isinstance(error, sqlite.Error) and not _passing(str(error))
    if (
        event == "session-start"
        and _hears(host)
        and (broken or type(error).__name__ == "NewerError")
        and gap.first_today(home)
    ):
        _notice(f"learnt: the memory store does not answer ({error}); `learnt doctor` says more.")


def _hears(host: str) -> bool:
    """Whether the host shows a line of ours to the person."""
    if host == CLAUDE:
        return True
    from learnt.hosts.dialects import takes_notices

    return takes_notices(host)


def _passing(message: str) -> bool:
    """Whether a store's error will pass by itself."""
    return "locked" in message or "interrupted" in message or "busy" in message


def _notice(text: str) -> None:
    import _sqlite3

    from learnt.stores.sqlite.statements import load

    connection = _sqlite3.connect(":memory:")
    _print(str(connection.execute(load("hook")["notice_answer"], (text,)).fetchone()[0]))
