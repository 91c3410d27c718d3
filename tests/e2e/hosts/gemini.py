"""Gemini CLI: a key of no use, and the model's address for the Gemini API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.e2e.fetch import Recipe
from tests.e2e.hosts.host import Host, World
from tests.e2e.hosts.pi import node
from tests.e2e.protocols.replies import Use

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
}
MODEL = "gemini-2.5-flash"
"""Named, since the client else asks a model which model to ask."""


def _recipe() -> Recipe:
    package = "@google/gemini-cli"
    return Recipe("gemini-cli", "0.61.0", (f"{package}@{{version}}",), f"node_modules/{package}/bundle/gemini.js")


def _shell(command: str) -> Use:
    return Use("run_shell_command", {"command": command, "description": "as scripted"})


def _tool(name: str, arguments: Mapping[str, str]) -> Use:
    return Use(f"mcp_learnt_{name}", arguments)


def _prepare(world: World) -> None:
    place = world.home / ".gemini" / "settings.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(SETTINGS, indent=2), "utf-8")


def _variables(world: World) -> Mapping[str, str]:
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": world.model}


def _command(world: World, prompt: str) -> list[str]:
    client = [str(world.programs["node"]), str(world.programs["gemini-cli"])]
    return [*client, "-m", MODEL, "-p", prompt, "-o", "json", "--yolo"]


HOST = Host(
    name="gemini-cli",
    recipes=(_recipe(), node()),
    shell=_shell,
    tool=_tool,
    prepare=_prepare,
    variables=_variables,
    command=_command,
)
