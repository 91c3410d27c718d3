"""Phase 2: what all sessions come to, in files and in the text that a session is told at its start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap.artifacts import Folder
from learnt.errors import ArtifactError, StoreBusyError
from learnt.flows.artifacts import Binder
from learnt.flows.capture import ingest
from learnt.flows.consolidate import consolidate
from learnt.flows.decide import decide
from learnt.flows.erase import erase_person, erase_repository
from learnt.flows.extract import extract
from learnt.flows.forget import forget
from learnt.flows.lease import Grip, begin
from learnt.flows.pipeline import Rebuilt, enqueue, phases, rebuild
from learnt.flows.propose import propose
from learnt.flows.remember import remember
from learnt.flows.threads import here
from learnt.flows.trade import known
from learnt.flows.wipe import Wiped, wipe
from learnt.gate.clearance import PATTERN_SET
from learnt.model.answer import Proposed, Refusal, Written
from learnt.model.filter import MemoryFilter, ProposalFilter
from learnt.model.forget import Forgotten
from learnt.model.job import Done, JobRequest
from learnt.model.proposal import Decision
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.model.thread import CONSOLIDATE
from learnt.testing.fakes import FixedClock
from tests.flows.phases import (
    RULE,
    Stepping,
    Told,
    captured,
    consolidation,
    down,
    extraction,
    files,
    learning_means,
    session,
    worked,
)
from tests.flows.transcripts import Session, learning

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory

OTHER = "Never rebase shared branches."


@pytest.fixture
def means(means: Means, tmp_path: Path) -> Means:
    """With a folder for files, a day after the sessions."""
    return replace(learning_means(means, tmp_path), digest_key=b"d" * 32)


def later(means: Means, seconds: float) -> None:
    """Let time pass."""
    assert isinstance(means.clock, FixedClock)
    means.clock.advance(seconds)


def rule(means: Means) -> Memory:
    """The rule as a memory that a person reviewed."""
    waiting = means.store.proposals.page(means.context.sight, ProposalFilter()).values
    found = [each for each in waiting if "uv" in each.text]
    for each in found:
        decide(means, Decision(proposal_id=each.id, action="accept"))
    page = means.store.memories.page(means.context.sight, MemoryFilter(), means.clock.now())
    return next(each for each in page.values if "uv" in each.text)


def summary(means: Means) -> str:
    """What a starting session is told."""
    held = means.store.summaries.current(here(means))
    return held.text if held else ""


def test_two_sessions_come_to_artifacts(means: Means, tmp_path: Path) -> None:
    """MEMORY.md, the summary in file and store, a skill that two sessions showed, a page a session (T130)."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER))
    worked(means)
    made = files(means)
    assert {"MEMORY.md", "memory_summary.md", "raw_memories.md"} <= made.keys()
    assert sum(name.startswith("rollout_summaries/") for name in made) == 2
    (skill,) = [name for name in made if name.endswith("/SKILL.md")]
    assert "make db" in made[skill]
    assert made["memory_summary.md"].startswith("v1\n")
    assert summary(means) == made["memory_summary.md"]
    held = means.store.summaries.current(here(means))
    assert held is not None
    assert held.clearance == PATTERN_SET
    assert "session:s1#0" in made["MEMORY.md"]


def test_equal_rows_give_equal_bytes_and_no_work(means: Means, tmp_path: Path) -> None:
    """A second run asks no model and writes no file (T130)."""
    fact = [("constraint", RULE, RULE)]
    model = Told(answers={"extraction": [extraction(*fact)], "consolidation": [down()]})
    means = replace(means, writers=model)
    captured(means, session(tmp_path, "s1"))
    name = _extracted(means)
    model.answers["consolidation"] = [consolidation((RULE, name))]
    rebuild(means)
    before, asked = files(means), len(model.tasks)
    assert "MEMORY.md" in before
    later(means, 7 * 3_600)
    worked(means)
    assert files(means) == before
    assert len(model.tasks) == asked


def _extracted(means: Means) -> str:
    """Phase 1 alone; gives the fact's id."""
    rebuild(means)
    (found,) = means.store.extractions.many(
        here(means), [each.session_id for each in means.store.extractions.ranks(here(means))]
    )
    return found.facts[0].id


def test_a_model_that_answers_badly_changes_nothing(means: Means, tmp_path: Path) -> None:
    """An empty summary, another key: a failure each, told in the job; then an answer is taken (T133)."""
    model = Told(answers={"extraction": [extraction(("constraint", RULE, RULE))], "consolidation": [down()]})
    means = replace(means, writers=model)
    captured(means, session(tmp_path, "s1"))
    name = _extracted(means)
    good = consolidation((RULE, name))
    model.answers["consolidation"] = [{**good, "memory_summary": []}, {**good, "more": 1}, good]
    for expected in ("failed", "failed", "done"):
        enqueue(means)
        assert worked(means).get(expected) == 1, expected
        assert ("MEMORY.md" in files(means)) == (expected == "done")
        later(means, 3_700)
    job = known(means, CONSOLIDATE, "repo-a")
    assert job is not None
    assert (job.status, job.error) == ("done", "")


def test_a_model_rests_between_two_runs(means: Means, tmp_path: Path) -> None:
    """For the cooldown; the offline writer does not, and a person need not wait (T128)."""
    model = Told(answers={"extraction": [extraction(("constraint", RULE, RULE))], "consolidation": [down()]})
    means = replace(means, writers=model)
    captured(means, session(tmp_path, "s1"))
    model.answers["consolidation"] = [consolidation((RULE, _extracted(means)))]
    rebuild(means)
    asked = len(model.tasks)
    captured(means, session(tmp_path, "s2", rule=RULE))
    later(means, 3_600)
    worked(means)
    assert [task.purpose for task in model.tasks[asked:]] == ["extraction"]
    later(means, 6 * 3_600)
    worked(means)
    assert [task.purpose for task in model.tasks[asked:]] == ["extraction", "consolidation"]


def test_what_a_session_no_longer_teaches_leaves_the_files(means: Means, tmp_path: Path) -> None:
    """A skill and its folder, a session's page; then, with nothing left, all of it (T131, T132)."""
    one, two = session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER)
    captured(means, one, two)
    worked(means)
    assert any(name.startswith("skills/") for name in files(means))
    with means.store.transaction():
        gone = [each.session_id for each in means.store.extractions.ranks(here(means))]
        means.store.extractions.remove(here(means), gone[:1])
    rebuild(means)
    made = files(means)
    assert not any(name.startswith("skills/") for name in made)
    assert not (tmp_path / "home" / "projects" / "repo-a" / "skills").exists()
    assert sum(name.startswith("rollout_summaries/") for name in made) == 1
    with means.store.transaction():
        means.store.extractions.remove(here(means), gone)
        for each in means.store.proposals.page(here(means), ProposalFilter(limit=99)).values:
            means.store.erasure.withdraw(here(means), [each.id])
    enqueue(means)
    assert worked(means)["done"] >= 1
    assert files(means) == {}
    assert summary(means) == ""


def test_a_row_written_anew_during_the_run_is_taken_by_the_next(means: Means, tmp_path: Path) -> None:
    """It stays unmarked, so that the artifacts are asked for again (T144)."""
    captured(means, session(tmp_path, "s1"))
    worked(means)
    (rank,) = means.store.extractions.ranks(here(means))
    (held,) = means.store.extractions.many(here(means), [rank.session_id])

    def regenerate() -> None:
        means.store.extractions.put(replace(held, source_updated_at=means.clock.now()))

    consolidate(means, hold=regenerate)
    (rank,) = means.store.extractions.ranks(here(means))
    assert rank.selected_source is None
    worked(means)
    (rank,) = means.store.extractions.ranks(here(means))
    assert rank.selected_source == rank.source_updated_at


def test_a_decided_memory_reaches_the_artifacts(means: Means, tmp_path: Path) -> None:
    """With the next pass of a worker, as reviewed, in place of the fact that says the same."""
    captured(means, session(tmp_path, "s1"))
    worked(means)
    assert "said by a person once, not reviewed" in files(means)["MEMORY.md"]
    later(means, 60)
    memory = rule(means)
    worked(means)
    made = files(means)["MEMORY.md"]
    assert f"[{memory.id}" in made
    assert "said by a person once" not in made


def test_what_a_person_took_out_is_not_told_by_its_session(means: Means, tmp_path: Path) -> None:
    """A memory that was deleted does not come back as the words of the session that taught it."""
    captured(means, session(tmp_path, "s1"))
    worked(means)
    later(means, 60)
    memory = rule(means)
    asked = propose(means, ProposalRequest(operation="delete", target_id=memory.id, rationale="No longer."))
    assert isinstance(asked, Proposed)
    decide(means, Decision(proposal_id=asked.proposal.id, action="accept"))
    worked(means)
    assert RULE not in files(means)["MEMORY.md"]
    assert RULE not in summary(means)


def test_a_line_that_a_person_took_out_stays_out_once_agreed(means: Means, tmp_path: Path) -> None:
    """It is offered as something to ignore; until that is accepted the next version holds it again."""
    captured(means, session(tmp_path, "s1"))
    rebuild(means)
    place = tmp_path / "home" / "projects" / "repo-a" / "MEMORY.md"
    place.write_text("\n".join(row for row in place.read_text().split("\n") if RULE not in row))
    rebuild(means)
    assert RULE in files(means)["MEMORY.md"]
    waiting = means.store.proposals.page(means.context.sight, ProposalFilter()).values
    (asked,) = [each for each in waiting if each.operation == "ignore"]
    assert asked.text == RULE
    decide(means, Decision(proposal_id=asked.id, action="accept"))
    rebuild(means)
    assert RULE not in files(means)["MEMORY.md"]


@pytest.mark.parametrize("taken", ["worked in order", "skill:"])
def test_a_procedure_that_a_person_took_out_stays_out_once_agreed(means: Means, tmp_path: Path, taken: str) -> None:
    """Its line or its skill's, also when another session shows it; its folder goes."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2"))
    rebuild(means)
    assert any(name.startswith("skills/") for name in files(means))
    place = tmp_path / "home" / "projects" / "repo-a" / "MEMORY.md"
    place.write_text("\n".join(row for row in place.read_text().split("\n") if taken not in row))
    rebuild(means)
    waiting = means.store.proposals.page(means.context.sight, ProposalFilter()).values
    (asked,) = [each for each in waiting if each.operation == "ignore"]
    decide(means, Decision(proposal_id=asked.id, action="accept"))
    captured(means, session(tmp_path, "s3"))
    rebuild(means)
    assert "make db" not in files(means)["MEMORY.md"] + summary(means)
    assert not any(name.startswith("skills/") for name in files(means))


def test_what_a_person_said_no_to_is_told_to_no_session_after(means: Means, tmp_path: Path) -> None:
    """The documents are asked for by the decision itself; without any, nothing is."""
    captured(means, session(tmp_path, "s1"))
    (waiting,) = (
        each for each in means.store.proposals.page(here(means), ProposalFilter()).values if "uv" in each.text
    )
    worked(means)
    assert RULE in summary(means)
    decide(means, Decision(proposal_id=waiting.id, action="reject"))
    worked(means)
    assert RULE not in summary(means)
    wipe(means)
    worked(means)
    other = propose(means, ProposalRequest(operation="add", text=OTHER, kind="lesson"), needs_reference=False)
    assert isinstance(other, Proposed)
    decide(means, Decision(proposal_id=other.proposal.id, action="reject"))
    assert known(means, CONSOLIDATE, "repo-a") is None


def test_what_was_forgotten_comes_back_by_no_hand(means: Means, tmp_path: Path) -> None:
    """Written into a file again it is offered to nobody, and stands in no copy of that file; the rest does."""
    captured(means, session(tmp_path, "s1"))
    written = remember(means, WriteRequest(text="The zanzibar host is for releases.", kind="lesson"))
    assert isinstance(written, Written)
    rebuild(means)
    forget(means, [written.memory.id])
    folder = tmp_path / "home" / "projects" / "repo-a"
    for name, mark in (("MEMORY.md", " [session:s1#0] (said again)"), ("learned.md", " _(said again)_")):
        with (folder / name).open("a") as file:
            file.write(f"- The zanzibar host is for releases.{mark}\n- Ask before a release.\n")
            file.write("  The zanzibar host is for releases.\n")
    done = getattr(rebuild(means), "consolidated", None)
    assert done is not None
    waiting = means.store.proposals.page(here(means), ProposalFilter()).values
    assert "Ask before a release." in {each.text for each in waiting}
    assert not any("zanzibar" in each.text for each in waiting)
    assert not [name for name, text in files(means).items() if "zanzibar" in text]
    assert "Ask before a release." in Path(done.kept[0]).read_text("utf-8")


def test_one_repository_s_artifacts_hold_nothing_of_another(means: Means, tmp_path: Path) -> None:
    """Neither its sessions nor its memories (T126, oh-my-pi #369)."""
    captured(means, session(tmp_path, "s1"))
    worked(means)
    scopes = tuple(replace(each, repo_id="repo-b") if each.repo_id else each for each in means.context.scopes)
    other = replace(
        means, context=replace(means.context, scopes=scopes), identity=replace(means.identity, repository_id="repo-b")
    )
    rebuild(other)
    assert files(other) == {}
    assert "uv" in files(means)["MEMORY.md"]


def test_what_a_person_changed_is_kept_and_offered(means: Means, tmp_path: Path) -> None:
    """A copy of the file, a proposal a line; the file is made anew, and nothing is offered twice."""
    captured(means, session(tmp_path, "s1"))
    rebuild(means)
    place = tmp_path / "home" / "projects" / "repo-a" / "MEMORY.md"
    place.write_text(place.read_text() + "\n## Decisions\n\n- We deploy from the release branch alone.\n")
    done = rebuild(means)
    consolidated = getattr(done, "consolidated", None)
    assert consolidated is not None
    (copy,) = consolidated.kept
    assert "release branch" in Path(copy).read_text("utf-8")
    (offered,) = consolidated.proposals
    proposal = means.store.proposals.get(here(means), offered)
    assert proposal is not None
    assert (proposal.text, proposal.kind, proposal.status) == (
        "We deploy from the release branch alone.", "architecture_decision", "pending",
    )  # fmt: skip
    assert "release branch" not in place.read_text()
    again = getattr(rebuild(means), "consolidated", None)
    assert again is not None
    assert (again.kept, again.proposals) == ((), ())


def test_what_a_person_writes_into_a_skill_is_kept_and_offered(means: Means, tmp_path: Path) -> None:
    """What says something by itself: no bare command, fence or field; the skill is made anew, and once is enough."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2"))
    rebuild(means)
    (name,) = (each for each in files(means) if each.startswith("skills/"))
    place = tmp_path / "home" / "projects" / "repo-a" / name
    made = place.read_text()
    hand = (
        made.replace("description: ", "description: Mine. ")
        + "3. Wait for the database before the tests.\n\n```sh\nmake x\n```\n"
    )
    place.write_text(hand)
    done = getattr(rebuild(means), "consolidated", None)
    assert done is not None
    (offered,) = done.proposals
    proposal = means.store.proposals.get(here(means), offered)
    assert proposal is not None
    assert (proposal.text, proposal.kind) == ("Wait for the database before the tests.", "lesson")
    assert Path(done.kept[0]).read_text("utf-8") == hand
    assert place.read_text() == made
    again = getattr(rebuild(means), "consolidated", None)
    assert again is not None
    assert (again.kept, again.proposals) == ((), ())


def test_a_copy_of_what_a_person_changed_holds_no_secret(means: Means, tmp_path: Path) -> None:
    """Whatever is written passes the gate, a person's own words too (T136)."""
    captured(means, session(tmp_path, "s1"))
    rebuild(means)
    token = "ghp_" + "a1B2" * 9
    place = tmp_path / "home" / "projects" / "repo-a" / "MEMORY.md"
    place.write_text(place.read_text() + f"\n- Push with {token} to the mirror.\n")
    rebuild(means)
    kept = [text for name, text in files(means).items() if name.startswith("edited/")]
    assert ["to the mirror" in text for text in kept] == [True]
    assert not any(token in text for text in files(means).values())


def test_a_person_waits_for_a_worker_that_is_at_it(
    means: Means, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that a session start began does not make `memory rebuild` fail."""
    captured(means, session(tmp_path, "s1"))
    rebuild(means)
    scope = means.context.sight.one("repository")
    job = JobRequest(id="job_other", kind=CONSOLIDATE, key=scope.repo_id, scope_key=scope.key)
    other = begin(means, job)
    assert isinstance(other, Grip)
    monkeypatch.setattr(type(means.store.queue), "wait", lambda _self, _timeout_s: other.settle(Done()) or True)
    done = rebuild(means)
    assert isinstance(done, Rebuilt)
    assert (done.fault, done.consolidated is None) == ("", False)


def test_files_that_a_killed_worker_left_are_nobody_s_changes(means: Means, tmp_path: Path) -> None:
    """Killed after each of its writes: the next one finishes, and offers nothing."""
    captured(means, session(tmp_path, "s1"))
    rebuild(means)
    captured(means, session(tmp_path, "s2", rule=OTHER))
    done = 0
    for most in range(1, 40):
        left = [most]

        def step(name: str, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt(name)

        try:
            rebuild_half(replace(means, artifacts=Stepping(tmp_path / "home", step, step)))
        except KeyboardInterrupt:
            continue
        done = most
        break
    assert done > 8
    finished = getattr(rebuild(means), "consolidated", None)
    assert finished is not None
    assert (finished.kept, finished.proposals) == ((), ())
    assert "rebase" in files(means)["MEMORY.md"]


def rebuild_half(means: Means) -> None:
    """Read what waits, then write files."""
    for each in means.store.threads.latest(here(means), 9):
        if each.extracted < each.updated_at:
            extract(means, each)
    consolidate(means)


def test_what_was_forgotten_leaves_rows_and_files_at_once(means: Means, tmp_path: Path) -> None:
    """Also copies of what a person changed, and it does not come back with the next reading."""
    told = session(tmp_path, "s1")
    captured(means, told, session(tmp_path, "s2", rule=OTHER))
    rebuild(means)
    memory = rule(means)
    rebuild(means)
    place = tmp_path / "home" / "projects" / "repo-a" / "MEMORY.md"
    place.write_text(place.read_text() + "- mine\n")
    rebuild(means)
    assert any("uv" in text for name, text in files(means).items() if name.startswith("edited/"))
    forget(means, [memory.id])
    assert not any("never pip" in text for text in files(means).values())
    assert "never pip" not in summary(means)
    assert "rebase" in files(means)["MEMORY.md"]
    assert "never pip" not in str(_extractions(means))
    captured(means, told.says("Go on."))
    rebuild(means)
    assert "never pip" not in str(_extractions(means))
    assert not any("never pip" in text for text in files(means).values())


def _extractions(means: Means) -> tuple[object, ...]:
    names = [each.session_id for each in means.store.extractions.ranks(here(means))]
    return means.store.extractions.many(here(means), names)


@pytest.mark.parametrize(
    ("said", "known_as"),
    [
        ("Always use uv here, never pip, for zanzibar builds.", "Use uv here, never pip, for zanzibar."),
        ("Hello. The zanzibar host is for releases. Please deploy it.", "The zanzibar host is for releases."),
        ("Please deploy it. The zanzibar host is for releases", "The zanzibar host is for releases."),
        ("Please deploy to the zanzibar host, it is for releases.", "Deploy to the zanzibar host; it is for releases."),
    ],
)
def test_what_was_forgotten_does_not_come_back_with_its_session(
    means: Means, tmp_path: Path, said: str, known_as: str
) -> None:
    """Said in other words or among others, when the session goes on, is given anew, or another one says the same."""
    told = session(tmp_path, "s1", rule=said)
    captured(means, told)
    kept = remember(means, WriteRequest(text=known_as, kind="lesson"))
    assert isinstance(kept, Written)
    rebuild(means)
    forget(means, [kept.memory.id])
    assert not [name for name, text in files(means).items() if "zanzibar" in name + text]
    told.says("Go on with the next task, please.")
    captured(means, told)
    captured(means, session(tmp_path, "s2", rule=said))
    rebuild(means)
    assert "make db" in files(means)["MEMORY.md"]
    assert not [name for name, text in files(means).items() if "zanzibar" in name + text]


def test_an_observation_that_says_what_was_forgotten_goes_with_it(means: Means, tmp_path: Path) -> None:
    """Agents would be told it as it is; another session that shows the very same brings it back no more."""
    folder = tmp_path / "claude" / "projects" / "-srv-app"
    captured(means, learning(folder / "s1.jsonl", "s1"))
    text = 'Here `npm run check` fails: npm error Missing script: "check".'
    (seen,) = means.store.proposals.page(here(means), ProposalFilter(observations_only=True)).values
    kept = remember(means, WriteRequest(text=text, kind="lesson"))
    assert isinstance(kept, Written)
    rebuild(means)
    asked = forget(means, [kept.memory.id], dry_run=True)
    done = forget(means, [kept.memory.id])
    assert isinstance(asked, Forgotten)
    assert isinstance(done, Forgotten)
    assert seen.id in asked.proposals
    assert asked.proposals == done.proposals
    captured(means, learning(folder / "s2.jsonl", "s2"), session(tmp_path, "s3"))
    rebuild(means)
    assert "make db" in files(means)["MEMORY.md"]
    assert not [name for name, text in files(means).items() if "npm run" in text]


def test_a_person_erased_is_in_no_extraction(means: Means, tmp_path: Path) -> None:
    """Not even where nothing but an extraction speaks of them."""
    named = "Always ask Xenia Quartz before a release."
    captured(means, session(tmp_path, "s1", rule=named), session(tmp_path, "s2"))
    rebuild(means)
    assert "Quartz" in files(means)["MEMORY.md"]
    erase_person(means, "Xenia Quartz")
    assert "Quartz" not in str(_extractions(means))
    assert not any("Quartz" in text for text in files(means).values())
    assert "uv" in files(means)["MEMORY.md"]


def test_a_repository_erased_has_no_files(means: Means, tmp_path: Path) -> None:
    """Nor rows of its sessions."""
    captured(means, session(tmp_path, "s1"))
    rebuild(means)
    erase_repository(means, ".")
    assert files(means) == {}
    assert means.store.threads.latest(here(means), 9) == ()
    assert means.store.extractions.ranks(here(means)) == ()


def test_clearing_begins_anew(means: Means, tmp_path: Path) -> None:
    """All of it goes and nothing is barred: what is new in a session comes, and all of one given again (T149)."""
    told = session(tmp_path, "s1")
    captured(means, told)
    rebuild(means)
    rule(means)
    answer = wipe(means)
    assert isinstance(answer, Wiped)
    assert answer.removed["memories"] >= 1
    assert files(means) == {}
    assert means.store.memories.count(here(means)) == {}
    assert means.store.digests.count(here(means)) == 0
    rebuild(means)
    worked(means)
    assert files(means) == {}
    told.says("Never push to main without a review.")
    ingest(means, [str(told.path)], asked=False)
    rebuild(means)
    made = files(means)["MEMORY.md"]
    assert "push to main" in made
    assert "uv" not in made
    captured(means, told)
    rebuild(means)
    assert "uv" in files(means)["MEMORY.md"]
    assert isinstance(remember(means, WriteRequest(text=RULE, kind="repo_convention")), Written)


def test_clearing_is_for_a_person(means: Means, tmp_path: Path) -> None:
    """An agent is refused."""
    captured(means, session(tmp_path, "s1"))
    answer = wipe(replace(means, context=replace(means.context, person=False)))
    assert isinstance(answer, Refusal)
    assert answer.code == "person_required"


def test_a_folder_that_is_a_link_is_not_cleared(means: Means, tmp_path: Path) -> None:
    """Nor anything else: its target is untouched (T149, codex #21010)."""
    captured(means, session(tmp_path, "s1"))
    rebuild(means)
    place, target = tmp_path / "home" / "projects" / "repo-a", tmp_path / "elsewhere"
    place.rename(target)
    place.symlink_to(target)
    with pytest.raises(ArtifactError):
        wipe(means)
    assert (target / "MEMORY.md").is_file()
    assert len(means.store.extractions.ranks(here(means))) == 1


def test_a_list_of_files_that_leads_elsewhere_is_not_followed(means: Means, tmp_path: Path) -> None:
    """What stands in `.made` may have been changed by anybody."""
    (tmp_path / "home" / "precious").mkdir(parents=True)
    (tmp_path / "home" / "precious" / "a").write_text("mine")
    captured(means, session(tmp_path, "s1"))
    rebuild(means)
    listed = tmp_path / "home" / "projects" / "repo-a" / ".made" / "files.json"
    listed.write_text('{"../../precious/a": [], "/etc/passwd": [], "x": 3, ".made/files.json": []}')
    rebuild(means)
    assert (tmp_path / "home" / "precious" / "a").read_text() == "mine"
    assert means.artifacts is not None
    assert Binder(means.artifacts, "repo-a").touched() == ()


def test_how_both_phases_stand(means: Means, tmp_path: Path) -> None:
    """What waits, what was done, and what failed with its reason (oh-my-pi #695)."""
    captured(means, session(tmp_path, "s1"))
    assert (phases(means).waiting, phases(means).extracted) == (1, 0)
    model = Told(answers={"extraction": [down()]})
    worked(replace(means, writers=model))
    (fault,) = phases(means).faults
    assert fault.error == "provider_failed: The model does not answer."
    rebuild(means)
    stands = phases(means)
    assert (stands.waiting, stands.extracted, stands.faults) == (0, 1, ())
    assert stands.counts == {"memory_stage1": {"done": 1}, "memory_consolidate_global": {"done": 1}}


def test_a_last_session_that_taught_nothing_asks_for_the_others(means: Means, tmp_path: Path) -> None:
    """Whoever reads the last one asks, whatever came of it; once for all of them."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2"))
    empty = Session(tmp_path / "claude" / "projects" / "-srv-app" / "s0.jsonl", "s0")
    captured(means, empty.says("hello").replies("Hi."))
    counts = worked(means)
    assert counts == {"done": 5}, "three sessions, the artifacts once, and what is past its time"
    assert "MEMORY.md" in files(means)


def test_a_summary_that_older_patterns_cleared_is_made_anew(means: Means, tmp_path: Path) -> None:
    """Hooks show it no more; the next pass scans and makes it again."""
    captured(means, session(tmp_path, "s1"))
    worked(means)
    held = means.store.summaries.current(here(means))
    assert held is not None
    with means.store.transaction():
        means.store.summaries.put(replace(held, clearance="older"))
    worked(means)
    again = means.store.summaries.current(here(means))
    assert again is not None
    assert again.clearance == PATTERN_SET


def test_memories_that_older_patterns_cleared_stay_in_what_is_made(means: Means, tmp_path: Path) -> None:
    """After an upgrade they are scanned first; files and summary never lose them until a worker came by."""
    captured(means, session(tmp_path, "s1"))
    memory = rule(means)
    with means.store.transaction():
        means.store.memories.put(replace(memory, clearance="older"))
    rebuild(means)
    assert memory.id in summary(means)


def test_what_is_forgotten_while_artifacts_are_made_is_not_in_them(means: Means, tmp_path: Path) -> None:
    """Neither in rows nor in files, wherever in the run it happens; no model is asked twice."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER))
    rebuild(means)
    memory = rule(means)
    later(means, 60)
    for moment in range(1, 9):
        again = remember(means, WriteRequest(text=memory.text, kind=memory.kind, again=True))
        assert isinstance(again, Written)
        steps = [moment]

        def ready(_: str, steps: list[int] = steps, name: str = again.memory.id) -> None:
            steps[0] -= 1
            if steps[0] == 0:
                forget(means, [name])

        consolidate(replace(means, artifacts=Stepping(tmp_path / "home", ready, lambda _: None)))
        if steps[0] > 0:
            forget(means, [again.memory.id])
        assert not any("never pip" in text for text in files(means).values()), moment
        assert "never pip" not in summary(means), moment


def test_a_clearing_while_artifacts_are_made_leaves_none(means: Means, tmp_path: Path) -> None:
    """The worker that wrote them has lost its job, and takes them back."""
    captured(means, session(tmp_path, "s1"))
    model = Told(answers={"extraction": [extraction(("constraint", RULE, RULE))], "consolidation": [down()]})
    means = replace(means, writers=model)
    name = _extracted(means)
    model.answers["consolidation"] = [consolidation((RULE, name))]
    artifacts = means.artifacts
    assert artifacts is not None

    def ready(name: str) -> None:
        if name.endswith("memory_summary.md") and not cleared:
            cleared.append(wipe(replace(means, artifacts=artifacts)))

    cleared: list[object] = []
    enqueue(means)
    assert worked(replace(means, artifacts=Stepping(tmp_path / "home", ready, lambda _: None))).get("lost") == 1
    assert cleared
    assert files(means) == {}
    assert means.store.summaries.current(here(means)) is None


def test_a_worker_that_stood_still_past_its_lease_changes_no_file_of_its_heir(means: Means, tmp_path: Path) -> None:
    """Wherever it stood still: what it had ready is thrown away, and its rows are not written."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER))
    heir, stood = means, 0
    for at in range(1, 40):
        captured(means, session(tmp_path, f"s{at + 2}", rule=f"Deploys of region {at} go through gate {at * 7}."))
        left, made = [at], [dict[str, str]()]

        def ready(_: str, left: list[int] = left, made: list[dict[str, str]] = made, at: int = at) -> None:
            left[0] -= 1
            if left[0] == 0:
                later(heir, 181)
                captured(heir, session(tmp_path, f"late{at}", rule=f"Region {at} has {at + 3} gates, named by number."))
                assert worked(heir)["done"] == 2
                made[0] = files(heir)

        worked(replace(means, artifacts=Stepping(tmp_path / "home", ready, lambda _: None)))
        if not made[0]:
            break
        stood += 1
        assert files(means) == made[0], at
    assert stood > 6
    assert not [path for path in (tmp_path / "home").rglob(".*") if path.name != ".made" and path.suffix != ".lock"]


def test_a_memory_written_under_a_clock_that_was_ahead_is_no_reason_for_ever(means: Means, tmp_path: Path) -> None:
    """Once the clock is right again the artifacts are made once more at most; then a worker has nothing to do."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER))
    worked(means)
    at = means.clock.now()
    later(means, 10 * 365 * 86_400)
    remember(means, WriteRequest(text="The harbour has four piers.", kind="project_fact"))
    assert isinstance(means.clock, FixedClock)
    means.clock.at = at
    later(means, 60)
    worked(means)
    later(means, 60)
    assert worked(means) == {}
    remember(means, WriteRequest(text="The harbour has a light.", kind="project_fact"))
    later(means, 60)
    assert worked(means) == {"done": 1}
    assert "light" in files(means)["MEMORY.md"]
    later(means, 60)
    assert worked(means) == {}


def test_a_memory_written_while_artifacts_are_made_is_in_the_next(means: Means, tmp_path: Path) -> None:
    """It came after what they are made of was read, and before they were done."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER))
    said = list[object]()

    def ready(_: str) -> None:
        if not said:
            later(means, 1)
            said.append(remember(means, WriteRequest(text="The harbour has four piers.", kind="project_fact")))
            later(means, 1)

    worked(replace(means, artifacts=Stepping(tmp_path / "home", ready, lambda _: None)))
    assert "piers" not in files(means)["MEMORY.md"]
    assert worked(means) == {"done": 1}
    assert "piers" in files(means)["MEMORY.md"]


def test_who_lost_the_store_and_the_lease_has_the_artifacts_looked_after(means: Means, tmp_path: Path) -> None:
    """A server ended the transaction in which files took their places: they may be older than those of the heir."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER))
    heir, done = means, list[int]()

    def ready(_: str) -> None:
        if not done:
            later(heir, 181)
            assert worked(heir)["done"] == 1
            job = known(heir, CONSOLIDATE, "repo-a")
            done.append(job.done_watermark if job else 0)
            raise StoreBusyError

    worked(replace(means, artifacts=Stepping(tmp_path / "home", ready, lambda _: None)))
    job = known(means, CONSOLIDATE, "repo-a")
    assert job is not None
    assert (job.status, job.error) == ("done", "")
    assert job.done_watermark > done[0] > 0


def test_what_a_killed_worker_had_ready_goes_with_what_is_forgotten(means: Means, tmp_path: Path) -> None:
    """Whatever it holds: the list of files names what they are about, without saying it."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER))
    rebuild(means)
    memory = rule(means)
    left = tmp_path / "home" / "projects" / "repo-a" / ".made" / f".files.json.{'0' * 16}"
    left.write_text('{"rollout_summaries/never_pip.md": []}')
    forget(means, [memory.id])
    assert not left.exists()
    assert "MEMORY.md" in files(means)


def test_an_old_session_read_while_artifacts_are_made_is_taken_by_the_next(means: Means, tmp_path: Path) -> None:
    """It was not passed over: what nobody could take yet is not unused."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER))
    worked(means)
    later(means, 60 * 86_400)
    told = list[object]()

    def ready(_: str) -> None:
        if not told:
            captured(means, session(tmp_path, "old", rule="Always wait for the harbour master."))
            (thread,) = [each for each in means.store.threads.latest(here(means), 9) if not each.extracted]
            told.append(extract(means, thread))

    remember(means, WriteRequest(text="The harbour has four piers.", kind="project_fact"))
    consolidate(replace(means, artifacts=Stepping(tmp_path / "home", ready, lambda _: None)))
    assert told
    assert len(means.store.extractions.ranks(here(means))) == 3
    rebuild(means)
    assert "harbour master" in files(means)["MEMORY.md"]


def test_a_clock_that_was_ahead_lets_no_session_leave(means: Means, tmp_path: Path) -> None:
    """What would have been unused for years is there when the clock is right again."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER))
    worked(means)
    assert isinstance(means.clock, FixedClock)
    narrow = replace(means.settings, sessions=replace(means.settings.sessions, max_raw_memories=1))
    ahead = replace(means, settings=narrow, clock=FixedClock("2036-01-01T00:00:00.000Z"))
    consolidate(ahead)
    assert len(means.store.extractions.ranks(here(means))) == 2


def test_a_file_that_cannot_be_removed_keeps_no_other_that_holds_what_is_forgotten(
    means: Means, tmp_path: Path
) -> None:
    """It is told of; all the others, and what is made anew, are without it."""
    captured(means, session(tmp_path, "s1"), session(tmp_path, "s2", rule=OTHER))
    rebuild(means)
    memory = rule(means)
    rebuild(means)

    class Stuck(Folder):
        """One file stays, whatever is done."""

        def remove(self, name: str) -> bool:
            """Not this one."""
            if name.endswith(".made/MEMORY.md"):
                raise ArtifactError("It stays.")
            return super().remove(name)

    with pytest.raises(ArtifactError):
        forget(replace(means, artifacts=Stuck(tmp_path / "home")), [memory.id])
    assert files(means)
    assert not any("never pip" in text for text in files(means).values())
    assert "never pip" not in summary(means)
