"""A socket to a host that may have several addresses, some of which may lead nowhere (RFC 8305, "happy eyeballs").

asyncio has this too, but drops the socket of a connection that is cancelled as it succeeds, and uvloop has it not.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
from contextlib import suppress
from typing import Any

_NEXT_AFTER_S = 0.25


async def dial(host: str, port: int) -> socket.socket:
    """A connected socket: addresses are tried in turn, the next one when the last has failed or is slow."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    failed = [asyncio.Event() for _ in found]
    sockets: list[socket.socket] = []

    async def attempt(n: int, address: tuple[Any, ...]) -> socket.socket:
        if n:
            with suppress(TimeoutError):
                async with asyncio.timeout(n * _NEXT_AFTER_S):
                    await failed[n - 1].wait()
        try:
            sockets.append(made := socket.socket(*address[:3]))
            made.setblocking(False)
            await loop.sock_connect(made, address[4])
        except OSError:
            failed[n].set()
            raise
        return made

    tasks = [asyncio.create_task(attempt(n, address)) for n, address in enumerate(_alternating(found))]
    won = None
    try:
        won = await _first(tasks)
    finally:
        for task in tasks:
            task.cancel()
        try:
            # The loop must have let go of a socket before it is closed: its number may be another's at once.
            await asyncio.gather(*tasks, return_exceptions=True)
        except BaseException:
            won = None
            raise
        finally:
            for made in sockets:
                if made is not won:
                    made.close()
    return won


def _alternating(found: list[Any]) -> list[Any]:
    """Addresses of one family after those of the other, by turns, beginning with the one the system prefers."""
    first = [address for address in found if address[0] == found[0][0]]
    rest = [address for address in found if address[0] != found[0][0]]
    return [address for pair in itertools.zip_longest(first, rest) for address in pair if address]


async def _first(tasks: list[asyncio.Task[socket.socket]]) -> socket.socket:
    """The first socket there is, or the first address's error."""
    for done in asyncio.as_completed(tasks):
        with suppress(OSError):
            return await done
    return await tasks[0]
