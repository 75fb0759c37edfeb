from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core import limits
from adjudge.core.errors import BadRequest, DataError
from adjudge.core.records import Reply
from adjudge.models.replay import Replay
from tests.fakes.requests import a_request


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "replies.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def answered(path: Path, key: str, content: str = "") -> Reply:
    async def run() -> Reply:
        model = Replay(path)
        try:
            return await model.answer(a_request(key=key, content=content))
        finally:
            await model.close()

    return asyncio.run(run())


def test_a_reply_is_found_by_its_key(tmp_path: Path) -> None:
    other = {"key": "k2", "text": "нет"}
    wanted = {"key": "k1", "text": "да {}", "finish": "length", "tokens_in": 3, "tokens_out": 4, "run": "ignored"}
    path = written(tmp_path, other, wanted, other)
    assert answered(path, "k1") == Reply(text="да {}", finish="length", tokens_in=3, tokens_out=4, cost_usd=0.0)
    assert answered(path, "k2") == Reply(text="нет", finish="unknown", cost_usd=0.0)


@pytest.mark.parametrize(("said", "finish"), [("stop", "stop"), ("MAX_TOKENS", "length"), ("other", "unknown")])
def test_an_end_in_the_words_of_any_server_or_store_is_understood(tmp_path: Path, said: str, finish: str) -> None:
    assert answered(written(tmp_path, {"key": "k", "text": "x", "finish": said}), "k").finish == finish


def test_a_reply_of_another_model_is_found_by_its_content(tmp_path: Path) -> None:
    path = written(tmp_path, {"key": "k1", "content": "c1", "text": "a"}, {"content": "c2", "text": "b"})
    assert answered(path, "other", "c1").text == "a"
    assert answered(path, "other", "c2").text == "b"


def test_the_key_goes_before_the_content(tmp_path: Path) -> None:
    lines = [{"key": "k1", "content": "c", "text": "a"}, {"key": "k2", "content": "c", "text": "b"}]
    path = written(tmp_path, *lines)
    assert (answered(path, "k1", "c").text, answered(path, "k2", "c").text) == ("a", "b")
    with pytest.raises(BadRequest, match="several models"):
        answered(path, "k3", "c")


def test_a_later_line_of_the_same_key_replaces_the_earlier(tmp_path: Path) -> None:
    path = written(tmp_path, {"key": "k", "content": "c", "text": "cut"}, {"key": "k", "content": "c", "text": "whole"})
    assert (answered(path, "k").text, answered(path, "x", "c").text) == ("whole", "whole")


def test_an_unrecorded_call_is_an_error_that_says_what_to_check(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"no recorded reply for this call in replies\.jsonl.*same data"):
        answered(written(tmp_path, {"key": "k1", "text": "a"}), "k9")


def test_blank_lines_a_byte_order_mark_and_a_missing_last_newline_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"key": "a", "text": "1"}\r\n\n  \n{"key": "b", "text": "2"}')
    assert (answered(path, "a").text, answered(path, "b").text) == ("1", "2")


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"key": "k"}',
        b'{"key": "k", "text": 5}',
        b'{"text": "x"}',
        b'{"key": 5, "text": "x"}',
        b'{"key": "k", "text": "x", "tokens_in": "3"}',
        b'{"key": "k", "text": "x", "tokens_out": -1}',
        b'{"key": "k", "text": "x", "tokens_out": true}',
        b'{"key": "k", "text": "x", "finish": 1}',
        b'{"key": "k", "text": "x", "odds": [-1]}',
        b'{"key": "k", "text": "x", "odds": {"Yes": 0.5}}',
        b'{"key": "k", "text": "x", "odds": {"Yes": -Infinity}}',
    ],
)
def test_a_broken_line_is_named_before_anything_is_asked(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b'{"key": "a", "text": "1"}\n\n' + line + b"\n")
    with pytest.raises(DataError) as caught:
        Replay(path)
    assert caught.value.where == f"{path}:3"


def test_a_line_without_end_is_not_read_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROW_BYTES", 100)
    with pytest.raises(DataError, match="more than 100 bytes"):
        Replay(written(tmp_path, {"key": "a", "text": "x" * 200}))


@pytest.mark.parametrize("name", ["absent.jsonl", "", "a\0b"])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        Replay(f"{tmp_path}/{name}")


@given(st.lists(st.text(max_size=30), min_size=1, max_size=8))
def test_every_text_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("replay")
    path = written(folder, *({"key": f"k{n}", "text": text} for n, text in enumerate(texts)))
    assert [answered(path, f"k{n}").text for n in range(len(texts))] == texts
