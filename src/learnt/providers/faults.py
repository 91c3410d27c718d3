"""The errors of providers, told as those of the port they stand behind."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from learnt.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def told_as(kind: type[ProviderError]) -> Iterator[None]:
    """A `ProviderError` raised inside becomes one of `kind`, with the same code, hint and details."""
    try:
        yield
    except kind:
        raise
    except ProviderError as error:
        raise kind(
            error.message,
            code=error.error_code,
            hint=error.advice,
            details=error.details,
            retryable=error.may_retry,
        ) from error


def broken(message: str, error: BaseException | None = None) -> ProviderError:
    """The error for a model that is there and of no use."""
    return ProviderError(message, code="model_broken", hint="Get the model's files again.", details=cause(error))


def stopped(error: BaseException) -> ProviderError:
    """The error for a model that was loaded and failed while it ran."""
    return ProviderError("The model stopped while it was running.", code="model_failed", details=cause(error))


def cause(error: BaseException | None) -> dict[str, object]:
    """What a library said, cut: its messages tell of files and shapes, never of texts."""
    return {"cause": f"{type(error).__name__}: {error}"[:300]} if error else {}
