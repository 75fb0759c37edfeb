"""A key that must not be seen, little patience, and an end to every test."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adjudge.core import limits
from tests.fakes.clock import PATIENCE_S
from tests.faults.canary import found, found_in_files, new_key


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """The key that this test runs with, for both protocols."""
    drawn = new_key()
    monkeypatch.setenv("OPENAI_API_KEY", drawn)
    monkeypatch.setenv("ANTHROPIC_API_KEY", drawn)
    return drawn


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same pauses, only shorter; the number of attempts and the time-outs are as they are."""
    monkeypatch.setattr(limits, "BACKOFF_FIRST_S", 0.004)
    monkeypatch.setattr(limits, "BACKOFF_CAP_S", 0.02)
    monkeypatch.setattr(limits, "RETRY_AFTER_CAP_S", 0.05)


@pytest.fixture(autouse=True)
def _an_end() -> Iterator[None]:
    """A run that hangs fails its test, and no other."""

    def too_long(*_: object) -> None:
        raise AssertionError(f"it did not end within {PATIENCE_S:g} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(int(PATIENCE_S))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def unseen(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> Callable[..., None]:
    """Call it at the end: the key is in no file of the folder, nothing said, nothing logged, and no text given."""
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, logger="asyncio")

    def search(*texts: str) -> None:
        said = capsys.readouterr()
        for text in (said.out, said.err, caplog.text, *(repr(vars(record)) for record in caplog.records), *texts):
            assert found(key, text) == [], text
        assert found_in_files(key, tmp_path) == []

    return search
