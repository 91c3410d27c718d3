"""pi on Node and oh-my-pi on Bun: the same kinds of files, and a provider that speaks Chat Completions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.e2e.fetch import Recipe, system
from tests.e2e.hosts.host import Host, World
from tests.e2e.protocols.replies import Use

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FREE = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
MODEL = {
    "id": "scripted",
    "name": "Scripted",
    "reasoning": False,
    "input": ["text"],
    "contextWindow": 128_000,
    "maxTokens": 8192,
    "cost": FREE,
}


def node() -> Recipe:
    """Node itself, which npm has as a package: the client wants a newer one than many machines have."""
    package = "-".join(("node", *system()))
    return Recipe("node", "24", (f"{package}@{{version}}",), f"node_modules/{package}/bin/node")


def _bun() -> Recipe:
    name, machine = system()
    package = f"@oven/bun-{name}-{'aarch64' if machine == 'arm64' else machine}"
    return Recipe("bun", "1.4.5", (f"{package}@{{version}}",), f"node_modules/{package}/bin/bun")


def _pi() -> Recipe:
    package = "@earendil-works/pi-coding-agent"
    return Recipe("pi", "1.6.0", (f"{package}@{{version}}",), f"node_modules/{package}/dist/bundle/cli.js")


def _omp() -> Recipe:
    package, natives = "@oh-my-pi/pi-coding-agent", "-".join(("@oh-my-pi/pi-natives", *system()))
    both = (f"{package}@{{version}}", f"{natives}@{{version}}")
    return Recipe("oh-my-pi", "18.2.3", both, f"node_modules/{package}/dist/cli.js")


def _shell(command: str) -> Use:
    return Use("bash", {"command": command})


def _tool(name: str, arguments: Mapping[str, str]) -> Use:
    return Use(f"mcp__learnt__{name}", arguments)


def _written(name: str, arguments: Mapping[str, str]) -> Use:
    """oh-my-pi tells of such tools in words, and takes a file written to their address for a call."""
    return Use("write", {"path": f"xd://mcp__learnt_{name}", "content": json.dumps(arguments)})


def _prepared(folder: str, name: str) -> Callable[[World], None]:
    def prepare(world: World) -> None:
        provider = {"baseUrl": f"{world.model}/v1", "api": "openai-completions", "apiKey": "none", "models": [MODEL]}
        place = world.home / folder / "agent" / name
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps({"providers": {"scripted": provider}}, indent=2), "utf-8")

    return prepare


def _variables(world: World) -> Mapping[str, str]:
    del world
    return {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"}


def _started(runtime: str, client: str) -> Callable[[World, str], list[str]]:
    def command(world: World, prompt: str) -> list[str]:
        model = ["--provider", "scripted", "--model", "scripted"]
        return [str(world.programs[runtime]), str(world.programs[client]), "-p", "--mode", "json", *model, prompt]

    return command


PI = Host(
    name="pi",
    recipes=(_pi(), node()),
    shell=_shell,
    tool=_tool,
    prepare=_prepared(".pi", "models.json"),
    variables=_variables,
    command=_started("node", "pi"),
)
OMP = Host(
    name="oh-my-pi",
    recipes=(_omp(), _bun()),
    shell=_shell,
    tool=_written,
    prepare=_prepared(".omp", "models.yml"),
    variables=_variables,
    command=_started("bun", "oh-my-pi"),
    quiet=False,  # it asks providers for their lists of models
)
