"""Who signs checkpoints, and how the key moves on: what it was cannot be worked out from what it is.

An installation has one secret, which is hashed on after each signature; the one before is gone. So whoever takes the
present secret can say what they like from now on, and nothing about the past. The public key of the next epoch is part
of what is signed, so that the first public key vouches for all that follow.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace

from learnt.audit import onetime
from learnt.audit.statement import Statement
from learnt.model.checkpoint import Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """The secret of the present epoch of one log. Never shown, never stored but in the folder of keys.

    Attributes:
        installation: Public, 16 bytes.
        secret: Of this epoch, 32 bytes.
        first: Public key of the first epoch that this installation vouches with: what `verify` begins at.
        began: The epoch of that key.
    """

    installation: bytes
    epoch: int
    secret: bytes
    first: bytes
    began: int = 0

    @classmethod
    def new(cls, installation: bytes, secret: bytes) -> Signer:
        """A signer that has not signed yet, from random bytes."""
        return cls(installation=installation, epoch=0, secret=secret, first=onetime.public(installation, 0, secret))

    def after(self, epoch: int) -> Signer:
        """The signer once that epoch's key has signed; the same where it is past it."""
        found = self
        while found.epoch <= epoch:
            found = replace(found, epoch=found.epoch + 1, secret=evolved(found.secret))
        return found

    def renewed(self, secret: bytes) -> tuple[Signer, bytes]:
        """A signer that goes on with fresh randomness after the present epoch, and the public key it goes on with."""
        fresh = replace(self, epoch=self.epoch + 1, secret=secret)
        return fresh, fresh.public

    @property
    def public(self) -> bytes:
        """The public key of the present epoch."""
        return onetime.public(self.installation, self.epoch, self.secret)

    def sign(
        self, *, log: str, size: int, root: str, head: str, at: str, cut: tuple[int, str, str], then: bytes = b""
    ) -> tuple[Statement, str]:
        """A statement and its signature; this key must not sign again.

        Args:
            then: The public key to go on with, where that is not the one that follows from this one.
        """
        statement = Statement(
            log=log,
            size=size,
            root=root,
            head=head,
            cut=cut[0],
            cut_root=cut[1],
            cut_head=cut[2],
            installation=self.installation.hex(),
            epoch=self.epoch,
            key=self.public.hex(),
            next=(then or self.after(self.epoch).public).hex(),
            at=at,
        )
        return statement, onetime.sign(self.installation, self.epoch, self.secret, statement.text.encode()).hex()


def evolved(secret: bytes) -> bytes:
    """The secret of the next epoch; there is no way back."""
    return hmac.digest(secret, b"learnt audit epoch", "sha256")


def checkpoint(statement: Statement, signature: str, peaks: list[bytes], cut_peaks: list[bytes]) -> Checkpoint:
    """A statement as the store keeps it."""
    return Checkpoint(
        installation=statement.installation,
        epoch=statement.epoch,
        size=statement.size,
        cut=statement.cut,
        at=statement.at,
        statement=statement.text,
        signature=signature,
        peaks=tuple(each.hex() for each in peaks),
        cut_peaks=tuple(each.hex() for each in cut_peaks),
    )
