"""Commands about the state of things: status, doctor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from learnt.interfaces.cli import models, screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command
from learnt.interfaces.hook import gap
from learnt.interfaces.warm.frame import ROW
from learnt.interfaces.warm.look import WORDS, told
from learnt.model.answer import Refusal
from learnt.wire import state as wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.flows.state import Status
    from learnt.interfaces.cli.check import Check


@command("status", short_help="What is there.")
def status(desk: Desk) -> None:
    """What is there: memories, proposals, sessions, which parts of recall are on, and gaps."""
    from learnt.interfaces.cli.drift import recorded_for

    found = desk.engine.status()
    faults = gap.lines(str(desk.home.data_dir))
    recorded = recorded_for(desk.home)
    last = next((each.timestamp for each in desk.engine.receipts() if each.moment in _MOMENTS), None)
    hooks = {"hosts": list(recorded.hosts), "last_at": last, "faults": len(faults)}
    hooks["last_fault"] = faults[-1] if faults else None
    row = desk.engine.assembly.means.store.meta.get(ROW)
    hooks["warm"] = WORDS if desk.home.url else told(recorded.data_dir or str(desk.home.data_dir), row)
    document = wire.status(found)
    uncopied = bool(desk.home.url and recorded.hosts and found.copy is None)
    document["gaps"] = [*document["gaps"], *_faulty(faults), *([_UNCOPIED] if uncopied else [])]
    document["hooks"] = hooks
    desk.answer(document, lambda: _status(found, document["gaps"], _wiring(recorded.hosts, last), str(hooks["warm"])))


_UNCOPIED = "hooks have no copy of this store and show nothing of it: `learnt init`"
_FEW = 5
_ARMS = {"lexical": "by words", "dense": "by meaning", "rerank": "second look"}
_MOMENTS = {"session_start", "prompt", "pre_tool"}


def _wiring(hosts: Sequence[str], last: str | None) -> str:
    if not hosts:
        return "not installed (learnt init)"
    return screen.joined(", ".join(hosts), f"last at {screen.minute(last)}" if last else "not used yet")


def _faulty(faults: Sequence[str]) -> list[str]:
    return [f"hooks failed {screen.count(len(faults), 'time')}, last: {faults[-1]}"] if faults else []


def _status(value: Status, gaps: Sequence[str], hooks: str, warm: str) -> Iterator[str]:
    yield f"{screen.strong(str(value.repository.get('root', '')))}"
    arms = (f"{_ARMS.get(arm, arm)}: {'on' if word == 'ran' else word}" for arm, word in value.arms.items())
    yield from screen.pairs(
        [
            ("memories", _counts(value.memories) or "none yet"),
            ("proposals", _counts(value.proposals) or "none"),
            ("sessions", _sessions(value)),
            ("learnt from", _learnt(value)),
            ("recalls", f"{value.recalls:,}"),
            ("hooks", hooks),
            ("warm process", warm),
            *_copy(value),
            ("recall", screen.joined(*arms)),
            *models.rows(value.account),
            ("store", _store(value)),
            ("clean-up", _cleanup(value)),
            *_imported(value),
        ]
    )
    for each in gaps:
        yield from screen.body(f"! {each}")
    if value.proposals.get("pending"):
        yield f"  {screen.name('learnt pending')} shows what waits for you."


def _learnt(value: Status) -> str:
    """What sessions taught, and what waits to be read for it."""
    stands = value.phases
    failed = sum(stands.counts.get(kind, {}).get("dead", 0) for kind in stands.counts)
    return screen.joined(
        screen.count(stands.extracted, "session"),
        f"{stands.waiting:,} {'waits' if stands.waiting == 1 else 'wait'}" if stands.waiting else "",
        f"{stands.too_old:,} too old for a worker (learnt memory rebuild)" if stands.too_old else "",
        f"{failed:,} given up" if failed else "",
    )


def _copy(value: Status) -> list[tuple[str, str]]:
    """What hooks read where the store is on a server, and how old that is."""
    if value.copy is None:
        return []
    age_s = value.copy_age_s
    age = "not of here yet" if age_s is None else f"{age_s / 60:.0f} minutes old"
    waits = f"{value.copy.queued:,} receipts wait" if value.copy.queued else ""
    return [("copy", screen.joined(f"{value.copy.memories:,} memories for hooks", age, waits))]


def _imported(value: Status) -> list[tuple[str, str]]:
    """The last import, and which of its rows were not taken in."""
    held = value.imported
    if held is None:
        return []
    named = ", ".join(f"{each.file}:{each.line}" for each in held.faults[:_FEW])
    more = ", ..." if held.invalid > _FEW else ""
    left = f"{screen.count(held.invalid, 'row')} not imported ({named}{more})" if held.invalid else ""
    return [("last import", screen.joined(held.at, held.source, screen.count(held.rows, "row"), left))]


def _store(value: Status) -> str:
    held = value.store
    schema = f"schema {held.get('schema_version')}"
    return screen.joined(str(held.get("path", "")), _size(held.get("size_bytes")), str(held.get("engine", "")), schema)


def _cleanup(value: Status) -> str:
    held = value.cleanup
    if not held.automatic:
        return "by hand (learnt compact)"
    return f"every {held.every_recalls:,} recalls, what was retired more than {held.undo_days:,} days ago"


def _size(size_bytes: object) -> str:
    return f"{size_bytes / 1e6:.1f} MB" if isinstance(size_bytes, int) else ""


def _counts(counts: object) -> str:
    items = counts.items() if hasattr(counts, "items") else ()
    return ", ".join(f"{number:,} {name}" for name, number in items if number)


def _sessions(value: Status) -> str:
    return screen.joined(
        f"{value.sessions:,} read", f"last {screen.minute(value.last_session_at)}" if value.last_session_at else ""
    )


@command("doctor", short_help="What works and what does not.")
@click.option("--repair", is_flag=True, help="First make anew from the memories what can be found by.")
def doctor(desk: Desk, *, repair: bool) -> None:
    """Check everything and say what to do. Exit 1 when something is broken."""
    from learnt.interfaces.cli.checks import examined

    repaired = wire.repaired(desk.engine.repair()) if repair else None
    checks = examined(desk)
    broken = any(each.result == "problem" for each in checks)
    document: dict[str, Any] = {"ok": not broken, "checks": [each.document for each in checks]}
    if repaired is not None:
        document["repaired"] = repaired
    desk.answer(document, lambda: _checked(checks))
    if broken:
        raise click.exceptions.Exit(NEGATIVE)


def _checked(checks: Sequence[Check]) -> Iterator[str]:
    for check in checks:
        rows = list(screen.body(check.found, "", margin=20))
        name = screen.strong(f"{check.name:<9}")
        yield f"{screen.grade(check.result)} {name}  {rows[0]}"
        yield from (f"{'':20}{row}" for row in rows[1:])
        if check.advice:
            yield from (f"{'':20}{screen.faint(row)}" for row in screen.body(check.advice, "", margin=20))
    worst = [each for each in checks if each.result != "ok"]
    yield ""
    yield "Everything is well." if not worst else f"{screen.count(len(worst), 'thing')} to look at."


@command("backup", short_help="Copy the store.")
@click.argument("file", type=click.Path())
def backup(desk: Desk, *, file: str) -> None:
    """Copy the whole store, as it is at this moment, into a new FILE that only you may read. Others go on working."""
    found = desk.engine.backup(file)
    if isinstance(found, Refusal):
        desk.refuse(found)
    size = f"{found / 1e6:.1f} MB"
    desk.answer({"path": file, "size_bytes": found}, lambda: iter([f"{file}: {size}. Keep the keys, too."]))
