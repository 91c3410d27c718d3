"""aider: from PyPI, in a virtual environment of its own; its model has no tools, and it has no hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.e2e.fetch import Recipe
from tests.e2e.hosts.host import Host, World

if TYPE_CHECKING:
    from collections.abc import Mapping

SWITCHES = (
    "--edit-format=diff",
    "--yes-always",
    "--no-auto-commits",
    "--no-gitignore",
    "--no-pretty",
    "--no-stream",
    "--no-check-update",
    "--no-show-model-warnings",
    "--no-show-release-notes",
    "--analytics-disable",
)


def _prepare(world: World) -> None:
    """Lay down a list of prices, which the client else fetches."""
    place = world.home / ".aider" / "caches" / "model_prices_and_context_window.json"
    place.parent.mkdir(parents=True)
    place.write_text('{"none": {}}', "utf-8")


def _variables(world: World) -> Mapping[str, str]:
    local = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # else a list of prices is fetched on import
    return local | {"OPENAI_API_BASE": f"{world.model}/v1", "OPENAI_API_KEY": "none"}


def _command(world: World, prompt: str) -> list[str]:
    client = [str(world.programs["aider"]), "-m", "aider", "--model", "openai/scripted"]
    return [*client, *SWITCHES, "--message", prompt]


HOST = Host(
    name="aider",
    recipes=(Recipe("aider", "0.86.2", ("aider-chat=={version}",), "bin/python", pypi=True),),
    shell=None,
    prepare=_prepare,
    variables=_variables,
    command=_command,
    usual=False,  # 700 MB, and a minute of work to install them
)
