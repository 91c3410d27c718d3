"""What a verification says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from learnt.model.signed import Divergence

NoticeKind = Literal["crash", "erased", "cut", "foreign", "unread", "accepted", "unmarked", "first_met"]
"""What is worth saying of a trail that holds.

- crash: after a restart of the machine its last events were gone; nothing shows that anybody had a hand in it.
- erased: events were emptied, and another event says so. cut: old events were removed, and a checkpoint says so.
- foreign: other installations' events, which only their keys and checkpoints can vouch for.
- unread: an anchor could not be read. accepted: a person took what did not hold as it was.
- unmarked: events from before there was a key. first_met: an installation was taken at its word.
"""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something worth saying that is no fault."""

    kind: NoticeKind
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What one anchor contributed: how many checkpoints it holds of this log, the largest, or why it gave none."""

    name: str
    checkpoints: int
    size: int
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of a verification. The first eight are the swarm-memory seed's report.

    Attributes:
        events: All events read; `chained` of them carry a hash, `legacy` ones before the chain began carry none.
        divergence: The first fault; None when everything holds.
        head_match: The stored head is the hash of the last event.
        marked: Events whose mark a key that is here confirms. `foreign`: those whose key is not here.
        erased: Emptied events. `cut`: how many are gone from the beginning.
        checkpoints: Those that hold. `vouched`: the largest number of events one of them speaks of.
        root: Of the tree over all events, hex.
    """

    verified: bool
    events: int
    chained: int
    legacy: int
    divergence: Divergence | None
    head_match: bool
    head_expected: str | None
    head_stored: str | None
    marked: int = 0
    foreign: int = 0
    erased: int = 0
    cut: int = 0
    checkpoints: int = 0
    vouched: int = 0
    root: str = ""
    log: str = ""
    notices: tuple[Notice, ...] = ()
    anchors: tuple[Looked, ...] = ()
