"""Things made on first use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from learnt.errors import EmbedderError, ProviderError
from learnt.providers.faults import told_as
from learnt.providers.once import Once


def test_threads_share_one() -> None:
    """Eight threads that ask at once: made once, the same for all."""
    made: list[object] = []
    together = Barrier(8)

    def make() -> object:
        made.append(object())
        return made[-1]

    once = Once(make)

    def ask() -> object:
        together.wait()
        return once.get()

    with ThreadPoolExecutor(8) as pool:
        found = [each.result() for each in [pool.submit(ask) for _ in range(8)]]
    assert len(made) == 1
    assert set(map(id, found)) == {id(made[0])}


@pytest.mark.parametrize(("retryable", "looks"), [(False, 1), (True, 3)])
def test_a_failure_is_remembered_unless_waiting_may_help(retryable: bool, looks: int) -> None:
    """A missing file is looked for once; a server is asked again."""
    asked: list[int] = []

    def make() -> object:
        asked.append(1)
        raise ProviderError("gone", code="gone", retryable=retryable)

    once = Once(make)
    for _ in range(3):
        with pytest.raises(ProviderError):
            once.get()
    assert len(asked) == looks


def test_an_error_is_told_as_the_ports() -> None:
    """Same code, hint, details and retryability; one of the port's own stays what it is."""
    inner = ProviderError("m", code="c", hint="h", details={"a": 1}, retryable=True)
    with pytest.raises(EmbedderError) as caught, told_as(EmbedderError):
        raise inner
    told = caught.value
    assert (told.message, told.error_code, told.advice, told.details, told.may_retry) == ("m", "c", "h", {"a": 1}, True)
    own = EmbedderError("own")
    with pytest.raises(EmbedderError) as caught, told_as(EmbedderError):
        raise own
    assert caught.value is own
