"""The engine of one server process: opened on first use, reopened when project or configuration change.

A seat is used from worker threads, one call at a time. It knows nothing of the protocol.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.errors import LearntError
from learnt.hosts.marker import CLIENT
from learnt.interfaces.mcp.arguments import checked
from learnt.interfaces.mcp.calls import CALLS
from learnt.model.answer import Refusal
from learnt.wire import tools as wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.bootstrap import Home
    from learnt.engine import Engine
    from learnt.interfaces.mcp.tools import Tool

    Json = dict[str, Any]


class Seat:
    """Where one agent sits.

    Attributes:
        environment: Of this process.
        project: The folder it is about; "" for what the client says, else the current one.
        host: Who starts this, when it was wired: then the places are those that `learnt init` recorded.
        config: The configuration file beside that record; "" for the usual place.
    """

    def __init__(self, environment: Mapping[str, str], *, project: str = "", host: str = "", config: str = "") -> None:
        self.environment = dict(environment)
        self.project = project
        self.host = host
        self.config = config
        self._lock = threading.Lock()
        self._importing = threading.Lock()
        self._engine: Engine | None = None
        self._opened: tuple[object, ...] = ()

    def answer(self, tool: Tool, given: Mapping[str, Any] | None, folder: str, client: str) -> tuple[Json, bool]:
        """The document of a call, and whether it is an error. Never raises.

        Args:
            folder: The project as the client names it; "" when it does not.
            client: Who drives it, for the record.
        """
        with self._lock:
            try:
                return self._answered(tool, given, folder, client)
            except LearntError as error:
                return wire.raised(error), True
            except Exception as error:  # noqa: BLE001 - the process boundary: a bug fails one call, and is said
                return wire.raised(_bug(error)), True

    def _answered(self, tool: Tool, given: Mapping[str, Any] | None, folder: str, client: str) -> tuple[Json, bool]:
        asked = checked(tool, given)
        engine = self._open(self.project or folder or str(Path.cwd()), client)
        if not engine.assembly.means.settings.memory.enabled:
            return wire.DISABLED, False
        found = CALLS[tool.name](engine, asked)
        return (wire.refused(found), True) if isinstance(found, Refusal) else (found, False)

    def _open(self, folder: str, client: str) -> Engine:
        """The engine of a folder; a new one when the folder or a file that configures it is another by now."""
        if self._engine is None or self._opened != _signature(self._engine, folder):
            self._shut()
            self.warm()
            from learnt.engine import Engine

            self._engine = Engine.open(folder, home=self.home(client))
            self._opened = _signature(self._engine, folder)
        return self._engine

    def home(self, client: str) -> Home:
        """Where this user's things lie, for an engine that a client drives."""
        from learnt.bootstrap import Home, wired

        places = wired(self.environment, self.config) if self.host else self.environment
        return Home({**places, CLIENT: client})

    def warm(self) -> None:
        """Import what the first call needs; one thread at a time, because libraries import in circles."""
        with self._importing:
            import learnt.bootstrap
            import learnt.engine  # noqa: F401 - for what it brings along

    def close(self, within_s: float) -> bool:
        """Give the store back; False when a call still runs after `within_s` seconds."""
        if not self._lock.acquire(timeout=within_s):
            return False
        try:
            self._shut()
        finally:
            self._lock.release()
        return True

    def _shut(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()


def _signature(engine: Engine, folder: str) -> tuple[object, ...]:
    """What an engine was opened from; another value means that it must be opened again."""
    from learnt.bootstrap import INSTALLED

    home, root = engine.assembly.home, engine.assembly.place.root
    files = (home.config_file, home.config_file.parent / INSTALLED, Path(root) / ".learnt" / "config.toml")
    return folder, *(_stamp(path) for path in files)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _bug(error: Exception) -> LearntError:
    """A bug as an error document: where, never what was being handled."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(where.filename).name}:{where.lineno}"
    sys.stderr.write(f"learnt mcp: {type(error).__name__} at {place}\n")
    if os.environ.get("LEARNT_TRACE"):
        traceback.print_exception(error)
    return LearntError(
        f"This is a bug in learnt: {type(error).__name__} at {place}.",
        code="bug",
        hint="Nothing half-done was stored. LEARNT_TRACE=1 writes more to standard error.",
        details={"error": type(error).__name__, "place": place},
    )
