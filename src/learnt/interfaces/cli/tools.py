"""`learnt mcp`: the tools an agent calls, over standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from learnt.errors import ConfigError
from learnt.interfaces.cli.frame import command

if TYPE_CHECKING:
    from learnt.interfaces.cli.frame import Desk


@command("mcp", short_help="The tools an agent calls (MCP over stdio).")
@click.option("--host", default="", metavar="NAME", help="Who starts it; then places are those that init recorded.")
@click.option("--config", default="", metavar="FILE", help="With --host: the configuration file beside the record.")
def mcp(desk: Desk, *, host: str, config: str) -> None:
    """Serve the tools memory_recall, memory_propose, memory_outcome, memory_search and memory_explain to one agent.

    A coding agent starts this by itself once `learnt init` wired it. Standard output is the protocol's alone. What an
    agent wants to be remembered is proposed; a person decides.
    """
    from learnt.interfaces.mcp.process import run

    try:
        run(desk.environment, host=host, config=config, project="" if desk.project == "." else desk.folder)
    except ImportError as error:
        hint = "Install learnt again, with what it depends on."
        raise ConfigError(f"The tool server needs the package {error.name or 'mcp'}.", hint=hint) from None
