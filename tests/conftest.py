"""What all tests share: a quiet environment and a folder of their own."""

from __future__ import annotations

import gc
import os
import sys

import pytest
from hypothesis import settings

from adjudge.core import limits

# Tests start hundreds of commands: where compiled code is not kept, each of them compiles all of it again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# A busy machine is slow, and slowness is no failure: speed lives in benchmarks.
settings.register_profile("untimed", parent=settings.default, deadline=None)
settings.load_profile("untimed")

pytest_plugins = ["tests.fakes.clock", "tests.fakes.fixtures", "tests.fakes.postgres"]

# Ten thousand tests and the packages they need stay to the end: no search for garbage need walk them all again.
gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _heard_in_turn(monkeypatch):
    """Who asks a server first is heard first, as on a quick machine: what it refuses does not hang on a race."""
    monkeypatch.setattr(limits, "PROBE_WAIT_S", 60.0)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    """No test sees the user's keys or store, and none leaves a file in the project."""
    monkeypatch.chdir(tmp_path)
    for name in [*os.environ]:
        if name.startswith("ADJUDGE_") or name.endswith("_API_KEY") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
