"""Codex CLI: a provider of the person's own that speaks the Responses API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.e2e.fetch import Recipe, system
from tests.e2e.hosts.host import Host, World
from tests.e2e.protocols.replies import Use

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG = """\
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{model}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[analytics]
enabled = false

[features]
apps = false
plugins = false
remote_plugin = false
"""
UNASKED = "--dangerously-bypass-approvals-and-sandbox"
"""Commands run without a question; hooks are another matter."""


def _recipe() -> Recipe:
    package = "@openai/codex@{version}-" + "-".join(system())
    return Recipe("codex", "0.171.0", (package,), "node_modules/@openai/codex/vendor/*/bin/codex")


def _shell(command: str) -> Use:
    return Use("exec_command", {"cmd": command})


def _tool(name: str, arguments: Mapping[str, str]) -> Use:
    return Use(f"mcp__learnt.{name}", arguments)


def _prepare(world: World) -> None:
    place = world.home / ".codex" / "config.toml"
    place.parent.mkdir(parents=True)
    place.write_text(CONFIG.format(model=world.model), "utf-8")


def _variables(world: World) -> Mapping[str, str]:
    del world
    return {"SCRIPTED_KEY": "none"}


def _command(world: World, prompt: str) -> list[str]:
    return [str(world.programs["codex"]), "exec", "--json", UNASKED, "--dangerously-bypass-hook-trust", prompt]


HOST = Host(
    name="codex",
    recipes=(_recipe(),),
    shell=_shell,
    tool=_tool,
    prepare=_prepare,
    variables=_variables,
    command=_command,
)
