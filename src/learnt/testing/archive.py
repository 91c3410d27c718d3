"""How a store keeps evidence, sessions and recipes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.model.scope import Scope, Sight
from learnt.model.search import EvidenceFilter
from learnt.model.wording import question_terms
from learnt.stores.units import blanked
from learnt.testing import samples
from learnt.testing.base import Base, Raw
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from learnt.ports.store import Store

LATER = "2026-05-25T12:00:00.000Z"


class ArchiveSuite(Base):
    """Evidence units and sessions."""

    def test_a_unit_is_found_by_reference_and_id(self, store: Store, scope: Scope, sight: Sight) -> None:
        """With its place in the transcript, or as a document without one; not from another scope."""
        span, document = samples.unit(scope, 1), samples.unit(scope, 2, span=None, type="document", path="a.md")
        with store.transaction():
            assert store.archive.put_units([span, document]) == 2
        assert store.archive.unit(sight, span.ref) == span
        assert store.archive.unit(sight, document.id) == document
        assert store.archive.unit(sight, "session:s-1#9") is None

    def test_a_foreign_reader_finds_no_unit(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Neither by reference nor by id; the same reference in two scopes is two units."""
        mine, theirs = samples.unit(scope, 1), samples.unit(foreign, 1, text="theirs")
        with store.transaction():
            store.archive.put_units([mine])
        assert store.archive.unit(Sight((foreign,)), mine.id) is None
        with store.transaction():
            store.archive.put_units([theirs])
        assert store.archive.unit(Sight((foreign,)), mine.ref) == theirs
        assert store.archive.unit(Sight((scope,)), mine.ref) == mine

    def test_damaged_text_is_not_served(self, store: Store, raw: Raw, scope: Scope, sight: Sight) -> None:
        """A unit whose text is not what was kept is in no answer, and told of; it can still be blanked."""
        good, bad = (samples.unit(scope, at, text=f"lighthouse {at}", type="document", span=None) for at in (1, 2))
        with store.transaction():
            store.archive.put_units([good, bad])
        if not raw.spoil_unit(bad.id):
            pytest.skip("this store has no rows that a disk could damage unnoticed")
        assert store.archive.unit(sight, bad.id) is None
        assert store.evidence.units(sight, [bad.ref, good.ref]) == (good,)
        assert store.evidence.documents(sight, 9).values == (good,)
        found = store.evidence.match(sight, question_terms("the lighthouse"), EvidenceFilter(), 9)
        assert [match.unit for match in found.best] == [good]
        assert bad.id in str(store.meta.describe()["unreadable"])
        assert store.cargo.load("units", "", 9).damaged == (bad.id,)
        with store.transaction():
            assert store.erasure.blank(sight, [bad.id]) == (bad.ref,)
        assert store.archive.unit(sight, bad.id) == blanked(bad)

    def test_what_was_kept_stays(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A second reading of one place adds nothing, but a citation counts and is never taken back."""
        unit = samples.unit(scope, 1)
        for given in (unit, replace(unit, text="other", cited=True), unit):
            with store.transaction():
                store.archive.put_units([given])
        assert store.archive.unit(sight, unit.ref) == replace(unit, cited=True)

    def test_age_removes_what_nobody_cites(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Older than the bound and uncited leaves; all else stays."""
        old, cited, new = samples.unit(scope, 1), samples.unit(scope, 2), samples.unit(scope, 3, at=LATER)
        with store.transaction():
            store.archive.put_units([old, cited, new])
            store.archive.cite(sight, [cited.ref, "session:unknown#1"])
            assert store.archive.prune(LATER) >= 1
        assert store.archive.unit(sight, old.ref) is None
        assert store.archive.unit(sight, cited.ref) == replace(cited, cited=True)
        assert store.archive.unit(sight, new.ref) == new

    def test_age_counts_within_some_scopes(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Where scopes are named, others' units stay."""
        mine, theirs = samples.unit(scope, 1), samples.unit(foreign, 1)
        with store.transaction():
            store.archive.put_units([mine, theirs])
            assert store.archive.prune(LATER, Sight((scope,))) == 1
            assert store.archive.prune(LATER, Sight((scope,))) == 0
        assert store.archive.unit(Sight((scope,)), mine.ref) is None
        assert store.archive.unit(Sight((foreign,)), theirs.ref) == theirs

    def test_nobody_cites_in_a_foreign_scope(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """A citation reaches only what its reader sees."""
        unit = samples.unit(scope, 1)
        with store.transaction():
            store.archive.put_units([unit])
            store.archive.cite(Sight((foreign,)), [unit.ref])
        assert store.archive.unit(Sight((scope,)), unit.ref) == unit

    def test_a_session_is_found_by_all_its_names(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Id, the host's id and path; the last reading counts."""
        session = samples.session(scope, f"ses-{scope.repo_id}")
        with store.transaction():
            store.archive.put_session(session)
            store.archive.put_session(replace(session, offset=20))
        for name in (session.id, session.session_id, session.path):
            assert store.archive.session(sight, name) == replace(session, offset=20)
        assert store.archive.session(sight, "unknown") is None

    def test_sessions_end_with_the_oldest(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Latest end first, of the reader's scopes only, no more than asked for."""
        old = samples.session(scope, f"old-{scope.repo_id}")
        new = samples.session(scope, f"new-{scope.repo_id}", ended_at=LATER)
        with store.transaction():
            for session in (old, new, samples.session(foreign, f"f-{foreign.repo_id}")):
                store.archive.put_session(session)
        assert store.archive.sessions(Sight((scope,)), 10) == (new, old)
        assert store.archive.sessions(Sight((scope,)), 1) == (new,)

    def test_a_message_is_new_once_in_a_lineage(self, store: Store, scope: Scope) -> None:
        """Passed before, or twice in one call, it is not new; another lineage does not know it."""
        line = f"lineage-{scope.repo_id}"
        with store.transaction():
            assert store.archive.unseen(line, ["a", "b", "a"]) == ("a", "b")
            assert store.archive.unseen(line, ["c", "b"]) == ("c",)
            assert store.archive.unseen(line + "-other", ["a"]) == ("a",)


class RecipesSuite(Base):
    """Commands that worked."""

    def test_sightings_of_one_command(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Oldest first; one session counts once; other keys are apart."""
        late, early = samples.recipe("s-2", at=LATER), samples.recipe("s-1")
        with store.transaction():
            for recipe in (late, early, samples.recipe("s-1", command="other"), samples.recipe("s-3", key="=ls")):
                store.recipes.add(scope, recipe)
        assert store.recipes.find(sight, "=pnpm test") == (early, late)

    def test_a_foreign_reader_finds_none(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """What worked in one repository is not told in another."""
        with store.transaction():
            store.recipes.add(scope, samples.recipe("s-1", at=NOON))
        assert store.recipes.find(Sight((foreign,)), "=pnpm test") == ()
