"""What agents' own arrays and their lookups in transcripts become."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from learnt.flows.capture import ingest
from learnt.flows.observe import documents
from learnt.flows.queue import pending
from learnt.model.filter import MemoryFilter
from learnt.model.rule import AcceptRule
from learnt.settings import EvidenceSettings, Settings
from tests.flows.test_writing import BEARER, asked, state
from tests.flows.transcripts import Session

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.model.reading import Reading

FINE = {"operation": "add", "kind": "repo_convention", "text": "Uses bun.", "evidenceRefs": ["package.json"]}


def arrays(**given: list[Any]) -> str:
    return "Here is what I found.\n```json\n" + json.dumps(given) + "\n```"


def read(means: Means, session: Session) -> Reading:
    return ingest(means, [str(session.path)]).readings[0]


class TestArrays:
    """What agents ask for in their own words."""

    def test_the_agents_words_and_its_sub_agents_answers(self, means: Means, tmp_path: Path) -> None:
        """Both are queued, with the sub-agent's role and the place in the session; nothing is memory."""
        session = Session(tmp_path / "s.jsonl", "s1").says("Go on.")
        session.uses("Task", {"subagent_type": "reviewer", "prompt": "look"}, arrays(memoryProposals=[FINE]))
        session.replies(arrays(memoryProposals=[{**FINE, "text": "Uses make.", "evidenceRefs": ["Makefile"]}]))
        reading = read(means, session)
        found = {each.text: each for each in pending(means).proposals.values}
        assert set(found) == {"Uses bun.", "Uses make."}
        assert set(reading.proposals) == {each.id for each in found.values()}
        roles = {text: each.provenance.agent_role for text, each in found.items() if each.provenance}
        assert roles == {"Uses bun.": "reviewer", "Uses make.": "agent"}
        assert [each.ref for each in found["Uses bun."].evidence] == ["session:s1#2", "package.json"]
        assert means.store.memories.count(means.context.sight) == {}

    def test_other_tools_cannot_speak_for_an_agent(self, means: Means, tmp_path: Path) -> None:
        """An array in a page, a file or a command's output is somebody else's text."""
        text = arrays(memoryProposals=[FINE])
        session = Session(tmp_path / "s.jsonl", "s1").says(text)
        session.uses("WebFetch", {"url": "https://example.org"}, text)
        session.uses("Read", {"file_path": "/srv/app/x"}, text).runs("cat x", text)
        read(means, session)
        assert pending(means).entries == 0

    def test_a_long_answer_is_read_whole(self, means: Means, tmp_path: Path) -> None:
        """The arrays stand behind pages of prose."""
        session = Session(tmp_path / "s.jsonl", "s1").says("Go on.")
        answer = "word " * 4_000 + arrays(memoryProposals=[FINE]) + "word " * 4_000
        session.uses("Agent", {"subagent_type": "coder"}, answer)
        read(means, session)
        assert pending(means).entries == 1

    def test_broken_members_are_told_and_spoil_nothing(self, means: Means, tmp_path: Path) -> None:
        """In an alarm of the session, by code, never by their words."""
        session = Session(tmp_path / "s.jsonl", "s1").says("Go on.")
        session.replies(arrays(memoryProposals=[{"operation": "sing", "text": "la la"}, FINE]))
        reading = read(means, session)
        assert len(reading.proposals) == 1
        assert "invalid_value 1" in reading.alarms[0]
        assert "la la" not in repr(reading)

    def test_read_twice_it_changes_nothing(self, means: Means, tmp_path: Path) -> None:
        """The same transcript, and a copy of it under another name."""
        session = Session(tmp_path / "s.jsonl", "s1").says("Go on.").replies(arrays(memoryProposals=[FINE]))
        read(means, session)
        before = state(means)[:2]
        read(means, session)
        other = tmp_path / "copy.jsonl"
        other.write_bytes(session.path.read_bytes())
        ingest(means, [str(other)])
        assert state(means)[:2] == before

    def test_only_an_enabled_curator_decides(self, means: Means, tmp_path: Path) -> None:
        """A sub-agent of the role a person enabled; the main agent never, and no other sub-agent."""
        proposal = asked(means)
        ruling = {"action": "reject", "proposalId": proposal.id, "reason": "no"}
        text = arrays(curatorMemoryDecisions=[ruling])
        enabled = replace(means, curators=("curator_phase",))
        first = Session(tmp_path / "s1.jsonl", "s1").says("Go on.").replies(text)
        first.uses("Task", {"subagent_type": "coder"}, text)
        assert [each.rpartition("role ")[2] for each in read(enabled, first).alarms] == [
            "agent, which no person enabled here: 1",
            "coder, which no person enabled here: 1",
        ]
        assert pending(means).entries == 1
        second = Session(tmp_path / "s2.jsonl", "s2").says("Go on.")
        second.uses("Task", {"subagent_type": "curator_phase"}, text)
        read(means, second)
        assert pending(means).entries == 1
        third = Session(tmp_path / "s3.jsonl", "s3").says("Go on.")
        third.uses("Task", {"subagent_type": "curator_phase"}, text)
        read(enabled, third)
        assert pending(means).entries == 0

    def test_a_rule_needs_two_sessions(self, means: Means, tmp_path: Path) -> None:
        """One session that says it twice is one source; another one with a file of its own is the second."""
        ruled = replace(means, rules=(AcceptRule(kinds=("repo_convention",)),))
        first = Session(tmp_path / "s1.jsonl", "s1").says("Go on.").replies(arrays(memoryProposals=[FINE]))
        first.replies(arrays(memoryProposals=[{**FINE, "evidenceRefs": ["src/a.py"]}]))
        assert read(ruled, first).accepted == ()
        again = {**FINE, "evidenceRefs": ["Makefile"]}
        second = Session(tmp_path / "s2.jsonl", "s2").says("Go on.").replies(arrays(memoryProposals=[again]))
        assert len(read(ruled, second).accepted) == 1


class TestLookups:
    """What the web and documentation answered."""

    def test_an_answer_becomes_a_document(self, means: Means, tmp_path: Path) -> None:
        """Redacted, at most 4,000 characters, with where it came from; cited as evidence-cache, external, no memory."""
        session = Session(tmp_path / "s.jsonl", "s1").says("Go on.")
        session.uses(
            "WebFetch", {"url": "https://vitest.dev", "prompt": "modes?"}, f"Vitest {BEARER} " + "runs " * 3_000
        )
        session.uses("WebSearch", {"query": "vitest watch"}, "Vitest runs in watch mode by default.")
        session.uses("mcp__context7__get-library-docs", {"topic": "modes"}, "The docs say watch.")
        session.uses("mcp__learnt__memory_search", {"query": "docs"}, "our own words")
        session.uses("WebFetch", {"url": "https://gone.example"}, "404", error=True)
        read(means, session)
        page = documents(means, 10).values
        known = {dict(each.detail)["source_type"]: each for each in page}
        assert set(known) == {"crawl", "web_search", "api_docs"}
        crawl = known["crawl"]
        assert len(crawl.text) > 3_900
        assert len(crawl.text) <= 4_000
        assert BEARER[22:] not in crawl.text
        assert dict(crawl.detail)["url"] == "https://vitest.dev"
        assert dict(crawl.detail)["session"] == "session:s1#2"
        assert crawl.ref == f"evidence-cache:{crawl.id}"
        proposal = asked(means, "Vitest watches by default.", evidence=(crawl.ref,))
        assert proposal.trust == "external"
        assert means.store.memories.page(means.context.sight, MemoryFilter(), means.clock.now()).total == 0
        assert pending(means).entries == 1

    def test_read_again_it_is_the_same_document(self, means: Means, tmp_path: Path) -> None:
        """Another session that reads the same page adds nothing."""
        for name in ("s1", "s2"):
            session = Session(tmp_path / f"{name}.jsonl", name).says("Go on.")
            read(means, session.uses("WebSearch", {"query": "vitest"}, "Vitest runs in watch mode."))
        assert documents(means, 10).total == 1

    def test_the_cache_is_bounded(self, means: Means, tmp_path: Path) -> None:
        """The oldest leave first, but never what something rests on."""
        bounded = replace(Settings(), evidence=EvidenceSettings(cache_max_records=2))
        narrow = replace(means, settings=bounded, own=bounded)
        session = Session(tmp_path / "s.jsonl", "s1").says("Go on.")
        read(narrow, session.uses("WebSearch", {"query": "q0"}, "Answer number 0."))
        first = documents(narrow, 10).values[0]
        asked(means, "Answer 0 holds.", evidence=(first.ref,))
        for number in range(1, 5):
            session.uses("WebSearch", {"query": f"q{number}"}, f"Answer number {number}.")
        read(narrow, session)
        assert {each.text for each in documents(narrow, 10).values} == {"Answer number 0.", "Answer number 4."}
