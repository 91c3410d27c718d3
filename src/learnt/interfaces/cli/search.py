"""Commands about evidence: search, and the documents somebody looked up."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command, shared_options
from learnt.interfaces.cli.options import MOMENT, many
from learnt.model.answer import Refusal
from learnt.model.evidence import Document
from learnt.model.kinds import PROFILES
from learnt.model.search import WHERES, EvidenceFilter
from learnt.wire import search as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.filter import Page
    from learnt.model.memory import Memory
    from learnt.model.search import SearchAnswer, SearchHit

_REASONS = {
    "no_results": "Nothing found.",
    "no_signal": "There is no word to search for in this.",
    "disabled": "learnt is off here.",
}
_SHOWN_CHARS = 600


@command("search", short_help="What was said: evidence and memories.")
@click.argument("query")
@click.option("--in", "where", type=click.Choice(WHERES), default="all", show_default=True, help="Where to look.")
@click.option(
    "--k", "--limit", "k", type=click.IntRange(1, 1000), default=10, show_default=True, metavar="N", help="Most hits."
)
@click.option("--profile", type=click.Choice(PROFILES), default="default", show_default=True, help="How to rank.")
@click.option("--group", type=click.Choice(["session"]), default=None, help="One hit a session.")
@many("--file", "files", "FILE", "A file of the task at hand: what names it, or was said where it was touched, rises.")
@click.option("--who", default="", metavar="WHO", help="Only what they said: person, agent, a tool, a name.")
@click.option("--session", default="", metavar="ID", help="Only this session.")
@click.option("--since", type=MOMENT, help="Only evidence from then on.")
@click.option("--until", type=MOMENT, help="Only evidence up to then.")
def search(
    desk: Desk, *, query: str, who: str, session: str, since: str | None, until: str | None, **asked: Any
) -> None:
    """Evidence (what was said and done in sessions, documents) and memories about a question, best first."""
    wanted = EvidenceFilter(who=who, session=session, since=since or "", until=until or "")
    found = desk.engine.search(query, **{**asked, "group": asked["group"] or ""}, wanted=wanted)
    desk.answer(wire.answer(found), lambda: _answer(found))


def _answer(value: SearchAnswer) -> Iterator[str]:
    if not value.hits:
        yield _REASONS.get(str(value.diagnostics.get("reason")), "Nothing found.")
    for hit in value.hits:
        yield from _hit(hit)
    yield from screen.unheard(value.diagnostics)


def _hit(value: SearchHit) -> Iterator[str]:
    score = f"{value.score:.2f}"
    if value.unit is not None:
        unit = value.unit
        told = screen.joined(score, unit.who or _title(unit), unit.at[:16], unit.ref)
        yield f"{screen.name(unit.id)}  {screen.faint(told)}"
        yield from screen.quoted(_cut(value.passage), "  ")
    elif value.memory is not None:
        memory = value.memory
        about = screen.joined(score, memory.kind, memory.trust, _flagged(memory))
        yield f"{screen.name(memory.id)}  {screen.faint(about)}"
        yield from screen.body(_cut(memory.text))


def _title(value: EvidenceUnit) -> str:
    return dict(value.detail).get("title", "")


def _flagged(memory: Memory) -> str:
    return screen.count(memory.flags, "flag") if memory.flags else ""


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS].rstrip() + " …"


@click.group("evidence", short_help="Documents somebody looked up.")
def evidence(*, as_json: bool, project: str) -> None:
    """Evidence documents: texts that were looked up and that memories may rest on."""
    del as_json, project


@command("add", short_help="Keep a document.")
@click.argument("text")
@click.option("--title", default="", metavar="T", help="What it is called.")
@click.option("--url", default="", metavar="URL", help="Where it stands.")
@click.option("--query", default="", metavar="Q", help="What was asked to find it.")
@click.option(
    "--source",
    "source_type",
    default="manual",
    show_default=True,
    metavar="S",
    help="api_docs, web_search, crawl or manual.",
)
def add(desk: Desk, *, text: str, title: str, url: str, query: str, source_type: str) -> None:
    """Keep a document as evidence; TEXT `-` reads it from standard input. Secrets are redacted."""
    if text == "-":
        text = sys.stdin.read()
    given = Document(text=text, title=title, url=url, query=query, source_type=source_type)
    found = desk.engine.add_document(given)
    if isinstance(found, Refusal):
        desk.refuse(found)
    desk.answer({"evidence": wire.unit(found)}, lambda: _unit(found))


@command("show", short_help="One document.")
@click.argument("evidence")
def show(desk: Desk, *, evidence: str) -> None:
    """A document, or any other piece of evidence, by id or reference."""
    found = desk.engine.evidence(evidence)
    desk.answer({"evidence": wire.unit(found)}, lambda: _unit(found))


@command("list", short_help="Documents that were kept.")
@click.option("--limit", type=click.IntRange(1, 1000), metavar="N", default=50, show_default=True, help="Most shown.")
def list_(desk: Desk, *, limit: int) -> None:
    """The documents that were kept, newest first."""
    found = desk.engine.documents(limit)
    desk.answer(wire.page(found), lambda: _page(found))


def _unit(value: EvidenceUnit) -> Iterator[str]:
    yield f"{screen.name(value.id)}  {screen.faint(screen.joined(value.type, value.who, value.at[:16]))}"
    yield from screen.quoted(value.text, "  ")
    yield from screen.pairs([("ref", value.ref), ("file", value.path), *value.detail])


def _page(value: Page[EvidenceUnit]) -> Iterator[str]:
    if not value.values:
        yield "No document was kept yet. `learnt evidence add TEXT` keeps one."
        return
    yield from screen.table([(each.id, each.at[:10], _title(each), each.text) for each in value.values], indent="")


evidence.params.extend(shared_options())
for _each in (add, show, list_):
    evidence.add_command(_each)
