"""The heuristic extract of one transcript, each entry through the gate on its way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.capture.digest import digest as fold
from learnt.flows import alarm
from learnt.flows.reading import identified
from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.flows.means import Means
    from learnt.model.digest import Digest


def digest(means: Means, path: str, *, host: str = "", full: bool = False) -> Digest:
    """The digest of a transcript; nothing is stored.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It is no transcript of a known host.
    """
    host = means.transcripts.host_of(path, host)
    dropped: list[str] = []
    made = fold(means.transcripts.open(path, host), _screen(means, dropped), full=full)
    if dropped:
        told = {
            "count": len(dropped),
            "patterns": sorted(set(dropped)),
            "transcripts": [identified(means, made.header.session_id)],
        }
        alarm.tell(means, alarm.DIGEST_DROPPED, told)
    return made


def _screen(means: Means, dropped: list[str]) -> Callable[[str], str | None]:
    """A text as it may be shown: without its secrets; None for one that tries to instruct whoever reads it.

    Source: lessons seed, transcript digest (every entry goes through the gate's injection scan).

    Args:
        dropped: Takes the name of a pattern for each text that is left out.
    """

    def screened(text: str) -> str | None:
        verdict = means.gate.scan((Passage(field="digest", text=text),))
        orders = [finding.name for finding in verdict.findings if finding.family == "injection"]
        if orders or verdict.outcome == "incomplete":
            dropped.append(orders[0] if orders else "incomplete")
            return None
        return verdict.redacted[0][1]

    return screened
