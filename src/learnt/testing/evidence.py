"""How a store finds evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.model.scope import Scope, Sight
from learnt.model.search import EvidenceFilter
from learnt.model.wording import question_terms
from learnt.testing import samples
from learnt.testing.base import Base, OnPurposeError, undone
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.search import Matches
    from learnt.ports.store import Store

ALL = EvidenceFilter()
EARLY = "2026-03-02T08:00:00.000Z"


def said(
    scope: Scope, texts: Iterable[str], session: str = "s-1", first: int = 0, **given: object
) -> list[EvidenceUnit]:
    """The prompts of one session."""
    return [
        replace(
            samples.unit(scope, number, text=text),
            id=f"evd_{session}-{number}",
            ref=f"session:{session}#{number}",
            session_id=session,
            **given,  # type: ignore[arg-type]
        )
        for number, text in enumerate(texts, first)
    ]


def keep(store: Store, units: Sequence[EvidenceUnit]) -> None:
    """Put units in a transaction of their own."""
    with store.transaction():
        store.archive.put_units(units)


def ask(store: Store, sight: Sight, question: str, wanted: EvidenceFilter = ALL, limit: int = 10) -> Matches:
    """The answer to a question."""
    return store.evidence.match(sight, question_terms(question), wanted, limit)


def texts(matches: Matches) -> list[str]:
    """What was found, best first."""
    return [match.unit.text for match in matches.best]


def settled(store: Store, sight: Sight) -> None:
    """Take everything into the index that it will take."""
    more = True
    while more:
        with store.transaction():
            more = store.evidence.settle(sight)


class EvidenceSuite(Base):
    """Full text over evidence."""

    def test_the_best_match_stands_first(self, store: Store, scope: Scope, sight: Sight) -> None:
        """More of the question's words, and rarer ones, rank higher; what holds none is not found."""
        keep(store, said(scope, ["the lease pool deadlocks", "unrelated", "a", "b c d", "the pool"], session="x"))
        assert texts(ask(store, sight, "lease pool"))[0] == "the lease pool deadlocks"
        assert ask(store, sight, "zebra").best == ()

    def test_a_foreign_scope_changes_nothing(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """Neither hits nor scores depend on what others keep."""
        keep(store, said(scope, ["alpha beta", "gamma", "delta epsilon"]))
        before = ask(store, sight, "alpha gamma")
        keep(store, said(foreign, ["alpha alpha gamma"] * 30, session="other"))
        after = ask(store, sight, "alpha gamma")
        assert (after.best, after.rarity, after.units) == (before.best, before.rarity, before.units)
        assert ask(store, Sight((foreign,)), "beta").best == ()

    def test_neighbours_speak_for_a_turn(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A turn is found by what stands before and after it, below the turn itself; not across sessions."""
        keep(store, said(scope, ["where is the walrus", "in the harbour", "nothing"], session="one"))
        keep(store, said(scope, ["other", "another"], session="two"))
        found = texts(ask(store, sight, "walrus"))
        assert found == ["where is the walrus", "in the harbour"]

    def test_a_later_neighbour_counts_at_once(self, store: Store, scope: Scope, sight: Sight) -> None:
        """An appended session changes what its last turn is found by."""
        keep(store, said(scope, ["shall we", "filler", "filler two"]))
        assert ask(store, sight, "narwhal").best == ()
        keep(store, said(scope, ["narwhal"], first=3))
        assert texts(ask(store, sight, "narwhal")) == ["narwhal", "filler two"]

    def test_who_and_when_are_words(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A name and a day find what was said by them, on it."""
        keep(store, said(scope, ["yes"], session="a", who="Caroline"))
        keep(store, said(scope, ["no"], session="b", who="Bob", at=EARLY))
        keep(store, said(scope, ["maybe", "perhaps"], session="c", who="Dora"))
        assert texts(ask(store, sight, "what did Caroline say")) == ["yes"]
        assert texts(ask(store, sight, "on 2 March 2026"))[0] == "no"

    def test_a_long_unit_is_found_by_its_passages(self, store: Store, scope: Scope, sight: Sight) -> None:
        """The unit stands once, with the passage that was found, and is not buried for its length."""
        long = "\n".join(["plain words go on and on here."] * 60 + ["the ocelot sleeps."] + ["and on and on."] * 60)
        keep(store, said(scope, [long, "short"]))
        (match, *others) = ask(store, sight, "ocelot").best
        assert match.unit.text == long
        assert match.passage > 0
        assert [other.unit.text for other in others] in ([], ["short"])

    def test_filters_apply_before_the_limit(self, store: Store, scope: Scope, sight: Sight) -> None:
        """By type, who, session and time, each alone; the statistics stay those of everything."""
        keep(store, said(scope, ["kiwi kiwi", "kiwi"], session="a", at=EARLY))
        keep(store, said(scope, ["kiwi"], session="b", who="agent", type="reply"))
        keep(store, said(scope, ["x", "y", "z", "w", "v", "u", "t"], session="c"))
        whole = {match.unit.id: match.score for match in ask(store, sight, "kiwi").best}
        for wanted, names in (
            (EvidenceFilter(types=("reply",)), {"evd_b-0"}),
            (EvidenceFilter(who="agent"), {"evd_b-0"}),
            (EvidenceFilter(session="a"), {"evd_a-0", "evd_a-1"}),
            (EvidenceFilter(until=EARLY), {"evd_a-0", "evd_a-1"}),
            (EvidenceFilter(since=NOON), {"evd_b-0"}),
            (EvidenceFilter(who="nobody"), set()),
        ):
            found = ask(store, sight, "kiwi", wanted, limit=2)
            assert {match.unit.id: match.score for match in found.best} == {name: whole[name] for name in names}

    def test_units_asked_for_get_their_scores(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Also those beyond the limit and those that match nothing, but not those a filter leaves out."""
        keep(store, said(scope, ["mango", "mango mango", "none", "else"], session="a"))
        terms = question_terms("mango")
        found = store.evidence.match(sight, terms, ALL, 1, ["evd_a-0", "evd_a-3", "unknown"])
        scores = {match.unit.id: match.score for match in found.also}
        assert scores.keys() == {"evd_a-0", "evd_a-3"}
        assert scores["evd_a-3"] == 0
        assert scores["evd_a-0"] > 0
        assert store.evidence.match(sight, terms, EvidenceFilter(session="b"), 1, ["evd_a-0"]).also == ()

    def test_the_ceiling_bounds_every_score(self, store: Store, scope: Scope, sight: Sight) -> None:
        """No unit scores above what a perfect match would; unknown words raise the ceiling."""
        keep(store, said(scope, ["fig fig fig fig", "fig", "one", "two", "three", "four"]))
        known, unknown = ask(store, sight, "fig"), ask(store, sight, "fig quince")
        assert 0 < known.best[0].score <= known.ceiling < unknown.ceiling

    def test_sessions_tell_what_they_hold(self, store: Store, scope: Scope, sight: Sight) -> None:
        """The share of the question's words in a session counts all its turns together."""
        keep(store, said(scope, ["lemon", "x", "y", "lime"], session="both"))
        keep(store, said(scope, ["lemon"], session="one"))
        keep(store, said(scope, ["z"], session="none"))
        keep(store, said(scope, ["zz"], session="more"))
        shares = ask(store, sight, "lemon lime").sessions
        assert shares["both"] > shares["one"] > 0

    def test_what_leaves_is_not_found(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A pruned unit is gone from every answer, and its neighbours are each other's."""
        old, kept = said(scope, ["papaya", "guava"], session="s", at=EARLY), said(scope, ["plum"], "s", 2)
        keep(store, [*old, *kept, *said(scope, ["1", "2", "3"], session="t")])
        settled(store, sight)
        with store.transaction():
            assert store.archive.prune(NOON) >= 2
        assert ask(store, sight, "papaya guava").best == ()
        assert texts(ask(store, sight, "plum")) == ["plum"]
        keep(store, said(scope, ["papaya again"], session="s", first=9))
        assert texts(ask(store, sight, "papaya")) == ["papaya again", "plum"]

    def test_an_undone_write_is_not_found(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Even when it was looked for inside its transaction."""
        keep(store, said(scope, ["1", "2"], session="t"))

        def write() -> None:
            store.archive.put_units(said(scope, ["durian"]))
            assert texts(ask(store, sight, "durian")) == ["durian"]

        with pytest.raises(OnPurposeError):
            undone(store, write)
        assert ask(store, sight, "durian").best == ()

    def test_settling_changes_no_answer(self, store: Store, scope: Scope, sight: Sight) -> None:
        """The same hits with the same scores before and after, and again after more was kept."""
        words = ["ash", "oak", "elm", "fir", "yew", "box", "bay"]
        units = said(scope, [" ".join(words[at % 7 : at % 5 + 3]) or "pine" for at in range(2_100)], session="long")
        for start in range(0, 2_100, 700):
            keep(store, units[start : start + 700])
        before = ask(store, sight, "oak elm yew", limit=50)
        settled(store, sight)
        assert ask(store, sight, "oak elm yew", limit=50) == before
        assert store.evidence.backlog(sight) < 1_100

    def test_readers_follow_writers(self, reopen: Callable[[], Store], scope: Scope, sight: Sight) -> None:
        """Another handle finds what was kept after its last question, and no longer what left."""
        writer, reader = reopen(), reopen()
        keep(writer, said(scope, ["cherry", "1", "2"], at=EARLY))
        assert texts(ask(reader, sight, "cherry"))[0] == "cherry"
        keep(writer, said(scope, ["cherry pie"], session="later"))
        assert len(ask(reader, sight, "pie").best) == 1
        with writer.transaction():
            writer.archive.prune(NOON)
        assert texts(ask(reader, sight, "cherry")) == ["cherry pie"]
        writer.close()
        reader.close()

    def test_neighbours_are_told(self, store: Store, scope: Scope, sight: Sight) -> None:
        """The units before and after one in its session, by id."""
        keep(store, said(scope, ["a", "b", "c"], session="s"))
        found = store.evidence.beside(sight, ["evd_s-0", "evd_s-1", "unknown"])
        assert found == {"evd_s-0": ("", "evd_s-1"), "evd_s-1": ("evd_s-0", "evd_s-2")}

    def test_units_are_read_by_any_name(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """By id or reference, in the order asked for, each once; nobody else's."""
        one, two = said(scope, ["a", "b"], session="s")
        keep(store, [one, two, *said(foreign, ["c"], session="f")])
        assert store.evidence.units(sight, [two.ref, one.id, two.id, "evd_f-0", "?"]) == (two, one)

    def test_numbers_of_a_session_go_on(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """The next number is one more than the highest, whatever else a session holds."""
        assert store.evidence.next_number(scope, "s") == 0
        keep(store, [*said(scope, ["a"], session="s", first=41), *said(foreign, ["a"], session="s", first=99)])
        keep(store, [replace(samples.unit(scope, 1), id="evd_odd", ref="session:s#key", session_id="s")])
        assert store.evidence.next_number(scope, "s") == 42


class DocumentsSuite(Base):
    """Evidence documents."""

    def _documents(self, scope: Scope, count: int, **given: object) -> list[EvidenceUnit]:
        return [
            replace(
                samples.unit(scope, number, type="document", span=None, text=f"{number:04d}"),
                id=f"evd_d{number}",
                ref=f"evidence-cache:evd_d{number}",
                session_id="",
                at=f"2026-05-{number + 1:02d}T00:00:00.000Z",
                detail=(("title", f"Title {number}"),),
                **given,  # type: ignore[arg-type]
            )
            for number in range(count)
        ]

    def test_documents_are_listed_newest_first(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """With their details, no more than asked for, of the reader's scopes only."""
        mine = self._documents(scope, 3)
        keep(store, [*mine, *self._documents(foreign, 2), *said(scope, ["a turn"])])
        page = store.evidence.documents(sight, 2)
        assert page.values == (mine[2], mine[1])
        assert page.total == 3

    def test_a_document_is_found_by_its_title(self, store: Store, scope: Scope, sight: Sight) -> None:
        """What it is about counts beside its text."""
        keep(store, [*self._documents(scope, 2), *said(scope, ["a", "b", "c"])])
        assert texts(ask(store, sight, "title"))
        assert all(match.unit.type == "document" for match in ask(store, sight, "title").best)

    def test_the_oldest_leave_first(self, store: Store, scope: Scope, sight: Sight) -> None:
        """By number and by size; what is cited stays, and turns do not count."""
        documents = self._documents(scope, 5)
        keep(store, [replace(documents[0], cited=True), *documents[1:], *said(scope, ["a turn"])])
        with store.transaction():
            assert store.evidence.trim(scope, 0, 4) == 1
            assert store.evidence.trim(scope, 0, 0) == 0
        assert [unit.id for unit in store.evidence.documents(sight, 9).values] == [
            "evd_d4",
            "evd_d3",
            "evd_d2",
            "evd_d0",
        ]
        with store.transaction():
            assert store.evidence.trim(scope, 8, 0) == 2
        assert [unit.id for unit in store.evidence.documents(sight, 9).values] == ["evd_d4", "evd_d0"]
