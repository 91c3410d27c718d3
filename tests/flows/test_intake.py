"""An agent's output taken in."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from learnt.capture.output import MAX_MEMBERS
from learnt.errors import UsageError
from learnt.flows.intake import intake
from learnt.flows.queue import pending
from learnt.model.intake import Taken
from learnt.model.rule import AcceptRule
from tests.flows.test_writing import BEARER, asked, decided, state, wrote

if TYPE_CHECKING:
    from learnt.flows.means import Means

FINE = {"operation": "add", "kind": "repo_convention", "text": "Uses bun.", "evidenceRefs": ["package.json"]}


def taken(means: Means, *, role: str = "", text: str = "", **arrays: list[Any]) -> Taken:
    answer = intake(means, text or json.dumps(arrays), role=role)
    assert isinstance(answer, Taken)
    return answer


def codes(value: Taken) -> list[tuple[int, str]]:
    return [(each.index, each.code) for each in value.invalid]


class TestProposals:
    """The array every agent may write."""

    def test_a_broken_member_spoils_no_other(self, means: Means) -> None:
        """The valid one is stored; the others are told by their place and a code."""
        value = taken(means, memoryProposals=[{"operation": "add"}, FINE, "words", {**FINE, "relations": []}])
        assert [each.proposal.text for each in value.proposals] == ["Uses bun."]
        assert codes(value) == [(0, "kind_and_text"), (2, "no_object"), (3, "unknown_key")]

    def test_nothing_of_what_a_model_thought_is_taken(self, means: Means) -> None:
        """R01: a block of thoughts is no answer; the tag within a statement, or one that is never closed, is text."""
        thought = {**FINE, "text": "Uses npm, perhaps."}
        said = {**FINE, "text": "Strip <think> and </think> from answers."}
        one, other = (json.dumps({"memoryProposals": [each]}) for each in (thought, said))
        text = f"<think>\n{one}\n</think>\nSo:\n{other}"
        assert [each.proposal.text for each in taken(means, text=text).proposals] == [said["text"]]
        torn = "<think>\n" + json.dumps({"memoryProposals": [FINE]})
        assert [each.proposal.text for each in taken(means, text=torn).proposals] == [FINE["text"]]

    def test_an_array_in_single_quotes_is_told_of(self, means: Means) -> None:
        """R02: it is no JSON, and that is said rather than nothing."""
        assert codes(taken(means, text=str({"memoryProposals": [FINE]}))) == [(-1, "no_json")]

    @pytest.mark.parametrize(
        "member",
        [
            {**FINE, "outcomes": []},
            {**FINE, "relations": None},
            {**FINE, "scope": "global_user"},
            {**FINE, "kind": "rumour"},
            {**FINE, "text": "x" * 2001},
            {**FINE, "text": ""},
            {**FINE, "text": ["a"]},
            {**FINE, "confidence": 1.01},
            {**FINE, "confidence": True},
            {**FINE, "tags": ["t"] * 33},
            {**FINE, "tags": ["t" * 65]},
            {**FINE, "evidenceRefs": ["r"] * 21},
            {**FINE, "evidenceRefs": ["r" * 501]},
            {**FINE, "evidenceRefs": []},
            {**FINE, "evidence": ["src/a.py"]},
            {**FINE, "operation": "overwrite"},
            {"operation": "delete", "targetMemoryId": "mem_1"},
            {"operation": "merge", "relatedMemoryIds": ["mem_0123456789abcdef"]},
            {"operation": "merge", "relatedMemoryIds": ["mem_0123456789abcdef"] * 2},
            {"operation": "delete", "targetMemoryId": "mem_0123456789abcdef"},
        ],
    )
    def test_what_breaks_the_shape_is_dropped(self, means: Means, member: dict[str, object]) -> None:
        """Unknown keys, wrong types, out of bounds, a target that is not here: nothing is stored, no word repeated."""
        before = state(means)
        value = taken(means, memoryProposals=[member])
        assert len(value.invalid) == 1
        assert value.proposals == ()
        assert state(means) == before

    @pytest.mark.parametrize(
        "text",
        [
            json.dumps({"memoryProposals": [FINE]}, indent=2),
            "Done.\n```json\n" + json.dumps({"memoryProposals": [FINE]}) + "\n```\nBye.",
            'I would keep "memoryProposals": ' + json.dumps([FINE]) + ", that is all.",
            json.dumps({"type": "result", "result": "```\n" + json.dumps({"memoryProposals": [FINE]}) + "\n```"}),
            '{"broken": {"memoryProposals": ' + json.dumps([FINE]) + " oops",
            json.dumps({"a": {"b": [{"memoryProposals": [FINE, FINE]}]}}),
            json.dumps({"memoryProposals": [{**FINE, "rationale": "a,] b,}"}]}).replace('"}]', '",}, ]'),
            "<think>{ {</think> So: " + json.dumps({"memoryProposals": [FINE]}) + " Hope this helps }",
        ],
        ids=["json", "fence", "prose", "json in json", "torn", "deep", "comma", "think"],
    )
    def test_the_array_is_found_where_it_stands(self, means: Means, text: str) -> None:
        """Alone, fenced, in prose, inside a string, in a torn object; a repeated member counts once."""
        value = taken(means, text=text)
        assert len(value.proposals) == 1
        assert value.invalid == ()

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ('"memoryProposals": [oops]', "no_json"),
            ('{"memoryProposals": {"operation": "add"}}', "no_list"),
            ('{"memoryProposals": [{"text": "a", "text": "b"}]}', "repeated_key"),
            ('{"memoryProposals": [NaN]}', "no_json"),
            ('{"memoryProposals": ' + "[" * 100_000, "no_json"),
            ("{\"memoryProposals\": [{'operation': 'add'}]}", "no_json"),
            ('{"memoryProposals": [{"operation": "ignore"}, {"operat', "no_json"),
        ],
    )
    def test_an_array_that_cannot_be_read_is_told(self, means: Means, text: str, code: str) -> None:
        """Whatever it is; the run goes on."""
        assert codes(taken(means, text=text)) == [(-1, code)]

    def test_members_are_bounded(self, means: Means) -> None:
        """Fifty of a name; the rest is told of."""
        many = [{**FINE, "text": f"Fact {number} of bun."} for number in range(MAX_MEMBERS + 5)]
        value = taken(means, memoryProposals=many)
        assert len(value.proposals) == MAX_MEMBERS
        assert codes(value) == [(MAX_MEMBERS, "too_many")]
        with pytest.raises(UsageError):
            intake(means, " " * (1 << 20) + "x")

    def test_the_same_output_again_changes_nothing(self, means: Means) -> None:
        """While it waits, once it was accepted, once it was rejected, and when it holds a secret."""
        secret = {**FINE, "text": f"Call with {BEARER} always."}
        members = [FINE, {**FINE, "text": "Uses make."}, secret, {"operation": "ignore", "rationale": "so"}]
        first = taken(means, memoryProposals=members)
        assert [each.proposal.status for each in first.proposals] == ["pending", "pending", "rejected", "pending"]
        before = state(means)
        again = taken(means, memoryProposals=members)
        assert all(each.existing for each in again.proposals)
        assert state(means) == before
        decided(means, first.proposals[0].proposal)
        decided(means, first.proposals[1].proposal, "reject", reason="no")
        before = state(means)
        assert len(taken(means, memoryProposals=members).known) == 3
        assert state(means) == before

    def test_what_is_memory_already_is_not_asked(self, means: Means) -> None:
        """An agent that repeats what it was given proposes nothing."""
        memory = wrote(means, "Uses bun.").memory
        assert taken(means, memoryProposals=[FINE]).known == (memory.id,)

    def test_the_words_are_an_agents_whoever_hands_them_over(self, means: Means) -> None:
        """A person's intake lends no trust, and carries no person as evidence."""
        proposal = taken(means, memoryProposals=[FINE], role="coder").proposals[0].proposal
        assert proposal.trust == "agent"
        assert [each.type for each in proposal.evidence] == ["file"]
        assert proposal.provenance is not None
        assert proposal.provenance.agent_role == "coder"


class TestDecisions:
    """The array of curators."""

    def test_only_an_enabled_curator_decides(self, means: Means) -> None:
        """The same output of a coder, of a curator no person enabled, and of one they did."""
        proposal = asked(means)
        ruling = {
            "action": "add",
            "proposalId": proposal.id,
            "memory": {"kind": "repo_convention", "text": proposal.text},
        }
        enabled = replace(means, curators=("curator_phase", "coder"))
        for who, role in ((enabled, "coder"), (means, "curator_phase"), (enabled, "curator"), (enabled, "")):
            assert taken(who, role=role, curatorMemoryDecisions=[ruling]).ignored == 1
        value = taken(enabled, role="curator_phase", curatorMemoryDecisions=[ruling])
        assert [each.proposal.status for each in value.decided] == ["applied"]
        assert value.decided[0].proposal.reviewer == "curator_agent"
        before = state(means)
        assert taken(enabled, role="curator_phase", curatorMemoryDecisions=[ruling]).known == (proposal.id,)
        assert state(means) == before

    def test_an_agent_has_the_role_it_was_started_with(self, agent: Means) -> None:
        """It cannot claim a curator's."""
        enabled = replace(agent, curators=("curator",))
        with pytest.raises(UsageError):
            intake(enabled, "{}", role="curator")

    def test_every_action(self, means: Means) -> None:
        """Add, update, supersede, merge, reject and noop, each on its own proposal."""
        curator = replace(means, curators=("curator",))
        one, two = wrote(means, "One fact.").memory, wrote(means, "Two facts.").memory
        add, update = asked(means, "Three."), asked(means, "One fact!!", operation="update", target_id=one.id)
        merge = asked(means, "", operation="merge", kind=None, related=(one.id, two.id))
        over = asked(means, "Four.", operation="supersede", target_id=two.id)
        no, nothing = asked(means, "Five."), asked(means, "Six.")
        written = {"kind": "repo_convention", "text": "Four."}
        rulings: list[dict[str, Any]] = [
            {"action": "merge", "proposalId": merge.id, "reason": "r", "relatedMemoryIds": [two.id, one.id]},
            {
                "action": "add",
                "proposalId": add.id,
                "memory": {"kind": "project_fact", "text": "Three!", "tags": ["x"]},
            },
            {
                "action": "update",
                "proposalId": update.id,
                "targetMemoryId": one.id,
                "patch": {"confidence": 0.7},
                "reason": "r",
            },
            {
                "action": "supersede",
                "proposalId": over.id,
                "oldMemoryId": two.id,
                "replacement": written,
                "reason": "r",
            },
            {"action": "reject", "proposalId": no.id, "reason": "r"},
            {"action": "noop", "proposalId": nothing.id, "reason": "r"},
        ]
        value = taken(curator, role="curator", curatorMemoryDecisions=rulings)
        assert value.invalid == ()
        told: list[Any] = [each.proposal.metadata["curatorDecision"] for each in value.decided]
        assert [each["action"] for each in told] == [each["action"] for each in rulings]

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"proposalId": "prop_1"}, "invalid_value"),
            ({"proposalId": "prop_0123456789abcdef"}, "not_found"),
            ({"action": "delete"}, "action"),
            ({"action": "reject"}, "unknown_key"),
            ({"memory": {"kind": "repo_convention"}}, "invalid_value"),
            ({"memory": {"kind": "repo_convention", "text": "x", "relations": []}}, "invalid_value"),
            ({"memory": {"kind": "api_finding", "text": "x"}}, "not_promotable"),
            ({"memory": {"kind": "repo_convention", "text": "x" * 700}}, "not_concise"),
            (
                {"memory": {"kind": "repo_convention", "text": "x", "scope": {"type": "repository", "repoId": "b"}}},
                "scope",
            ),
            ({"memory": {"kind": "repo_convention", "text": "x", "scope": "global_user"}}, "scope"),
            ({"memory": {"kind": "repo_convention", "text": "x", "id": "mem_0123456789abcdef"}}, "identity"),
            ({"memory": {"kind": "repo_convention", "text": f"Use {BEARER}."}}, "secret"),
        ],
    )
    def test_what_does_not_fit_changes_nothing(self, means: Means, change: dict[str, object], code: str) -> None:
        """Unknown keys, foreign scopes, raw findings, long texts, secrets: told by a code, and nothing is written."""
        proposal = asked(means)
        ruling = {
            "action": "add",
            "proposalId": proposal.id,
            "memory": {"kind": "repo_convention", "text": "x"},
            **change,
        }
        before = state(means)
        curator = replace(means, curators=("curator",))
        value = taken(curator, role="curator", curatorMemoryDecisions=[ruling])
        assert codes(value) == [(0, code)]
        assert state(means)[:2] == before[:2]

    def test_the_target_must_be_the_proposals(self, means: Means) -> None:
        """A decision about another memory is refused."""
        one, two = wrote(means, "One fact.").memory, wrote(means, "Two facts.").memory
        update = asked(means, "One fact!!", operation="update", target_id=one.id)
        ruling = {
            "action": "update",
            "proposalId": update.id,
            "targetMemoryId": two.id,
            "patch": {"confidence": 0.7},
            "reason": "r",
        }
        curator = replace(means, curators=("curator",))
        assert codes(taken(curator, role="curator", curatorMemoryDecisions=[ruling])) == [(0, "target")]


class TestRules:
    """What a person's rules accept unseen."""

    def test_two_independent_sources(self, means: Means) -> None:
        """Two agents with a file each; one agent with two files, or two with the same one, are not enough."""
        ruled = replace(means, rules=(AcceptRule(kinds=("repo_convention",)),))
        other = {**FINE, "evidenceRefs": ["Makefile"]}
        assert not taken(
            ruled, role="coder", memoryProposals=[{**FINE, "evidenceRefs": ["package.json", "Makefile"]}]
        ).accepted
        assert not taken(ruled, role="reviewer", memoryProposals=[other]).accepted
        value = taken(ruled, role="reviewer", memoryProposals=[{**FINE, "evidenceRefs": ["src/a.py", "no/such.py"]}])
        assert len(value.accepted) == 1
        memory = means.store.memories.get(means.context.sight, value.accepted[0])
        assert memory is not None
        assert (memory.reviewed_by, memory.trust) == ("auto_policy", "agent")

    @pytest.mark.parametrize(
        "member",
        [
            {**FINE, "kind": "project_fact"},
            {**FINE, "text": "Run `rm -rf build` before the tests."},
            {**FINE, "evidenceRefs": ["https://example.org", "0" * 40, "nowhere.py"]},
        ],
        ids=["kind", "danger", "unchecked"],
    )
    def test_what_no_rule_accepts_waits(self, means: Means, member: dict[str, object]) -> None:
        """Another kind, a command that deletes, references nobody looked at."""
        ruled = replace(means, rules=(AcceptRule(kinds=("repo_convention",), sources=1),))
        assert not taken(ruled, role="coder", memoryProposals=[member]).accepted
        assert pending(means).entries == 1
