"""The play of `learnt demo`, scene by scene: what happens, what is shown of it, and the facts as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.errors import LearntError
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.install import CLAUDE, install, plan
from learnt.interfaces.cli.look import explained
from learnt.model.answer import Decided, Refusal
from learnt.wire import answer as wire
from learnt.wire.memory import explanation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.engine import Engine
    from learnt.interfaces.cli.stage import Stage
    from learnt.model.proposal import Proposal

FAILS, WORKS = "make check tides", "make check SUITE=tides"
QUESTION = "how do I check the tides"
OTHER, GUIDANCE = "codex", 'part="guidance"'
_DAYS = {"one": 3.0, "two": 2.0, "three": 0.1}
"""How long ago each session ended."""


class MissedError(LearntError):
    """The demo did not go as it should; that is a bug."""

    code = "demo_missed"
    hint = "Run it with --keep DIR and look at what is there."


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene: its name, what is shown, and what happened as JSON."""

    name: str
    lines: tuple[str, ...]
    facts: dict[str, Any]


def play(stage: Stage) -> Iterator[Scene]:
    """The whole play, each scene as soon as it happened.

    Raises:
        MissedError: Something that must happen did not.
    """
    stage.build()
    stage.commit(days=4)
    with stage.engine() as engine:
        install(engine, plan(stage.home, [CLAUDE], None), accept_instructions=True)
    with stage.engine() as engine:
        yield _first(stage, engine)
        observed = _waiting(engine, WORKS)
        yield _taught(engine, observed)
        yield _started(stage, observed)
        yield _warned(stage, observed)
        _read(stage, engine, "two")
        stage.commit(days=1)
        yield _prompted(stage, observed)
        kept = _read(stage, engine, "three").accepted
        yield from _curtain(stage, engine, observed, kept)


def _first(stage: Stage, engine: Engine) -> Scene:
    """Session one, and what the end of it leaves."""
    path = stage.transcript("one", _DAYS["one"])
    lines = tuple(_dialogue(stage.spoken(path)))
    reading = engine.ingest([path]).readings[0]
    facts = {"session": reading.session, "messages": reading.messages, "proposals": list(reading.proposals)}
    return Scene("Session one finds out the hard way", lines, facts)


def _dialogue(spoken: Iterator[tuple[str, str]]) -> Iterator[str]:
    for who, words in spoken:
        match who:
            case "person":
                yield from _hanging("Mira", words)
            case "agent":
                yield from _hanging("agent", words)
            case "command":
                yield f"         {screen.name('$ ' + words)}"
            case "edit":
                yield f"         {screen.faint(words)}"
            case "failed":
                yield from (f"           {screen.bad(row)}" for row in words.splitlines())
            case _:
                if len(words) < screen.width() - 11 and "updated" not in words:
                    yield f"           {screen.faint(words.strip())}"


def _hanging(who: str, words: str) -> Iterator[str]:
    rows = list(screen.body(words, "", margin=9))
    yield f"  {screen.strong(f'{who:<6}')} {rows[0]}"
    yield from (f"         {row}" for row in rows[1:])


def _waiting(engine: Engine, words: str) -> Proposal:
    found = next((each for each in engine.pending().proposals.values if words in each.text), None)
    if found is None:
        raise MissedError(f"Nothing was learnt of `{words}`.")
    return found


def _taught(engine: Engine, observed: Proposal) -> Scene:
    """What the transcript taught, with its evidence."""
    kept = engine.list().values
    return Scene(
        "When it ends, learnt reads its transcript: no model, no key, no network",
        tuple(_lessons(engine, observed)),
        {"observation": observed.id, "kept": [memory.id for memory in kept]},
    )


def _lessons(engine: Engine, observed: Proposal) -> Iterator[str]:
    yield f"  {screen.name(observed.id)}  {screen.faint('waits for a person; seen once, not reviewed')}"
    yield from screen.body(observed.text, "    ")
    yield from (row for each in observed.evidence for row in _evidence(each.quote, each.ref))
    for memory in engine.list().values:
        yield ""
        yield f"  {screen.name(memory.id)}  {screen.faint('kept at once: Mira said so, and allows it')}"
        yield from screen.body(memory.text, "    ")
        yield from (row for each in memory.evidence if each.quote for row in _evidence(each.quote, each.ref))


def _evidence(quote: str, ref: str) -> Iterator[str]:
    record = ref.rpartition("#")[2]
    rows = list(screen.quoted(quote, "      "))
    yield from rows[:-1]
    yield f"{rows[-1]}  {screen.faint(f'record {record}')}"


def _event(stage: Stage, session: str, event: str, **fields: object) -> str:
    """What the hook gives at an event of a session."""
    return stage.hook(event, {"session_id": f"demo-{session}", **fields})


def _started(stage: Stage, observed: Proposal) -> Scene:
    given = _event(stage, "two", "session-start", hook_event_name="SessionStart", source="startup")
    _expect(given, WORKS, "at the start of session two")
    lines = (f"  {screen.faint('The hook puts this in front of the agent:')}", *screen.quoted(given, "  "))
    facts = {"moment": "session_start", "context": given, "id": observed.id}
    return Scene("Session two, a day later, is told at its start", lines, facts)


def _warned(stage: Stage, observed: Proposal) -> Scene:
    action = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": FAILS}}
    given = _event(stage, "two", "pre-tool-use", **action)
    _expect(given, WORKS, f"before `{FAILS}`")
    lines = (
        f"  The agent is about to run {screen.name(FAILS)}",
        *screen.quoted(_said(given), "  "),
        f"  It runs {screen.name(WORKS)} instead, and goes on to other work.",
    )
    facts = {"moment": "pre_tool", "command": FAILS, "context": given, "id": observed.id}
    return Scene("... and again, just before it repeats the mistake", lines, facts)


def _prompted(stage: Stage, observed: Proposal) -> Scene:
    start = _event(stage, "three", "session-start", hook_event_name="SessionStart", source="startup")
    if WORKS in start:
        raise MissedError("Session three was given at its start what its prompt should bring.")
    path = stage.transcript("three", _DAYS["three"])
    prompt = next(words for who, words in stage.spoken(path) if who == "person")
    given = _event(stage, "three", "user-prompt-submit", hook_event_name="UserPromptSubmit", prompt=prompt)
    _expect(given, WORKS, "at the prompt of session three")
    lines = (
        f"  {screen.faint('Its start brought newer lessons, of session two. Then:')}",
        *_hanging("Mira", prompt),
        *screen.quoted(_said(given), "  "),
    )
    facts = {"moment": "prompt", "prompt": prompt, "context": given, "id": observed.id}
    return Scene("Session three gets it when it is asked for", lines, facts)


def _said(given: str) -> str:
    """The memories of a block, without its frame, which was shown before."""
    rows = given.splitlines()
    first = next((at for at, row in enumerate(rows) if row.startswith("- [")), 0)
    return "\n".join(row for row in rows[first:] if not row.startswith("</"))


def _expect(given: str, words: str, when: str) -> None:
    if words not in given:
        raise MissedError(f"The agent was not told {when}.")


def _read(stage: Stage, engine: Engine, name: str) -> Any:
    return engine.ingest([stage.transcript(name, _DAYS[name])]).readings[0]


def _curtain(stage: Stage, engine: Engine, observed: Proposal, kept: tuple[str, ...]) -> Iterator[Scene]:
    """What a person does with it."""
    decided = engine.decide(observed.id, "accept")
    if not isinstance(decided, Decided) or decided.memory is None:
        raise MissedError("The proposal could not be accepted.")
    memory = decided.memory
    explained_ = engine.explain(memory.id)
    lines = (f"  {screen.name(f'$ learnt decide {observed.id} accept')}", *_rule(engine, kept))
    yield Scene("You decide what is kept", lines, {"memory": memory.id, "event": decided.event, "by_rule": list(kept)})
    shown = (f"  {screen.name(f'$ learnt explain {memory.id}')}", *(f"  {row}" for row in explained(explained_)))
    yield Scene("Every memory shows the words it rests on", shown, {"explanation": explanation(explained_)})
    yield _asked(engine)
    yield _summed(engine, stage)
    yield _verified(engine, stage)


def _rule(engine: Engine, kept: tuple[str, ...]) -> Iterator[str]:
    for memory in map(engine.show, kept):
        yield ""
        yield f"  {screen.faint('Kept by rule, for you to undo: it worked in two sessions at different commits.')}"
        yield f"  {screen.name(memory.id)}  {screen.faint(memory.kind)}"
        yield from screen.body(memory.text, "    ")


def _asked(engine: Engine) -> Scene:
    ranking = engine.recall(QUESTION)
    if not any(WORKS in hit.memory.text for hit in ranking.hits):
        raise MissedError("The recall did not find what was learnt.")
    rows = [(f"{hit.score:.2f}", hit.memory.kind, hit.memory.text) for hit in ranking.hits]
    lines = (f"  {screen.name(f'$ learnt recall {QUESTION!r}')}", *screen.table(rows, "  "))
    return Scene("Ask it yourself", lines, {"recall": wire.ranking(ranking)})


def _summed(engine: Engine, stage: Stage) -> Scene:
    """What all sessions come to, and a session of another agent that starts with it."""
    made = engine.rebuild()
    if isinstance(made, Refusal) or made.consolidated is None:
        raise MissedError("The sessions could not be summed up.")
    payload = {"session_id": "demo-four", "hook_event_name": "SessionStart", "source": "startup"}
    given = stage.hook("session-start", payload, OTHER)
    told = given.partition("</recalled_memory>")[0]
    if WORKS not in told or GUIDANCE not in told:
        raise MissedError(f"{OTHER} was not told what the sessions come to.")
    statements = told.partition("is stale.\n")[2].strip("\n")
    written = [name for name in made.consolidated.written if "/" not in name]
    lines = (
        f"  {screen.name('$ learnt memory rebuild')}",
        f"  {screen.count(len(made.sessions), 'session')} read; {', '.join(written)}",
        "",
        f"  {screen.faint(f'Session four is one of {OTHER}. It starts with:')}",
        *screen.quoted(statements, "  "),
    )
    return Scene("What all of them come to, for whichever agent is next", lines, {"context": given, "host": OTHER})


def _verified(engine: Engine, stage: Stage) -> Scene:
    report = engine.verify().report
    if not report.verified:
        raise MissedError("The chain of events does not hold.")
    status = engine.status()
    lines = (
        f"  {screen.name('$ learnt audit verify')}",
        f"  {report.events} events, trail whole; {screen.count(status.recalls, 'recall')}, each with a receipt.",
    )
    facts = {"verified": True, "events": report.events, "recalls": status.recalls, "git": stage.has_git}
    return Scene("Nothing happens off the record", lines, facts)
