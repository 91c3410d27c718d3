"""What every test gets."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from learnt.hosts.marker import MARKERS
from tests.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server import Server

# Time limits of single examples say more about the machine than about learnt.
settings.register_profile("learnt", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("learnt")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked `serial` share one worker, so that they never run beside each other."""
    for item in items:
        if item.get_closest_marker("serial"):
            item.add_marker(pytest.mark.xdist_group("serial"))


@pytest.fixture(autouse=True)
def _at_a_persons_keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests mean a person with an environment of their own, also when an agent runs them."""
    for name in list(os.environ):
        ours = name.startswith("LEARNT_") and name != "LEARNT_SHARED"
        if ours or name in MARKERS or name.startswith("CODEX_"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server of this process."""
    with running() as server:
        yield server


@pytest.fixture
def database(server: Server) -> Iterator[str]:
    """The URL of an empty database with pgvector, as superuser."""
    with server.database() as url:
        yield url
