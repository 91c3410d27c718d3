"""Copilot CLI: offline, with a provider of the person's own that speaks Chat Completions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.e2e.fetch import Recipe, musl, system
from tests.e2e.hosts.host import Host, World
from tests.e2e.protocols.replies import Use

if TYPE_CHECKING:
    from collections.abc import Mapping


def _recipe() -> Recipe:
    name, machine = system()
    package = f"@github/copilot-{name}{musl()}-{machine}"
    return Recipe("copilot-cli", "1.0.102", (f"{package}@{{version}}",), f"node_modules/{package}/copilot")


def _shell(command: str) -> Use:
    return Use("bash", {"command": command, "description": "as scripted"})


def _tool(name: str, arguments: Mapping[str, str]) -> Use:
    return Use(f"learnt-{name}", arguments)


def _prepare(world: World) -> None:
    """Let the client unpack itself (200 MB) beside its program, once, and not into each home."""
    shared = world.programs["copilot-cli"].parent / "unpacked"
    shared.mkdir(exist_ok=True)
    place = world.home / ".cache" / "copilot"
    place.mkdir(parents=True)
    (place / "pkg").symlink_to(shared, target_is_directory=True)


def _variables(world: World) -> Mapping[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{world.model}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "scripted",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    }


def _command(world: World, prompt: str) -> list[str]:
    return [str(world.programs["copilot-cli"]), "-p", prompt, "--allow-all-tools", "--output-format", "json"]


HOST = Host(
    name="copilot-cli",
    recipes=(_recipe(),),
    shell=_shell,
    tool=_tool,
    prepare=_prepare,
    variables=_variables,
    command=_command,
)
