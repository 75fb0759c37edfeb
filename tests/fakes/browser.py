"""A real browser and a real server for tests: nothing leaves the machine, and nothing may pop up."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from playwright.sync_api import Browser, Page

from adjudge.web.app import answer, router
from adjudge.web.guard import LOCAL, Guard
from adjudge.web.server import Server
from adjudge.web.site import Site

#: As root and on machines without a network, Chromium must neither sandbox itself nor look for its maker's hosts.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Seen:
    """What a page did that it must not do."""

    dialogs: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def clear(self) -> None:
        """Forget it, for who looks at another page."""
        for each in (self.dialogs, self.requests, self.errors):
            each.clear()


@contextmanager
def watched(
    browser: Browser, *, origin: str = "file://", offline: bool = False, **context: Any
) -> Iterator[tuple[Page, Seen]]:
    """A page, and a note of every dialog, error and request that leaves `origin`."""
    opened = browser.new_context(offline=offline, **context)
    page, seen = opened.new_page(), Seen()
    page.set_default_timeout(60_000)

    def dialog(one: Any) -> None:
        seen.dialogs.append(one.message)
        one.dismiss()

    def request(one: Any) -> None:
        if not one.url.startswith((origin, "data:,")):
            seen.requests.append(one.url)

    page.on("dialog", dialog)
    page.on("request", request)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("console", lambda said: seen.errors.append(said.text) if said.type == "error" else None)
    try:
        yield page, seen
    finally:
        opened.close()


@contextmanager
def serving(site: Site, token: str = "", port: int = 0) -> Iterator[str]:
    """The address of a real server for this site, on a port of this machine; 0 takes a free one."""
    guard = Guard(hosts=LOCAL, token=token)
    server = Server(("127.0.0.1", port), partial(answer, router(site), site, guard))
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.02))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
