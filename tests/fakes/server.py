"""A model server that does as it is told: OpenAI- and Anthropic-compatible, on loopback, in a thread of its own.

    with FakeModelServer() as server:                      # every reply is a valid instance of the schema asked for
        choose_model("openai:any", base_url=server.url)
    with FakeModelServer(lambda request, n: Answer(status=500) if n == 1 else None) as server: ...

By hand: python -m tests.fakes.server --port 8000 --latency-ms 50 --style good|bad|slow|table
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import math
import re
import socket
import struct
import sys
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tests.fakes.clock import PATIENCE_S
from tests.fakes.instance import instance, table

_NUMBERS = itertools.count(1)
#: Between two looks at whether an answer may be sent.
_LOOK_S = 0.001
#: Of a loop, in which what was begun before its end gets to its own.
_LAST_TURNS = 5


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What to send. `text` is what the model says; `body` or `data` replace the whole protocol answer."""

    text: str | None = None
    #: Words with their log probabilities, one mapping for each place of the answer.
    odds: Sequence[Mapping[str, float]] = ()
    #: The tokens of the whole text, each with the words that could have stood there and their log probabilities.
    tokens: Sequence[tuple[str, Mapping[str, float]]] = ()
    finish: str = "stop"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    data: Any = None
    body: bytes | None = None
    delay_s: float = 0.0
    #: It is not sent before this is true.
    after: Callable[[], bool] | None = None
    #: For ever: not a byte comes, or one now and then of a body that does not end.
    stuck: Literal["", "silent", "dripping"] = ""
    #: "before" the first byte, or in the "middle" of the body; "close" ends the body early without a reset.
    cut: Literal["", "before", "middle", "close"] = ""
    #: Send the body again and again up to this many bytes.
    repeat_to_bytes: int = 0


@dataclass(frozen=True, kw_only=True)
class Received:
    """A request as it came in."""

    path: str
    headers: Mapping[str, str]
    data: Any

    @property
    def protocol(self) -> str:
        return "anthropic" if self.path.endswith("/messages") else "openai"

    @property
    def user(self) -> str:
        """The text of the last message."""
        content = self.data["messages"][-1]["content"]
        return content if isinstance(content, str) else json.dumps(content)

    @property
    def schema(self) -> Mapping[str, Any] | None:
        if tools := self.data.get("tools"):
            return dict(tools[0]["input_schema"])
        shape = self.data.get("response_format", {}).get("json_schema", {})
        return dict(shape["schema"]) if shape else None

    @property
    def mode(self) -> str:
        if self.schema is not None:
            return "schema"
        return "json" if self.data.get("response_format") else "text"


#: What a server does with request number n (the first is 1); None means: answer well.
Script = Callable[[Any, int], Answer | None]


class FakeModelServer:
    """A context manager: `url` is the base URL, `requests` what came in, `calls` how many, `stuck` how many of them
    are never answered, with `beats` that tell that they still are.

    A server that takes no schema (`modes`) refuses it as real ones do, and remembers what it asked for: later
    requests with the same system prompt are answered by that schema, or by `schema` when given.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        modes: tuple[str, ...] = ("schema", "json", "text"),
        schema: Mapping[str, Any] | None = None,
        latency_s: float = 0.0,
        port: int = 0,
        style: str = "good",
    ) -> None:
        self.script, self.modes, self.schema, self.latency_s, self.style = script, modes, schema, latency_s, style
        self.requests: list[Received] = []
        self.stuck = self.beats = 0
        self._schemas: dict[str, Mapping[str, Any]] = {}
        self._port, self._prefix = port, f"/s{next(_NUMBERS)}"
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def calls(self) -> int:
        return len(self.requests)

    @property
    def url(self) -> str:
        # The path differs from server to server: ports are used again, and what is remembered of a server is not.
        return f"http://127.0.0.1:{self._port}{self._prefix}/v1"

    def __enter__(self) -> FakeModelServer:
        self._server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", self._port, limit=1 << 26, backlog=1024)
        )
        self._port = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(PATIENCE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _live(self) -> None:
        self._loop.run_forever()
        # a connection that ends in the loop's last turn is closed in the next one
        for _ in range(_LAST_TURNS):
            self._loop.run_until_complete(asyncio.sleep(0))

    async def _stop(self) -> None:
        self._server.close()
        for _ in range(_LAST_TURNS):  # who came in at the last moment is served yet
            await asyncio.sleep(0)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while received := await _receive(reader):
                    self.requests.append(received)
                    answer = self._decide(received, self.calls)
                    while answer.after and not answer.after():
                        await asyncio.sleep(_LOOK_S)
                    if answer.stuck:
                        await self._be_stuck(reader, writer, dripping=answer.stuck == "dripping")
                    elif await _send(writer, received, answer):
                        continue
                    break
            writer.transport.abort()
        finally:
            self._tasks.discard(task)

    async def _be_stuck(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, dripping: bool) -> None:
        """Say nothing that anyone could use until the other side has enough."""
        if dripping:
            writer.write(b"HTTP/1.1 200 Scripted\r\ncontent-length: 1000000\r\n\r\n{")
        self.stuck += 1
        while not reader.at_eof():
            if dripping:
                writer.write(b" ")
                await writer.drain()
            self.beats += 1
            await asyncio.sleep(_LOOK_S)

    def _decide(self, received: Received, n: int) -> Answer:
        answer = self.script(received.data, n) if self.script else None
        if answer is None:
            answer = self._styled(received, n)
        return replace(answer, delay_s=answer.delay_s + self.latency_s)

    def _styled(self, received: Received, n: int) -> Answer:
        if received.data.get("logprobs") and received.schema is None:
            return answer_with_odds(likely_yes(received.user))
        system = json.dumps(received.data.get("system", received.data["messages"][0]))
        if received.schema is not None:
            self._schemas[system] = received.schema
        if received.mode not in self.modes:
            refused = "tools" if received.protocol == "anthropic" else "response_format"
            return refusal(400, f"{refused}: {received.mode} is not supported by this model")
        schema = self.schema or received.schema or self._schemas.get(system)
        if schema is None:
            return Answer(text="I was given no schema to answer by.")
        found = instance(schema, received.user)
        if self.style == "table":
            return Answer(text=table(found))
        text = json.dumps(found, ensure_ascii=False)
        if received.data.get("logprobs"):
            return answer_in_tokens(text)
        if self.style == "slow":
            return Answer(text=text, delay_s=2.0)
        return bad(text, n) if self.style == "bad" else Answer(text=text)


def likely_yes(user: str) -> float:
    """A probability that depends on the question and the item alone."""
    return (zlib.crc32(user.encode("utf-8", "replace")) % 97 + 1) / 99


def answer_with_odds(p_yes: float) -> Answer:
    """Yes or no, as likely as told."""
    said = "Yes" if p_yes >= 0.5 else "No"
    return Answer(text=said, odds=[{"Yes": math.log(p_yes), "No": math.log(1 - p_yes), "Maybe": -20.0}])


def sure(digits: str) -> Mapping[str, float]:
    """Nothing else could have stood there."""
    return {digits: 0.0}


def answer_in_tokens(text: str, words: Callable[[str], Mapping[str, float]] = sure) -> Answer:
    """A whole reply with its tokens; each number is one, and could have been what `words` makes of it."""
    tokens = re.findall(r"\d+|[^\W\d]+|\s+|[^\w\s]|_", text)
    return Answer(text=text, tokens=[(token, words(token) if token.isdecimal() else {token: -0.1}) for token in tokens])


def bad(text: str, n: int) -> Answer:
    """What models and servers do on a bad day, one after another; some of it holds a verdict and some does not."""
    days = (
        Answer(text=f"```json\n{text}\n```"),
        Answer(text=f"<think>Perhaps {{}}? No.</think>\n{text}"),
        Answer(text=text[:-1] + ",}"),
        Answer(text="I would rather not say."),
        Answer(text=text[: len(text) // 2], finish="length"),
        Answer(text=json.dumps({"result": json.loads(text)})),
        refusal(500, "internal error"),
        Answer(cut="middle", text=text),
        replace(refusal(429, "slow down"), headers={"retry-after": "0"}),
        Answer(text=text),
    )
    return days[(n - 1) % len(days)]


def refusal(status: int, message: str, **fields: Any) -> Answer:
    """An error in the words of both protocols."""
    return Answer(status=status, data={"type": "error", "error": {"message": message, **fields}})


def dead_url() -> str:
    """A base URL at which nothing listens; a port that was free a moment ago may be another's by now."""
    return "http://127.0.0.1:1/v1"


async def _receive(reader: asyncio.StreamReader) -> Received | None:
    start = await reader.read(1)
    if start in (b"", b"\x16"):  # the end, or someone who expects TLS
        return None
    head = start + await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(path=first.split(" ")[1], headers=headers, data=json.loads(body or b"{}"))


async def _send(writer: asyncio.StreamWriter, received: Received, answer: Answer) -> bool:
    """Send the answer; False when the connection is to be dropped."""
    await asyncio.sleep(answer.delay_s)
    if answer.cut == "before":
        return _reset(writer)
    body = answer.body if answer.body is not None else json.dumps(_wrapped(received, answer)).encode()
    size = answer.repeat_to_bytes or len(body)
    headers = {"content-type": "application/json", "content-length": str(size), **answer.headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {answer.status} Scripted\r\n{head}\r\n".encode())
    if answer.cut:
        writer.write(body[: len(body) // 2])
        await writer.drain()
        await asyncio.sleep(0.05)
        return _reset(writer) if answer.cut == "middle" else False
    for _ in range(-(-size // len(body)) if body else 0):
        writer.write(body)
        await writer.drain()
    return True


def _reset(writer: asyncio.StreamWriter) -> bool:
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def _wrapped(received: Received, answer: Answer) -> Any:
    """The protocol's envelope around what the model says."""
    if answer.text is None:
        return answer.data
    tokens_in, tokens_out = len(json.dumps(received.data)) // 4, len(answer.text) // 4 + 1
    if received.protocol == "openai":
        choice: dict[str, Any] = {"message": {"role": "assistant", "content": answer.text}}
        if answer.odds:
            choice["logprobs"] = {"content": [_place(words) for words in answer.odds]}
        if answer.tokens:
            choice["logprobs"] = {"content": [_place(words) | {"token": token} for token, words in answer.tokens]}
        return {
            "choices": [{"index": 0, "finish_reason": answer.finish, **choice}],
            "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out},
        }
    content: dict[str, Any] = {"type": "text", "text": answer.text}
    if received.mode == "schema":
        with contextlib.suppress(ValueError):
            content = {"type": "tool_use", "name": "verdict", "input": json.loads(answer.text)}
    stops = {"stop": "end_turn", "length": "max_tokens"}
    return {
        "content": [content],
        "stop_reason": stops.get(answer.finish, answer.finish),
        "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out},
    }


def _place(words: Mapping[str, float]) -> dict[str, Any]:
    top = [{"token": word, "logprob": logprob} for word, logprob in words.items()]
    return {**max(top, key=lambda entry: entry["logprob"]), "top_logprobs": top}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--port", type=int, default=8000)
    options.add_argument("--latency-ms", type=float, default=0)
    options.add_argument("--style", choices=("good", "bad", "slow", "table"), default="good")
    chosen = options.parse_args()
    with FakeModelServer(port=chosen.port, latency_s=chosen.latency_ms / 1000, style=chosen.style) as server:
        sys.stdout.write(f"--base-url {server.url}\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
