"""A client that lends its model: the phases' writer for as long as it is connected, where a person chose that one."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.from_thread
import mcp_types as types
from mcp.shared.exceptions import MCPError

from learnt.errors import LearntError, ProviderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.interfaces.mcp.seat import Seat

ANSWER_S: Final = 180.0
"""How long a client may take: it may ask its person first."""
_KINDS: Final = ("memory_stage1", "memory_consolidate_global")
_PROVIDER: Final = "mcp-client"


class Lender:
    """See `learnt.ports.writer.Sampler`. Called from a worker thread of the server's event loop."""

    def __init__(self, session: Any, name: str) -> None:
        self._session = session
        self.name = name

    def sample(self, system: str, said: Sequence[tuple[str, str]], max_output_tokens: int) -> tuple[str | None, str]:
        """What the client's model answers."""
        try:
            found = anyio.from_thread.run(self._asked, system, said, max_output_tokens)
        except TimeoutError as error:
            message = "The client's model did not answer in time."
            raise ProviderError(message, code="timeout", retryable=True) from error
        except MCPError as error:
            raise ProviderError("The client does not lend its model.", code="refused") from error
        except RuntimeError as error:  # the loop has ended: the client is gone
            raise ProviderError("The client is gone.", code="unreachable", retryable=True) from error
        except ValueError as error:  # an answer that the protocol does not know
            raise ProviderError("The client's answer is none.", code="bad_response") from error
        parts = found.content if isinstance(found.content, list) else [found.content]
        texts = [part.text for part in parts if isinstance(part, types.TextContent)]
        return ("".join(texts) if texts else None), str(found.stop_reason or "")

    async def _asked(self, system: str, said: Sequence[tuple[str, str]], most: int) -> Any:
        messages = [
            types.SamplingMessage(
                role="assistant" if role == "assistant" else "user", content=types.TextContent(type="text", text=text)
            )
            for role, text in said
        ]
        params = types.CreateMessageRequestParams(
            messages=messages, system_prompt=system, max_tokens=most, temperature=0, include_context="none"
        )
        with anyio.fail_after(ANSWER_S), warnings.catch_warnings(action="ignore"):
            return await self._session.send_request(
                types.CreateMessageRequest(params=params), types.CreateMessageResultWithTools
            )


def learn(seat: Seat, folder: str, client: str, lender: Lender) -> None:
    """Do what waits for a model that only a client lends; on a store of its own, so that no call waits for it."""
    from learnt.bootstrap import Models, assemble
    from learnt.engine import Engine

    home = seat.home(client)
    models = Models(home.environment)
    models.sampler = lender
    try:
        with Engine(assemble(folder, home=home, models=models)) as engine:
            posts = engine.account().posts
            if any(post.model and post.model.provider == _PROVIDER and not post.reason for post in posts):
                waiting = engine.jobs(statuses=("pending",), kinds=_KINDS).page.values
                engine.jobs(retry=[job.id for job in waiting])
                engine.work(once=True, kinds=_KINDS)
    except LearntError as error:
        sys.stderr.write(f"learnt mcp: the client's model wrote nothing: {error.error_code}\n")
