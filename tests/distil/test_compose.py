"""What many sessions come to, without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.distil.compose import compose
from learnt.distil.line import line
from learnt.distil.near import gist, same
from learnt.model.extraction import Entry, Extraction
from learnt.model.memory import Memory
from learnt.model.proposal import Proposal
from tests.distil.world import observed, remembered, said, taught, worked

CHECKS = ("just fmt", "just lint", "just test")
SESSIONS = (
    taught(
        "a",
        said("a", "Always use uv, never pip."),
        worked("a", *CHECKS),
        said("a", "The cache lives in `.cache/` and is ignored.", "pitfall", "agent"),
    ),
    taught("b", said("b", "always use uv never pip"), worked("b", *CHECKS), at="2026-03-02T10:00:00.000Z"),
    taught("c", said("c", "Please always use uv, never pip."), worked("c", "just lint", "just test")),
    taught("d", said("d", "Use yarn for the site.", "decision")),
)
MEMORIES = (remembered("Use yarn for the site."), remembered("Tests are in `tests/`."))
SEEN = (
    observed(1, "`make` fails here: no rule. What worked instead: `just build`", "a"),
    observed(2, "Waits for a person.", "b", observation=False),
    observed(3, "Was refused.", "b", status="rejected"),
)


def lines(entries: tuple[Entry, ...]) -> list[tuple[str, str, int]]:
    return [(entry.standing, entry.text, entry.sessions) for entry in entries]


def test_what_several_sessions_say_is_said_once() -> None:
    """Equal statements become one entry with a count and the places of all."""
    made = [entry for entry in compose(SESSIONS).entries if "pip" in entry.text]
    assert len(made) == 1
    assert made[0].sessions == 3
    assert made[0].refs == ("session:a#7", "session:b#7", "session:c#7")
    assert made[0].label == "said by a person in 3 sessions, not reviewed"


def test_a_hundred_sessions_do_not_pile_up() -> None:
    """However often a statement comes in other case or words around it, it is one entry of bounded size."""
    many = [
        taught(f"s{n:03d}", said(f"s{n:03d}", ("Please run " if n % 2 else "RUN ") + "`just lint` first"))
        for n in range(100)
    ]
    (entry,) = compose(many).entries
    assert entry.sessions == 100
    assert len(entry.refs) == 12


@given(st.permutations(SESSIONS), st.permutations(MEMORIES), st.permutations(SEEN))
def test_the_order_of_input_does_not_count(
    sessions: list[Extraction], memories: list[Memory], seen: list[Proposal]
) -> None:
    """Equal input in another order gives an equal playbook."""
    assert compose(sessions, memories, seen) == compose(SESSIONS, MEMORIES, SEEN)


def test_what_is_remembered_speaks_for_what_was_said() -> None:
    """A fact that an active memory states already adds its place to it, and takes its standing."""
    made = [entry for entry in compose(SESSIONS, MEMORIES).entries if "yarn" in entry.text]
    assert [(entry.standing, entry.section) for entry in made] == [("active", "memory")]
    assert made[0].refs == (MEMORIES[0].id, "session:d#7")
    assert made[0].label == "trust person"


def test_only_what_may_be_shown_is_in_the_summary() -> None:
    """Active memories, a person's words, observations; an agent's own words stay in the whole document."""
    made = compose(SESSIONS, MEMORIES, SEEN)
    assert {entry.standing for entry in made.summary} == {"active", "person", "observed"}
    assert any(entry.standing == "unreviewed" and entry.label == "not reviewed" for entry in made.entries)
    assert not any("refused" in entry.text or "Waits" in entry.text for entry in made.entries)


def test_an_observation_stands_where_it_came_from() -> None:
    """A corrected command is a failure, a recipe a workflow, a churned file a pitfall."""
    came = [
        observed(number, f"`thing {number}` is so.", "a", metadata={"origin": origin}, kind="test_pattern")
        for number, origin in enumerate(("failed_then_fixed", "recipe", "churn_before_pass"))
    ]
    made = sorted(compose((), (), came).entries, key=lambda entry: entry.refs)
    assert [entry.section for entry in made] == ["failure", "workflow", "pitfall"]


def test_memories_that_are_not_active_are_left_out() -> None:
    """A superseded or quarantined memory is no entry."""
    gone = remembered("Use pip.", status="superseded")
    assert compose((), [gone]).entries == ()


def test_the_strongest_comes_first() -> None:
    """Entries stand by standing, then by how often they were met."""
    standings = [entry.standing for entry in compose(SESSIONS, MEMORIES, SEEN).entries]
    assert standings == sorted(standings, key=["active", "person", "observed", "unreviewed"].index)


def test_later_words_take_earlier_ones_back() -> None:
    """Of two values for the same thing the summary tells the later; the whole document keeps both."""
    old = taught("a", said("a", "Use npm for installs."), said("a", "Run tests with pytest -n 8."))
    new = taught("b", said("b", "From now on use pnpm for installs."), at="2026-03-09T10:00:00.000Z")
    decided = remembered("Run tests with pytest -n 4.", at="2026-03-10T10:00:00.000Z")
    made = compose([old, new], [decided])
    assert [entry.text for entry in made.summary] == [decided.text, "From now on use pnpm for installs."]
    assert len(made.entries) == 4
    earlier = remembered("Run tests with pytest -n 4.", at="2026-01-10T10:00:00.000Z")
    assert len(compose([old], [earlier]).summary) == 3


def test_what_a_person_rejected_does_not_return() -> None:
    """Whatever says the same as a rejected statement is left out, unless it was accepted after all."""
    made = compose(SESSIONS, MEMORIES, (), rejected=("Always use uv, never pip.", "Use yarn for the site."))
    texts = [entry.text for entry in made.entries]
    assert not any("pip" in text for text in texts)
    assert "Use yarn for the site." in texts


def test_a_sequence_that_a_person_rejected_is_neither_entry_nor_skill() -> None:
    """Said as the entry or as the skill tells it, also cut, however often it was met since; another one stays."""
    made = compose(SESSIONS)
    told = next(entry.text for entry in made.entries if entry.section == "workflow" and "just fmt" in entry.text)
    (skill,) = made.skills
    assert f"{skill.sessions} sessions" in skill.description
    long = tuple(f"make step-{number} {'x' * 40}" for number in range(6))
    more = (*SESSIONS, taught("e", worked("e", *CHECKS), worked("e", *long)), taught("f", worked("f", *long)))
    other = next(each for each in compose(more).skills if "step-0" in each.body)
    cut = line(other.description, 400)
    assert cut.endswith("…")
    ours, others = ("just fmt", "step-0"), ("step-0", "just fmt")
    for no, (gone, stays) in ((told, ours), (skill.description, ours), (cut, others)):
        left = compose(more, rejected=[no])
        assert not any(gone in each.text for each in left.entries)
        assert not any(gone in each.body for each in left.skills)
        assert any(stays in each.body for each in left.skills)


def test_a_procedure_seen_twice_is_a_skill() -> None:
    """Steps that worked in two sessions become a skill; a part of a longer one is not told beside it."""
    (skill,) = compose(SESSIONS).skills
    assert skill.sessions == 2
    assert "just fmt" in skill.body
    assert skill.refs == ("session:a#7", "session:b#7")


def test_a_skill_is_named_by_what_it_does() -> None:
    """By the purpose of its steps where they have one, else by their programs; equal names get numbers."""
    sessions = [
        taught(name, worked(name, "npm run build", "npm test"), worked(name, "make build", "make test"))
        for name in "ab"
    ]
    odd = [taught(name, worked(name, "zig fetch x", "npm test")) for name in "ab"]
    assert [skill.name for skill in compose(sessions).skills] == ["build-and-test", "build-and-test-2"]
    assert [skill.name for skill in compose(odd).skills] == ["run-zig-fetch-and-test"]
    assert compose(sessions).skills[0].description.startswith("Build and test after a change: `make build`, then")


def test_once_is_no_skill() -> None:
    """Steps of one session, also when they were run twice in it, and single commands are none."""
    once = taught("a", worked("a", *CHECKS), worked("a", "just fmt", "just lint", "just docs"))
    single = [taught("a", worked("a", "just test")), taught("b", worked("b", "just test"))]
    assert compose([once]).skills == ()
    assert compose(single).skills == ()


def test_what_did_not_work_is_no_skill() -> None:
    """Commands that were only claimed do not count."""
    claimed = [
        taught(name, said(name, "Do this, then that.", "workflow", "agent", commands=CHECKS)) for name in ("a", "b")
    ]
    assert compose(claimed).skills == ()


def test_the_same_failure_of_another_run_is_the_same() -> None:
    """Whatever the complaint says that day; another cure is another failure, and a memory speaks for both."""
    runs = [
        f"`make` fails here: error {n} in `0x{n}f{n}a`. What worked instead: `make {cure}`"
        for n, cure in enumerate(("all", "all", "docs"))
    ]
    sessions = [taught(f"s{n}", said(f"s{n}", text, "failure", "tool", worked=True)) for n, text in enumerate(runs)]
    assert [entry.sessions for entry in compose(sessions).entries] == [2, 1]
    churned = [
        f"`a.py` was edited {n} times before `just lint` passed. Its last complaint: `x{n}` is bad" for n in (3, 4)
    ]
    several = [taught(f"s{n}", said(f"s{n}", text, "pitfall", "tool", worked=True)) for n, text in enumerate(churned)]
    assert len(compose(several).entries) == 1
    (entry,) = compose(several, [remembered(churned[0])]).entries
    assert (entry.standing, entry.sessions) == ("active", 2)


def test_sequences_are_told_apart_by_their_order() -> None:
    """Equal commands in another order, or a part of them, are another entry; what a skill says is not said twice."""
    other = [taught("a", worked("a", "just a", "just b")), taught("b", worked("b", "just b", "just a"))]
    assert len(compose(other).entries) == 2
    shown = [entry.text for entry in compose(SESSIONS).summary if entry.section == "workflow"]
    assert shown == []


def test_the_common_part_of_two_sessions_is_the_skill() -> None:
    """What two longer sequences share is what was seen twice."""
    made = compose([taught("a", worked("a", "just gen", *CHECKS)), taught("b", worked("b", *CHECKS, "just docs"))])
    assert [skill.description.count("`just") for skill in made.skills] == [3]


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ("Always use uv, never pip.", "please ALWAYS use uv and never pip", True),
        ("Run the linter before committing.", "Run linter before commit", True),
        ("Use npm.", "Use pnpm.", False),
        ("Run the tests with pytest before you commit", "Run the tests with tox before you commit", False),
        ("Commit generated files.", "Never commit generated files.", False),
        ("Wait 5 seconds.", "Wait 50 seconds.", False),
        ("Use uv.", "Use uv for the server, and yarn for the site and its workers.", False),
        ("", "", False),
    ],
)
def test_the_same_statement(one: str, two: str, equal: bool) -> None:
    """Only what holds the other's words, numbers and negations says the same."""
    assert same(gist(one), gist(two)) is equal
    assert same(gist(two), gist(one)) is equal
