"""What every test gets."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# Time limits of single examples say more about the machine than about learnt.
settings.register_profile("learnt", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("learnt")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked `serial` share one worker, so that they never run beside each other."""
    for item in items:
        if item.get_closest_marker("serial"):
            item.add_marker(pytest.mark.xdist_group("serial"))
