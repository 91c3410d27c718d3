"""The server with the SDK's own client, which holds every answer against its output schema."""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.interfaces.mcp.tools import TOOLS
from tests.mcp.stdio import COMMAND

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CALLS = int(os.environ.get("LEARNT_TEST_CALLS", "80"))
"""Calls of one client; 1,000 are tried with LEARNT_TEST_CALLS=1000."""
CLIENTS = 8
WORDS = (
    *("uv", "ruff", "pytest", "build", "deploy", "cache", "schema", "index"),
    *("migration", "token", "retry", "timeout", "docker", "branch"),
)


@pytest.fixture
def server(repository: Path, environment: dict[str, str]) -> StdioServerParameters:
    """How a client starts it."""
    return StdioServerParameters(command=sys.executable, args=COMMAND[1:], env=environment, cwd=repository)


def _mixed(draw: random.Random, memories: list[str], count: int) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Calls of every tool, good and bad: name, arguments, whether it is to fail."""
    for number in range(count):
        words = " ".join(draw.sample(WORDS, 3))
        known = draw.choice(memories)
        match draw.randrange(10):
            case 0 | 1 | 2:
                yield "memory_recall", {"query": f"how does {words} work", "max_items": draw.randint(1, 20)}, False
            case 3:
                yield "memory_search", {"query": words, "in": draw.choice(["all", "evidence", "memories"])}, False
            case 4:
                yield "memory_explain", {"id": known}, False
            case 5 | 6:
                text = f"Statement {number} says that {words} belong together."
                proposed = {"operation": "add", "kind": "project_fact", "text": text, "evidence": ["pyproject.toml:1"]}
                yield "memory_propose", proposed, False
            case 7:
                yield "memory_outcome", {"memory_id": known, "outcome": draw.choice(["useful", "dead_end"])}, False
            case 8:
                yield "memory_explain", {"id": f"mem_{number:016x}"}, True
            case _:
                yield draw.choice(["memory_recall", "memory_search"]), {"query": words, "scope": "everything"}, True


def test_many_mixed_calls_of_one_client(
    server: StdioServerParameters, repository: Path, environment: dict[str, str]
) -> None:
    """Every answer fits its schema, every bad call is an error in the shape of the command line's, and none is lost."""
    memories = _filled(repository, environment)
    seen: Counter[tuple[str, bool]] = Counter()

    async def talk() -> None:
        async with Client(stdio_client(server)) as client:
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
            for name, arguments, fails in _mixed(random.Random(7), memories, CALLS):
                result = await client.call_tool(name, arguments)
                assert result.is_error == fails, (name, arguments, result.structured_content)
                assert result.structured_content["success"] is not fails
                if fails:
                    assert set(result.structured_content["error"]) == ERROR_KEYS
                seen[name, fails] += 1

    anyio.run(talk)
    assert sum(seen.values()) == CALLS
    assert {name for name, _ in seen} == {tool.name for tool in TOOLS}


ERROR_KEYS = {"code", "message", "hint", "retryable", "details"}


@pytest.mark.slow
def test_eight_clients_at_once(server: StdioServerParameters, repository: Path, environment: dict[str, str]) -> None:
    """Eight servers on one store: nobody is turned away, the same proposal is kept once, and the chain holds."""
    memories = _filled(repository, environment)
    shared = {"operation": "add", "kind": "todo", "text": "All eight want this."}
    ids: set[str] = set()

    async def talk(number: int) -> None:
        async with Client(stdio_client(server)) as client:
            ids.add((await client.call_tool("memory_propose", shared)).structured_content["proposal_id"])
            for name, arguments, fails in _mixed(random.Random(number), memories, max(6, CALLS // 20)):
                result = await client.call_tool(name, arguments)
                assert result.is_error == fails, result.structured_content

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for number in range(CLIENTS):
                group.start_soon(talk, number)

    anyio.run(all_at_once)
    with Engine.open(repository, home=Home(environment)) as engine:
        assert engine.verify().report.verified
    assert len(ids) == 1


def _filled(repository: Path, environment: dict[str, str]) -> list[str]:
    """A repository with memories; their ids."""
    with Engine.open(repository, home=Home(environment)) as engine:
        written = [engine.remember(f"{a} comes before {b}.", kind="repo_convention") for a, b in pairwise(WORDS)]
        return [each.memory.id for each in written]  # type: ignore[union-attr]
