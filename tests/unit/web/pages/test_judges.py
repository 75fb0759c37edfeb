"""The judges and their exact prompts, as pages."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from adjudge.api.inspect import check
from adjudge.api.judges import SAMPLES
from adjudge.cli import run_command
from adjudge.spec.load import BUNDLED, bundled_judges
from tests.fakes.server import FakeModelServer
from tests.fakes.verdicts import a_run
from tests.unit.api import test_sent
from tests.unit.api.test_changes import even
from tests.unit.web.pages import test_compare
from tests.unit.web.pages.test_compare import Get

url, get = test_compare.url, test_compare.get


def blocks(page: str) -> dict[str, str]:
    """The texts to be copied, by their ids."""
    found = re.findall(r'<div class="prompt" id="([^"]+)" dir="auto" tabindex="0">(.*?)</div>', page, re.S)
    return {name: unescape(text) for name, text in found}


def is_on(page: str, shown: dict[str, object], place: int) -> None:
    texts = blocks(page)
    assert texts[f"system-{place}"] == shown["system"]
    assert texts[f"user-{place}"] == shown["user"]
    assert json.loads(texts[f"schema-{place}"]) == shown["schema"]


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("judge", ["summary", "rag-answers", "search-summary", "translation"])
def test_the_prompt_is_what_check_says(url: str, get: Get, judge: str, lang: str):
    a_run(url, "summary", [even(3)])
    row = 2
    page = get(f"/judges/{judge}?lang={lang}&row={row}")
    checked = check(judge, data=str(SAMPLES / f"{judge}.{lang}.jsonl"), row=row, lang=lang).as_json()
    is_on(page, checked["prompt"], 0)
    assert f'<html lang="{lang}">' in page


def test_the_prompts_of_stages_are_what_check_says(url: str, get: Get):
    a_run(url, "summary", [even(3)])
    page = get("/judges/search-summary?lang=en&staged=yes")
    data = str(SAMPLES / "search-summary.en.jsonl")
    shown = check("search-summary", data=data, lang="en", staged=True).as_json()["prompts"]
    assert len(shown) > 2
    for place, one in enumerate(shown):
        is_on(page, one, place)
    assert "In one call" in page
    assert "In stages" not in get("/judges/translation?lang=en"), "that judge has none"


def test_fields_criteria_points_and_derived_values_are_told(url: str, get: Get):
    a_run(url, "summary", [even(3)])
    page = get("/judges/summary?lang=en")
    for text in (
        "1–5, higher is better",
        "Everything important is there; nothing essential is missing",
        "mean of Coverage, Accuracy, Coherence, Conciseness, Freedom from hallucination",
        "Judges a summary against the text it was made from.",
    ):
        assert text in page
    assert "0–3, lower is better" in get("/judges/search-summary?lang=en")
    assert "Penalties" in get("/judges/translation-mqm?lang=en")
    assert blocks(page)["judge.yaml"] == (BUNDLED / "summary" / "judge.yaml").read_text("utf-8")


def test_all_judges_are_listed_and_those_of_runs_as_they_were(url: str, get: Get, tmp_path: Path):
    folder = tmp_path / "mine"
    shutil.copytree(BUNDLED / "summary", folder)
    text = (folder / "en.yaml").read_text("utf-8")
    (folder / "en.yaml").write_text(text.replace("You are judging", "You <b>are</b> judging", 1), "utf-8")
    mine = a_run(url, str(folder), [even(3)], name="mine")
    shutil.rmtree(folder)
    plain = a_run(url, "summary", [even(3)], name="plain")
    page = get("/judges")
    for name in bundled_judges():
        assert f'href="/judges/{name}?lang=en"' in page
    links = [unescape(link) for link in re.findall(r'href="(/judges/summary\?[^"]*digest=[^"]*)"', page)]
    assert len(links) == 2
    assert page.count("the same as the one that comes with adjudge") == 1
    digests = {run: run.state.run.judge_digest for run in (mine, plain)}
    stored = get(next(link for link in links if digests[mine] in link))
    assert blocks(stored)["system-0"].startswith("You <b>are</b> judging")
    assert "<b>are</b>" not in stored
    assert "another version of adjudge" not in stored
    own = get(f"/judges/summary?run={mine.id}")
    assert blocks(own)["system-0"].startswith("You <b>are</b> judging")
    assert "content of item 0: the ferry leaves at 0." in blocks(own)["user-0"]


@pytest.mark.parametrize(
    ("address", "status", "what"),
    [
        ("/judges/nobody", 404, "there is no judge `nobody`"),
        ("/judges/..%2Fsummary", 404, "there is no judge `../summary`"),
        ("/judges/summary?digest=00", 404, "no run in the store has used a judge"),
        ("/judges/summary?lang=xx", 404, "this judge has no language `xx`"),
        ("/judges/summary?row=99", 404, "there is no row 99"),
        ("/judges/summary?row=x", 404, "row is no whole number"),
        ("/judges/search-summary?staged=maybe", 400, "staged is yes or no"),
        ("/judges/summary?run=nobody", 404, "there is no run nobody"),
        ("/judges/translation?run=own", 404, "the judge of that run is summary"),
        ("/judges/summary?run=own&row=2", 404, "has no item 2"),
    ],
)
def test_what_is_not_there_is_a_clear_page(url: str, get: Get, address: str, status: int, what: str):
    a_run(url, "summary", [even(3)], name="own")
    assert what in unescape(get(address, status))


def test_the_prompts_of_a_run_in_stages_are_those_that_were_sent_and_the_others_are_counted(
    fake_server: FakeModelServer, url: str, get: Get, tmp_path: Path
):
    (tmp_path / "data.jsonl").write_text(json.dumps(test_sent.SAMPLES["search-summary"][0]))
    asked = ["run", "search-summary", str(tmp_path / "data.jsonl"), "--staged", "--name", "staged", "--store", url]
    run_command([*asked, "--model", "openai:any", "--base-url", fake_server.url])
    page = get("/judges/search-summary?run=staged")
    users = [text for name, text in blocks(page).items() if name.startswith("user-")]
    assert users
    assert set(users) < {one.user for one in fake_server.requests}
    assert f"{fake_server.calls - len(users)} more calls followed from earlier replies" in page
    assert "stands for what the replies" not in page
