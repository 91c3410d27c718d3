"""Personal data in what is proposed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from learnt.errors import ConfigError
from learnt.flows.decide import decide
from learnt.flows.outcome import outcome
from learnt.flows.propose import propose
from learnt.flows.remember import remember
from learnt.model.answer import Refusal, Written
from learnt.model.filter import MemoryFilter, ProposalFilter
from learnt.model.outcome import OutcomeRequest
from learnt.model.proposal import Decision
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.providers.people import SCORE, Names
from learnt.settings import GateSettings, Settings
from tests.flows.test_writing import asked

if TYPE_CHECKING:
    from learnt.flows.means import Means

ADDRESS = "ann.example" + "@" + "example.org"
CARD = " ".join(("4012", "8888", "8888", "1881"))


def looking(means: Means) -> Means:
    """The same, with detection on."""
    return replace(means, settings=replace(Settings(), gate=GateSettings(detect_pii=True)))


def test_nothing_is_noted_unless_it_is_turned_on(means: Means) -> None:
    """The default looks for nothing."""
    assert "pii" not in asked(means, f"Ask {ADDRESS} about the lease.").metadata


def test_types_and_counts_are_noted(means: Means) -> None:
    """With how sure the surest is; the proposal waits as any other, and the note holds none of the data."""
    one = asked(looking(means), f"Ask {ADDRESS} about the lease.")
    assert (one.status, one.metadata["pii"]) == ("pending", {"score": 0.9, "types": ["email"], "counts": {"email": 1}})
    two = asked(looking(means), f"Pay the harbour with {CARD}, and tell {ADDRESS}.")
    note = two.metadata["pii"]
    assert note == {"score": 0.95, "types": ["credit_card", "email"], "counts": {"credit_card": 1, "email": 1}}
    assert ADDRESS not in str(note)


def test_what_holds_none_has_no_note(means: Means) -> None:
    """Versions, dates and hashes are no numbers of persons."""
    text = "Since 2026-08-22 version 1.2.3456 rests on 0123456789abcdef0123456789abcdef01234567."
    assert "pii" not in asked(looking(means), text).metadata


def refusing(means: Means, **changes: object) -> Means:
    """The same, refusing durable writes with personal data."""
    gate = replace(GateSettings(detect_pii=True, reject_durable_pii=True), **changes)  # type: ignore[arg-type]
    return replace(means, settings=replace(Settings(), gate=gate))


def test_a_durable_write_is_refused_on_demand(means: Means) -> None:
    """By a person or an agent; one event tells types and score, and neither it nor the answer the address."""
    for write in (said, offered):
        answer = write(refusing(means), f"Ask {ADDRESS} about the lease.")
        assert isinstance(answer, Refusal)
        assert (answer.code, answer.details["types"]) == ("pii", ["email"])
        assert ADDRESS not in repr(answer)
    events = [row for row in means.store.events.chain() if row.operation == "pii_rejected"]
    assert [row.target_id for row in events] == ["memory", "memory"]
    assert ADDRESS not in str(events)
    assert not means.store.memories.page(
        means.context.sight, MemoryFilter(statuses=(), limit=10), means.clock.now()
    ).values


def test_a_tag_is_looked_at_as_it_was_given(means: Means) -> None:
    """Its normal form, which would be stored, is no address any more."""
    write = WriteRequest(text="Somebody knows the lease.", kind="project_fact", tags=(ADDRESS,))
    answer = remember(refusing(means), write)
    assert isinstance(answer, Refusal)
    assert answer.code == "pii"


def test_only_what_is_above_the_threshold_is_refused(means: Means) -> None:
    """Strictly above: an address scores 0.9, a phone 0.7; what is kept for a while passes."""
    assert isinstance(said(refusing(means, pii_threshold=0.9), f"Ask {ADDRESS}."), Written)
    assert isinstance(said(refusing(means), "Call +49 30 1234567 on Mondays."), Written)
    assert isinstance(said(refusing(means), f"Ask {ADDRESS} today.", "scratch"), Written)


def test_a_decision_and_a_correction_are_refused_too(means: Means) -> None:
    """A new text of a curator, and what is right instead."""
    waiting = asked(means, "The lease renews in June.")
    answer = decide(refusing(means), Decision(proposal_id=waiting.id, action="add", text=f"Ask {ADDRESS}."))
    assert isinstance(answer, Refusal)
    assert answer.code == "pii"
    name = said(means, "The lease ends in May.").memory.id
    told = OutcomeRequest(result="corrected", memory_id=name, correction=f"Ask {ADDRESS}.")
    assert isinstance(outcome(refusing(means), told), Refusal)


def test_names_are_found_by_an_optional_detector(means: Means) -> None:
    """Its names count with the patterns' data; the model is loaded once for callers that come at the same time."""
    loaded = []

    def load() -> Any:
        loaded.append(1)
        return lambda text: SimpleNamespace(ents=[SimpleNamespace(label_="PERSON")] * text.count("Ann"))

    people = Names(load)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: people.counts(["Ann met Ann."]), range(8))) == [{"person": (2, SCORE)}] * 8
    assert loaded == [1]
    noting = replace(looking(means), people=people)
    note: Any = asked(noting, "Ann owns the lease.").metadata["pii"]
    assert note["counts"] == {"person": 1}


def test_a_detector_that_is_not_there_fails_closed(means: Means) -> None:
    """Nothing is written, and the error says what to install."""

    def load() -> Any:
        raise ImportError

    for settings in (looking(means), refusing(means)):
        with pytest.raises(ConfigError) as caught:
            asked(replace(settings, people=Names(load)), "Ann owns the lease.")
        assert (caught.value.error_code, caught.value.exit_code) == ("ner_missing", 4)
        assert "pip install" in caught.value.advice
    assert not means.store.proposals.page(means.context.sight, ProposalFilter(limit=10)).values


def said(means: Means, text: str, kind: Any = "repo_convention") -> Any:
    """A person's write."""
    return remember(means, WriteRequest(text=text, kind=kind))


def offered(means: Means, text: str) -> Any:
    """A proposal."""
    return propose(means, ProposalRequest(operation="add", text=text, kind="repo_convention", evidence=("a.py",)))


def test_the_seed_s_vectors(means: Means) -> None:
    """T093: a card by its check digit, an address of a machine by its range; disguised digits are digits."""
    card = " ".join(["4111", *["1111"] * 3])
    full = card.translate({ord(digit): 0xFF10 + int(digit) for digit in "0123456789"})
    split = "\u200b".join(card)
    for text in (card, full, split):
        assert asked(looking(means), f"Pay with {text} here.").metadata["pii"]["types"] == ["credit_card"]  # type: ignore[index]
    assert "pii" not in asked(looking(means), f"Pay with {card[:-1]}2 here.").metadata
    assert asked(looking(means), "Ask 192.168.1.42 here.").metadata["pii"]["types"] == ["ip_address"]  # type: ignore[index]
    assert "pii" not in asked(looking(means), "Ask 999.999.1.1 here.").metadata
