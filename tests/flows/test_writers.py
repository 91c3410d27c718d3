"""Who writes here, what it may cost, and what several processes spend together."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from learnt.errors import ProviderError, StoreBusyError
from learnt.flows.account import Account, Post, unwritten
from learnt.flows.writers import Enabled, LedgerMeter, Purse, reading
from learnt.model.ledger import NANOS, Cap, Charge, Prices
from learnt.model.writer import NamedModel, WriterChoice
from learnt.ports.writer import Fulfilled, Task, Unwritten
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import FixedClock, SequenceIds
from learnt.testing.wrappers import Wrapper

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.ports.ledger import Meter
    from learnt.ports.store import Store

SHORT: dict[str, Any] = {"max_output_tokens": 1}
HERE = NamedModel(name="here", provider="ollama", model="small", **SHORT)
PAID = NamedModel(name="paid", provider="anthropic", model="big", prices=Prices(input_usd=1, output_usd=5), **SHORT)
ELSEWHERE = NamedModel(name="cli", provider="claude-code", model="haiku", **SHORT)
BOTH = ("extraction", "consolidation")
TASK = Task(purpose="extraction", name="t", system="s", material="m", schema={})
DOLLAR = Cap("day", "usd", NANOS)


class Paper:
    """A writer that writes nothing down but its name."""

    context_tokens = None

    def __init__(self, named: NamedModel, meter: Meter) -> None:
        self.named = named
        self.meter = meter
        self.name = f"{named.provider}:{named.model}"

    def write(self, task: Task) -> Fulfilled:
        """Nothing."""
        return Fulfilled(value={"task": task.name}, writer=self.name)


def _enabled(store: Store, *models: NamedModel, clock: FixedClock | None = None, **given: Any) -> Enabled:
    caps = given.pop("caps", (DOLLAR,))
    purposes = given.pop("purposes", BOTH)
    roles = given.pop("roles", {})
    clock = clock or FixedClock()
    start = given.pop("start", "s")
    purse = Purse(store=store, clock=clock, ids=SequenceIds(start), user_id="u", start=start, caps=caps)
    choice = WriterChoice(models=models, roles=roles, purposes=purposes, caps=caps)
    asked: dict[str, Any] = {"look": lambda each: each.name, "trial": lambda _, meter: Paper(HERE, meter).write(TASK)}
    return Enabled(choice=choice, purse=purse, repository_id="r", make=Paper, **asked, **given)


def _who(enabled: Enabled, purpose: Any = "extraction") -> str:
    found = enabled.of(purpose)
    return found.reason if isinstance(found, Unwritten) else found.name


def _meter(enabled: Enabled) -> LedgerMeter:
    found = enabled.of("extraction")
    assert isinstance(found, Paper)
    assert isinstance(found.meter, LedgerMeter)
    return found.meter


def test_nobody_writes_unless_a_person_said_so() -> None:
    """No model, a model but not here, one purpose only, or turned off."""
    store = EphemeralStore()
    assert _who(_enabled(store)) == "no writer"
    assert _who(_enabled(store, purposes=())) == "no writer"
    assert _who(_enabled(store, HERE, purposes=())) == "not enabled"
    assert _who(_enabled(store, HERE, purposes=("consolidation",))) == "not enabled"
    assert _who(_enabled(store, HERE, on=False)) == "off"
    assert _who(_enabled(store, HERE)) == "ollama:small"


def test_a_purpose_goes_to_its_role_then_to_the_default_then_to_the_first() -> None:
    """Extraction to `default`; consolidation to `smol`, else `default`."""
    store = EphemeralStore()
    both = (HERE, PAID)
    assert [_who(_enabled(store, *both), each) for each in BOTH] == ["ollama:small"] * 2
    roles = {"default": "paid"}
    assert [_who(_enabled(store, *both, roles=roles), each) for each in BOTH] == ["anthropic:big"] * 2
    roles = {"default": "paid", "smol": "here"}
    assert [_who(_enabled(store, *both, roles=roles), each) for each in BOTH] == ["anthropic:big", "ollama:small"]
    roles = {"smol": "gone"}
    assert [_who(_enabled(store, *both, roles=roles), each) for each in BOTH] == ["ollama:small"] * 2


def test_what_costs_needs_a_cap_first() -> None:
    """In dollars where there is a price, in tokens elsewhere without one, none for a free model here."""
    store = EphemeralStore()
    assert _who(_enabled(store, PAID, caps=())) == "no cap: usd"
    assert _who(_enabled(store, ELSEWHERE)) == "no cap: tokens"
    assert _who(_enabled(store, HERE, caps=())) == "ollama:small"
    assert _who(_enabled(store, PAID, caps=(Cap("day", "usd", 0),))) == "no cap: usd"
    assert _who(_enabled(store, ELSEWHERE, caps=(Cap("start", "tokens", 9),))) == "claude-code:haiku"


def test_a_cap_must_hold_an_answer() -> None:
    """One too small for any is told as such, and nothing waits for it; one with too little left is used up."""
    store = EphemeralStore()
    long = replace(ELSEWHERE, max_output_tokens=0)
    caps = (Cap("day", "tokens", 4_000),)
    enabled = _enabled(store, long, caps=caps)
    assert [_who(enabled, each) for each in BOTH] == ["claude-code:haiku", "small cap: day_tokens"]
    _meter(enabled).reserve(1, 0)
    assert _who(enabled) == "cap: day_tokens"
    dear = replace(PAID, max_output_tokens=1_000)
    assert _who(_enabled(store, dear, caps=(Cap("day", "usd", 5_000_000),))) == "small cap: day_usd"
    assert _who(_enabled(store, dear, caps=(Cap("day", "usd", 5_001_000),))) == "anthropic:big"


def test_a_request_is_reserved_before_and_settled_after() -> None:
    """What it may come to counts at once, what it came to afterwards."""
    store = EphemeralStore()
    enabled = _enabled(store, PAID)
    meter = _meter(enabled)
    charge = meter.reserve(1_000, 200)
    assert store.ledger.spent("u").cost_nano_usd == charge.cost_nano_usd == 2_000_000
    end = meter.settle(charge, input_tokens=900, output_tokens=10, remaining_percent=50, resets_in_s=60)
    assert store.ledger.page("u", 5) == (end,)
    assert (end.cost_nano_usd, end.status, end.repository_id, end.purpose) == (950_000, "settled", "r", "extraction")
    assert (end.role, end.resets_at) == ("first", "2026-05-24T12:01:00.000Z")


def test_a_request_beyond_a_cap_is_not_sent() -> None:
    """The cap is named; nothing is reserved. A start has its own, a day and a month begin anew."""
    store, clock = EphemeralStore(), FixedClock("2026-05-31T23:00:00.000Z")
    caps = (Cap("start", "tokens", 100), Cap("day", "usd", 300_000), Cap("month", "tokens", 250))
    meter = _meter(_enabled(store, PAID, clock=clock, caps=caps))
    meter.settle(meter.reserve(60, 0), input_tokens=60, output_tokens=0)
    with pytest.raises(ProviderError) as caught:
        meter.reserve(41, 0)
    assert (caught.value.error_code, caught.value.details, caught.value.may_retry) == (
        "cap",
        {"cap": "start_tokens"},
        False,
    )
    meter = _meter(_enabled(store, PAID, clock=clock, caps=caps, start="s-2"))
    meter.reserve(100, 0)
    assert _who(_enabled(store, PAID, clock=clock, caps=caps, start="s-2")) == "cap: start_tokens"
    meter = _meter(_enabled(store, PAID, clock=clock, caps=caps, start="s-3"))
    with pytest.raises(ProviderError) as caught:
        meter.reserve(90, 2)
    assert caught.value.details == {"cap": "month_tokens"}
    clock.advance(3_600)
    meter.reserve(90, 2)


def test_little_left_of_a_rate_limit_is_left_to_the_person() -> None:
    """Below the least share nobody writes until the window begins anew."""
    store, clock = EphemeralStore(), FixedClock()
    enabled = _enabled(store, HERE, PAID, roles={"default": "paid"}, clock=clock)
    meter = _meter(enabled)
    meter.settle(meter.reserve(1, 1), input_tokens=1, output_tokens=1, remaining_percent=24.9, resets_in_s=60)
    assert _who(enabled) == "rate limit"
    assert _who(replace(enabled, least_percent=10.0)) == "anthropic:big"
    assert _who(_enabled(store, HERE, clock=clock)) == "ollama:small"
    clock.advance(60)
    assert _who(enabled) == "anthropic:big"


def test_threads_do_not_overspend_together(tmp_path: Path) -> None:
    """Ten at once, room for four."""
    store = SqliteStore.open(tmp_path / "memory.db", now=FixedClock())
    caps = (Cap("day", "tokens", 400),)
    meter = _meter(_enabled(store, ELSEWHERE, caps=caps))
    done: list[str] = []

    def ask() -> None:
        try:
            meter.reserve(100, 0)
            done.append("sent")
        except ProviderError as error:
            done.append(error.error_code)

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == ["cap"] * 6 + ["sent"] * 4
    store.close()


def _spend(path: str, number: int, told: Any) -> None:
    store = SqliteStore.open(path, now=FixedClock(), wait_s=30)
    purse = _enabled(store, PAID, start=f"s-{number}").purse
    meter = LedgerMeter(
        purse=purse,
        repository_id="r",
        purpose="extraction",
        role="default",
        provider=PAID.provider,
        model=PAID.model,
        prices=PAID.prices,
        caps=purse.caps,
    )
    sent = 0
    for _ in range(4):
        try:
            meter.settle(meter.reserve(100_000, 0), input_tokens=100_000, output_tokens=0)
            sent += 1
        except ProviderError:
            pass
    told.put(sent)
    store.close()


def test_processes_do_not_overspend_together(tmp_path: Path) -> None:
    """Eight processes that ask four times each, a cap of ten requests: ten are sent."""
    path = str(tmp_path / "memory.db")
    SqliteStore.open(path, now=FixedClock()).close()
    forked = multiprocessing.get_context("fork")
    told = forked.Queue()
    processes = [forked.Process(target=_spend, args=(path, number, told)) for number in range(8)]
    for each in processes:
        each.start()
    sent = sum(told.get(timeout=60) for _ in processes)
    for each in processes:
        each.join()
    store = SqliteStore.open(path, now=FixedClock())
    spent = store.ledger.spent("u")
    store.close()
    assert (sent, spent.charges, spent.cost_nano_usd) == (10, 10, NANOS)


def _die(path: str) -> None:
    store = SqliteStore.open(path, now=FixedClock())
    _meter(_enabled(store, ELSEWHERE, caps=(Cap("day", "tokens", 100),))).reserve(80, 0)
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_a_crash_left_reserved_counts(tmp_path: Path) -> None:
    """A process killed between sending and settling: its room is gone for the day."""
    path = str(tmp_path / "memory.db")
    SqliteStore.open(path, now=FixedClock()).close()
    process = multiprocessing.get_context("fork").Process(target=_die, args=(path,))
    process.start()
    process.join()
    store = SqliteStore.open(path, now=FixedClock())
    assert [each.status for each in store.ledger.page("u", 5)] == ["reserved"]
    meter = _meter(_enabled(store, ELSEWHERE, caps=(Cap("day", "tokens", 100),), start="s-2"))
    with pytest.raises(ProviderError):
        meter.reserve(21, 0)
    meter.reserve(20, 0)
    store.close()


class _Busy(Wrapper):
    """Another process holds it."""

    def before(self, call: str) -> None:
        """Beyond the wait."""
        raise StoreBusyError(call)


def test_an_answer_that_is_paid_is_not_lost_to_a_busy_store() -> None:
    """The charge goes on counting as it was reserved."""
    store = EphemeralStore()
    meter = _meter(_enabled(store, PAID))
    charge = meter.reserve(10, 10)
    meter = replace(meter, purse=replace(meter.purse, store=cast("Store", _Busy(store))))
    assert meter.settle(charge, input_tokens=1, output_tokens=1).input_tokens == 1
    assert store.ledger.page("u", 5) == (charge,)


def test_what_reads_elsewhere_counts_its_tokens() -> None:
    """Without a price it needs no cap, and is held to those in tokens; on this machine nobody counts."""
    store, away = EphemeralStore(), "https://vectors.example.com/v1"
    purse = _enabled(store, PAID, caps=(DOLLAR,)).purse
    assert reading(purse, "embedding", "tei", "e", 0, "http://127.0.0.1:8080") is None
    assert reading(purse, "embedding", "local", "e", 0, away) is None
    meter = reading(purse, "embedding", "openai", "e", 0, away)
    assert meter is not None
    meter.reserve(10_000_000, 0)
    assert store.ledger.spent("u").tokens == 10_000_000
    for limit in (0, 10_000_001):
        held = replace(purse, caps=(Cap("day", "tokens", limit),))
        meter = reading(held, "embedding", "openai", "e", 0, away)
        assert meter is not None
        with pytest.raises(ProviderError):
            meter.reserve(2, 0)


def test_where_the_ledger_is_busy_nothing_is_sent() -> None:
    """An error of the model's, so that a question is answered without its vector."""
    store = EphemeralStore()
    meter = _meter(_enabled(store, PAID))
    meter = replace(meter, purse=replace(meter.purse, store=cast("Store", _Busy(store))))
    with pytest.raises(ProviderError) as caught:
        meter.reserve(10, 10)
    assert (caught.value.error_code, caught.value.may_retry) == ("busy", True)


def test_a_model_that_fails_is_told_of_until_it_answers() -> None:
    """Each that is used here, by its newest request; a vector that came later, or another model, hides none."""

    def charge(model: NamedModel, fault: str = "", purpose: str = "extraction") -> Charge:
        made = _meter(_enabled(EphemeralStore(), PAID)).reserve(1, 1)
        named: dict[str, Any] = {"provider": model.provider, "model": model.model}
        return replace(made, **named, purpose=purpose, fault=fault, status="settled")

    posts = (Post(purpose="extraction", model=PAID), Post(purpose="consolidation", model=HERE))

    def told(*latest: Charge) -> list[str]:
        return unwritten(Account(models=(HERE, PAID, ELSEWHERE), posts=posts, latest=latest))

    assert told(charge(HERE), charge(PAID, "bad_response")) == [
        "the last request to anthropic:big failed (bad_response): `learnt models`"
    ]
    assert len(told(charge(PAID, purpose="embedding"), charge(HERE, "timeout"), charge(PAID, "refused"))) == 2
    assert told(charge(PAID), charge(PAID, "refused")) == []
    assert told(charge(ELSEWHERE, "refused")) == []
