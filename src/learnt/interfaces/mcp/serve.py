"""The server process: the SDK's protocol around a seat. The only module that imports the SDK."""

from __future__ import annotations

import json
import sys
import warnings
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import anyio
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from learnt import __version__
from learnt.interfaces.mcp.tools import INSTRUCTIONS, TOOLS, named

if TYPE_CHECKING:
    from anyio.abc import TaskGroup
    from mcp.server.context import ServerRequestContext

    from learnt.interfaces.mcp.seat import Seat
    from learnt.interfaces.mcp.stream import Stream
    from learnt.interfaces.mcp.tools import Tool

    Request = ServerRequestContext[Any, Any]

ROOTS_S: Final = 2.0
"""How long a client may take to name its project; then it is the current folder."""
GRACE_S: Final = 1.5
"""How long a call may go on after the client left; then the process ends, and what it was writing is rolled back."""
ANSWERS_S: Final = 10.0
"""How long a client that ended its input but still reads may wait for its answers, as in `... | learnt mcp`."""
_NAMED: Final = {"codex-mcp-client": "codex", "gemini-cli-mcp-client": "gemini-cli"}
"""Names of clients that differ from the host's."""


def serve(seat: Seat, stream: Stream) -> None:
    """Serve one client until it closes its end."""
    anyio.run(_serve, seat, stream)
    if not seat.close(GRACE_S):  # the process ends all the same, see `stream.leave`
        sys.stderr.write("learnt mcp: the client left in the middle of a call; nothing half-done is kept\n")


async def _serve(seat: Seat, stream: Stream) -> None:
    """One connection after the other: a client may ask in the newest manner and then begin in an earlier one."""
    line: str | None = ""
    async with anyio.create_task_group() as aside:
        while line is not None:
            server = Desk(seat, aside).server
            incoming = Incoming(stream, line)
            outgoing: Any = Outgoing(stream)
            ours: Any = incoming
            async with stdio_server(ours, outgoing) as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())
            line = incoming.left
        aside.cancel_scope.cancel()


class Incoming:
    """A client's messages as the SDK iterates them. They end when the client is gone, or has its answers.

    The SDK serves one manner on one connection. A client that asked what there is (`server/discover`) and then begins
    with `initialize` gets another connection for that.

    Attributes:
        left: The message that begins that one; None when the client is gone.
    """

    def __init__(self, stream: Stream, first: str) -> None:
        self._stream = stream
        self._first = first
        self._read = 0
        self._began = False
        self.left: str | None = None

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> str:
        line, self._first = self._first, ""
        if not line and not self._stream.gone:
            line = await run_sync(self._stream.next, abandon_on_cancel=True)
            if line and self._read and self._stream.begins and not self._began:
                self.left = line
                line = ""
        if not line:
            await run_sync(self._stream.settle, ANSWERS_S, int(self.left is not None), abandon_on_cancel=True)
            raise StopAsyncIteration
        if not self._read:
            self._began = self._stream.begins
        self._read += 1
        return line


class Outgoing:
    """The wire as the SDK writes to it."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def write(self, text: str) -> None:
        """One message."""
        await run_sync(self._stream.write, text)

    async def flush(self) -> None:
        """Nothing: a message is sent when it is written."""


class Desk:
    """One client served: the protocol's requests on one side, a seat on the other.

    Args:
        aside: Where work goes on beside the calls; without it none does.
    """

    def __init__(self, seat: Seat, aside: TaskGroup | None = None) -> None:
        self._seat = seat
        self._aside = aside
        self._borrowed = False
        self._turn = anyio.CapacityLimiter(1)
        self._folder: str | None = None
        self._warmed = False
        with warnings.catch_warnings(action="ignore"):  # the SDK warns of what the newest protocol will drop
            self.server: Server[Any] = Server(
                "learnt",
                version=__version__,
                title="learnt",
                instructions=INSTRUCTIONS,
                on_list_tools=self._list,
                on_call_tool=self._call,
                on_roots_list_changed=self._moved,
            )

    async def _list(self, context: Request, asked: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        del context, asked
        if not self._warmed:
            self._warmed = True
            Thread(target=self._seat.warm, daemon=True).start()
        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])

    async def _call(self, context: Request, asked: types.CallToolRequestParams) -> types.CallToolResult:
        tool = named(asked.name)
        if tool is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"There is no tool {asked.name[:60]!r}.")
        folder = await self._project(context)
        work = partial(self._seat.answer, tool, asked.arguments, folder, client_of(context))
        # Abandoned when cancelled or the client leaves: what it writes is one short transaction, whole or not at all.
        document, failed = await run_sync(work, abandon_on_cancel=True, limiter=self._turn)
        self._borrow(context, folder)
        text = types.TextContent(type="text", text=json.dumps(document, ensure_ascii=False))
        return types.CallToolResult(content=[text], structured_content=document, is_error=failed)

    def _borrow(self, context: Request, folder: str) -> None:
        """Once, after the first call: let a client's model do what waits for it, where the client lends one."""
        client = context.session.client_params
        if self._borrowed or self._aside is None or client is None or client.capabilities.sampling is None:
            return
        if not context.session.can_send_request:  # the newest manner: nothing is asked of a client between its calls
            return
        self._borrowed = True
        from learnt.interfaces.mcp.lend import Lender, learn

        lender = Lender(context.session, client_of(context))
        where = self._seat.project or folder or str(Path.cwd())
        work = partial(run_sync, learn, self._seat, where, lender.name, lender, abandon_on_cancel=True)
        self._aside.start_soon(work)

    async def _moved(self, context: Request, told: types.NotificationParams | None) -> None:
        del context, told
        self._folder = None

    async def _project(self, context: Request) -> str:
        """The folder the client works in, asked once; "" where it does not say."""
        if self._folder is None:
            self._folder = await _root(context)
        return self._folder


async def _root(context: Request) -> str:
    """The first root of a client that has roots, when it is a folder here."""
    client = context.session.client_params
    if client is None or client.capabilities.roots is None or not context.session.can_send_request:
        return ""
    try:
        with anyio.fail_after(ROOTS_S):
            found = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except (MCPError, TimeoutError):
        return ""
    folders = [_path(str(root.uri)) for root in found.roots]
    return await run_sync(_present, folders)


def _present(folders: list[str]) -> str:
    return next((folder for folder in folders if folder and Path(folder).is_dir()), "")


def _path(uri: str) -> str:
    """The local path of a file URI, or ""."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    local = parts.scheme == "file" and parts.netloc in ("", "localhost") and "\0" not in unquote(parts.path)
    return url2pathname(parts.path) if local else ""


def client_of(context: Request) -> str:
    """Who drives this, in letters a name of ours may have."""
    client = context.session.client_params
    name = client.client_info.name if client else ""
    plain = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "-" for char in name.lower()[:40])
    return _NAMED.get(plain, plain) or "mcp"


def _described(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.reads,
        destructive_hint=False,
        idempotent_hint=tool.repeats,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=hints,
        _meta={"anthropic/alwaysLoad": True},
    )
