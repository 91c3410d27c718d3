"""What a person puts around the words of somebody else in a message: whatever it says, they did not say it."""

from __future__ import annotations

import re

BLOCKS = re.compile(
    r"(?P<fence>`{3,}|~{3,}|\"{3}|'{3}).*?(?:(?P=fence)|\Z)|"
    r"<(?P<tag>[A-Za-z][\w-]*)\b[^<>\n]*>.*?</(?P=tag)\s*>|"
    r"<<-?\s?['\"]?(?P<end>\w+)['\"]?\n.*?^\s*(?P=end)$|/\*.*?\*/|<!--.*?-->|"
    r"^(?P<ruler>[=-]{3,})[ ]?\w[^\n]*\n.*?(?:^(?P=ruler)|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""Fences, three quotes, an element, a here-document, comments, and what follows a ruler with a name."""

_REPORTED = re.compile(
    r"[\"'\u201c\u2018\u00ab]|\d+[:.)]?\s|(?!.*\b(?:i|we)(?:'ve)? (?:\w+ )?(?:say|said|wrote))"
    r".{0,60}?\b(?:says?|said|reads|states|wrote|writes|told (?:me|us))(?: that)?\s*:",
    re.IGNORECASE,
)


def is_reported(sentence: str) -> bool:
    """Whether a sentence tells what somebody else said: a quotation, `NAME says:`, or a numbered line of a listing."""
    return _REPORTED.match(sentence) is not None
