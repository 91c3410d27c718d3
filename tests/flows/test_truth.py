"""One truth at a time: what a write retires, disputes and nominates, and by what time."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.flows.remember import remember
from learnt.flows.truth import among
from learnt.model.answer import Written
from learnt.model.conflict import conflicts_of
from learnt.model.filter import ProposalFilter
from learnt.model.request import WriteRequest
from learnt.settings import LessonSettings, Settings
from learnt.testing import samples
from learnt.testing.embedders import HashEmbedder
from tests.flows.test_dense import having
from tests.flows.test_writing import asked, decided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.flows.means import Means
    from learnt.model.memory import Memory

COMMIT = "a" * 40


def wrote(means: Means, text: str, **fields: object) -> Written:
    given = {"kind": "project_fact", **fields}
    answer = remember(means, WriteRequest(text=text, **given))  # type: ignore[arg-type]
    assert isinstance(answer, Written)
    means.clock.advance(3_600)  # type: ignore[attr-defined]
    return answer


def held(means: Means, written: Written) -> Memory:
    memory = means.store.memories.get(means.context.sight, written.memory.id)
    assert memory is not None
    return memory


def operations(means: Means) -> list[str]:
    return [row.operation for row in means.store.events.chain()]


class TestRetirement:
    """Same subject and attribute, another value, newer evidence."""

    def test_another_value_retires_the_older(self, means: Means) -> None:
        """The older statement is superseded in the same write, and an event tells of it."""
        old = wrote(means, "Tests run with pytest -n 4")
        new = wrote(means, "Tests run with pytest -n 8")
        assert new.superseded == (old.memory.id,)
        assert (held(means, old).status, held(means, old).superseded_by) == ("superseded", new.memory.id)
        assert held(means, new).supersedes == (old.memory.id,)
        assert operations(means) == ["upsert", "upsert", "supersede"]

    def test_kinds_that_say_what_holds_meet(self, means: Means) -> None:
        """A convention replaces a fact about the same; a note of what was tried replaces nothing."""
        wrote(means, "Use npm", kind="project_fact")
        assert wrote(means, "Use pnpm, not npm", kind="repo_convention").superseded
        assert not wrote(means, "Use yarn", kind="todo").superseded

    def test_a_security_note_gives_way_only_to_its_kind(self, means: Means) -> None:
        """Nothing else retires a security note."""
        wrote(means, "Never log tokens", kind="security_note", evidence=("docs/security.md",))
        assert not wrote(means, "Log tokens", kind="repo_convention").superseded

    def test_scopes_stay_apart(self, means: Means) -> None:
        """A person's preference takes nothing from a repository."""
        wrote(means, "Use npm", kind="repo_convention")
        assert not wrote(means, "Use pnpm", kind="user_preference").superseded

    def test_true_again_is_a_period_of_its_own(self, means: Means) -> None:
        """On in March, off in April, on in May: May's write begins a new period and retires April's (G06)."""
        on = wrote(means, "feature freeze is on")
        off = wrote(means, "feature freeze is off")
        again = wrote(means, "feature freeze is on")
        assert off.superseded == (on.memory.id,)
        assert (again.existing, again.superseded, again.nominated) == (False, (off.memory.id,), (off.memory.id,))
        assert held(means, on).valid_from > held(means, off).valid_from
        assert [past.memory.status for past in means.store.pasts.of(means.context.sight, on.memory.id)] == [
            "active",
            "superseded",
        ]

    def test_added_detail_keeps_what_was_there_within_reach(self, means: Means) -> None:
        """A value told more closely is current; the older one hangs on it with its evidence (G09)."""
        old = wrote(means, "Tests need Redis", evidence=("a.yml", "b.yml", "c.yml"))
        new = wrote(means, "Tests need Redis 7")
        assert new.superseded == (old.memory.id,)
        assert len(held(means, old).evidence) == 4

    def test_a_statement_of_several_things_is_disputed_not_retired(self, means: Means) -> None:
        """Where only a part of the older is contradicted the rest may hold."""
        old = wrote(means, "Tests run with pytest -n 4. Reviews are required.")
        new = wrote(means, "Tests run with pytest -n 8")
        assert (new.superseded, new.nominated) == ((), (old.memory.id,))


class TestTime:
    """The time of the evidence decides, not that of the write."""

    def test_older_evidence_arrives_late(self, means: Means) -> None:
        """A statement that rests on an older commit is kept as what held before."""
        means.workplace.made[COMMIT] = "2025-01-01T00:00:00.000Z"  # type: ignore[attr-defined]
        new = wrote(means, "Tests run with pytest -n 8")
        old = wrote(means, "Tests run with pytest -n 4", evidence=(COMMIT,))
        assert (old.memory.status, old.memory.superseded_by) == ("superseded", new.memory.id)
        assert held(means, new).status == "active"

    def test_a_file_beside_a_commit_is_of_today(self, means: Means) -> None:
        """What also rests on the work tree as it stands is not dated back."""
        means.workplace.made[COMMIT] = "2025-01-01T00:00:00.000Z"  # type: ignore[attr-defined]
        old = wrote(means, "Tests run with pytest -n 8")
        assert wrote(means, "Tests run with pytest -n 4", evidence=(COMMIT, "tox.ini")).superseded == (old.memory.id,)


class TestTrust:
    """A lower trust never retires a higher."""

    def test_an_external_source_only_disputes(self, means: Means) -> None:
        """What a web page says stands beside what a person said."""
        old = wrote(means, "Tests run with pytest -n 4")
        new = wrote(means, "Tests run with pytest -n 8", evidence=("https://example.org/ci",))
        assert (new.superseded, new.nominated) == ((), (old.memory.id,))
        assert conflicts_of(held(means, new))[0].reason == "disputes"

    def test_a_file_makes_a_person_no_less_of_one(self, means: Means) -> None:
        """A person who points at a file of the repository retires what a person said before."""
        old = wrote(means, "Use npm")
        assert wrote(means, "Use pnpm", evidence=("package.json",)).superseded == (old.memory.id,)

    def test_an_accepted_proposal_disputes_what_a_person_wrote(self, means: Means) -> None:
        """An agent's statement, accepted, stands beside the person's, and both are told of."""
        old = wrote(means, "Use npm", kind="repo_convention")
        made = decided(means, asked(means, "Use pnpm"))
        assert made.memory is not None
        assert old.memory.id in (*made.superseded, *made.nominated)


class TestCoexisting:
    """What may stand together does."""

    @pytest.mark.parametrize(
        ("one", "two"),
        [
            ("payments service – owner: team Kilo", "payments service – on-call hours: 8 to 18"),
            ("Run migrations with the lock held.", "Migrations should not be skipped on the demo box either."),
            ("Team Ash maintains the parser", "Team Ash maintains the formatter"),
            ("The cache TTL is 5 minutes in staging", "The cache TTL is 10 minutes in production"),
        ],
    )
    def test_nothing_is_said_of_it(self, means: Means, one: str, two: str) -> None:
        """Neither retired, nor disputed, nor nominated (G01, G03, G04)."""
        wrote(means, one)
        new = wrote(means, two)
        assert (new.superseded, new.nominated) == ((), ())


class TestRepeats:
    """What only repeats adds its evidence to what is there."""

    def test_other_words_for_the_same_add_evidence(self, means: Means) -> None:
        """A statement that differs in small words is the one that is there (F03, F04)."""
        first = wrote(means, "Run the tests with pytest.")
        again = wrote(means, "Please always run tests with pytest", evidence=("ci.yml",))
        assert (again.existing, again.memory.id) == (True, first.memory.id)
        assert [each.ref for each in held(means, first).evidence][-1] == "ci.yml"

    def test_nine_variants_are_one(self, means: Means) -> None:
        """Copies of one extraction do not fill the store (F04)."""
        for word in ("", "always ", "please ", "now ", "just ", "simply ", "we ", "you should ", "everybody should "):
            wrote(means, f"{word}run the linter before committing")
        assert means.store.memories.count(means.context.sight)["active"] == 1

    def test_added_detail_is_proposed_to_be_merged(self, means: Means) -> None:
        """A statement that says the same and more stands beside the first; a person may tie them."""
        first = wrote(means, "Integration tests start postgres, redis, rabbitmq, minio and mailhog")
        more = wrote(means, "Integration tests start postgres, redis, rabbitmq, minio and mailhog containers")
        assert more.nominated == (first.memory.id,)
        (proposal,) = means.store.proposals.page(means.context.sight, ProposalFilter()).values
        assert (proposal.operation, proposal.related) == ("merge", (first.memory.id, more.memory.id))

    def test_likeness_can_be_turned_off(self, means: Means) -> None:
        """With a threshold of 1 nothing is nominated for being alike."""
        off = replace(means, settings=Settings(lessons=LessonSettings(supersede_threshold=1.0)))
        wrote(off, "Integration tests start postgres, redis, rabbitmq, minio and mailhog")
        assert not wrote(off, "Integration tests start postgres, redis, rabbitmq, minio and mailhog first").nominated

    @pytest.mark.parametrize("given", [True, False])
    def test_our_own_echo_supports_nothing(self, means: Means, agent: Means, given: bool) -> None:
        """An agent that repeats what it was given adds no trust; one that found it out by itself does."""
        scope = means.context.sight.one("repository")
        row = samples.memory(scope, "Tests run in docker", kind="project_fact", trust="external")
        agent = replace(agent, context=replace(agent.context, run_id="run-7"))
        with means.store.transaction():
            means.store.memories.put(row)
            if given:
                means.store.usage.put(samples.bundle(scope, row.id, run_id="run-7"))
        proposal = asked(agent, "Tests run in docker", kind="project_fact")
        assert decided(means, proposal).existing
        found = means.store.memories.get(means.context.sight, row.id)
        assert found is not None
        assert found.trust == ("external" if given else "agent")


class Axes(HashEmbedder):
    """Puts the two statements of the lessons seed near each other, and everything else far away."""

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """Axis 0, axis 0 with a tilt of .1, or a hash."""
        known = {"run migrations before deploy": (1.0, 0.0), "always migrate before deploying": (1.0, 0.1)}
        hashed = super().embed(texts)
        pairs = zip(texts, hashed, strict=True)
        return tuple(self._near(known[text]) if text in known else made for text, made in pairs)

    def _near(self, axes: tuple[float, float]) -> bytes:
        length = sum(axis * axis for axis in axes) ** 0.5
        return array("f", [*(axis / length for axis in axes), *([0.0] * (self.dimension - 2))]).tobytes()


class TestLikeness:
    """Likeness by vectors: nominates, or retires where a person chose the seed's rule."""

    def both(self, means: Means, **lessons: object) -> tuple[Written, Written]:
        chosen = Settings(lessons=LessonSettings(**lessons))  # type: ignore[arg-type]
        here = replace(having(means, Axes()), settings=chosen)
        first = wrote(here, "run migrations before deploy", kind="lesson")
        return first, wrote(here, "always migrate before deploying", kind="lesson")

    def test_the_seeds_rule_retires(self, means: Means) -> None:
        """The first is superseded by the second (T104), and an event takes it back."""
        first, second = self.both(means, supersede="similarity")
        assert second.superseded == (first.memory.id,)
        assert held(means, first).status == "superseded"
        assert operations(means)[-1] == "supersede"

    def test_by_default_it_nominates(self, means: Means) -> None:
        """Both stay, and a person is asked."""
        first, second = self.both(means)
        assert (second.superseded, second.nominated) == ((), (first.memory.id,))
        assert held(means, first).status == "active"

    def test_a_threshold_of_one_turns_it_off(self, means: Means) -> None:
        """In either mode."""
        for mode in ("nominate", "similarity"):
            _, second = self.both(means, supersede=mode, supersede_threshold=1.0)
            assert (second.superseded, second.nominated) == ((), ())

    def test_a_higher_threshold_is_not_reached(self, means: Means) -> None:
        """A cosine of .995 does not reach .999."""
        _, second = self.both(means, supersede="similarity", supersede_threshold=0.999)
        assert second.superseded == ()


class TestBrake:
    """What would retire too much is held for a person."""

    def test_one_statement_retires_three_at_most(self, means: Means) -> None:
        """A statement that would retire more was misunderstood: nothing is retired, all are nominated (G05)."""
        scope = means.context.sight.one("repository")
        verbs = ("go through", "run on", "stay on", "work through", "live on")
        with means.store.transaction():
            for verb in verbs:
                means.store.memories.put(samples.memory(scope, f"Deploys {verb} Jenkins", kind="project_fact"))
        new = wrote(means, "Deploys go through Buildkite")
        assert new.superseded == ()
        assert len(new.nominated) == len(verbs)

    def test_a_pass_stops_at_its_share(self, means: Means) -> None:
        """Within one pass only so many are retired; the rest is nominated."""
        lessons = LessonSettings(retire_share=0.0)
        means = replace(means, settings=Settings(lessons=lessons))
        for number in range(6):
            wrote(means, f"Service s{number}x listens on port 80")
        with means.brake.on():
            done = [wrote(means, f"Service s{number}x listens on port 90") for number in range(6)]
        assert [len(each.superseded) for each in done] == [1, 1, 1, 0, 0, 0]
        assert all(each.nominated for each in done[3:])


class TestImport:
    """What comes with a file of another system meets what is there."""

    def test_a_foreign_statement_meets_what_is_there(self, means: Means) -> None:
        """A row that came from elsewhere is stored, and settled by trust and evidence like any other."""
        old = wrote(means, "Tests run with pytest -n 4")
        scope = means.context.sight.one("repository")
        at = means.clock.now()
        row = samples.memory(scope, "Tests run with pytest -n 8", kind="project_fact", trust="external", at=at)
        with means.store.transaction():
            means.store.memories.put(row)
            among(means, [row], at)
        stored = means.store.memories.get(means.context.sight, row.id)
        assert stored is not None
        assert (stored.status, held(means, old).status) == ("active", "active")
        assert conflicts_of(stored)[0].rival_id == old.memory.id
