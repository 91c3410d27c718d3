"""Commands that look and change nothing: recall, list, show, explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command
from learnt.interfaces.cli.options import KIND, MOMENT, SCORE, many
from learnt.model.kinds import MODES, PROFILES, STATUSES
from learnt.wire import answer as wire
from learnt.wire.memory import explanation
from learnt.wire.memory import memory as as_json
from learnt.wire.memory import page as page_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.read import Explanation, Support
    from learnt.model.filter import Page
    from learnt.model.memory import Memory
    from learnt.model.outcome import Outcome
    from learnt.model.ranking import Hit, Ranking


@command("recall", short_help="What bears on a question.")
@click.argument("query")
@click.option("--task", default="", metavar="T", help="The task at hand.")
@many("--kind", "kinds", "KIND", "Only this kind.", KIND)
@click.option("--role", default="", metavar="R", help="Who asks: filters by the role's kinds, takes its budgets.")
@click.option("--mode", type=click.Choice(MODES), default="manual", show_default=True, help="How strictly.")
@click.option("--max-items", type=int, metavar="N", help="Most memories, 1 to 20.  [default: 8]")
@click.option("--budget-tokens", type=int, metavar="N", help="Budget of the block, 100 to 5,000.  [default: 1200]")
@click.option("--min-score", type=SCORE, help="Inclusive lower bound.  [default: 0.05]")
@click.option("--profile", type=click.Choice(PROFILES), default="default", show_default=True, help="How to rank.")
@click.option("--unit", default="", metavar="U", help="The unit of the run this is for.")
@click.option("--round", "round_", type=click.IntRange(0), metavar="N", help="The round of the run this is for.")
@click.option("--as-of", type=MOMENT, help="Over what was known and held then; a date means midnight UTC.")
@click.option("--include-low-q", is_flag=True, help="Also what outcomes have suppressed.")
@click.option("--include-expired", is_flag=True, help="Also what has expired.")
@click.option("--block", is_flag=True, help="Show the block an agent would be given, and nothing else.")
def recall(desk: Desk, *, query: str, block: bool, **asked: Any) -> None:
    """The memories that bear on a question, best first, and why."""
    for variable, value in (("LEARNT_UNIT", asked.pop("unit")), ("LEARNT_ROUND", asked.pop("round_"))):
        if value not in {"", None}:
            desk.environment[variable] = str(value)
    ranking = desk.engine.recall(query, **asked)
    if block and not desk.as_json and not ranking.prompt_block:
        desk.note(_why(ranking))
    desk.answer(wire.ranking(ranking), lambda: _block(ranking) if block else _ranking(ranking))


_WHY_NONE = {
    "disabled": "The memory is off here ([memory] enabled = false).",
    "no_results": "Nothing is known about that here.",
    "no_signal": "Nothing here has to do with that.",
    "below_threshold": "Nothing here is close enough to that.",
    "budget": "What was found does not fit into the budget.",
}


_ELSEWHERE = {"no_results", "no_signal", "below_threshold"}


def _why(value: Ranking) -> str:
    return _WHY_NONE.get(value.skip_reason or "no_results", "Nothing was found.")


def _ranking(value: Ranking) -> Iterator[str]:
    for number, hit in enumerate(value.hits, 1):
        yield from _hit(number, hit)
    if not value.hits:
        yield _why(value)
        if value.skip_reason in _ELSEWHERE:
            yield screen.faint("What was said: learnt search. What waits to become a memory: learnt pending.")
        yield from screen.unheard(value.diagnostics)
        return
    found = len(value.hits) if len(value.hits) == value.total else f"{len(value.hits)} of {value.total}"
    yield screen.faint(f"{found} found · {value.token_estimate} tokens as a block (--block shows it)")
    yield from screen.unheard(value.diagnostics)


def _hit(number: int, hit: Hit) -> Iterator[str]:
    memory = hit.memory
    days = "today" if not hit.age_days else screen.count(hit.age_days, "day")
    about = screen.joined(memory.kind, f"trust {memory.trust}", days, *hit.labels)
    yield f"{screen.strong(f'{number:>2}')}  {hit.score:.3f}  {screen.name(memory.id)}  {screen.faint(about)}"
    yield from screen.body(memory.text, "    ")
    yield "    " + screen.faint(screen.joined(_place(memory), hit.reason))
    yield ""


def _block(value: Ranking) -> Iterator[str]:
    from learnt.wire.terminal import plain

    if value.prompt_block:
        yield plain(value.prompt_block)


def _place(memory: Memory) -> str:
    """Where it came from; the writer alone is no place."""
    return "" if memory.source.place.startswith("person:") else memory.source.place


@command("list", short_help="The memories of this place.")
@click.option("--status", type=click.Choice([*STATUSES, "all"]), default="active", show_default=True, help="Which.")
@many("--kind", "kinds", "KIND", "Only this kind.", KIND)
@click.option("--tag", default="", metavar="T", help="Only with this tag.")
@click.option("--flagged", is_flag=True, help="Only with open flags of readers.")
@click.option("--as-of", type=MOMENT, help="What was known and held then; a date means midnight UTC.")
@click.option("--limit", type=click.IntRange(1, 1000), metavar="N", default=50, show_default=True, help="Most shown.")
@click.option("--after", default="", metavar="NEXT", help="The page after; the `next` of the one before.")
def list_(desk: Desk, *, status: str, as_of: str | None, **wanted: Any) -> None:
    """The memories of this place, latest change first."""
    if as_of and status != "active":
        raise click.UsageError("--as-of tells what was active then; it goes with no --status.")
    chosen: Any = () if status == "all" else (status,)
    found = desk.engine.list(statuses=chosen, as_of=as_of or "", **wanted)
    chosen_by = bool(as_of) or status != "active" or any(wanted[name] for name in ("kinds", "tag", "flagged", "after"))
    mixed = bool(as_of) or status == "all"
    desk.answer(page_json(found), lambda: _page(found, mixed=mixed, narrowed=chosen_by))


def _page(value: Page[Memory], *, mixed: bool, narrowed: bool) -> Iterator[str]:
    if not value.values:
        yield "No memory here fits." if narrowed else "No memories here. `learnt remember TEXT --kind KIND` writes one."
        return
    now = screen.now()
    rows = [
        (each.id, *([each.status] if mixed else []), each.kind, screen.age(each.updated_at, now), each.text)
        for each in value.values
    ]
    yield from screen.table(rows, indent="")
    if value.next:
        yield screen.faint(f"{len(value.values)} of {value.total:,}; the next: learnt list --after {value.next}")


@command("show", short_help="One memory.")
@click.argument("memory")
@click.option("--as-of", type=MOMENT, help="As it was recorded then; a date means midnight UTC.")
def show(desk: Desk, *, memory: str, as_of: str | None) -> None:
    """One memory with everything that is known of it."""
    found = desk.engine.show(memory, as_of=as_of or "")
    desk.answer(as_json(found), lambda: _memory(found))


def _memory(memory: Memory) -> Iterator[str]:
    yield f"{screen.name(memory.id)}  {screen.faint(screen.joined(memory.kind, memory.status))}"
    yield from screen.body(memory.text)
    yield ""
    yield from screen.pairs(
        [
            ("why", memory.rationale),
            ("scope", memory.scope.type),
            ("trust", memory.trust),
            ("confidence", f"{memory.confidence:g}"),
            ("q value", f"{memory.q_value:g}"),
            ("outcomes", f"{memory.useful} useful, {memory.against} against" if memory.useful + memory.against else ""),
            ("flags", str(memory.flags or "")),
            ("tags", ", ".join(memory.tags)),
            ("files", ", ".join(memory.files)),
            ("symbols", ", ".join(memory.symbols)),
            ("valid from", memory.valid_from),
            ("expires", memory.expires_at or ""),
            ("written", memory.created_at),
            ("changed", memory.updated_at if memory.updated_at != memory.created_at else ""),
            ("replaced by", memory.superseded_by or ""),
            ("reviewed by", memory.reviewed_by),
            ("evidence", ", ".join(each.ref for each in memory.evidence)),
        ]
    )


@command("explain", short_help="Where a memory came from.")
@click.argument("memory")
def explain(desk: Desk, *, memory: str) -> None:
    """Where a memory came from: its evidence in place, what it replaced, its events; with skill:NAME what it says."""
    if memory.startswith("skill:"):
        held = desk.engine.skill(memory)
        shape = {"name": held.name, "text": held.text, "files": list(held.files), "edited": held.edited}
        desk.answer({"skill": shape}, lambda: screen.body(held.text))
        return
    found = desk.engine.explain(memory)
    desk.answer(explanation(found), lambda: explained(found))


def explained(value: Explanation) -> Iterator[str]:
    """An explanation, for reading."""
    memory = value.memory
    about = screen.joined(memory.kind, memory.status, f"trust {memory.trust}")
    yield f"{screen.name(memory.id)}  {screen.faint(about)}"
    yield from screen.body(memory.text)
    yield ""
    yield screen.strong("Evidence")
    for support in value.evidence:
        yield from _support(support)
    ties = (("Merged from", value.merged_from), ("Merged with", value.merged_with), ("Replaced", value.replaced))
    for word, ids in ties:
        if ids:
            yield f"{screen.strong(word)}  {screen.listed(ids)}"
    if value.replaced_by:
        yield f"{screen.strong('Replaced by')}  {screen.name(value.replaced_by)}"
    if value.outcomes:
        yield ""
        yield screen.strong("Outcomes")
        yield from screen.table([_outcome(each) for each in value.outcomes])
    yield ""
    yield screen.strong("Events")
    yield from screen.table([(each.timestamp[:19] + "Z", each.operation, each.id) for each in value.events])
    believed = (
        "" if value.belief == memory.confidence else f"believed {value.belief:.2f}, written {memory.confidence:g}"
    )
    yield screen.faint("  " + screen.joined(f"recalled {screen.count(value.recalls, 'time')}", believed))


def _outcome(each: Outcome) -> tuple[str, ...]:
    places = ", ".join(f"{spot.file}#{spot.symbol}" if spot.symbol else spot.file for spot in each.spots)
    return each.at[:19] + "Z", each.result, each.by, each.correction or places


def _support(value: Support) -> Iterator[str]:
    reference, unit = value.reference, value.unit
    mark = ("found in its source" if reference.verified else "not found in its source") if reference.quote else ""
    yield f"  {screen.faint(screen.joined(reference.type, reference.ref, f'trust {reference.trust}', mark))}"
    if reference.quote:
        yield from screen.quoted(reference.quote)
    if unit is None:
        return
    spot = f"record {unit.span.record}, byte {unit.span.offset:,}" if unit.span else ""
    yield from map(screen.faint, screen.body(screen.joined(unit.who, unit.at, unit.path, spot), "    "))
    if unit.text and unit.text != reference.quote:
        yield from screen.quoted(_in_place(unit.text, reference.quote), "      ")


_AROUND = 240


def _in_place(text: str, quote: str) -> str:
    """The quote between marks, with what stands around it; the beginning of the text when it is not there."""
    at = text.find(quote) if quote else -1
    if at < 0:
        return text[: 4 * _AROUND] + ("…" if len(text) > 4 * _AROUND else "")
    end = at + len(quote)
    before, after = text[max(0, at - _AROUND) : at], text[end : end + _AROUND]
    cut_before, cut_after = "…" if at > _AROUND else "", "…" if end + _AROUND < len(text) else ""
    return f"{cut_before}{before}»{quote}«{after}{cut_after}"
