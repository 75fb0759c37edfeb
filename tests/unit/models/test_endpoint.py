"""A candidate that is an address: what it is sent, and what each of its answers means."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from adjudge.core import limits
from adjudge.core.errors import (
    AdjudgeError,
    BadRequest,
    ConfigError,
    NotAuthorised,
    NotFound,
    RateLimited,
    ServerFailed,
    TimedOut,
    TooLarge,
)
from adjudge.core.records import Reply
from adjudge.models.endpoint import Endpoint
from tests.fakes.clock import PATIENCE_S
from tests.unit.models.test_command import ITEM, request


@contextmanager
def served(status: int = 200, body: bytes = b"Because.", **headers: str) -> Iterator[tuple[str, list[Any]]]:
    """A real server at an address, and what came in."""
    came: list[Any] = []
    hold = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append(
                (dict(self.headers), self.path, json.loads(self.rfile.read(int(self.headers["content-length"]))))
            )
            if status == 0:
                hold.wait(PATIENCE_S)
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Tests are quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/ask", came
        finally:
            hold.set()
            server.shutdown()
            thread.join()


async def asked(url: str) -> Reply:
    endpoint = Endpoint(url, timeout_s=PATIENCE_S)
    try:
        return await endpoint.answer(request())
    finally:
        await endpoint.close()


def answer(url: str) -> Reply:
    return asyncio.run(asked(url))


def test_it_is_posted_the_question_and_nothing_else():
    with served() as (url, came):
        reply = answer(url)
    assert (reply.text, reply.finish, reply.cost_usd) == ("Because.", "stop", 0.0)
    ((headers, path, told),) = came
    assert path == "/ask" and headers["Content-Type"] == "application/json" and "Authorization" not in headers
    assert told.keys() == {"id", "question", "sources"} and told["id"] == ITEM.id


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (302, BadRequest),
        (400, BadRequest),
        (401, NotAuthorised),
        (404, NotFound),
        (429, RateLimited),
        (503, ServerFailed),
    ],
)
def test_what_is_no_success_is_a_fault_of_its_kind(status, error):
    with served(status, b"nobody here", location="http://127.0.0.1:1/") as (url, came), pytest.raises(error) as caught:
        answer(url)
    assert len(came) == 1 and str(status) in str(caught.value)


def test_an_answer_that_does_not_come_is_given_up(clock):
    async def given_up() -> None:
        asking = asyncio.create_task(asked(url))
        while not came:
            await asyncio.sleep(0.01)
        clock.skip(PATIENCE_S)
        await asking

    with served(0) as (url, came), pytest.raises(TimedOut):
        asyncio.run(given_up())


def test_an_answer_that_is_too_long_is_refused():
    with served(body=b"x" * (limits.CANDIDATE_BYTES + 1)) as (url, _), pytest.raises(TooLarge):
        answer(url)


@pytest.mark.parametrize("url", ["http://me:s3cret@host/ask", "http://host/ask?key=s3cret", "http://"])
def test_an_address_that_can_not_be_used_is_refused(url):
    with pytest.raises(ConfigError, match="--candidate") as caught:
        Endpoint(url, timeout_s=1)
    assert "s3cret" not in str(caught.value)
    assert isinstance(caught.value, AdjudgeError)
