from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.service import Service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One embedded service for a module's tests."""
    running = Service(Path(tmp_path_factory.mktemp("service")))
    try:
        yield running.start()
    finally:
        running.stop()
