"""adjudge against a bare aiohttp client on the same server, in one run: python -m bench.throughput [N] [CONCURRENCY]

The bare client only posts the same prompts and reads the replies. Ratios hold from machine to machine; times do not.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp

from adjudge import api
from adjudge.spec.prompt import render

ROUNDS = 3


def rows(n: int) -> list[dict[str, Any]]:
    return [
        {"id": f"item-{k}", "content": f"Story {k}: a keeper lights the lamp. The ship comes home.", "text": "A lamp."}
        for k in range(n)
    ]


@contextmanager
def server() -> Iterator[str]:
    """The fake model server in a process of its own, so that it does not share our interpreter."""
    command = [sys.executable, "-m", "tests.fakes.server", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait()


def bodies(n: int, url: str) -> list[bytes]:
    """The requests that adjudge would send."""
    from adjudge.models.openai import OpenAI

    prepared = api.prepare("summary", rows(n), api.RunOptions(model="openai:m", base_url=url))
    assert isinstance(prepared.model, OpenAI)
    found = []
    for unit in prepared.units():
        prompt = render(prepared.judge, unit.calls[0], unit.items)
        shape = {"name": "verdict", "schema": prompt.schema, "strict": True}
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        body = {"model": "m", "temperature": 0, "messages": messages}
        found.append(json.dumps({**body, "response_format": {"type": "json_schema", "json_schema": shape}}).encode())
    return found


async def bare(url: str, posts: list[bytes], concurrency: int) -> None:
    queue = iter(posts)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def work() -> None:
            for body in queue:
                headers = {"Content-Type": "application/json"}
                async with session.post(f"{url}/chat/completions", data=body, headers=headers) as response:
                    await response.json()

        await asyncio.gather(*(work() for _ in range(concurrency)))


def timed(work: Any) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main(n: int = 1000, concurrency: int = 64) -> None:
    with server() as url, tempfile.TemporaryDirectory() as folder:
        posts = bodies(n, url)
        data = rows(n)

        def judged(k: int) -> None:
            store = f"sqlite:///{folder}/{k}.db"
            api.evaluate("summary", data, model="openai:m", base_url=url, concurrency=concurrency, store=store)

        plain = min(timed(lambda: asyncio.run(bare(url, posts, concurrency))) for _ in range(ROUNDS))
        whole = min(timed(lambda k=k: judged(k)) for k in range(ROUNDS))
    print(f"{n} items, concurrency {concurrency}, best of {ROUNDS}")
    print(f"bare aiohttp {plain:.2f} s   adjudge {whole:.2f} s   share of the bare rate {plain / whole:.0%}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
