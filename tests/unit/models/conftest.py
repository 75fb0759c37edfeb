from __future__ import annotations

import pytest

from adjudge.core import limits
from tests.fakes.certificates import usual


@pytest.fixture(autouse=True)
def _no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection is not given up between two requests because the machine was busy."""
    monkeypatch.setattr(limits, "KEEP_ALIVE_S", 600.0)
    monkeypatch.setattr(limits, "STALE_WITHIN_S", 60.0)


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(usual()[0]))
