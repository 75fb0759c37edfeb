"""Clients that only post and read: the limit that adjudge is measured against.

    python -m bench.clients aiohttp|httpx|openai URL REQUESTS N CONCURRENCY     prints the seconds it took

REQUESTS holds the bodies, one a line. Reading is JSON of the answer and JSON of what the model said in it, no more.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from bench.process import finish, start

#: Posts one body and gives the text that the model said.
Post = Callable[[bytes], Awaitable[str]]
HEADERS = {"Content-Type": "application/json"}


@dataclass(frozen=True, kw_only=True)
class Client:
    """A client with its name, ready to be run in a process of its own."""

    name: str

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec(self.name) is not None

    def seconds(self, url: str, requests: Path, n: int, concurrency: int) -> float:
        """Its run time, from the first connection to the last reply."""
        words = ["-m", "bench.clients", self.name, url, str(requests), str(n), str(concurrency)]
        return float(finish(start(words, stdout=subprocess.PIPE)))


CLIENTS = (Client(name="aiohttp"), Client(name="httpx"), Client(name="openai"))


def _content(answer: Any) -> str:
    return str(answer["choices"][0]["message"]["content"])


@asynccontextmanager
async def _aiohttp(url: str, concurrency: int) -> AsyncIterator[Post]:
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def post(body: bytes) -> str:
            async with session.post(f"{url}/chat/completions", data=body, headers=HEADERS) as response:
                return _content(json.loads(await response.read()))

        yield post


@asynccontextmanager
async def _httpx(url: str, concurrency: int) -> AsyncIterator[Post]:
    import httpx

    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    async with httpx.AsyncClient(limits=limits, timeout=60, trust_env=False) as session:

        async def post(body: bytes) -> str:
            response = await session.post(f"{url}/chat/completions", content=body, headers=HEADERS)
            return _content(json.loads(response.content))

        yield post


@asynccontextmanager
async def _openai(url: str, concurrency: int) -> AsyncIterator[Post]:
    """The SDK as it comes: it makes the body itself, from the same fields, and a model of the answer."""
    import openai

    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as session:

        async def post(body: bytes) -> str:
            answer = await session.chat.completions.create(**json.loads(body))
            return str(answer.choices[0].message.content)

        yield post


async def run(name: str, url: str, bodies: list[bytes], concurrency: int) -> float:
    """Post all bodies with so many workers; the seconds it took."""
    opened = {"aiohttp": _aiohttp, "httpx": _httpx, "openai": _openai}[name]
    began = time.perf_counter()
    async with opened(url, concurrency) as post:
        waiting = iter(bodies)

        async def work() -> None:
            for body in waiting:
                assert isinstance(json.loads(await post(body)), dict)

        await asyncio.gather(*(work() for _ in range(concurrency)))
    return time.perf_counter() - began


def main(name: str, url: str, requests: str, n: str, concurrency: str) -> None:
    bodies = list(islice(cycle(Path(requests).read_bytes().splitlines()), int(n)))
    print(asyncio.run(run(name, url, bodies, int(concurrency))))


if __name__ == "__main__":
    main(*sys.argv[1:])
