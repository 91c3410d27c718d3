"""The folder of keys: the key that marks events, and one record for each log, with what this machine saw of it last.

    keys/audit.key          32 random bytes, made with the first event
    keys/audit.NAME.key     keys that were used before, or were brought here from another machine to verify with
    keys/audit/LOG-PLACE.json     who signs checkpoints and with what, what was signed, whom this machine knows
    keys/audit/LOG-PLACE.seen     the last event seen
    keys/audit/LOG-PLACE.missed   that a writer found it gone

PLACE is a hash of where the store lies: a copy of it elsewhere goes its own way, an older copy in its place does not.

Only this user may read any of it. Nothing of it is in the store, and nothing of it is moved with a store.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from learnt.bootstrap.machine import since_start
from learnt.errors import AuditKeyError
from learnt.model.keyring import Record
from learnt.model.keys import short_id
from learnt.model.seal import key_name, log_key, seen_line, seen_of
from learnt.ports.seals import Missed, Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

NAME = "audit"


class FileKeyring:
    """See `learnt.ports.seals.Keyring`.

    Args:
        folder: Of all keys.
        place: Where the store lies, without a password.
        key: Gives the key that marks events, made on first use; b"" where none can be kept.
    """

    def __init__(self, folder: Path, place: str, key: Callable[[], bytes]) -> None:
        self._folder = folder
        self.place = place
        self._key = key

    @cached_property
    def start(self) -> str:
        """Which start of the machine it is."""
        return since_start()[0]

    def masters(self) -> Mapping[str, bytes]:
        """Every key that is here, by name."""
        found = {}
        with suppress(OSError):
            for path in sorted(self._folder.glob(f"{NAME}*.key")):
                with suppress(OSError):
                    held = path.read_bytes()
                    if held:
                        found[key_name(held)] = held
        return found

    def record(self, log: str) -> Record:
        """What is kept of a log."""
        path = self.path(log, "json")
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return Record(log=log)
        except (OSError, UnicodeDecodeError) as error:
            raise AuditKeyError(details={"file": str(path)}) from error
        try:
            return _record(json.loads(text))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise AuditKeyError("The record of a log cannot be read.", details={"file": str(path)}) from error

    def keep(self, record: Record) -> None:
        """Replace what is kept of a log: by temporary file, fsync, rename."""
        path = self.path(record.log, "json")
        text = json.dumps({**asdict(record), "pinned": {name: list(each) for name, each in record.pinned.items()}})
        try:
            _put(path, text.encode())
        except OSError as error:
            message = "The folder of keys cannot be written; nothing was signed."
            raise AuditKeyError(message, details={"file": str(path)}) from error

    def seen(self, log: str) -> Seen | None:
        """What was last seen of a log."""
        try:
            held = self.path(log, "seen").read_bytes()
        except OSError:
            return None
        found = seen_of(held)
        return Seen(*found) if found else None

    def met(self, log: str) -> Missed | None:
        """What a writer noted."""
        try:
            seen, found, restarted = json.loads(self.path(log, "missed").read_bytes())
        except (OSError, ValueError, TypeError):
            return None
        return Missed(int(seen), int(found), bool(restarted))

    def replaced(self, log: str) -> str:
        """Another log that lay here. One of which nothing was ever committed did not."""
        if not self.place:
            return ""
        for path in sorted((self._folder / NAME).glob(f"*-{short_id(self.place)}.json")):
            with suppress(AuditKeyError):
                other = path.stem.rpartition("-")[0]
                record = self.record(other)
                began = bool(record.signed) or self.seen(other) is not None
                if other != log and began and self.place in record.places:
                    return other
        return ""

    def settle(self, log: str) -> None:
        """This log belongs here, as it is."""
        for name in ("seen", "missed"):
            self.path(log, name).unlink(missing_ok=True)
        while other := self.replaced(log):
            held = self.record(other)
            self.keep(replace(held, places=tuple(each for each in held.places if each != self.place)))

    def rotate(self) -> tuple[str, str]:
        """Mark with a fresh key from now on."""
        old = self._key()
        if not old:
            raise AuditKeyError
        fresh = secrets.token_bytes(32)
        try:
            _put(self._folder / f"{NAME}.{key_name(old)}.key", old)
            _put(self._folder / f"{NAME}.key", fresh)
        except OSError as error:
            raise AuditKeyError("The folder of keys cannot be written; the key is as it was.") from error
        return key_name(old), key_name(fresh)

    @property
    def has_key(self) -> bool:
        """Whether there is a key that marks events."""
        return (self._folder / f"{NAME}.key").exists()

    @property
    def master(self) -> Callable[[], bytes]:
        """Gives the key that marks events."""
        return self._key

    def path(self, log: str, suffix: str) -> Path:
        """Where something about a log lies."""
        return self._folder / NAME / f"{_plain(log)}-{short_id(self.place)}.{suffix}"


class FileSeals:
    """See `learnt.ports.seals.Seals`."""

    def __init__(self, ring: FileKeyring) -> None:
        self._ring = ring
        self._known: set[str] = set()

    def key(self, log: str) -> tuple[str, bytes] | None:
        """The name and the key of a log."""
        ring = self._ring
        known = ring.path(log, "json").exists()
        if known and not ring.has_key:
            raise AuditKeyError("The key of the audit trail is gone from the folder of keys; nothing was written.")
        master = ring.master()
        if not master:
            if known:
                raise AuditKeyError
            return None
        if log not in self._known:
            self._belongs(log)
        return key_name(master), log_key(master, log)

    def seen(self, log: str) -> Seen | None:
        """What was last seen of a log."""
        return self._ring.seen(log)

    def saw(self, log: str, position: int, row_hash: str) -> None:
        """Remember the end of a log, over what was there."""
        line = seen_line(position, row_hash, self._ring.start)
        with suppress(OSError):
            handle = os.open(self._ring.path(log, "seen"), os.O_WRONLY | os.O_CREAT | _NO_FOLLOW, 0o600)
            try:
                while line:  # half of a line over an older one would tell of a fork
                    line = line[os.write(handle, line) :]
            finally:
                os.close(handle)

    def missed(self, log: str, seen: Seen, position: int) -> None:
        """Remember that what was seen is gone. What no restart explains is never replaced by what one does."""
        restarted = bool(seen.start) and seen.start != self._ring.start
        held = self._ring.met(log)
        if held is not None and (restarted or not held.restarted):
            return
        with suppress(OSError):
            _put(self._ring.path(log, "missed"), json.dumps([seen.position, position, restarted]).encode())

    def _belongs(self, log: str) -> None:
        """Note that the store with this log lies here."""
        self._known.add(log)
        ring = self._ring
        held = self._ring.record(log)
        if ring.place and ring.place not in held.places:
            ring.keep(replace(held, places=(*held.places, ring.place)))


_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def _plain(log: str) -> str:
    """A log's name comes out of a store, which others may have written."""
    return log if len(log) <= 64 and log.isascii() and log.isalnum() else short_id(log)


def _record(found: dict[str, Any]) -> Record:
    accepted = found.get("accepted")
    return Record(
        log=str(found["log"]),
        places=tuple(map(str, found["places"])),
        installation=str(found["installation"]),
        epoch=int(found["epoch"]),
        secret=str(found["secret"]),
        pinned={str(name): (int(each[0]), str(each[1])) for name, each in found["pinned"].items()},
        signed=str(found["signed"]),
        accepted=(int(accepted[0]), str(accepted[1]), str(accepted[2])) if accepted else None,
    )


def _put(path: Path, content: bytes) -> None:
    """`content` under this name, whole or not at all, for this user alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
