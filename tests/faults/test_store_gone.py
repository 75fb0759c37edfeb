"""The store's file is removed, moved or replaced in the middle of a run: it stops before it pays for more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudge.store.store import open_store
from tests.fakes.clock import PATIENCE_S
from tests.fakes.faulty import FaultyModel
from tests.fakes.server import FakeModelServer
from tests.faults.running import N, arguments, run_json, start

PLACE = N // 2


def away(way: str) -> None:
    """Take the store away from the run that has it open."""
    store = Path("store.db")
    if way == "removed":
        store.unlink()
    elif way == "removed with its journal":
        for file in Path().glob("store.db*"):
            file.unlink()
    elif way == "moved":
        store.rename("aside.db")
    else:
        open_store("other.db").close()
        if way == "replaced":
            Path("other.db").replace(store)
        else:
            Path("link.db").unlink()
            Path("link.db").symlink_to("other.db")


@pytest.mark.parametrize("way", ["removed", "removed with its journal", "moved", "replaced", "link"])
def test_a_run_whose_store_is_gone_asks_nothing_more(way: str, key: str, capsys: Any) -> None:
    name = "link.db" if way == "link" else "store.db"
    if way == "link":
        Path("link.db").symlink_to("store.db")
    model = FaultyModel({})
    model.arrives = lambda item: away(way) if item == f"i{PLACE}" else None
    with FakeModelServer(model) as server:
        process = start([*arguments(server.url, concurrency=1), "--store", f"sqlite:///{name}"])
        out, err = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, out) == (2, ""), err
        assert f"{name}: the store was removed, moved or replaced while it was open" in err
        assert "is lost" in err and "hint:" in err and "Traceback" not in err
        assert model.asked == {f"i{n}": 1 for n in range(PLACE + 1)}, "not one call after that"
        assert Path("store.db").exists() == (way in ("replaced", "link")), "nobody makes an empty one in its place"

        if way == "moved":
            model.arrives = lambda item: None
            Path("aside.db").rename("store.db")
            code, report, _ = run_json(capsys, "resume", "latest", "--store", "sqlite:///store.db")
            assert (code, report["judged"]) == (0, N)
            assert model.asked == {f"i{n}": 2 if n == PLACE else 1 for n in range(N)}, "only what is missing is asked"


def test_who_changes_the_folder_finds_the_store_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store("store.db") as store:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir("elsewhere")
        store.save_judge("digest", {})
        assert store.judge_files("digest") == {}
