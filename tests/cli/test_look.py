"""recall, recall-log, list, show, explain."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import Shell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_recall_has_the_shape_of_the_contract(learnt: Shell) -> None:
    """Bundle, items with signals, block, skip reason and arms."""
    memory = learnt.remember()
    answer = learnt.json("recall", "how do I run the tests")
    assert answer.keys() >= {"bundle_id", "total", "token_estimate", "items", "prompt_block", "skip_reason"}
    assert answer["skip_reason"] is None
    (item,) = answer["items"]
    assert item["id"] == memory
    assert item.keys() >= {"kind", "scope", "text", "score", "confidence", "trust", "age_days", "signals", "reason"}
    assert item["signals"]["textOverlap"] > 0
    assert set(answer["diagnostics"]["arms"]) == {"lexical", "dense", "rerank"}
    assert answer["prompt_block"].splitlines()[0].startswith("<recalled_memory ")
    assert answer["prompt_block"].splitlines()[-1] == "</recalled_memory>"


def test_a_recall_reads_well(learnt: Shell) -> None:
    """The ranking names score, id, trust and reason; --block prints the block alone."""
    memory = learnt.remember()
    shown = learnt("recall", "how do I run the tests").out
    assert memory in shown
    assert "trust person" in shown
    assert "<recalled_memory" not in shown
    assert learnt("recall", "how do I run the tests", "--block").out.startswith("<recalled_memory ")


def test_an_empty_recall_is_done(learnt: Shell) -> None:
    """Nothing found is exit 0, an empty block, and a reason."""
    answer = learnt.json("recall", "how do I run the tests")
    assert (answer["items"], answer["prompt_block"], answer["skip_reason"]) == ([], "", "no_results")
    assert "learnt pending" in learnt("recall", "how do I run the tests").out
    shown = learnt("recall", "how do I run the tests", "--block")
    assert (shown.out, shown.err) == ("", "learnt: Nothing is known about that here.\n")


def test_a_proposal_is_no_memory_yet(learnt: Shell) -> None:
    """Who asks for one as a memory is led to where it waits."""
    error = learnt.json("explain", "prop_0123456789abcdef", code=1)["error"]
    assert "learnt pending --id prop_0123456789abcdef" in error["hint"]
    assert "learnt list" in learnt.json("show", "mem_0123456789abcdef", code=1)["error"]["hint"]


def test_a_recall_takes_every_option(learnt: Shell) -> None:
    """Options narrow, and unit and round are in the receipt."""
    learnt.remember()
    learnt.monkeypatch.setenv("LEARNT_RUN", "run-1")
    words = ("recall", "how do I run the tests", "--task", "run the tests", "--mode", "manual", "--max-items", "3")
    more = ("--budget-tokens", "500", "--min-score", "0", "--profile", "hybrid", "--unit", "u7", "--round", "2")
    assert len(learnt.json(*words, *more, "--include-low-q", "--include-expired")["items"]) == 1
    assert learnt.json(*words, "--kind", "todo")["items"] == []
    assert learnt.json(*words, "--as-of", "2020-01-01")["items"] == []
    first = learnt.json("recall-log", "--run", "run-1")["entries"][-1]
    assert (first["metadata"]["unitId"], first["metadata"]["round"]) == ("u7", "2")
    assert learnt.json("recall-log", "--run", "run-2")["entries"] == []


@pytest.mark.parametrize("profile", ["lexical", "hybrid", "hybrid+rerank"])
def test_without_an_embedder_hybrid_is_lexical(learnt: Shell, profile: str) -> None:
    """The same items, order and scores, and the diagnostics say why."""
    learnt.config.parent.mkdir(exist_ok=True)
    learnt.config.write_text("[embeddings]\nenabled = false\n", "utf-8")
    learnt.remember()
    learnt.remember("The tests need a clean database.", "test_pattern")
    plain = learnt.json("recall", "run the tests", "--profile", "lexical")
    other = learnt.json("recall", "run the tests", "--profile", profile)
    assert [(item["id"], item["score"]) for item in other["items"]] == [
        (item["id"], item["score"]) for item in plain["items"]
    ]
    assert other["diagnostics"]["arms"]["dense"] == "off"


def test_a_disabled_repository_recalls_nothing(learnt: Shell) -> None:
    """`enabled = false` in the repository's file gives the disabled result with exit 0; nothing is written."""
    memory = learnt.remember()
    (learnt.project / ".learnt").mkdir()
    (learnt.project / ".learnt" / "config.toml").write_text("[memory]\nenabled = false\n", "utf-8")
    assert learnt.json("recall", "how do I run the tests")["skip_reason"] == "disabled"
    for write in (
        ("remember", "Builds need Node.", "--kind", "todo"),
        ("propose", "delete", "--target", memory),
        ("decide", "prop_0000000000000000", "accept"),
        ("undo", "evt_0000000000000000"),
    ):
        assert learnt.json(*write, code=3)["error"]["code"] == "disabled"
    assert learnt.json("pending")["total"] == 0


def test_a_listing_pages_and_filters(learnt: Shell) -> None:
    """Newest change first; status, kind, tag, limit and the next page."""
    ids = [learnt.remember(f"Statement number {number}.", "todo", "--tag", f"t{number}") for number in range(5)]
    everything = learnt.json("list")
    assert everything.keys() >= {"memories", "total", "next"}
    assert everything["total"] == 5
    assert {memory["id"] for memory in everything["memories"]} == set(ids)
    first = learnt.json("list", "--limit", "2")
    second = learnt.json("list", "--limit", "3", "--after", first["next"])
    assert [each["id"] for each in first["memories"] + second["memories"]] == [
        each["id"] for each in everything["memories"]
    ]
    assert second["next"] is None
    assert learnt.json("list", "--tag", "t3")["total"] == 1
    assert learnt.json("list", "--kind", "repo_convention")["total"] == 0
    assert learnt.json("list", "--status", "deleted")["total"] == 0
    assert "learnt list --after" in learnt("list", "--limit", "2").out


def test_an_explanation_shows_the_words_in_their_place(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """What a session taught is traced to file, record and quote."""
    learnt("sessions", "ingest", str(transcript("one")))
    proposals = learnt.json("pending")["proposals"]
    wanted = next(each for each in proposals if "SUITE=tides" in each["text"])
    memory = learnt.json("decide", wanted["id"], "accept")["memory"]["id"]
    told = learnt.json("explain", memory)
    assert told.keys() >= {"memory", "evidence", "merged_from", "replaced", "replaced_by", "events", "recalls"}
    spans = [each for each in told["evidence"] if "span" in each]
    assert spans
    assert all(each["verified"] for each in spans)
    lines = transcript("one").read_text("utf-8").splitlines()
    for each in spans:
        assert each["quote"].strip() in json.loads(json.dumps(each["span"]["text"]))
        assert 0 <= each["span"]["record"] < len(lines)
    shown = learnt("explain", memory).out
    assert "found in its source" in shown
    assert "make check tides" in shown


def test_text_of_others_cannot_steer_the_terminal(learnt: Shell, transcript: Callable[[str], Path]) -> None:
    """Escape sequences and bidi marks of a transcript come out visible and harmless on every screen."""
    path = transcript("one")
    text = path.read_text("utf-8").replace("No rule to make target", "\\u001b[31mNo\\u202e rule to make target")
    path.write_text(text, "utf-8")
    shown = [learnt("digest", str(path)).out, learnt("sessions", "ingest", str(path)).out, learnt("pending").out]
    for proposal in learnt.json("pending")["proposals"]:
        done = learnt("decide", proposal["id"], "accept", "--json")
        if done.code == 0:
            shown += [learnt(verb, done.document["memory"]["id"]).out for verb in ("show", "explain")]
    assert not [each for each in shown if "\x1b" in each or "\u202e" in each]


def test_list_as_of_a_moment(learnt: Shell) -> None:
    """What held then is listed with the status it has now; a status beside it makes no sense."""
    learnt.remember()
    assert learnt.json("list", "--as-of", "2099-01-01")["total"] == 1
    assert learnt.json("list", "--as-of", "2001-01-01")["total"] == 0
    assert learnt("list", "--as-of", "2001-01-01").out.strip() == "No memory here fits."
    assert learnt("list", "--as-of", "2001-01-01", "--status", "all").code == 2
