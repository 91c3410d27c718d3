"""What `learnt doctor` tries and counts: the models, the tools, and what is derived from the rows."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.hosts.wiring import piece, server
from learnt.hosts.wiring.fitting import FITTINGS
from learnt.interfaces.cli.check import Check
from learnt.interfaces.cli.drift import recorded_for
from learnt.interfaces.cli.install import CLAUDE, site
from learnt.model.place import place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.hosts.wiring.piece import Piece
    from learnt.interfaces.cli.frame import Desk

_NAMED = 5
_FROM_A_COPY = (
    "What they held is in a backup, if anywhere; `learnt migrate --to sqlite:///PATH` carries everything else into a "
    "new file."
)
TOOLS_S = 30
"""How long a server of tools may take to start; Claude Code's own limit."""


def index(desk: Desk) -> Iterator[Check]:
    """Whether full text, counters and codes of vectors agree with their rows."""
    found = desk.engine.disagreements()
    if found:
        told = ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in found.items())
        yield Check("index", "problem", f"does not agree with the rows: {told}", "`learnt doctor --repair`")
    else:
        yield Check("index", "ok", "full text, counters and codes of vectors agree with their rows")
    if damaged := desk.engine.damaged():
        named = ", ".join(damaged[:_NAMED]) + (f" and {len(damaged) - _NAMED:,} more" if len(damaged) > _NAMED else "")
        yield Check("index", "problem", f"damaged, and in no answer: {named}", _FROM_A_COPY)


def models(desk: Desk) -> Iterator[Check]:
    """Whether the models in use answer. One that is not there is no fault; one that is set and fails is."""
    for each in desk.engine.models():
        failed = each.word.startswith("failed")
        found = f"{each.part}: {each.version or each.word}" + (f" ({each.word})" if each.version and failed else "")
        yield Check("models", "problem" if failed else "ok", found, each.hint)


def tools(desk: Desk) -> Iterator[Check]:
    """Whether the tool servers that are wired start, and list their tools, as the hosts would have them do."""
    hosts = recorded_for(desk.home).hosts
    tried: dict[tuple[str, ...], tuple[int, str]] = {}
    for host in dict.fromkeys((*hosts, CLAUDE)):
        found, has = False, False
        for each in _pieces(host, desk):
            has = has or each.of in piece.WRITTEN_BY_HOSTS
            entry = _entry(each)
            if entry is not None:
                found = True
                yield _tried(host, each.path, entry, tried, desk)
        if has and not found and host in hosts:
            yield Check("tools", "warning", f"{host} has the hooks, but not the tools", "`learnt init` adds them.")


def _pieces(host: str, desk: Desk) -> Iterator[Piece]:
    """The files of a host, the user's and the repository's."""
    for root in (None, Path(place(desk.folder).root)):
        if host in FITTINGS:
            yield from FITTINGS[host].wired(site(desk.home, root, Path(desk.folder)))


def _entry(each: Piece) -> dict[str, Any] | None:
    try:
        return piece.tools(each.of, each.path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return None


def _tried(
    host: str, path: Path, entry: dict[str, Any], tried: dict[tuple[str, ...], tuple[int, str]], desk: Desk
) -> Check:
    """What a server answers when it is started by its entry; one that differs by the host's name alone is the same."""
    if not server.is_ours(entry):
        return Check("tools", "ok", f"{path} has a server named {server.NAME} that is your own; it was not tried")
    line = server.line_of(entry)
    same = tuple("HOST" if word == host else word for word in line)
    if same not in tried:
        tried[same] = _listed(line, desk)
    number, fault = tried[same]
    if fault:
        return Check("tools", "problem", f"{path}: {fault}", "`learnt init` writes the entry anew.")
    return Check("tools", "ok", f"{path}: {number} tools answer")


def _listed(line: list[str], desk: Desk) -> tuple[int, str]:
    """How many tools a server has, or what is wrong with it."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        process = subprocess.Popen(line, cwd=desk.folder, env=desk.environment, **pipes)  # type: ignore[call-overload]
    except OSError as error:
        return 0, f"{line[0]} cannot be started: {error.strerror}"
    late = threading.Timer(TOOLS_S, process.kill)
    late.start()
    try:
        out, err = process.communicate(_QUESTIONS)
    finally:
        late.cancel()
    names = [str(tool.get("name")) for each in out.splitlines() for tool in _tools(each)]
    said = err.decode("utf-8", "replace").strip()[:300] or f"no answer within {TOOLS_S} s"
    return len(names), "" if names else said


def _tools(line: bytes) -> list[dict[str, Any]]:
    """The tools that a message of a server lists."""
    with suppress(ValueError, TypeError, KeyError):
        listed: list[dict[str, Any]] = json.loads(line)["result"]["tools"]
        return listed
    return []


_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "learnt-doctor", "version": "1"}}
_QUESTIONS = b"".join(
    json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
    for message in (
        {"id": 1, "method": "initialize", "params": _HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    )
)
