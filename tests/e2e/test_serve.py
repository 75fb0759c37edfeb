"""`adjudge serve` as a program: what it prints, whom it lets in, how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from tests.fakes.clock import PATIENCE_S
from tests.fakes.wire import a_store, ask

TOKEN = "a-token-of-thirty-odd-characters"


@contextmanager
def served(*options: str, **environment: str):
    """The program and the address that it prints."""
    command = [sys.executable, "-m", "adjudge", "serve", "--json", "--port", "0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    ) as program:
        try:
            assert program.stdout is not None
            yield program, json.loads(program.stdout.readline())
        finally:
            program.kill()


def refused(*options: str, **environment: str) -> str:
    command = [sys.executable, "-m", "adjudge", "serve", *options]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_S, env={**os.environ, **environment}
    )
    assert done.returncode == 2, done
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_end(tmp_path, how):
    a_store(f"sqlite:///{tmp_path}/adjudge.db")
    with served() as (program, said):
        assert said["token"] is False
        assert urlsplit(said["url"]).hostname == "127.0.0.1"
        assert b"old" in ask(said["url"], "GET", "/").body
        program.send_signal(how)
        out, err = program.communicate(timeout=PATIENCE_S)
        assert (program.returncode, out, err) == (0, "", "stopped\n")


def test_a_folder_where_nothing_was_judged_yet_has_a_page(tmp_path):
    with served() as (_, said):
        assert ask(said["url"], "GET", "/").status == 200
        assert json.loads(ask(said["url"], "GET", "/api/runs").body)["runs"] == []
        for at in ("/api/runs/latest", "/runs/latest", "/api/compare?run=a"):
            assert ask(said["url"], "GET", at).status == 404
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_is_removed_meanwhile_is_missed(tmp_path):
    """Answers are not read from a file that has no name any more, and none is made in its place."""
    old, *_ = a_store(f"sqlite:///{tmp_path}/team.db")
    with served("--store", "sqlite:///team.db") as (_, said):
        assert ask(said["url"], "GET", f"/runs/{old}").status == 200
        for file in tmp_path.iterdir():
            file.unlink()
        for at in ("/", f"/runs/{old}", f"/api/runs/{old}"):
            answer = ask(said["url"], "GET", at)
            assert answer.status in (400, 404)
            assert b"there is no store here yet" in answer.body
    assert list(tmp_path.iterdir()) == []


def test_a_token_opens_any_address(tmp_path):
    with served("--host", "0.0.0.0", ADJUDGE_TOKEN=TOKEN) as (_, said):
        assert said["token"] is True
        assert TOKEN not in json.dumps(said)
        assert ask(said["url"], "GET", "/").status == 401
        assert ask(said["url"], "GET", "/", {"Authorization": f"Bearer {TOKEN}"}).status == 200


def test_a_proxy_has_a_name_of_its_own(tmp_path):
    with served("--allow-host", "Judge.Example") as (_, said):
        held = {"Host": "judge.example", "Origin": "https://judge.example"}
        assert ask(said["url"], "GET", "/", held).status == 200
        assert ask(said["url"], "GET", "/", {"Host": "judges.example"}).status == 421


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "example.org", "localhost.", "127.1", "192.168.0.1"])
def test_nothing_listens_for_strangers_without_a_token(monkeypatch, host):
    """Refused before a port is opened: no socket is made at all."""
    from adjudge.cli import run_command

    opened = []
    monkeypatch.setattr(socket.socket, "bind", lambda *address: opened.append(address))
    assert run_command(["serve", "--host", host, "--port", "0"]) == 2
    assert opened == []


def test_what_must_be_changed_is_said():
    assert "can be reached from other machines, and there is no token" in refused("--host", "0.0.0.0")
    assert "the token has 5 characters, and 16 is the least" in refused("--token", "short")
    assert "the token has 5 characters, and 16 is the least" in refused(ADJUDGE_TOKEN="short")
    assert "there is no store here yet" in refused("--store", "sqlite:///none.db")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = refused("--port", str(taken.getsockname()[1]))
        assert "cannot listen on 127.0.0.1:" in said
        assert "0 takes a free one" in said
    assert "cannot listen on" in refused("--host", "a" * 80, "--token", TOKEN)
