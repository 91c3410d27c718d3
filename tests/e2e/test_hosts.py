"""The point of it all with every other client that npm or PyPI has: its sessions are learnt from, and it is given back.

As with Claude Code, every assertion looks at the requests that the client sent to the model. What each client was seen
to do is held against the table of docs/reference/hosts.md, and printed.
"""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.e2e.hosts.host import Host, World
from tests.e2e.hosts.roster import HOSTS, called
from tests.e2e.memory import Learnt
from tests.e2e.model import Model, Run, Say
from tests.e2e.tools import FAILS, OTHERS, SKILL, WORKS, place_skill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from tests.e2e.matrix import Row

pytestmark = [pytest.mark.e2e, pytest.mark.serial, pytest.mark.slow, pytest.mark.timeout(300)]
BLOCK = re.compile(r"<recalled_memory.*?</recalled_memory>", re.DOTALL)
LESSONS = {FAILS: WORKS, **OTHERS}
WARM = "The unit suite needs a warm cache."


@pytest.fixture(params=[host for host in HOSTS if host.shell is not None], ids=lambda host: host.name)
def host(request: pytest.FixtureRequest) -> Host:
    """Each client whose model has tools."""
    named: Host = request.param
    if named not in called():
        pytest.skip(f"{named.name} runs only where LEARNT_E2E names it")
    return named


@pytest.fixture
def model(host: Host) -> Iterator[Model]:
    """The scripted model, which calls the shell by the client's name for it."""
    with Model(host.shell) as serving:
        yield serving


@pytest.fixture
def world(host: Host, model: Model, tmp_path: Path, repository: Path, fetched: Callable[[str], Path]) -> World:
    """The client with a person's configuration, and nothing of learnt yet."""
    world = World(tmp_path, repository, model.url, {each.name: fetched(each.name) for each in host.recipes})
    (tmp_path / "tmp").mkdir()
    world.home.mkdir()
    host.prepare(world)
    return world


@pytest.fixture
def learnt(world: World) -> Learnt:
    """The commands as the person gives them in that repository."""
    return Learnt(world.root, world.repository, world.person())


def test_a_session_is_learnt_from_and_the_next_is_given_it(
    host: Host, world: World, learnt: Learnt, model: Model, saw: Callable[[str, str, Row], None]
) -> None:
    """What failed and worked in one session is in front of the model in the next; `uninit` leaves nothing behind."""
    before = _files(world.home)
    learnt.call("init", "--host", host.name, "--yes")
    wired = _files(world.home)
    learnt.call("uninit", "--yes")
    assert _files(world.home) == before != wired
    learnt.call("init", "--host", host.name, "--yes")
    assert _files(world.home) == wired

    # Session one knows nothing, and finds three times the form that works. It is read when it ends.
    model.script(*(Run(command) for pair in LESSONS.items() for command in pair), Say("All three work."))
    host.ask(world, "Try the tools.")
    assert not any(_blocks(turn.everything()) for turn in model.turns)
    learnt.captured(known=lambda: learnt.proposed(*LESSONS.values()))
    (session,) = learnt.call("sessions", "list")["sessions"]
    assert session["host"] == host.name
    assert session["messages"] >= 1 + 2 * 2 * len(LESSONS) + 1  # the prompt, calls with their results, the last word

    # Session two is given two of the lessons at start, the one it is about at the prompt, and again when it fails.
    learnt.call("remember", WARM, "--kind", "repo_convention")
    place_skill(world.home / host.skills)
    model.script(Run(FAILS), Run(FAILS), host.tool("memory_recall", {"query": WARM}), Say("It passes."))
    host.ask(world, "Please check the unit suite with the tools of this repository.")
    first, second, third, last = model.turns
    start = [block for block in _blocks(first.everything()) if all(form in block for form in OTHERS.values())]
    prompt = [block for block in _blocks(first.everything()) if WORKS in block]
    action = [block for block in _blocks(second.latest()) if WORKS in block]
    assert not _blocks(third.latest())

    # What it was given is not taken for what its tools said.
    found = learnt.call("sessions", "scan")["sessions"]
    assert [each["host"] for each in found] == [host.name] * 2
    digest = learnt.call("digest", *(each["path"] for each in found if each["path"] != session["path"]))
    assert {(each["command"], each["exit_code"]) for each in digest["failed_commands"]} == {(FAILS, 2)}
    assert not _blocks(each["tail"] for each in digest["failed_commands"])
    assert digest["stats"]["writes_ok"] == {}

    learnt.call("uninit", "--yes")
    left = _files(world.home)
    assert not [path for path in wired if path not in before and path in left]
    assert not [path for path in before if "learnt" in left[path]]
    assert not host.quiet or model.strays == []
    assert all(stray.startswith("CONNECT ") for stray in model.strays)

    tools = any(WARM in text for text in last.latest())
    cells = {"start": start, "prompt": prompt, "action": action, "tools": tools}
    given = {column: "yes" if seen else "no" for column, seen in cells.items()}
    skills = f"~/{host.skills}" if SKILL in json.dumps(first.body) else "no"
    saw(host.name, host.recipes[0].wanted, given | {"capture": "at the end", "skills": skills})


def _blocks(texts: Iterable[str]) -> list[str]:
    """What was given from memory; Gemini CLI escapes it."""
    return [block for text in texts for block in BLOCK.findall(html.unescape(text))]


def _files(folder: Path) -> dict[str, str]:
    """Every text of the person's, by its path; what the clients unpack is left out."""
    paths = [path for path in folder.rglob("*") if path.is_file() and ".cache" not in path.parts]
    return {str(path.relative_to(folder)): path.read_text("utf-8", "replace") for path in sorted(paths)}
