"""A real browser for the tests of this folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.fakes.browser import ARGUMENTS


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium, started once for the folder: while it is there, `asyncio.run` works in other threads only."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield opened
        opened.close()
