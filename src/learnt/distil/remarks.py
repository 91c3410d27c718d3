"""What the agent stated about the repository while it worked: how things are, why, what surprises.

Nobody has checked these; they stand in MEMORY.md as not reviewed and are put before nobody. Still a sentence has to
name something of the code, say how it is rather than what is done next, and make sense without the one before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from learnt.distil.draft import QUOTE_CHARS, fact
from learnt.distil.line import collapsed
from learnt.distil.near import adding
from learnt.distil.signs import CHANGE, CODE, DENIAL, LASTING, NAMED, OWN, REASON, section
from learnt.model.extraction import Quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from learnt.model.extraction import Fact
    from learnt.model.session import Reply

MAX_REMARKS: Final = 14
"""Of one session."""
MAX_KEPT: Final = 160
"""Candidates held while the session goes on."""
REPLY_CHARS: Final = 16_000
LEAST_SCORE: Final = 3
MIN_WORDS, MAX_WORDS = 6, 48

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])(?:\*\*)?\s+(?=[A-Z`*\"(])")
_STEP = re.compile(r"\d{1,2}[.)]\s")
_FLAG = re.compile(r"`-")
_BULLET = re.compile(r"^(?:[-*\u2022]\s+|\d{1,2}[.)]\s+|\([\dA-Z &]{1,9}\)\s+|#{1,6}\s+|>\s?)+")
_PLACE = re.compile(
    r"\s*\((?:low|medium|high|minor|major|critical|nit|optional)\)|"
    r"\s*\([^()\n]{0,40}\blines? ~?\d[^()\n]{0,60}\)|(?<! is)(?<! are)(?<! was)(?<!indeed)\s+(?:around|at|on|in|near|"
    r"see) lines? \d+(?:[\-\u2013]\d+)?(?:, \d+"
    r"(?:[\-\u2013]\d+)?)*|(?<=\.go|\.py|\.ts|\.js|\.rs|\.kt|\.rb|\.md|\.cs|\.sh):\d+(?:[\-\u2013]\d+)?\b",
    re.IGNORECASE,
)
"""Line numbers, true until the next edit, and how grave a reviewer finds it."""
_FILE = re.compile(r"`([\w.-]+(?:/[\w.-]+)*\.[a-z]{1,5})`")
_LEAD = re.compile(
    r"(?:(?:good|great|ok(?:ay)?|yes|no|right|actually|however|so|but|and|also|well|ah|interesting|similarly|"
    r"specifically|importantly|net result|overall|in summary|note that|that said|in short|result|finding|"
    r"key (?:finding|insight|point)|(?:the )?root cause|one (?:catch|caveat|exception|thing)|"
    r"(?:(?:the|current|existing) )?(?:problem|issue|reason|catch|caveat|gotcha|design|behaviou?r|flow|summary|"
    r"conclusion|"
    r"impact|effect)(?=:)|"
    r"cause|(?:the )?(?:key|main|real) (?:insight|issue|problem|point|difference) is(?: that)?|"
    r"(?:issue|conflict|bug|point|change|problem|option|step) #?\d+(?: \([^)]{1,30}\))?)(?:[,:.]|"
    r" [-\u2013\u2014])?\s+)+",
    re.IGNORECASE,
)
"""What a sentence may begin with and lose."""
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
_POINTING = re.compile(
    r"(?:this|that|these|those|it|its|it's|they|they're|them|both|which|then|he|she|here|here's|now|next|first|second|"
    r"we just|for (?:example|instance)|in (?:this|the) (?:example|case|above)|alternatively|finally|instead|same|"
    r"option|step|phase|task|issue|bug|conflict|fix|done|all|everything|everyone|wait|hmm|"
    r"perfect|"
    r"excellent|looks|looking|example|e\.g|note to|remaining|another|other|one more|two|three|four|five|six|seven|"
    r"just|"
    r"claim|minor|valid|correct|comprehensive|need|needs|have|since|core fix|not|testing|looking|running|adding|"
    r"fixing|"
    r"checking|reading|currently|existing|before|after|consider|note|if|highest|efficient|the (?:efficient|cleanest|"
    r"simplest|reason|script|output|existing|old|new|same|first|second|key|fix|issue|change|edit|error|test|tests|"
    r"plan))\b|"
    r"(?:\u2139|[^\w`\"'(*\[/~.<$@-])",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:the|each) (?:alias|app|approach|callers?|check|class|code|command|comment|component|fields?|files?|flag|"
    r"function|"
    r"helper|implementation|line|logic|method|module|package|parameter|pattern|script|section|struct|table|type|value|"
    r"variable)\b(?! (?:`|(?:has been |was )?(?:renamed|moved)\b))|the \*\w+\* ",
    re.IGNORECASE,
)
"""A subject that only the sentences before explain."""
_AIM = re.compile(
    r"(?:[,;]| [-\u2013\u2014])? (?:so|and|but|which is why) (?:now )?(?:i|i'll|i've|i'd|i'm|we|we'll|we've|let me|"
    r"let's|"
    r"you)\b.*$|(?:[,;]| [-\u2013\u2014]) (?:i|i'll|i've|i'd|i'm|we|we'll|we've|let me|let's|you)\b.*$",
    re.IGNORECASE,
)
"""What a sentence goes on to say of what is done next."""
_ORDER = re.compile(
    r"(?:only |also |always |then )?(?:update|add|remove|change|rename|create|write|run|check|keep|drop|take|use|fix|"
    r"implement|make|move|replace|"
    r"verify|ensure|test|commit|push|read|look|see|extract|mark|call|set|dispatch|wire|handle|delete|merge|resolve|"
    r"return|pass|skip|try|compare|confirm|review|consider|follow|continue|start|stop|include|adjust|clarify|"
    r"build|clean up|invert|collapse|modify|scope|bump|install|open|close|rerun|re-run|listen|define|declare|enable|"
    r"disable|wrap|configure|emit|(?:lazy[- ])?load|log|store|convert|split|register|pin|cache|apply|send|fetch|"
    r"increase|"
    r"reduce|limit|bind|attach|pull|clone|show|print|assign|import|export)\b"
    r"(?! (?:uses|injects|calls|takes|returns|creates|verifies|reads|writes|needs|requires|fails|is|are|does|has)\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[A-Z][\w ()/-]{1,40}: ")
_HALF = re.compile(
    r"\b(?:and|or|but|nor|with|to|of|the|an?|for|in|on|by|from|that|which|when|if|because|so|than|as|is|are)[.]?$|"
    r"[,;:(\u2013\u2014-]$|^(?:to|by|in order to|when|where|while|once|until|unless|as soon as)\b[^,]*$",
    re.IGNORECASE,
)
"""A sentence that goes on in the line below, or a condition without what follows from it."""
_MOMENT = re.compile(
    r"\btests? (?:now )?pass|\ball (?:tests|checks)|\bcompiles?\b(?! to)|\bcommitted (?:as|in|to|and)\b|\bpushed\b|"
    r"\bready to\b|\bworking tree\b|#\d+|https?://|\bin progress\b|\bpre-existing\b|\bwill (?:be|need|now)\b|\?|"
    r"\b(?:this|our|that) (?:pr|branch|commit|rebase|merge|session|conversation|change|diff|plan|thread|task|test|file|"
    r"filter|case|function|check)\b|"
    r"\b(?:task|phase|step|test|issue|pr) \d|\bTODO\b|\bshould (?:be|now|pass|fail|work)\b|\bneeds? to be\b|"
    r"\b(?:lint|ci) (?:is|are|passes)\b|\bsub-?agents?\b|\bunused\b|\bimports?\b(?! cycle)|\bthe current head\b|"
    r"\b(?:HEAD|parent|branch|main)(?:'s|\u2019s)|\b(?:nit|nice|thorough|right approach|reasonable|tautological|"
    r"readability|clearly|correctly (?:handles|implements)|well[- ](?:written|tested)|(?:low|minor|medium) "
    r"(?:priority|risk|concern|issue|severity))\b|"
    r"\bdiagnostics?\b(?! (?:are|may))|\b\d+ (?:\w+ )?(?:tests?|errors?|files?|issues?|places?|sites?|conflicts?)\b|"
    r"\blines? \d+|\bsuccessfully\b|\bhas been (?:fixed|resolved|updated|added)|\bis (?:now )?(?:working|resolved|"
    r"fixed)\b|"
    r"\boutput (?:indicates|shows)|\bindicat(?:es|ing) that\b|\bno longer exists\b|\bPR\b|\bcontributor|"
    r"\bpre-?check\b|"
    r"\balready (?:imported|there|exists)\b|\bfollow-?up\b|\bobservations?\b|"
    r"\bstill (?:used|needed|referenced|there)\b|\bappl(?:ied|ies) (?:correctly|cleanly)\b|\bunaddressed\b|"
    r"\bneed(?:s|ing)? (?:to (?:use|mark|add|update|change|fix|pass|check)|a response)\b|\bwell-structured\b|"
    r"[\u2600-\u27bf\U0001f300-\U0001faff]|\bcorrect approach\b|\bmay need\b|\bconsider \w+ing\b|"
    r"\b(?:actually|just|is|are) fine\b|\([A-D]\)|"
    r"\bright (?:below|above)\b|"
    r"\bis located (?:in|at)\b|\btests? needs?\b|\buntested\b|\btested indirectly\b|\btest coverage\b|"
    r"\bno (?:\w+ )?tests?\b|[\u2013\u2014-] (?:keep|drop|merge)\b|"
    r"\b(?:likely|probably|maybe|perhaps|might|seems?|appears?|presumably|i guess|not sure|would require|"
    r"would help)\b",
    re.IGNORECASE,
)
"""What speaks of today's work (its state, its plan, its review), or is a guess."""
_REVIEW = re.compile(
    r"^#{1,4}.{0,60}\b(?:code review|review of|strengths|findings|concerns|severity|observations|verdict)\b|"
    r"\*\*(?:severity|verdict|recommendation)|\b(?:nitpicks?|lgtm)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A review speaks of a change that may never be; its sentences have to say more."""
_STATE = re.compile(
    r"\b(?:is|are|has|have|takes?|returns?|uses?|requires?|means|handles?|includes?|calls?|lives?|persists?|"
    r"preserves?|checks?|skips?|reads?|writes?|stores?|stored|keeps?|holds?|needs?|expects?|contains?|supports?|"
    r"implements?|exists?|runs?|compares?|updates?|creates?|tracks?|serves?|applies|falls?|ignores?|treats?|defaults?|"
    r"depends?|computes?|parses?|prevents?|wraps?|maps?|follows?|starts?|begins?|belongs?|points?|sets?|clears?|"
    r"fires?|"
    r"matches|produces?|succeeds?|fails?|breaks?|replaces|lets?|allows?|works?|strips?|deletes?|does|do)\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:was|were|called|added|removed|moved|renamed|replaced|changed|built|used|made|kept|left)\b", re.IGNORECASE
)
_FIRM = re.compile(r"\b(?:do(?:es)?(?:n'?t| not)|can(?:no|')t|won'?t|never|must|should)\b", re.IGNORECASE)
_WHY = re.compile(
    r"\b(?:that|to|so|for|which|instead|because|since|matching|rather|when|before|after|using|from)\b|\u2014",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"`[^`\n]{2,120}`(?: \([^)]{1,40}\))?(?::| [-\u2013\u2014]) (?P<rest>.{12,})")
"""A name and what it is, as in a list."""


@dataclass(frozen=True, slots=True)
class _Remark:
    text: str
    quote: str
    record: int
    score: int
    number: int


class Remarks:
    """A fold over what the agent says: `said` each reply, `turned` when a turn is over, then read `facts`."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._found: list[_Remark] = []
        self._last: list[_Remark] = []
        self._number = 0

    def said(self, reply: Reply) -> None:
        """The agent spoke; what it said before was not the end of its turn."""
        if reply.sidechain or not reply.text.strip():
            return
        self._keep(self._last)
        self._last = [
            _Remark(text, quote, reply.span.record, score, self._number + place)
            for place, (text, quote, score) in enumerate(_statements(reply.text))
        ]
        self._number += len(self._last)

    def turned(self) -> None:
        """The turn is over: what was said last closes it, and counts for more."""
        self._keep([_Remark(each.text, each.quote, each.record, each.score + 1, each.number) for each in self._last])
        self._last = []

    def _keep(self, remarks: list[_Remark]) -> None:
        self._found += remarks
        if len(self._found) > 2 * MAX_KEPT:
            self._found = sorted(self._found, key=_order)[:MAX_KEPT]

    def facts(self, told: Iterable[str] = ()) -> Iterator[Fact]:
        """The best remarks, each with something of its own, in the order in which they were made.

        Args:
            told: What is said elsewhere already.
        """
        self.turned()
        best = (each for each in sorted(self._found, key=_order) if each.score >= LEAST_SCORE)
        chosen = islice(adding(best, lambda each: each.text, told), MAX_REMARKS)
        for each in sorted(chosen, key=lambda remark: remark.number):
            quote = Quote(speaker="agent", text=each.quote[:QUOTE_CHARS], record=each.record)
            files = tuple(dict.fromkeys(_FILE.findall(each.text)))[:6]
            yield fact(self._session_id, section(each.text), each.text, (quote,), files=files)


def _order(remark: _Remark) -> tuple[int, int]:
    """The best first, of equals the later: what was found out last is less often wrong."""
    return (-remark.score, -remark.number)


def _statements(text: str) -> Iterator[tuple[str, str, int]]:
    """Statement, quote and score of each sentence that is worth it."""
    review = 2 * bool(_REVIEW.search(text[:REPLY_CHARS]))
    for line in _FENCE.sub("\n", text[:REPLY_CHARS]).splitlines():
        item = line.strip()
        for quote in _SENTENCE.split(_BULLET.sub("", item)):
            plain = _BULLET.sub("", collapsed(_PLACE.sub("", quote.replace("**", ""))))
            if lead := _LEAD.match(plain):
                plain = plain[lead.end() :]
                plain = plain[:1].upper() + plain[1:]
            plain = _AIM.sub("", plain)
            score = _score(plain) - review
            if score >= LEAST_SCORE - 1 and not (_STEP.match(item) and _is_step(plain)):
                yield plain, quote, score


def _says(rest: str) -> bool:
    """Whether what stands behind a name says something of it."""
    return any(sign.search(CODE.sub("`x`", rest)) for sign in (_STATE, _DONE, DENIAL))


def _is_step(plain: str) -> bool:
    """Whether a numbered line may be one step of a story or plan: it neither defines nor denies, nor tells a change."""
    return not any(sign.search(plain) for sign in (_FIRM, LASTING)) and not (_ENTRY.match(plain) or CHANGE.match(plain))


def _score(plain: str) -> int:
    """How much a sentence says that holds without the ones around it and after today; 0 for what does not."""
    words = plain.split()
    named = len(NAMED.findall(plain))
    if not MIN_WORDS <= len(words) <= MAX_WORDS or plain.startswith("|") or plain.endswith((":", "?")) or not named:
        return 0
    prose = CODE.sub("`x`", plain)
    if (
        OWN.search(prose)
        or _POINTING.match(prose)
        or _BARE.match(prose)
        or _MOMENT.search(prose)
        or _ORDER.match(prose)
    ):
        return 0
    if _HASH.search(plain) or _HALF.search(prose) or any(plain.count(a) != plain.count(b) for a, b in ("()", "[]")):
        return 0
    label = _LABEL.match(plain)
    if label and _ORDER.match(plain, label.end()):
        return 0
    entry = _ENTRY.match(plain)
    if entry and not _FLAG.match(plain) and _ORDER.match(entry["rest"]):
        return 0
    state = bool(_STATE.search(prose)) or (named > 1 and _DONE.search(prose) is not None)
    changed = CHANGE.match(plain) is not None
    if entry and not (_FLAG.match(plain) or changed or _says(entry["rest"])):
        return 0
    if changed and not (named > 1 - state and _WHY.search(prose)):
        return 0
    lasting = 2 * bool(LASTING.search(prose))
    if not (lasting or changed or state or entry):
        return 0
    said = 2 * (state or changed) + lasting + bool(REASON.search(prose)) + bool(DENIAL.search(prose)) + bool(entry)
    return said + min(named, 2)
