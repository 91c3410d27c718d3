"""What a checkpoint says, as it is signed and as it is anchored: one line of compact JSON."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from learnt.audit import onetime

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from learnt.model.checkpoint import Checkpoint

VERSION: Final = 1
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_NAME = re.compile(r"[0-9a-f]{32}\Z")
_MOST = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """That the trail of one log was so many events long, and which.

    Attributes:
        log: What the log is called.
        size, root, head: How many events from the first ever on; the root of the tree over them; the hash of the last.
        cut, cut_root, cut_head: The same of the events that are no longer kept; 0, "" and "" where all are.
        installation: Who says so, 32 hex digits. `epoch`: which of their keys signed.
        key: The public key of that epoch. `next`: that of the next, which nobody but the signer can have chosen.
        at: When.
    """

    log: str
    size: int
    root: str
    head: str
    cut: int = 0
    cut_root: str = ""
    cut_head: str = ""
    installation: str
    epoch: int
    key: str
    next: str
    at: str
    version: int = VERSION

    @property
    def text(self) -> str:
        """What is signed."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))


def read(text: str) -> Statement | None:
    """The statement in a text, if it is one, whole and in the form in which it is signed. Any input is safe."""
    try:
        found = json.loads(text) if len(text) < 4_096 else None
        made = Statement(**found) if isinstance(found, dict) else None
    except (ValueError, TypeError, RecursionError):
        return None
    return made if made is not None and _sound(made) and made.text == text else None


def _sound(given: Statement) -> bool:
    numbers: tuple[Any, ...] = (given.size, given.cut, given.epoch)
    texts: tuple[Any, ...] = (given.log, given.root, given.head, given.cut_root, given.cut_head, given.key, given.next)
    if any(type(each) is not int or not 0 <= each < _MOST for each in numbers):
        return False
    if any(type(each) is not str for each in (*texts, given.installation, given.at)):
        return False
    hashes = [given.root, given.head, given.key, given.next, *((given.cut_root, given.cut_head) if given.cut else ())]
    whole = all(_HASH.match(each) for each in hashes) and bool(_NAME.match(given.installation))
    return whole and given.version == VERSION and given.epoch < 1 << 32 and given.cut <= given.size


def is_signed(statement: Statement, signature: str) -> bool:
    """Whether the key that a statement names has signed it."""
    try:
        given = bytes.fromhex(signature)
    except ValueError:
        return False
    name = bytes.fromhex(statement.installation)
    key = onetime.signed_by(name, statement.epoch, statement.text.encode(), given)
    return bool(key) and key.hex() == statement.key


def stated(checkpoint: Checkpoint) -> Statement | None:
    """What a checkpoint says, if it says what its columns say, and its key has signed it."""
    found = read(checkpoint.statement)
    if found is None or not is_signed(found, checkpoint.signature):
        return None
    same = (found.installation, found.epoch, found.size, found.cut) == (
        checkpoint.installation,
        checkpoint.epoch,
        checkpoint.size,
        checkpoint.cut,
    )
    return found if same else None


def largest_cut(kept: Sequence[Checkpoint], pinned: Collection[str]) -> tuple[Checkpoint, Statement] | None:
    """The checkpoint that says most of what was removed, of those that count here.

    Whoever may write the store can add a checkpoint of an installation of their own, so one that was not met before
    counts only where none was.
    """
    wanted = [each for each in kept if each.cut and (each.installation in pinned or not pinned)]
    for each in sorted(wanted, key=lambda one: (one.cut, one.size), reverse=True):
        if (found := stated(each)) is not None:
            return each, found
    return None


def line(checkpoint: Checkpoint, proof: tuple[str, ...] = ()) -> str:
    """A checkpoint as it is put into an anchor.

    Args:
        proof: That its tree begins with the one anchored before it, so that whoever keeps the anchor can see that.
    """
    said = json.loads(checkpoint.statement)
    found = {"statement": said, "signature": checkpoint.signature, "consistency": list(proof)}
    return json.dumps(found, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Anchored:
    """A line that an anchor gave back: what it says and whether its key has signed that."""

    statement: Statement
    signed: bool


def anchored(text: str) -> Anchored | None:
    """What a line of an anchor says; None for what is none of ours. Any input is safe."""
    try:
        found = json.loads(text) if len(text) < 65_536 else None
        if not isinstance(found, dict) or not isinstance(found.get("statement"), dict):
            return None
        statement = read(json.dumps(found["statement"], sort_keys=True, separators=(",", ":")))
    except (ValueError, RecursionError):
        return None
    if statement is None:
        return None
    return Anchored(statement, is_signed(statement, str(found.get("signature", ""))))
