"""The trail held against everything that is known of it outside of the store."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from learnt.audit.chain import earliest
from learnt.audit.report import Looked, Notice, Report
from learnt.audit.statement import largest_cut, stated
from learnt.audit.tree import Peaks
from learnt.audit.walk import Walk
from learnt.model.event import GENESIS
from learnt.model.signed import Divergence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from learnt.audit.report import NoticeKind
    from learnt.audit.statement import Statement
    from learnt.audit.witness import Witness
    from learnt.model.checkpoint import Checkpoint, End
    from learnt.model.event import ChainRow
    from learnt.model.signed import Kind


class Case:
    """One verification.

    Args:
        kept: The checkpoints as the store has them, by size.
    """

    def __init__(self, end: End, kept: Sequence[Checkpoint], witness: Witness) -> None:
        self._end = end
        self._witness = witness
        self._faults: list[Divergence] = []
        self._notices: list[Notice] = []
        self._trusted: list[Statement] = []
        self._met: list[Statement] = []
        self._vet(kept)
        self.cut, tree = self._left(kept)
        self.walk = Walk(witness.keys, self._wanted(), tree, self.cut.cut_head if self.cut else GENESIS)

    @property
    def after(self) -> int:
        """Where the events begin that have to be read."""
        return self.cut.cut if self.cut else 0

    def judged(self, rows: Iterable[ChainRow], early: ChainRow | None) -> Report:
        """The report.

        Args:
            rows: The events after `after`, in order.
            early: The first event that lies before them, where there should be none.
        """
        walk = self.walk
        walk.go(rows)
        walk.finish(self._end)
        if early is not None and self.after:
            self._fault(early.position, "an event is there that a checkpoint says was removed", name=early.id)
        self._named()
        self._checkpoints()
        self._seen()
        self._unknown()
        self._told()
        anchors = tuple(self._anchors())
        found = [*walk.faults, *self._faults]
        kept = self._forgiven(found)
        first = earliest(kept)
        return Report(
            verified=first is None,
            events=walk.events,
            chained=walk.chained,
            legacy=walk.legacy,
            divergence=first,
            head_match=walk.hashed == self._end.head,
            head_expected=walk.hashed,
            head_stored=self._end.head,
            marked=walk.marked,
            foreign=walk.foreign,
            erased=len(walk.emptied),
            cut=self.after,
            checkpoints=len(self._trusted),
            vouched=self._vouched(),
            root=walk.tree.root().hex(),
            log=self._end.log,
            notices=tuple(self._notices),
            anchors=anchors,
        )

    def _fault(self, position: int, detail: str, kind: Kind = "tampered", name: str = "", until: int = 0) -> None:
        made = Divergence(position=position, id=name, detail=detail, kind=kind, until=max(position, until))
        self._faults.append(made)

    def _notice(self, kind: NoticeKind, detail: str) -> None:
        self._notices.append(Notice(kind, detail))

    def _vet(self, kept: Sequence[Checkpoint]) -> None:
        """Which checkpoints their installations signed, each key vouched for by the one before it."""
        order = sorted(kept, key=lambda each: (each.installation, each.epoch))
        for installation, each in groupby(order, key=lambda one: one.installation):
            self._vetted(installation, list(each))

    def _vetted(self, installation: str, kept: Sequence[Checkpoint]) -> None:
        pin = self._witness.pinned.get(installation)
        if pin is None:
            self._notice("first_met", f"installation {installation[:8]} is taken at its word: it was not met before")
        epoch, key = pin or (kept[0].epoch, "")
        for each in kept:
            if each.epoch < epoch:
                continue
            found = stated(each)
            if found is None or found.log != self._end.log or (key and found.key != key):
                self._fault(max(1, each.size), f"checkpoint {each.epoch} of {installation[:8]} is forged", "checkpoint")
                return
            if found.epoch != epoch:
                self._fault(max(1, each.size), f"checkpoint {epoch} of {installation[:8]} is missing", "checkpoint")
                return
            epoch, key = found.epoch + 1, found.next
            (self._trusted if pin else self._met).append(found)

    def _left(self, kept: Sequence[Checkpoint]) -> tuple[Statement | None, Peaks]:
        """The largest cut that a checkpoint vouches for, and the tree over what it took away."""
        removed = largest_cut(kept, self._witness.pinned)
        if removed is None:
            return None, Peaks()
        row, largest = removed
        try:
            tree = Peaks(largest.cut, map(bytes.fromhex, row.cut_peaks))
        except ValueError:
            tree = Peaks()
        if tree.root().hex() != largest.cut_root:
            self._fault(1, "what is left of the removed events is not what was signed", "checkpoint")
            return None, Peaks()
        self._notice("cut", f"events 1 to {largest.cut} were removed at {largest.at}, as a checkpoint says")
        return largest, tree

    def _wanted(self) -> Iterator[int]:
        witness = self._witness
        yield from (each.size for each in (*self._trusted, *self._met))
        yield from (line.statement.size for anchor in witness.anchors for line in anchor.lines)
        if witness.signed:
            yield witness.signed.size
        if witness.seen:
            yield witness.seen.position
        if witness.accepted:
            yield witness.accepted.position

    def _stood(self, size: int) -> tuple[str, str] | None:
        """Root and head at a size; None where those events are not here."""
        if self.cut and size == self.cut.cut:
            return self.cut.cut_root, self.cut.cut_head
        return self.walk.stood.get(size)

    def _named(self) -> None:
        """Whether this is the log that is meant to lie here."""
        if self._witness.replaced:
            name = self._witness.replaced
            self._fault(
                1, f"another log lay here ({name}); it is gone, or was put in the place of this one", "replaced"
            )
        elif not self._end.log and (self.walk.foreign or self._end.seal):
            self._fault(1, "the name of the log was removed", "tampered")

    def _checkpoints(self) -> None:
        for each in (*self._trusted, *self._met):
            self._compared(each, "a checkpoint")
        signed = self._witness.signed
        if signed is None or self._witness.replaced:
            return
        self._compared(signed, "what this machine signed last")
        here = {(each.installation, each.epoch) for each in (*self._trusted, *self._met)}
        broken = any(each.kind == "checkpoint" for each in self._faults)
        if (signed.installation, signed.epoch) not in here and not broken and signed.size <= self._end.position:
            self._fault(max(1, signed.size), f"checkpoint {signed.epoch} of this machine is missing", "checkpoint")

    def _compared(self, each: Statement, what: str) -> bool:
        """Whether the trail is the one that a statement speaks of; a fault where it is not."""
        end = self._end.position
        if self._is_past(each):
            return False
        if each.size > end:
            detail = f"the trail ends at {end}, and {what} of {each.at} speaks of {each.size} events"
            self._fault(end + 1, detail, "rolled_back")
            return False
        stood = self._stood(each.size)
        if stood is None:
            return each.size < self.after or each.size == 0
        if stood == (each.root, each.head):
            return True
        detail = f"{what} of {each.at} speaks of other events"
        self._fault(self._right_up_to(each.size) + 1, detail, "forked", until=each.size)
        return False

    def _is_past(self, each: Statement) -> bool:
        """Whether a statement speaks of what a person gave up when they took the trail as it was."""
        accepted = self._witness.accepted
        return accepted is not None and each.at <= accepted.at and each.size > accepted.position

    def _right_up_to(self, size: int) -> int:
        """The largest size below one at which a statement and the trail agree."""
        statements = [*self._trusted, *self._met, *(line.statement for a in self._witness.anchors for line in a.lines)]
        right = (each.size for each in statements if self._stood(each.size) == (each.root, each.head))
        return max((each for each in right if each < size), default=self.after)

    def _seen(self) -> None:
        missed, seen, end = self._witness.missed, self._witness.seen, self._end
        if missed is not None:
            self._gone(
                missed.found + 1, f"a writer found the trail to end at {missed.found}", missed.seen, missed.restarted
            )
        if seen is None or seen.position <= self.after:
            return
        restarted = bool(seen.start) and seen.start != self._witness.start
        if seen.position > end.position:
            self._gone(end.position + 1, f"the trail ends at {end.position}", seen.position, restarted)
        elif self.walk.stood.get(seen.position, ("", ""))[1] != seen.row_hash:
            detail = f"event {seen.position} is not the one that this machine saw"
            self._fault(self._right_up_to(seen.position) + 1, detail, "forked", until=seen.position)

    def _gone(self, position: int, detail: str, seen: int, restarted: bool) -> None:  # noqa: FBT001 - a fact of the call
        if restarted:
            self._notice("crash", f"{detail}, after a restart; {seen} had been seen before it")
        else:
            self._fault(position, f"{detail}, although event {seen} had been seen", "rolled_back")

    def _unknown(self) -> None:
        """Events marked with keys that are not here."""
        walk = self.walk
        if not walk.foreign:
            return
        if walk.last_foreign <= self._vouched():
            self._notice("foreign", f"{walk.foreign} events have no key here; checkpoints vouch for them")
        elif self._witness.served:
            self._notice(
                "foreign", f"{walk.foreign} events of others have no key here; the chain alone vouches for the latest"
            )
        else:
            first = max(walk.first_foreign, self._vouched() + 1)
            self._fault(first, "events are marked with a key that is not here", "unknown_key", until=walk.last_foreign)

    def _vouched(self) -> int:
        """The largest size at which what is pinned or anchored agrees with the trail."""
        sure = [*self._trusted, *(line.statement for a in self._witness.anchors for line in a.lines if line.signed)]
        right = (each.size for each in sure if self._stood(each.size) == (each.root, each.head))
        return max(right, default=0)

    def _told(self) -> None:
        if self.walk.emptied:
            self._notice("erased", f"{len(self.walk.emptied)} events were emptied, as other events say")
        plain = self.walk.events - self.walk.marked - self.walk.foreign
        if plain and self._end.log:
            self._notice("unmarked", f"{plain} events have no mark")

    def _anchors(self) -> Iterator[Looked]:
        for anchor in self._witness.anchors:
            lines = [each for each in anchor.lines if each.statement.log == self._end.log]
            for each in lines:
                if not each.signed:
                    where = max(1, each.statement.size)
                    self._fault(where, f"{anchor.name} holds a checkpoint that its key did not sign", "anchor")
                else:
                    self._compared(each.statement, f"{anchor.name}: a checkpoint")
            if anchor.fault:
                self._notice("unread", f"{anchor.name}: {anchor.fault}")
            size = max((each.statement.size for each in lines), default=0)
            yield Looked(name=anchor.name, checkpoints=len(lines), size=size, fault=anchor.fault)

    def _forgiven(self, found: Sequence[Divergence]) -> list[Divergence]:
        """Without what a person took as it was, if that is still what lies there."""
        accepted = self._witness.accepted
        if accepted is None or self._hash_of(accepted.position) != accepted.head:
            return list(found)
        left = [each for each in found if each.position > accepted.position]
        if len(left) < len(found):
            self._notice(
                "accepted", f"what does not hold up to event {accepted.position} was taken as it was by a person"
            )
        return left

    def _hash_of(self, position: int) -> str | None:
        stood = self._stood(position)
        return stood[1] if stood else None
