"""What the agent's closing words of a turn state that outlives the turn: a cause, a rule, a gotcha."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.capture.attempt import shortened
from learnt.capture.evidence import cited
from learnt.model.lesson import Lesson
from learnt.model.symbol import code_symbols

if TYPE_CHECKING:
    from learnt.model.session import Reply, Span

MAX_NOTES: Final = 3
"""A session gives at most so many: the agent's own words are the weakest source."""
_NOTE_CHARS: Final = 12_000
_MIN_SCORE: Final = 4

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SPLIT = re.compile(r"(?<=[.!])\s+(?=[A-Z`*\"])|\n+")
_BULLET = re.compile(r"^(?:[-*\u2022]\s+|\d{1,2}[.)]\s+|#{1,6}\s+|>\s?)+")
_CAUSE = re.compile(
    r"\broot cause|\bturns out|\bcaused by|\bthe (?:real |actual |underlying )?(?:problem|issue|bug|reason|"
    r"culprit) (?:is|was)\b|"
    r"\bbecause\b|\bdue to\b|\bthat'?s why\b",
    re.IGNORECASE,
)
_GOTCHA = re.compile(
    r"\bgotcha|\bone catch\b|\bcaveat\b|\bbeware|\bwatch out|\bpitfall|\bknown (?:bug|issue|limitation)|"
    r"\bnote that\b|\bimportant(?:ly)?:|\bsilently\b|\bdespite\b|\bcounter-?intuitive",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"\bmust (?:be|not|have|use|run|go|come)\b|\brequires? (?:a|an|the|that|`)|\bonly works?\b|\bis (?:git)?ignored\b|"
    r"\bnot supported\b|\bstays? the same\b|\bstable across\b|\bis deprecated\b|\b(?:moved|renamed)\b.{0,60}\bto\b|"
    r"\breplaces\b|\bfalls back\b|\bby design\b|\bconvention\b|\blives? in\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\bdo(?:es)?n'?t\b|\bdoes not\b|\bcannot\b|\bcan'?t\b|\bwon'?t\b|\bnever\b|\bfails?\b|\bbreaks?\b", re.IGNORECASE
)
_REVIEW = re.compile(
    r"^#{1,4}.{0,40}\b(?:review|issues?|strengths|findings|concerns|severity|correctness)\b|\*\*(?:severity|verdict)|"
    r"\btautolog|\bnit(?:s|pick)?\b|\bcode review\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A review speaks of the change before it, sentence for sentence like a lesson; none of it is taken."""
_OWN = re.compile(
    r"\b(?:i|i'?ll|i'?ve|i'?m|i'?d|let me|let'?s|we'?ll|we could|we should|we'?d|you can|you could|you may|"
    r"you'?ll|want me|"
    r"would you|should i|shall i|next step|your call|my (?:analysis|review|take))\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"^(?:[^\w`\"*]|\*\(|`[^`]{1,80}`\s?(?:[-\u2013\u2014:]|\()\s?)?(?:add|updat|fix|remov|replac|creat|chang|renam|refactor|"
    r"kept|keep|merg|wir|implement|introduc|declin|document|"
    r"set|took|take|dropp|extract|mov(?:e|ing)|us(?:e|es|ing)\b|ensur|handl|verif|confirm|test|review|commit|"
    r"push|pass|done|all |"
    r"ready|everything|clean|no (?:conflict|issue|change)|correct|good|looks|yes|no\b|sure|ok|now|here|the fix|"
    r"fix:|option|"
    r"preserv|return|call|issue|bug \d|task|step|phase|example|for example|e\.g|this|that|it|these|they|those|"
    r"both|which|so|but|and|then|also|he|she)\w*\b",
    re.IGNORECASE,
)
_PERISHABLE = re.compile(
    r"\bnow\b|\bline \d+\b(?! of)|\blines \d|:\d{2,}\b|\b(?:this|the|your|both) (?:pr|branch|commit|rebase|merge|"
    r"session|change|fix|review|plan|test|tests|thread|diff|conflict)\b|#\d+|\btests? pass|\u2705|\?|"
    r"\bphase \d|\btask \d|\bworktree [ab]\b|\bpreviously\b|\bjust\b|\bwe\b|\bshould\b|\bin your case\b|"
    r"\bpre-existing\b|\bHEAD\b|\bparent'?s\b|\bmain\b had|\bwill\b|"
    r"\((?:low|medium|high|minor|major|critical|nit)[^)]{0,20}\)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"`[^`\n]{2,80}`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+_\w+\b|\b[\w.-]+/[\w./-]+\b")


class Notes:
    """A fold over replies: `said` each, `turned` when the turn is over, then read `lessons`."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._last: Reply | None = None
        self._found: list[tuple[int, int, str, str, Span, str]] = []

    def said(self, reply: Reply) -> None:
        """The agent spoke in the main thread; only its last words of a turn count."""
        if not reply.sidechain and reply.text.strip():
            self._last = reply

    def turned(self) -> None:
        """The turn is over."""
        if self._last is not None:
            for sentence, score in _statements(self._last.text):
                self._found.append((score, len(self._found), sentence[0], sentence[1], self._last.span, self._last.at))
        self._last = None
        self._found = sorted(self._found, key=lambda entry: (-entry[0], -entry[1]))[: MAX_NOTES * 2]

    def lessons(self) -> tuple[Lesson, ...]:
        """The best statements, the later of equals first."""
        self.turned()
        return tuple(
            Lesson(
                origin="final_note",
                kind="project_fact" if score < 5 else "failure_pattern",
                text=shortened(text, 500),
                rationale="The agent stated this when it ended a turn; nobody has checked it.",
                evidence=cited(self._session_id, [(span, quote)], "agent"),
                at=at,
                tags=("note",),
                symbols=code_symbols(text)[:8],
                confidence=0.4,
                expected_value=min(0.4, 0.2 + score / 40),
            )
            for score, _, text, quote, span, at in self._found[:MAX_NOTES]
        )


def _statements(text: str) -> list[tuple[tuple[str, str], int]]:
    """`((statement, quote), score)` of every sentence worth it."""
    found: list[tuple[tuple[str, str], int]] = []
    if _REVIEW.search(text[:_NOTE_CHARS]):
        return found
    for piece in _SPLIT.split(_FENCE.sub("\n", text[:_NOTE_CHARS])):
        quote = _BULLET.sub("", piece.strip())
        plain = quote.replace("**", "").strip()
        score = _score(plain)
        if score >= _MIN_SCORE:
            found.append(((plain, quote), score))
    return found


def _score(plain: str) -> int:
    """How much a sentence says that will still hold tomorrow; 0 for a plan, a status or a change report."""
    words = plain.split()
    if not 6 <= len(words) <= 60 or plain.startswith("|") or plain.endswith(":"):
        return 0
    if _OWN.search(plain) or _CHANGE.match(plain) or _PERISHABLE.search(plain) or not _NAMED.search(plain):
        return 0
    score = 3 * bool(_CAUSE.search(plain)) + 4 * bool(_GOTCHA.search(plain)) + 3 * bool(_RULE.search(plain))
    return score + bool(_DENIAL.search(plain)) + (len(_NAMED.findall(plain)) > 1) if score else 0
