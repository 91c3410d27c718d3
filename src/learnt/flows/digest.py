"""The heuristic extract of one transcript, each entry through the gate on its way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.capture.digest import digest as fold
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
    return fold(means.transcripts.open(path, host), _screen(means), full=full)


def _screen(means: Means) -> Callable[[str], str | None]:
    """A text as it may be shown: without its secrets; None for one that tries to instruct whoever reads it.

    Source: lessons seed, transcript digest (every entry goes through the gate's injection scan).
    """

    def screened(text: str) -> str | None:
        verdict = means.gate.scan((Passage(field="digest", text=text),))
        if verdict.outcome == "incomplete" or any(finding.family == "injection" for finding in verdict.findings):
            return None
        return verdict.redacted[0][1]

    return screened
