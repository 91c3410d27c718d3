"""Signs of a sentence that is worth keeping: it names code, gives a reason, denies, or speaks of what lasts.

By the words it uses, in English, but for what it names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from learnt.model.extraction import Section

CODE = re.compile(r"`[^`\n]{1,160}`")
NAMED = re.compile(
    r"`[^`\n]{2,120}`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+_\w+\b|\b[\w.-]+/[\w./-]+\b|\b[\w-]+\.(?:go|py|ts|"
    r"tsx|js|"
    r"jsx|rs|java|kt|rb|c|h|cpp|cs|sh|md|toml|ya?ml|json|sql|lock|cfg|ini|html|css)\b"
)
OWN = re.compile(
    r"\b(?:i|i'll|i've|i'm|i'd|let me|let's|we'll|we (?:could|should|can|need|might|have|are|found|did|now|see|"
    r"also|want)|we'd|we're|we've|you|your|yours|want me|should i|shall i|next step|next up|my)\b",
    re.IGNORECASE,
)
REASON = re.compile(
    r"\b(?:because|since|so that|due to|otherwise|instead of|rather than|to avoid|in order to|which means|caused by|"
    r"root cause|as long as|even (?:if|though|when)|despite|whereas|unlike|by design|"
    r"so (?!far|much|many|on\b|is\b)\w+)\b|\u2192",
    re.IGNORECASE,
)
DENIAL = re.compile(
    r"\b(?:doesn'?t|does not|don'?t|do not|cannot|can'?t|won'?t|never|not|no longer|only|must|without|unless|no)\b",
    re.IGNORECASE,
)
LASTING = re.compile(
    r"\b(?:gitignored|convention|pattern|stable across|stays? the same|backward.compat\w*|deprecated|alias(?:es)?|"
    r"deferred|intentional(?:ly)?|known (?:bug|issue|limitation|pattern)|single source|idempotent|race|orphan(?:ed|"
    r"s)?|"
    r"silently|fail-open|import cycle|stale|false positives?|limitation|gotcha|caveat|pitfall|invariant|special case|"
    r"workaround|one catch|must|always|never)\b|"
    r"\b(?:moved|renamed|migrated|switched|changed)\b.{1,80}\b(?:to|into|from)\b|\breplaces?\b.{1,60}\b(?:with|for|"
    r"raw)\b",
    re.IGNORECASE,
)
CHANGE = re.compile(
    r"(?:\S+ [-\u2013\u2014:] |`[^`]{1,120}`(?::| [-\u2013\u2014]) )?(?:added|moved|extracted|replaced|renamed|"
    r"switched|introduced|"
    r"converted|removed|kept|made|wired|updated|changed|fixed|refactored|deferred|modified|scoped|simplified|dropped|"
    r"new)\b",
    re.IGNORECASE,
)
_PITFALL = re.compile(
    r"\b(?:gotcha|caveat|pitfall|bug|silently|stale|race|despite|fails?|breaks?|broken|orphan\w*|false positives?|"
    r"leaks?|mislead\w*|unexpected\w*|collid\w*|collision|malformed|limitation|cycle|catch|special case)\b",
    re.IGNORECASE,
)
_WOULD = re.compile(r"\bwould\b", re.IGNORECASE)
_DECISION = re.compile(
    r"\b(?:instead of|rather than|by design|deferred|intentional\w*|kept|chose|decided|switched|replac\w*|moved|"
    r"renamed|(?<!is )(?<!are )added|extracted|introduced)\b",
    re.IGNORECASE,
)


def section(text: str) -> Section:
    """What an agent's statement is: a choice or change, something to beware of, or how things are."""
    if CHANGE.match(text):
        return "decision"
    if _PITFALL.search(text):
        return "pitfall"
    return "decision" if _DECISION.search(text) and not _WOULD.search(text) else "constraint"
