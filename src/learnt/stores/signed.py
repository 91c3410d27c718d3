"""Checkpoints of the audit trail as every database keeps them."""

from __future__ import annotations

from typing import Any

from learnt.model.checkpoint import Checkpoint


def checkpoint_of(row: tuple[Any, ...]) -> Checkpoint:
    """A checkpoint from its columns in the order of the table."""
    installation, epoch, size, cut, at, statement, signature, peaks, cut_peaks = row
    return Checkpoint(
        installation=installation,
        epoch=epoch,
        size=size,
        cut=cut,
        at=at,
        statement=statement,
        signature=signature,
        peaks=tuple(str(peaks).split()),
        cut_peaks=tuple(str(cut_peaks).split()),
    )


def checkpoint_row(given: Checkpoint) -> tuple[object, ...]:
    """The columns of a checkpoint."""
    place = (given.installation, given.epoch, given.size, given.cut, given.at)
    return (*place, given.statement, given.signature, " ".join(given.peaks), " ".join(given.cut_peaks))
