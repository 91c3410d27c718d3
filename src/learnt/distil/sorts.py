"""What somebody says of themselves or of how things are, by sort: decided, preferred, promised, thought, or a fact.

By the words a sentence uses, in English (that something was decided, in nine more languages); a sentence that gives no
sign is of no sort. Neighbouring thoughts are one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from learnt.distil.line import collapsed

Sort = Literal["decision", "preference", "fact", "opinion", "commitment"]
TEXT_CHARS: Final = 4_000
MAX_SAID: Final = 24

_SPLIT = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z]|[`*\"'(])|(?<=[\u3002\uff01\uff1f])|\n+")
DECIDED: Final = re.compile(
    r"\b(?:haben?|wurde) (?:[^.;]{0,80} )?(?:beschlossen|entschieden)\b|\b(?:he|hemos) decidido\b|"
    r"\bdecid(?:imos|í|i)\b|\b(?:j['\u2019]ai|avons|on a) décidé\b|\b(?:ho|abbiamo) deciso\b|"
    r"\b(?:мы решили|я решила?)\b|ことにし(?:た|ました)|に決めました?|(?:我|我们|我們|已经|已經)(?:决定|決定)(?!性)|"
    r"하기로 (?:했|결정)",
    re.IGNORECASE,
)
"""That something was decided, in German, Spanish, Portuguese, French, Italian, Russian, Japanese, Chinese, Korean."""
_DECISION = re.compile(
    r"\b(?:(?:have |has |had |'ve |'s )?decided\b(?! (?:yet|not yet))|decision (?:made|is|was|taken)|(?:chose|chosen|"
    r"opted|picked|settled on|signed off on|locked in|agreed (?:to|on|that|with))\b|(?:final|made the) call\b|"
    r"(?:we're|we are|i'm|i am) (?:going with|switching to|moving to|adopting|dropping|standardi[sz]ing)|adopting\b|"
    r"^(?:going with|sticking with|switching to|moving to|dropping|standardi[sz]ing on|ruled out|approved|rejected|"
    r"cancell?ed|postponed|greenlit)\b|we(?:'ll| will) (?:standardi[sz]e|stick|go with|switch|move|drop|adopt)\b|"
    r"going forward|from now on|let's (?:go with|stick with|standardi[sz]e on)|(?:we|i) (?:switched|moved|migrated) "
    r"(?:from|to)\b|we (?:will|'ll) (?:only |always )?use\b)",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:prefers?\b|preference is|would rather|insists? on|is a fan of|always asks for|'d rather|favou?rs?|"
    r"hates?(?!-)|dislikes?|(?:do|does)n't (?:like|want)\b|asked (?:that|for) (?:all|every|each|the|her|his|their|us|"
    r"me)\b|"
    r"can't stand|wants? (?:me|us|you|everyone|them|people|every|all|the|our|his|her|their)\b|likes? (?:it )?"
    r"(?:better|more|when|his|her|their|things|every|all)\b|likes to\b|particular about)",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"(?:^|[,;\u2014-] ?)(?:honestly|frankly|personally|arguably|imo|imho|to me)\b|\b(?:i|we) (?:think|believe|feel|"
    r"suspect|doubt|"
    r"guess|reckon|find)\b|\bi'd (?:argue|say)\b|\bin my (?:opinion|view|experience)|\bmy (?:read|opinion|view|take|"
    r"impression|sense|gut)\b|\b(?:skeptical|sceptical|unconvinced|convinced that|overrated|underrated|overhyped|"
    r"not convinced|not sold on|feels? (?:like|a bit|too|clunky|wrong|right|off)|if you ask me|impressed (?:by|"
    r"with))\b|"
    r"\bseems? (?:to me|like)\b",
    re.IGNORECASE,
)
_COMMITMENT = re.compile(
    r"\b(?:promised|promise to|committed to|committing to|commit to|i'll|i will|i shall|i owe|on the hook for|"
    r"(?:told|assured) [\w ]{2,30} (?:that )?i'd|said i'd)\b|^will\b|"
    r"^(?:volunteered to|signed up to|taking on|updating|sending|scheduling|preparing|drafting|writing|filing|"
    r"booking|setting up|following up)\b",
    re.IGNORECASE,
)
_AGREED = re.compile(
    r"\bagreed to (?:send|deliver|review|write|give|share|provide|prepare|draft|present|join|attend|help|finish|fix|"
    r"submit|"
    r"run|ship|speak|read|host)\b",
    re.IGNORECASE,
)
_CONFIRMED = re.compile(
    r"\b(?:confirmed|verified|checked|turns out|per the|fyi|found out|learned that|measured|according to|"
    r"spec(?:ification)? sheet)\b",
    re.IGNORECASE,
)
_IS = re.compile(
    r"\b(?:is|are|was|were|has|have|uses?|runs?|begins?|starts?|ends?|takes?|goes|lives?|expires?|costs?|requires?|"
    r"supports?|weighs?|holds?|opens?|closes?|moved|grew|rose|fell|drifts?|dropped|launched|started|finished|"
    r"increased|"
    r"decreased|founded|shipped|lasts?|contains?|covers?)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|never|"
    r"always)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"(?:that|this|it|they|she|he|which|their|its|these|those|some|others|that's|it's|if|when|want|says|useful|tight|"
    r"currently|two|the scope)\b",
    re.IGNORECASE,
)
_THEIRS = re.compile(r"(?:she|he|they|it|want|says)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """One statement. `quote`: as it stands in the text."""

    sort: Sort
    text: str
    quote: str


def said(text: str) -> tuple[Said, ...]:
    """The statements of a text that are of a sort, in order, at most 24."""
    found: list[Said] = []
    before: Sort | None = None
    for piece in _SPLIT.split(text[:TEXT_CHARS]):
        plain = collapsed(piece).replace("\u2019", "'")
        sort = _sort(plain, before)
        if sort == "opinion" and found and before == "opinion":
            joined = f"{found[-1].text} {plain}"
            found[-1] = replace(found[-1], text=joined)
        elif sort is not None and len(found) < MAX_SAID:
            found.append(Said(sort, plain, piece.strip()))
        before = sort or (before if before == "opinion" and _continues(plain) else None)
    return tuple(found)


def _sort(plain: str, before: Sort | None) -> Sort | None:
    words = len(plain.split())
    if DECIDED.search(plain) and not plain.endswith(("?", "\uff1f")):
        return "decision"
    if words < 4 or plain.endswith("?"):
        return "commitment" if words >= 2 and _COMMITMENT.match(plain) and not plain.endswith("?") else None
    if _PREFERENCE.search(plain) and not (before == "preference" and _THEIRS.match(plain)):
        return "preference"
    if _AGREED.search(plain):
        return "commitment"
    if _DECISION.search(plain):
        return "decision"
    if _COMMITMENT.search(plain):
        return "commitment"
    if _OPINION.search(plain) or (before == "opinion" and _continues(plain)):
        return "opinion"
    if _CONFIRMED.search(plain) and (_IS.search(plain) or _MEASURE.search(plain)):
        return "fact"
    return "fact" if _IS.search(plain) and _MEASURE.search(plain) and not _POINTING.match(plain) else None


def _continues(plain: str) -> bool:
    """Whether a sentence goes on with the thought before it."""
    return bool(plain) and not _COMMITMENT.search(plain) and not _DECISION.search(plain)
