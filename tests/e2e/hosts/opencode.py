"""opencode: a provider of the person's own that speaks Chat Completions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.e2e.fetch import Recipe, musl, system
from tests.e2e.hosts.host import Host, World
from tests.e2e.protocols.replies import Use

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

VERSION = "1.18.33"


def _recipe() -> Recipe:
    package = "-".join(part for part in ("opencode", *system(), musl()) if part)
    return Recipe("opencode", VERSION, (f"{package}@{{version}}",), f"node_modules/{package}/bin/opencode")


def _shell(command: str) -> Use:
    return Use("bash", {"command": command, "description": "as scripted"})


def _tool(name: str, arguments: Mapping[str, str]) -> Use:
    return Use(f"learnt_{name}", arguments)


def _prepare(world: World) -> None:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": f"{world.model}/v1", "apiKey": "none"},
        "models": {"scripted": {"name": "Scripted"}},
    }
    config = {
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "model": "scripted/scripted",
        "provider": {"scripted": provider},
        "permission": {"bash": "allow"},
    }
    folder = world.home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text(json.dumps(config, indent=2), "utf-8")
    _install(folder)


def _install(folder: Path) -> None:
    """Leave what says that the types of its plugins are there, as after any start with the network.

    Without it the client asks the package registry at every start; one that ends meanwhile leaves its lock behind, and
    the next start waits for a minute, until that lock counts as stale.
    """
    held = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": VERSION}}}}
    (folder / "node_modules").mkdir()
    (folder / "package-lock.json").write_text(json.dumps(held), "utf-8")


def _variables(world: World) -> Mapping[str, str]:
    del world
    names = ("AUTOUPDATE", "DEFAULT_PLUGINS", "LSP_DOWNLOAD", "MODELS_FETCH")
    return {f"OPENCODE_DISABLE_{name}": "1" for name in names}


def _command(world: World, prompt: str) -> list[str]:
    return [str(world.programs["opencode"]), "run", "--format", "json", prompt]


HOST = Host(
    name="opencode",
    recipes=(_recipe(),),
    shell=_shell,
    tool=_tool,
    prepare=_prepare,
    variables=_variables,
    command=_command,
)
