"""What `learnt doctor` tries and counts: the models, the tools, and what is derived from the rows."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.hosts import server
from learnt.hosts.fitting import FITTINGS
from learnt.interfaces.cli.check import Check
from learnt.interfaces.cli.drift import recorded_for
from learnt.interfaces.cli.install import CLAUDE, site
from learnt.model.place import place

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """Whether the tool servers that are wired start, and list their tools, as the host would have them do."""
    found = False
    for root in (None, Path(place(desk.folder).root)):
        path = FITTINGS[CLAUDE].wired(site(desk.home, root))[-1].path
        entry = _entry(path)
        if server.is_ours(entry):
            found = True
            yield _listed(path, entry or {}, desk)
        elif entry is not None:
            found = True
            yield Check("tools", "ok", f"{path} has a server named {server.NAME} that is your own; it was not tried")
    if not found and CLAUDE in recorded_for(desk.home).hosts:
        yield Check("tools", "warning", f"{CLAUDE} has the hooks, but not the tools", "`learnt init` adds them.")


def _entry(path: Path) -> dict[str, Any] | None:
    try:
        return server.present(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return None


def _listed(path: Path, entry: dict[str, Any], desk: Desk) -> Check:
    """What a server answers when it is started by its entry."""
    line = [str(entry.get("command")), *map(str, entry.get("args", ()))]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        process = subprocess.Popen(line, cwd=desk.folder, env=desk.environment, **pipes)  # type: ignore[call-overload]
    except OSError as error:
        found = f"{path}: {line[0]} cannot be started: {error.strerror}"
        return Check("tools", "problem", found, "`learnt init` writes the entry anew.")
    late = threading.Timer(TOOLS_S, process.kill)
    late.start()
    try:
        out, err = process.communicate(_QUESTIONS)
    finally:
        late.cancel()
    names = [str(tool.get("name")) for each in out.splitlines() for tool in _tools(each)]
    if names:
        return Check("tools", "ok", f"{path}: {len(names)} tools answer")
    said = err.decode("utf-8", "replace").strip()[:300] or f"no answer within {TOOLS_S} s"
    return Check("tools", "problem", f"{path}: {said}", "`learnt init` writes the entry anew.")


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
