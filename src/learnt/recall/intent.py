"""What sort of answer a question wants, as far as its words show it: the present state, an overview, help with a task.

Each is a cue that moves hits a little; none filters. English cues only: in another language no cue is found, and the
ranking is the plain one. Measured on: long conversations with changing facts, project chats, web questions about code.
"""

from __future__ import annotations

import re
from typing import Final

MOST_CHARS: Final = 2_000
"""Cues are looked for in so much of a question; what follows is material, a log or a file."""

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"

_NOW = re.compile(
    rf"\b(?:now|nowadays|currently|current|still|today|latest|newest|most recent|recent(?:ly)?|as of|by (?:{_MONTHS})|"
    r"these days|any ?more|up to date|at (?:present|the moment)|so far|yet)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:original(?:ly)?|initial(?:ly)?|first|before|previous(?:ly)?|used to|earlier|at the (?:start|beginning)|did|"
    r"was|were|had|history|over time|change[ds]?|evolve[ds]?|ago|last (?:week|month|year))\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"^\W*(?:(?:what|which|who|where|when|how(?: \w+)?)\b[^?]{0,60}?\b)?(?:is|are|am|do|does|has|have|should|can|'s)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\bhow (?:many|much|long|often|far|old|big|large|high|fast)\b|\bwhen (?:is|are|do|does|am|should|will|can)\b|"
    r"\b(?:time|date|day|deadline|budget|rate|average|number|count|version|percentage|price|cost|limit|size|total|"
    r"accuracy|score|status|port|timeout|threshold|value)\b",
    re.IGNORECASE,
)
_OVERVIEW = re.compile(
    r"\b(?:summar(?:y|i[sz]e)|overview|recap|in order\b(?! to)|order in which|throughout|over time|"
    r"evol(?:ve|ved|ution)|progress(?:ed|ion)?|history|timeline|walk me through|"
    r"across (?:our|my|all)|so far|step by step|chronolog\w+)\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"\b(?:can|could|would|will) you\b|\bhow (?:do|can|should|would|to)\b|\bplease\b|\b(?:suggest|recommend)\b|"
    r"\bi(?:'m| am) (?:planning|looking|trying|thinking|working|going|preparing|considering|about)\b|\bhelp me\b|"
    r"\bi (?:want|need|would like|'d like) to\b|\bwhat (?:should|would|steps|can)\b|"
    r"\bwhat are (?:some|the best|good)\b|\b(?:what|which) \w+ (?:\w+ )?should i\b|\b(?:what|which) \w+ i should\b",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"\b(?:always|never|from now on|i(?:'d| would)? prefer|my preference|i (?:don't )?like|remember (?:that|to))\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^\W*(?:(?:by|as of|in|on|since|at|after|before|during|for|from|between|and|so|but|also)\b[^,?]{0,60},\s*)?"
    r"(?:what|which|who|whom|whose|where|when|why|how|is|are|am|do|does|did|has|have|had|can|could|should|would|will|"
    r"was|were)\b.*\w\W*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)


def is_question(text: str) -> bool:
    """Whether the whole is put as a question, from its first word to its question mark; a work prompt seldom is."""
    return bool(_QUESTION.match(text[:MOST_CHARS]))


def wants_present(question: str) -> bool:
    """Whether the state of things now is asked for: said so, or a value asked for in the present tense.

    The present tense alone is not enough: of turns of long conversations, mean reciprocal rank fell by .03 when every
    question in the present tense put newer turns first, by .01 with this rule.
    """
    head = question[:MOST_CHARS]
    if _NOW.search(head):
        return True
    return bool(_VALUE.search(head) and _PRESENT.search(head) and not _PAST.search(head))


def wants_overview(question: str) -> bool:
    """Whether the answer lies in many places: a summary, a course of events."""
    return bool(_OVERVIEW.search(question[:MOST_CHARS]))


def is_task(question: str) -> bool:
    """Whether something is to be done, so that what a person always wants applies."""
    return bool(_TASK.search(question[:MOST_CHARS])) and not wants_overview(question)


def is_standing(text: str) -> bool:
    """Whether a person's words hold for more than the moment (`always`, `never`, `from now on`, `I prefer`)."""
    return bool(_STANDING.search(text[:MOST_CHARS]))
