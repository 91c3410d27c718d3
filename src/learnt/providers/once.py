"""Things that are made on first use, once, whether that succeeds or fails."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from learnt.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Once(Generic[T]):
    """A value made when it is first asked for. Threads wait for the one that makes it.

    A `ProviderError` is remembered and raised again, unless waiting may help: a missing model file costs one look.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = Lock()
        self._value: list[T] = []
        self._error: ProviderError | None = None

    def get(self) -> T:
        """The value.

        Raises:
            ProviderError: Making it failed, now or before.
        """
        with self._lock:
            if self._error is not None:
                raise self._error
            if not self._value:
                self._value.append(self._made())
            return self._value[0]

    def _made(self) -> T:
        try:
            return self._make()
        except ProviderError as error:
            if not error.may_retry:
                self._error = error
            raise
