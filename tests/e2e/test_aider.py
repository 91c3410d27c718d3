"""aider, which has neither hooks nor tools: it reads the summary at its start, and its history is found by a scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.hosts.aider import HOST
from tests.e2e.hosts.host import World
from tests.e2e.hosts.roster import called
from tests.e2e.memory import Learnt
from tests.e2e.model import Model, Say

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.matrix import Row

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.serial,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(HOST not in called(), reason="aider runs only where LEARNT_E2E names it"),
]
OWN = "# mine\nauto-commits: false\n"
WARM = "The unit suite needs a warm cache."
MISSED = "README\n```\n<<<<<<< SEARCH\nNo such line.\n=======\nAnother.\n>>>>>>> REPLACE\n```\n"


def test_its_history_is_read_and_it_reads_the_summary(
    tmp_path: Path, repository: Path, fetched: Callable[[str], Path], saw: Callable[[str, str, Row], None]
) -> None:
    """An edit that failed is in the digest; what is remembered stands in front of the next session's model."""
    with Model(None) as model:
        world = World(tmp_path, repository, model.url, {"aider": fetched("aider")})
        (tmp_path / "tmp").mkdir()
        HOST.prepare(world)
        learnt, settings = Learnt(tmp_path, repository, world.person()), repository / ".aider.conf.yml"
        settings.write_text(OWN, "utf-8")
        learnt.call("init", "--host", "aider", "--yes")
        assert OWN in settings.read_text("utf-8") != OWN

        model.script(*[Say(MISSED)] * 4, Say("It does not fit."))
        HOST.ask(world, "Change the line in README.")
        (found,) = learnt.call("sessions", "scan")["sessions"]
        (read,) = learnt.call("sessions", "ingest", found["path"])["sessions"]
        assert (read["host"], read["status"]) == ("aider", "read")
        assert read["messages"] >= 2
        (session,) = learnt.call("sessions", "list")["sessions"]
        assert session["session"] == read["session"]
        assert learnt.call("digest", found["path"])["failed_tools"]

        learnt.call("remember", WARM, "--kind", "repo_convention")
        learnt.call("memory", "rebuild")
        model.script(Say("I know."))
        HOST.ask(world, "Good morning.")
        start = any(WARM in text for text in model.turns[0].everything())

        learnt.call("uninit", "--yes")
        assert settings.read_text("utf-8") == OWN
        assert model.strays == []
    cells = {"start": "file" if start else "no", "prompt": "–", "action": "–", "capture": "by a scan"}
    saw("aider", HOST.recipes[0].wanted, cells | {"tools": "–", "skills": "–"})
