from __future__ import annotations

import pytest

from tests.fakes.certificates import usual


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(usual()[0]))
