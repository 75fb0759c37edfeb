"""A report from the command line has the charts that its store can feed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjudge import load_judge
from adjudge.cli import run_command
from adjudge.core.records import Call, Reply
from adjudge.store.store import open_store
from adjudge.store.writes import ReplyDone
from tests.fakes.verdicts import a_run


def given(items: int) -> list[dict[str, float]]:
    names = [one.name for one in load_judge("summary").scored]
    return [dict.fromkeys(names, 1.0 + number % 5) for number in range(items)]


def page(url: str, run: str, tmp_path: Path) -> str:
    out = tmp_path / "report.html"
    assert run_command(["show", run, "--store", url, "--format", "html", "-o", str(out)]) == 0
    return out.read_text("utf-8")


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_labels_and_costs_of_the_store_are_drawn(lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    run = a_run(url, "summary", given(20), lang=lang)
    before = page(url, run.id, tmp_path)
    assert 'class="people"' not in before and 'class="spending"' not in before
    moments = iter(range(1_800_000_000, 1_900_000_000))
    monkeypatch.setattr("adjudge.store.writes.time.time_ns", lambda: next(moments) * 10**9)
    with open_store(url) as store:
        for number in range(20):
            store.add_label(run.id, f"i{number}", "", "coverage", "anna", 3.0)
            call = Call(key=f"k{number}", stage="judge", items=(f"i{number}",))
            reply = Reply(text="{}", tokens_in=10, tokens_out=5, cost_usd=0.01)
            store.commit([ReplyDone(run=run.id, call=call, span=(number, number), reply=reply)])
    after = page(url, run.id, tmp_path)
    assert after.count('class="people"') == 1 and after.count('class="spending"') == 1
    assert {"en": "same point 20 %", "ru": "та же оценка — 20 %"}[lang] in after
    assert {"en": "Cost over time", "ru": "Стоимость по времени"}[lang] in after
    assert re.search(r'<p class="soft small">\$0[.,]2000 ', after)
    assert page(url, run.id, tmp_path) == after


def test_agreement_is_drawn_in_html(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    run = a_run(url, "summary", given(20))
    labels = tmp_path / "labels.csv"
    labels.write_text("id,coverage\n" + "".join(f"i{number},{1 + number % 5}\n" for number in range(20)), "utf-8")
    out = tmp_path / "agree.html"
    command = ["agree", run.id, "--labels", str(labels), "--store", url, "--format", "html", "-o", str(out)]
    assert run_command(command) == 0
    text = out.read_text("utf-8")
    assert text.count('class="people"') == 1 and "n = 20, same point 100 %, judge minus people 0.00" in text
