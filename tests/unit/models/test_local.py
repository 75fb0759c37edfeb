"""A model in a file: what is checked first, what it is asked, how it ends. With a library made of paper."""

from __future__ import annotations

import asyncio
import importlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from adjudge.core.errors import BadRequest, ConfigError, ContextTooLong, ServerFailed
from adjudge.core.records import Reply, Request
from adjudge.models.choose import choose_model
from adjudge.models.local import Local, model_file, revision
from tests.fakes.clock import PATIENCE_S
from tests.fakes.requests import SCHEMA, a_request

Piece = dict[str, Any]
Script = Callable[[Piece, Callable[[Piece], bool]], None]


def says(text: str, finish: str = "stop", top: tuple[tuple[str, float], ...] = ()) -> list[Piece]:
    words = [{"token": word, "logprob": p} for word, p in top]
    place = [{"token": text, "logprob": -0.1, "top_logprobs": words}] if top else None
    return [
        {"choices": [{"delta": {"role": "assistant", "content": None}, "finish_reason": None}]},
        {"choices": [{"delta": {"content": text}, "logprobs": {"content": place}, "finish_reason": None}]},
        {"choices": [{"delta": {}, "finish_reason": finish}]},
        {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
    ]


class Paper:
    """A library whose server does as it is told."""

    def __init__(self, script: Script) -> None:
        self.script, self.bodies, self.params, self.threads = script, list[Piece](), list[Any](), set[str]()

    def CommonParams(self) -> Any:
        return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())

    def Server(self, params: Any) -> Any:
        self.params.append(params)
        return SimpleNamespace(handle_chat_completions=self._handle)

    def _handle(self, body: Piece, take: Callable[[Piece], bool]) -> None:
        self.bodies.append(body)
        self.threads.add(threading.current_thread().name)
        self.script(body, take)


def always(pieces: list[Piece]) -> Script:
    def script(body: Piece, take: Callable[[Piece], bool]) -> None:
        for piece in pieces:
            take(piece)

    return script


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF" + bytes(3_000_000))
    return path


def ask(path: Path, library: Any, monkeypatch: pytest.MonkeyPatch, *requests: Request) -> list[Reply]:
    monkeypatch.setattr(importlib, "import_module", lambda name: library)

    async def run() -> list[Reply]:
        model = choose_model(f"local:{path}")
        try:
            return [await model.answer(request) for request in requests]
        finally:
            await model.close()

    return asyncio.run(run())


def test_a_word_comes_with_its_odds(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Paper(always(says("Yes", "length", (("Yes", -0.1), ("No", -3.0)))))
    (reply,) = ask(file, library, monkeypatch, a_request("Is it good?", odds=True))
    assert (reply.text, reply.finish, reply.odds) == ("Yes", "stop", {"Yes": -0.1, "No": -3.0})
    assert (reply.tokens_in, reply.tokens_out, reply.cost_usd) == (7, 2, 0.0)
    (body,) = library.bodies
    assert (body["logprobs"], body["top_logprobs"], body["max_tokens"], body["cache_prompt"]) == (True, 20, 4, True)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "response_format" not in body


def test_a_rating_is_held_to_its_schema(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Paper(always(says("{}", "length")))
    history = (("before", "again"),)
    (reply,) = ask(file, library, monkeypatch, a_request("a \ud800", history=history, max_tokens=99))
    assert (reply.mode, reply.finish, reply.odds) == ("schema", "length", {})
    (body,) = library.bodies
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert (body["max_tokens"], body["temperature"], "logprobs" in body) == (99, 0.0, False)
    said = [(message["role"], message["content"]) for message in body["messages"]]
    assert said[1:] == [("user", "a \ufffd"), ("assistant", "before"), ("user", "again")]


def test_it_is_loaded_once_in_a_thread_of_its_own_and_kept_to_itself(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Paper(always(says("Yes", top=(("Yes", -0.1),))))
    ask(file, library, monkeypatch, *[a_request(odds=True)] * 3)
    (params,) = library.params
    assert len(library.bodies) == 3
    assert len(library.threads) == 1 and threading.current_thread().name not in library.threads
    assert params.model.path == str(file)
    assert params.n_parallel == 1 and params.verbosity < 0 and params.cache_ram_mib == 0
    assert len(params.api_keys[0]) == 32, "its port is closed to others"
    assert params.cpuparams.poll == params.cpuparams_batch.poll == 0


def test_who_no_longer_waits_ends_the_answer(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began, ended = threading.Event(), threading.Event()

    def endless(body: Piece, take: Callable[[Piece], bool]) -> None:
        while not take({"choices": [{"delta": {"content": "word "}, "finish_reason": None}]}):
            began.set()
            time.sleep(0.001)
        ended.set()

    library = Paper(endless)
    monkeypatch.setattr(importlib, "import_module", lambda name: library)

    async def run() -> None:
        model = Local(str(file))
        asking = asyncio.create_task(model.answer(a_request()))
        await asyncio.to_thread(began.wait, PATIENCE_S)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await model.close()

    asyncio.run(run())
    assert ended.is_set()


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (
            {"code": 400, "message": "request (99 tokens) exceeds", "type": "exceed_context_size_error"},
            ContextTooLong,
            "ADJUDGE_LOCAL_CONTEXT sets more than 8192",
        ),
        ({"code": 400, "message": "no such template"}, BadRequest, "no such template"),
        ({"code": 500, "message": "out of memory"}, ServerFailed, "out of memory"),
        ({"message": "odd"}, ServerFailed, "odd"),
    ],
)
def test_what_the_library_reports_is_named(
    error: Piece, kind: type[Exception], said: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(kind, match=said):
        ask(file, Paper(always([{"error": error}])), monkeypatch, a_request())


def test_what_the_library_raises_costs_one_question(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(body: Piece, take: Callable[[Piece], bool]) -> None:
        raise ValueError("Unable to generate parser for this template")

    with pytest.raises(BadRequest, match=r"m\.gguf can't be asked this: Unable"):
        ask(file, Paper(broken), monkeypatch, a_request())


def test_a_file_that_can_t_be_loaded_is_tried_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Any] = []

    def Server(params: Any) -> Any:
        tries.append(params)
        raise RuntimeError("Failed to init server")

    library = SimpleNamespace(CommonParams=Paper(always([])).CommonParams, Server=Server)
    monkeypatch.setattr(importlib, "import_module", lambda name: library)

    async def run() -> None:
        model = Local(str(file))
        for final in (False, True, True):
            with pytest.raises(BadRequest, match=r"m\.gguf can't be loaded: .*Failed to init") as caught:
                await model.answer(a_request())
            assert caught.value.final == final
        await model.close()

    asyncio.run(run())
    assert len(tries) == 1


def test_without_the_library_one_command_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ConfigError, match=r"pip install 'adjudge\[local\]'"):
        choose_model(f"local:{file}")


def test_without_the_systems_threads_their_package_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError("libgomp.so.1: cannot open shared object file")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ConfigError, match="apt-get install libgomp1"):
        Local(str(file))


def test_the_file_is_named_or_in_the_environment(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"names no file(.|\n)*ADJUDGE_LOCAL_MODEL"):
        model_file("")
    monkeypatch.setenv("ADJUDGE_LOCAL_MODEL", str(file))
    assert model_file("") == file
    assert model_file(str(file)) == file


@pytest.mark.parametrize(
    ("name", "held", "said"),
    [
        ("none.gguf", None, "No such file"),
        (".", None, "Is a directory"),
        ("a\0b", None, "null"),
        ("m.txt", b"hello", "not a GGUF"),
        ("e.gguf", b"", "not a GGUF"),
    ],
)
def test_a_file_that_is_no_model(name: str, held: bytes | None, said: str, tmp_path: Path) -> None:
    if held is not None:
        (tmp_path / name).write_bytes(held)
    with pytest.raises(ConfigError, match=said):
        model_file(f"{tmp_path}/{name}")


def test_the_revision_follows_what_the_file_holds_and_not_where_it_lies(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(file.read_bytes())
    assert revision(other) == revision(file)
    for changed in (file.read_bytes() + b"\0", file.read_bytes()[:-1] + b"\1", b"GGUF\1" + file.read_bytes()[5:]):
        other.write_bytes(changed)
        assert revision(other) != revision(file)


@pytest.mark.parametrize("given", ["many", "-1", "100", "9999999999", "٣٠٠"])
def test_the_context_is_a_number_of_tokens(given: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_LOCAL_CONTEXT", given)
    with pytest.raises(ConfigError, match="ADJUDGE_LOCAL_CONTEXT must be a number"):
        Local(str(file))
