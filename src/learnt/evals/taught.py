"""What is extracted from real sessions without a model, held against a reference that a model wrote.

Coverage: of each learning of the reference, the share of its words that stands in some fact; of all identifiers and
paths of the learnings, the share that does. Junk: facts of which less than half the words stand anywhere in the
reference; what the reference leaves out counts as junk, so that is a bound from above. Beside them the same figures for
the agent's last words, cut to the same length, and the junk of the same facts against another session's reference.

The rooms are asked, not an engine: the transcripts are of a checkout that is not here.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from itertools import chain
from operator import mul
from statistics import fmean
from typing import TYPE_CHECKING, Any

from learnt.capture.heard import heard
from learnt.capture.lessons import Gatherer
from learnt.capture.risk import risky
from learnt.distil.near import gist
from learnt.distil.offline import Extractor
from learnt.errors import EmbedderError
from learnt.evals.bars import Bar
from learnt.gate.scan import Gate
from learnt.hosts.transcript import reader
from learnt.model.session import Reply
from learnt.ports.embedder import Absent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from learnt.evals.datasets.learnings import Taught
    from learnt.hosts.host import Reader
    from learnt.model.extraction import Fact
    from learnt.model.session import SessionEvent
    from learnt.ports.embedder import Embedder

Json = dict[str, Any]

_PEEK = 60
_IDENTIFIER = re.compile(
    r"[A-Za-z_][\w-]*(?:[./:][\w-]+)+|[A-Za-z]+_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w*|--[a-z][\w-]+"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SUPPORTED = 0.5


def _above_last_words(figure: str) -> Bar:
    """More of the reference is held than by the agent's last words of the same length."""
    return Bar(
        id=f"entire-sessions.extraction.above_last_words.{figure}",
        dataset="entire-sessions",
        path=("extraction", figure),
        halves=(("extraction", "last_words", figure),),
        source="the agent's last words, cut to the same length, same run",
    )


BARS = (
    _above_last_words("token_recall"),
    _above_last_words("identifier_recall"),
    Bar(
        id="entire-sessions.extraction.token_recall",
        dataset="entire-sessions",
        path=("extraction", "token_recall"),
        must=0.30,
        beat=0.40,
        source="own; words of the reference's learnings that stand in a fact",
    ),
    Bar(
        id="entire-sessions.extraction.identifier_recall",
        dataset="entire-sessions",
        path=("extraction", "identifier_recall"),
        must=0.28,
        beat=0.40,
        source="own; identifiers and paths of the learnings",
    ),
    Bar(
        id="entire-sessions.extraction.junk",
        dataset="entire-sessions",
        path=("extraction", "junk"),
        must=0.30,
        beat=0.15,
        lower=True,
        source="own; facts of which the reference holds less than half the words",
    ),
)


def measured(
    sessions: Sequence[Taught],
    embedder: Embedder | Absent | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Json:
    """Coverage and junk over all sessions, each counting alike; the baseline beside them.

    Args:
        embedder: For the likeness of learnings and facts; without one it is None.
    """
    gate = Gate()
    found: list[list[Fact]] = []
    last: list[list[str]] = []
    for number, each in enumerate(sessions, 1):
        facts, replies = _extracted(each, gate)
        found.append(facts)
        last.append(_last(replies, sum(len(fact.text) for fact in facts)))
        if tell:
            tell(number, len(sessions))
    texts = [[fact.text for fact in facts] for facts in found]
    sections = Counter(fact.section for facts in found for fact in facts)
    elsewhere = [*sessions[1:], *sessions[:1]]
    return {
        "sessions": len(sessions),
        "learnings": sum(len(each.learnings) for each in sessions),
        "facts": sum(map(len, texts)),
        **_figures(sessions, texts, embedder),
        "junk_elsewhere": _junk(elsewhere, texts),
        "last_words": _figures(sessions, last, embedder),
        "by_section": dict(sorted(sections.items())),
    }


def _extracted(session: Taught, gate: Gate) -> tuple[list[Fact], list[str]]:
    """The facts of a session, and what the agent said in it."""
    opened = reader(session.transcript)
    events = _from_the_start(opened)
    root, name = opened.header().cwd, opened.header().session_id
    gatherer = Gatherer(session_id=name, root=root)
    extractor = Extractor(session_id=name, root=root, risky=risky)
    replies = []
    for event in heard(events, gate.redact):
        gatherer.feed(event)
        extractor.feed(event)
        if isinstance(event, Reply) and not event.sidechain:
            replies.append(event.text)
    return list(extractor.draft(gatherer.harvest()).facts), replies


def _from_the_start(opened: Reader) -> Iterator[SessionEvent]:
    """All events, the first of them read ahead, so that the session's folder is known."""
    events = opened.events()
    first: list[SessionEvent] = []
    for event in events:
        first.append(event)
        if opened.header().cwd or len(first) >= _PEEK:
            break
    return chain(first, events)


def _last(replies: Iterable[str], chars: int) -> list[str]:
    """The agent's last sentences, whole, up to so many characters."""
    sentences = [each.strip() for reply in replies for each in _SENTENCE.split(reply) if each.strip()]
    kept: list[str] = []
    for sentence in reversed(sentences):
        if chars <= 0:
            break
        kept.append(sentence)
        chars -= len(sentence)
    return kept


def _figures(sessions: Sequence[Taught], texts: Sequence[Sequence[str]], embedder: Embedder | Absent | None) -> Json:
    pairs = list(zip(sessions, texts, strict=True))
    return {
        "token_recall": round(fmean(_words_found(session, said) for session, said in pairs), 4),
        "identifier_recall": round(fmean(_names_found(session, said) for session, said in pairs), 4),
        "similarity": _similarity(pairs, embedder),
        "junk": _junk(sessions, texts),
    }


def _similarity(pairs: Sequence[tuple[Taught, Sequence[str]]], embedder: Embedder | Absent | None) -> float | None:
    """The cosine of a learning and the nearest fact, 0 where there is none; the mean of all. None without vectors."""
    if embedder is None or isinstance(embedder, Absent):
        return None
    try:
        return round(fmean(_nearest(session, said, embedder) for session, said in pairs), 4)
    except EmbedderError:
        return None


def _nearest(session: Taught, said: Sequence[str], embedder: Embedder) -> float:
    facts = [array("f", vector) for vector in embedder.embed(said) if vector] if said else []
    learnings = [array("f", vector) for vector in embedder.embed(session.learnings) if vector]
    best = (max((sum(map(mul, one, two)) for two in facts), default=0.0) for one in learnings)
    return fmean(best) if learnings else 1.0


def _words_found(session: Taught, said: Sequence[str]) -> float:
    known = frozenset[str]().union(*(gist(text).words for text in said))
    wanted = [words for learning in session.learnings if (words := gist(learning).words)]
    return fmean(len(words & known) / len(words) for words in wanted) if wanted else 1.0


def _names_found(session: Taught, said: Sequence[str]) -> float:
    names = {each.strip(".").lower() for each in _IDENTIFIER.findall(" ".join((*session.learnings, *session.paths)))}
    whole = " ".join(said).lower()
    return sum(name in whole for name in names) / len(names) if names else 1.0


def _junk(sessions: Sequence[Taught], texts: Sequence[Sequence[str]]) -> float | None:
    """The share of statements that the references do not support; None without statements."""
    judged = []
    for session, said in zip(sessions, texts, strict=True):
        known = gist(session.reference).words
        judged += [len(words & known) < _SUPPORTED * len(words) for text in said if (words := gist(text).words)]
    return round(fmean(judged), 4) if judged else None
