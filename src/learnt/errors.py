"""Everything learnt raises.

Expected outcomes (a refusal by the gate, a lost race, an empty recall) are returned as values; these
exceptions are for input that cannot be used, for a missing configuration, and for a store that does not answer.

    LearntError                 code, hint, retryable, details, exit_code
    ├── UsageError          2   the caller can fix the input
    ├── NotFoundError       1   no such id in the scopes of the reader
    ├── RefusedError        3   the gate, a policy, or the state forbids it
    ├── ConfigError         4   configuration or provider missing
    ├── UnsupportedError    4   this store cannot do that; another one can
    ├── ProviderError       4   a model, here or on a server, does not answer
    │   ├── EmbedderError       no vectors; search goes on without them
    │   └── RerankerError       no second look at the best hits; their order stays
    ├── ArtifactError       5   a file that is made from rows cannot be written
    └── StoreError          5   the store does not answer
        ├── StoreBusyError      another process held the store beyond the wait (retryable)
        ├── LeaseLostError      another worker took the job over; what this one did is not kept
        ├── StoreCorruptError   the file is damaged
        ├── StoreForeignError   the file belongs to another program
        ├── StoreNewerError     written by a newer learnt; left untouched
        ├── GateError           the gate's patterns cannot be loaded, so nothing may be written (retryable)
        ├── StoreReadOnlyError  no right to write
        ├── AuditKeyError       the key of the audit trail cannot be read, so nothing may be written
        └── StoreFullError      no space left (retryable)

The class docstring is the message when none is given. `exit_code` is the process exit code of the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping


class LearntError(Exception):
    """Something learnt could not do."""

    code: ClassVar[str] = "error"
    hint: ClassVar[str] = ""
    retryable: ClassVar[bool] = False
    exit_code: ClassVar[int] = 70

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "",
        hint: str = "",
        details: Mapping[str, object] | None = None,
        retryable: bool | None = None,
    ) -> None:
        self.message = message or (type(self).__doc__ or "").splitlines()[0]
        super().__init__(self.message)
        self.error_code = code or self.code
        self.advice = hint or self.hint
        self.details: dict[str, object] = dict(details or {})
        self.may_retry = self.retryable if retryable is None else retryable


class UsageError(LearntError):
    """The input cannot be used as it is."""

    code = "invalid"
    exit_code = 2


class NotFoundError(LearntError):
    """No such id here."""

    code = "not_found"
    hint = "`learnt list --status all` shows what exists in this repository."
    exit_code = 1


class RefusedError(LearntError):
    """Refused."""

    code = "refused"
    exit_code = 3


class ConfigError(LearntError):
    """The configuration is missing or cannot be read."""

    code = "configuration"
    exit_code = 4


class UnsupportedError(LearntError):
    """This store cannot do that."""

    code = "unsupported"
    hint = "`learnt migrate --to sqlite:///PATH` moves what is here into a store that can."
    exit_code = 4


class ProviderError(LearntError):
    """A model does not answer."""

    code = "provider_failed"
    hint = "`learnt doctor` shows which models are used and what is wrong with them."
    exit_code = 4


class EmbedderError(ProviderError):
    """Nothing could be embedded."""

    code = "embedder_failed"


class RerankerError(ProviderError):
    """The reranker gave no scores."""

    code = "reranker_failed"


class ArtifactError(LearntError):
    """A file that is made from what is stored could not be written."""

    code = "artifact_failed"
    hint = "Give this user write access to the data directory, or free some disk space. What is stored is untouched."
    exit_code = 5


class StoreError(LearntError):
    """The store does not answer."""

    code = "store_unavailable"
    hint = "`learnt doctor` shows where the store is and what is wrong with it."
    exit_code = 5


class StoreBusyError(StoreError):
    """Another process held the store for longer than the wait."""

    code = "store_busy"
    hint = "Try again; nothing was written."
    retryable = True


class LeaseLostError(StoreError):
    """Another worker took the job over; what this one had not stored yet is dropped."""

    code = "lease_lost"
    hint = "Nothing has to be done: the other worker goes on. `learnt jobs` shows it."


class StoreCorruptError(StoreError):
    """The store's file is damaged and was left untouched."""

    code = "store_corrupt"
    hint = "Copy memory.db, memory.db-wal and memory.db-shm together before any repair."


class StoreForeignError(StoreError):
    """The file at the store's place belongs to another program and was left untouched."""

    code = "store_foreign"
    hint = "Point LEARNT_HOME or LEARNT_DATABASE_URL somewhere else."


class StoreNewerError(StoreError):
    """The store was written by a newer learnt and was left untouched."""

    code = "store_newer"
    hint = "Upgrade learnt."


class GateError(StoreError):
    """The gate's patterns cannot be loaded; nothing was written."""

    code = "gate_unavailable"
    hint = "`learnt doctor` tells what is wrong with the pattern file. Repeat the command once it is repaired."
    retryable = True


class StoreReadOnlyError(StoreError):
    """The store cannot be written: no right to write there."""

    code = "store_read_only"
    hint = "Reads still work. Give this user write access to the data directory."


class AuditKeyError(StoreError):
    """The key of the audit trail cannot be read; nothing was written."""

    code = "audit_key"
    hint = "Make the folder of the keys readable again, or put it back from a copy: `learnt doctor` names it."


class StoreFullError(StoreError):
    """No space left for the store; nothing was written."""

    code = "store_full"
    hint = "Free some disk space and repeat the command."
    retryable = True
