"""Phase 1: what one session taught, read from its transcript and kept as facts with the words they rest on.

A model, or the offline writer, says what there is; what it says is checked against the same transcript, passes the
gate, and is kept away where it was forgotten. It is written in one transaction with the job's lease, so that nobody
who lost it writes. Nothing to keep is an answer: what the session taught before then leaves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, Literal

from learnt.capture.evidence import reference_of, visible
from learnt.capture.heard import heard
from learnt.capture.lessons import Gatherer
from learnt.capture.risk import risky
from learnt.distil.draft import Draft
from learnt.distil.draft import extraction as made_of
from learnt.distil.material import extraction_task
from learnt.distil.offline import Extractor
from learnt.distil.payload import budget
from learnt.distil.schema import Unusable, assertions
from learnt.distil.synopsis import sentences
from learnt.distil.verify import verified
from learnt.errors import LearntError, NotFoundError, ProviderError, UsageError
from learnt.flows.bar import MOST_CHARS, barred
from learnt.flows.phases import ask, due, is_stale, writer
from learnt.flows.reading import hearsay
from learnt.flows.screen import judged
from learnt.flows.suggest import suggest
from learnt.model.extraction import OFFLINE
from learnt.model.job import Done
from learnt.model.scope import Sight, scope_of
from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from learnt.flows.lease import Grip
    from learnt.flows.means import Means
    from learnt.model.extraction import Extraction, Fact
    from learnt.model.session import SessionEvent
    from learnt.model.thread import Thread
    from learnt.model.verdict import Verdict
    from learnt.ports.writer import Writer

_Unread = Literal["", "missing", "too large"]
Outcome = Literal["extracted", "nothing", "missing", "too large", "set aside"]
_BATCH: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What became of one session.

    Attributes:
        result: `nothing` where it taught nothing worth keeping; `missing` where its transcript is gone or unreadable.
        dropped: Assertions that were not kept, by reason. `proposals`: what a model found and a person may decide.
    """

    thread: Thread
    result: Outcome
    writer: str = OFFLINE
    facts: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    proposals: tuple[str, ...] = ()


def extract(
    means: Means, thread: Thread, *, grip: Grip | None = None, attempt: int = 1, offline: bool = False
) -> Extracted:
    """Read a session and keep what it taught.

    Args:
        means: Of the repository the session ran in.
        grip: The lease, which ends with what is written; None where the store has none.
        attempt: A later one shows a model less, because a session too long fails each time.
        offline: Ask no model, whatever is enabled: it failed for the last time.

    Raises:
        ProviderError: The model did not answer, or not with what was asked for.
    """
    model = None if offline else writer(means, "extraction")
    unread, draft = _unreadable(means, thread), None
    if not unread:
        try:
            draft = _by_model(means, thread, model, attempt) if model else _offline(means, thread)
        except (OSError, NotFoundError, UsageError):  # it went, or may not be read any more
            unread = "missing"
    kept = None if draft is None else _screened(means, thread, draft, model.name if model else OFFLINE)
    done = _written(means, thread, kept, unread, grip)
    if model is None or kept is None or done.result != "extracted":
        return done
    return replace(done, proposals=suggest(means, thread, kept))


def is_here(means: Means, thread: Thread) -> bool:
    """Whether the session's transcript lies on this machine."""
    return _unreadable(means, thread) != "missing"


def _unreadable(means: Means, thread: Thread) -> _Unread:
    try:
        extent = means.transcripts.extent(thread.path, thread.host, in_bytes=True)
    except LearntError:
        return "missing"
    if not extent:
        return "missing"
    return "too large" if extent > means.settings.sessions.max_transcript_bytes else ""


def _root(means: Means, thread: Thread) -> str:
    """The checkout that the session's paths are relative to."""
    root = means.place.root
    inside = not thread.cwd or thread.cwd == root or thread.cwd.startswith(root.rstrip("/") + "/")
    return root if inside else thread.cwd


def _offline(means: Means, thread: Thread) -> Draft:
    root = _root(means, thread)
    gatherer = Gatherer(session_id=thread.session_id, root=root)
    extractor = Extractor(session_id=thread.session_id, root=root, risky=risky)
    for event in cleaned(means, thread):
        gatherer.feed(event)
        extractor.feed(event)
    return extractor.draft(gatherer.harvest())


def _by_model(means: Means, thread: Thread, model: Writer, attempt: int) -> Draft:
    room = budget(means.settings.sessions.input_tokens, model.context_tokens) >> max(0, attempt - 1)
    task = extraction_task(thread.session_id, cleaned(means, thread), budget_tokens=room)
    if task is None:
        return Draft()
    found = assertions(model.write(task).value)
    if isinstance(found, Unusable):
        raise ProviderError("The model did not answer in the form asked for.", details={"reason": found.reason})
    named = (
        found.slug if found.slug and means.gate.redact(found.slug) == found.slug else None
    )  # before it is spelled anew
    return verified(replace(found, slug=named), cleaned(means, thread), session_id=thread.session_id, risky=risky)


def cleaned(means: Means, thread: Thread) -> Iterator[SessionEvent]:
    """The events of a session: what is nobody's words, excluded, secret or forgotten is not in them."""
    root, excludes = _root(means, thread), means.settings.evidence.exclude
    events: Iterable[SessionEvent] = means.transcripts.open(thread.path, thread.host).events()
    if means.workplace.brought(thread.path, thread.cwd):
        events = hearsay(events)
    if excludes:
        events = visible(events, lambda path: _is_excluded(path, root, excludes), root)
    held = means.store.archive.session(means.context.sight, thread.id)
    first = held.cleared if held else 0
    person = held is not None and held.interactive
    shown = heard((event for event in events if event.span.record >= first), means.gate.redact, person=person)
    return _remembered(means, thread, shown)


def _is_excluded(path: str, root: str, patterns: Iterable[str]) -> bool:
    full = path if path.startswith("/") else f"{root}/{path}"
    return any(fnmatchcase(path, each) or fnmatchcase(full, each) for each in patterns)


def _remembered(means: Means, thread: Thread, events: Iterator[SessionEvent]) -> Iterator[SessionEvent]:
    """The events that were not forgotten, by what they say or by the record they stand in."""
    if not means.store.digests.count(means.context.sight):
        yield from events
        return
    batch: list[SessionEvent] = []
    for event in events:
        batch.append(event)
        if len(batch) >= _BATCH:
            yield from _admitted(means, thread, batch)
            batch = []
    yield from _admitted(means, thread, batch)


def _admitted(means: Means, thread: Thread, batch: list[SessionEvent]) -> Iterator[SessionEvent]:
    told = [(event, reference_of(thread.session_id, event.span), str(getattr(event, "text", ""))) for event in batch]
    gone = barred(means, (text for _, _, text in told if len(text) <= MOST_CHARS), (ref for _, ref, _ in told))
    return (event for event, ref, text in told if ref not in gone and text not in gone)


def _screened(means: Means, thread: Thread, draft: Draft, name: str) -> Extraction:
    """The draft as it may be stored: each fact through the gate, what is not a fact without its secrets."""
    dropped = dict(draft.dropped)
    facts: list[Fact] = []
    for fact in draft.facts:
        if reason := "repeated" if fact.id in {each.id for each in facts} else _fault(means, fact):
            dropped[reason] = dropped.get(reason, 0) + 1
        else:
            facts.append(fact)
    synopsis = means.gate.scan((Passage(field="summary", text=draft.summary),))
    clean = replace(
        draft,
        summary=synopsis.redacted[0][1] if _is_harmless(synopsis) else "",
        slug=draft.slug if not draft.slug or means.gate.redact(draft.slug) == draft.slug else None,
        facts=tuple(facts),
        dropped=dict(sorted(dropped.items())),
    )
    return made_of(
        clean,
        session_id=thread.id,
        scope_key=thread.scope_key,
        host=thread.host,
        source_updated_at=thread.updated_at,
        generated_at=means.clock.now(),
        writer=name,
    )


def _is_harmless(verdict: Verdict) -> bool:
    """Whether a text tries to instruct nobody and was read to its end; secrets in it are redacted."""
    orders = any(finding.family in {"injection", "sentinel"} for finding in verdict.findings)
    return verdict.outcome != "incomplete" and not orders


def _fault(means: Means, fact: Fact) -> str:
    """Why the gate keeps a fact out; "" where it does not."""
    texts = (fact.text, *(quote.text for quote in fact.quotes), *fact.commands, *fact.files, *fact.symbols)
    verdict = judged(means, [Passage(field="extraction", text=text) for text in texts], "extract")
    if verdict.outcome == "allow":
        return ""
    return verdict.findings[0].family if verdict.findings else verdict.outcome


def _written(
    means: Means,
    thread: Thread,
    found: Extraction | None,
    unread: _Unread,
    grip: Grip | None,
) -> Extracted:
    """Keep what was found, or take away what there was, in one transaction with the end of the lease.

    The artifacts are asked for by whoever reads the last of the sessions that are due, so that they are made once.
    """
    scope = scope_of(thread.scope_key)
    with means.store.transaction():
        held = means.store.threads.get(Sight((scope,)), thread.id)  # first the scope, then the job: `clear` does so too
        if grip:
            grip.hold()
        done, changed = _kept(means, thread, held, found, unread)
        if grip:
            grip.end(Done())
        if not due(means, scope) and (changed or is_stale(means, scope)):
            ask(means, scope, thread.updated_at)
    return done


def _kept(
    means: Means, thread: Thread, held: Thread | None, found: Extraction | None, unread: _Unread
) -> tuple[Extracted, bool]:
    """The rows; gives what became of the session, and whether its extraction is another one now."""
    sight, store = Sight((scope_of(thread.scope_key),)), means.store
    if held is None or held.mode != "enabled":
        return Extracted(thread=thread, result="set aside"), False
    store.threads.worked(sight, thread.id, thread.updated_at)
    if unread:  # what it taught when it could be read, it still taught
        return Extracted(thread=thread, result=unread), False
    kept = _unforgotten(means, thread, found) if found else None
    taught = kept is not None and bool(kept.facts)
    changed = store.extractions.put(kept) if kept and taught else bool(store.extractions.remove(sight, [thread.id]))
    means.name_place()
    done = Extracted(
        thread=thread,
        result="extracted" if taught else "nothing",
        writer=kept.writer if kept else OFFLINE,
        facts=len(kept.facts) if kept else 0,
        dropped=dict(kept.dropped) if kept else {},
    )
    detail = {"writer": done.writer, "facts": done.facts, "dropped": done.dropped}
    store.events.append(means.event("extract", thread.id, means.clock.now(), detail))
    return done, changed


def _unforgotten(means: Means, thread: Thread, found: Extraction) -> Extraction:
    """What was found, without facts that were forgotten, here at the very end: while it was read, too.

    A synopsis goes whole where one of its sentences was forgotten.
    """
    texts = [each for fact in found.facts for each in _said(fact)]
    refs = [f"session:{thread.session_id}#{quote.record}" for fact in found.facts for quote in fact.quotes]
    gone = barred(means, (*texts, *sentences(found.summary)), refs)
    if not gone:
        return found
    facts = tuple(fact for fact in found.facts if not _rests_on(fact, thread.session_id, gone))
    less = len(found.facts) - len(facts)
    dropped = {**found.dropped, **({"forgotten": less} if less else {})}
    return replace(found, facts=facts, summary="", slug=None, dropped=dropped)


def _said(fact: Fact) -> frozenset[str]:
    """What a fact says and quotes, whole and by sentences."""
    whole = (fact.text, *(quote.text for quote in fact.quotes))
    return frozenset((*whole, *(each for text in whole for each in sentences(text))))


def _rests_on(fact: Fact, session_id: str, gone: frozenset[str]) -> bool:
    return bool(gone & {*_said(fact), *(f"session:{session_id}#{quote.record}" for quote in fact.quotes)})
