"""Options of the test run."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no bug: nothing here fails because it took long.
settings.register_profile("amcast", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("amcast")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite", action="store_true", help="write the golden stories again as they are now told"
    )
