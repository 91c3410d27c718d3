"""The point of it all, with the real Claude Code: what one session learns is in front of the model in the next ones.

Every assertion looks at the requests the client sent to the model, never at what learnt says that it did.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.e2e.client import Client, recipe
from tests.e2e.memory import Learnt
from tests.e2e.model import Model, Run, Say, Use
from tests.e2e.tools import FAILS, OTHERS, SKILL, WORKS, place_skill

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.matrix import Row

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.serial,
    pytest.mark.slow,
    pytest.mark.timeout(300),
]

FOREIGN = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "true"}]}]}, "theme": "dark"}
"""Settings the person had before."""


@pytest.fixture
def client(fetched: Callable[[str], Path], tmp_path: Path, repository: Path, model: Model) -> Client:
    """The client with the person's own settings."""
    client = Client(fetched("claude-code"), tmp_path, model.url)
    client.prepare(repository)
    (client.config / "settings.json").write_text(json.dumps(FOREIGN, indent=2), "utf-8")
    return client


@pytest.fixture
def learnt(client: Client, tmp_path: Path, repository: Path) -> Learnt:
    """The commands as the person gives them in that repository."""
    return Learnt(tmp_path, repository, client.person())


def test_what_one_session_learns_reaches_the_next_ones(
    client: Client, learnt: Learnt, repository: Path, model: Model, saw: Callable[[str, str, Row], None]
) -> None:
    """A command that failed and its form that worked come back at start, before the action, and at the prompt."""
    learnt.call("init", "--host", "claude-code")

    # Session one knows nothing, fails, and finds the form that works.
    model.script(Run(FAILS), Run(WORKS), Say("The unit suite passes."))
    session = client.ask(repository, "Check the unit suite.")
    assert not any("recalled_memory" in text for turn in model.turns for text in turn.texts())
    learnt.captured(session, known=lambda: learnt.proposal(WORKS) is not None)

    # Session two is given it at start, not again at the prompt, and once more before it repeats the failing command.
    model.script(Run(FAILS), Run(FAILS), Run(WORKS), Say("It passes."))
    session = client.ask(repository, "Check the unit suite.")
    start, warned, *later = model.turns
    assert WORKS in start.context("SessionStart")
    assert "seen once, not reviewed" in start.context("SessionStart")
    assert WORKS not in start.context("UserPromptSubmit")
    assert WORKS in warned.context("PreToolUse")
    assert not any(turn.context("PreToolUse") for turn in later)

    # Taken up again, session two still has it in its context and is not given it a second time.
    model.script(Say("It still passes."))
    client.ask(repository, "Check the unit suite.", resume=session)
    assert WORKS in "".join(model.turns[0].texts())
    assert WORKS not in model.turns[0].context("SessionStart") + model.turns[0].context("UserPromptSubmit")
    learnt.captured(session)

    # Two later lessons take the places that observations have at start.
    model.script(*(Run(command) for pair in OTHERS.items() for command in pair), Say("Built and published."))
    session = client.ask(repository, "Build it fast and publish a draft.")
    learnt.captured(session, known=lambda: all(learnt.proposal(form) is not None for form in OTHERS.values()))

    # Session three is not given it at start, so the prompt brings it.
    model.script(Say("I will use the option."))
    session = client.ask(repository, "Please check the unit suite with the tools of this repository.")
    (only,) = model.turns
    assert all(form in only.context("SessionStart") for form in OTHERS.values())
    assert WORKS not in only.context("SessionStart")
    assert WORKS in only.context("UserPromptSubmit")

    # Once a person has accepted it, it is a memory like any other.
    learnt.call("decide", str(learnt.proposal(WORKS)), "accept")
    model.script(Say("I know."))
    client.ask(repository, "Check the unit suite.")
    assert WORKS in model.turns[0].context("SessionStart") + model.turns[0].context("UserPromptSubmit")

    learnt.call("uninit")
    assert json.loads((client.config / "settings.json").read_text("utf-8")) == FOREIGN
    assert model.strays == []
    saw("claude-code", recipe().wanted, {"start": "yes", "prompt": "yes", "action": "yes", "capture": "at the end"})


def test_only_what_a_person_typed_is_an_instruction(
    client: Client, learnt: Learnt, repository: Path, model: Model
) -> None:
    """The same sentence is taken at its word when a person typed it at a terminal, and not when a program sent it."""
    learnt.call("init", "--host", "claude-code", "--accept-instructions")

    model.script(Say("Understood."))
    session = client.ask(repository, "Always publish with ./tools/publish --to draft.")
    learnt.captured(session)

    model.script(Say("Understood."))
    client.converse(repository, f"Always run the unit suite with {WORKS}.", answered=lambda: model.unsaid() == 0)
    learnt.captured(known=lambda: learnt.memory(WORKS) is not None)
    memory = learnt.memory(WORKS)
    assert memory is not None
    assert (memory["kind"], memory["scope"], memory["trust"]) == ("repo_convention", "repository", "person")
    assert learnt.memory("./tools/publish --to draft") is None

    model.script(Say("I know."))
    client.ask(repository, "Good morning.")
    assert WORKS in model.turns[0].context("SessionStart")
    assert "./tools/publish" not in "".join(model.turns[0].texts())
    assert model.strays == []


def test_the_model_calls_the_tools(
    client: Client, learnt: Learnt, repository: Path, model: Model, saw: Callable[[str, str, Row], None]
) -> None:
    """Once the server is up the model has the tools; what it recalls, proposes and reports goes through them."""
    place_skill(client.config / "skills")
    learnt.call("init", "--host", "claude-code")
    memory = learnt.call("remember", f"The unit suite runs with {WORKS}.", "--kind", "repo_convention")["memory"]["id"]
    names = [f"mcp__learnt__memory_{verb}" for verb in ("recall", "propose", "outcome", "search", "explain")]
    recall, propose, outcome = names[:3]
    text = "The suite needs a warm cache."
    proposed = {"operation": "add", "kind": "project_fact", "text": text, "evidence": ["README:1"]}

    model.script(
        Run("sleep 5"),  # the client begins without waiting for servers
        Use(recall, {"query": "how does the unit suite run"}),
        Use(propose, proposed),
        Use(outcome, {"memory_id": memory, "outcome": "useful"}),
        Use(recall, {"query": "tests", "everything": True}),
        Say("It runs."),
    )
    client.ask(repository, "Good morning.")
    first, ready, recalled, sent, reported, refused = model.turns
    assert set(names) <= set(ready.tools())
    assert WORKS in "".join(recalled.latest())
    assert memory in "".join(recalled.latest())
    assert learnt.proposal(text) is not None
    assert "pending" in "".join(sent.latest())
    assert '"success":true' in "".join(reported.latest()).replace(" ", "")
    assert "takes no" in "".join(refused.latest())
    (check,) = [each for each in learnt.call("doctor")["checks"] if each["name"] == "tools"]
    assert check["result"] == "ok"

    learnt.call("uninit")
    assert "mcpServers" not in json.loads((client.config / ".claude.json").read_text("utf-8"))
    assert model.strays == []
    skills = "~/.claude/skills" if SKILL in json.dumps(first.body) else "no"
    saw("claude-code", recipe().wanted, {"tools": "yes", "skills": skills})


def test_what_worked_twice_is_a_skill_that_the_client_lists(
    client: Client, learnt: Learnt, repository: Path, model: Model
) -> None:
    """A procedure of two sessions becomes a skill; copied on request, the model is told of it; `uninit` removes it."""
    learnt.call("init", "--host", "claude-code")
    steps = list(OTHERS.values())
    for prompt in ("Build it fast and publish a draft.", "Build it fast and publish a draft, please."):
        model.script(*(Run(step) for step in steps), Say("Built and published."))
        learnt.captured(client.ask(repository, prompt))
    learnt.call("memory", "rebuild")
    made = learnt.call("memory", "skills", "--host", "claude-code", "--yes")
    (path,) = (repository / ".claude" / "skills").glob("*/SKILL.md")
    assert all(step in path.read_text("utf-8") for step in steps), made

    model.script(Say("I know how."))
    client.ask(repository, "Good morning.")
    assert path.parent.name in json.dumps(model.turns[0].body)

    learnt.call("uninit")
    assert not path.exists()
