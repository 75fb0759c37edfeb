"""The pages of runs, of a run, of its items and of its progress."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adjudge.api.prepare import load
from adjudge.api.stored import list_runs
from adjudge.cli import run_command
from adjudge.core.limits import WEB_PACED_RUNS, WEB_PACED_S
from adjudge.core.records import Settings
from adjudge.core.runs import Run, RunState
from adjudge.report.element import element
from adjudge.report.words import words
from adjudge.store.store import Store, open_store
from adjudge.store.writes import OutcomeDone
from adjudge.web.pages.live import Paces, progress_drawn, status_drawn
from adjudge.web.pages.query import ItemsAsked, run_path, with_query
from adjudge.web.pages.runs import RunsAsked
from tests.fakes.verdicts import a_row, a_run
from tests.unit.web.pages import test_compare
from tests.unit.web.pages.test_compare import asked

url, get = test_compare.url, test_compare.get
CRITERIA = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")


def even(score: float) -> dict[str, float]:
    return dict.fromkeys(CRITERIA, score)


def going(url: str, name: str = "going", n: int = 3) -> str:
    """The id of a run that this process works at, of which the first item is judged and the second failed."""
    done = a_run(url, "summary", [even(4), None, *[even(4)] * (n - 2)], name=f"{name}, done")
    run = replace(done.state.run, id=name, name=name)
    store = open_store(url)
    store.create_run(run, spec="{}")
    store.claim(run.id)
    first = list(done.outcomes())[:2]
    store.commit([OutcomeDone(run=run.id, position=place, outcome=one) for place, one in enumerate(first)])
    _OPEN.append(store)
    return run.id


_OPEN: list[Store] = []


@pytest.fixture(autouse=True)
def _closed():
    yield
    while _OPEN:
        _OPEN.pop().close()


def links(page: str, cut: str = "") -> list[str]:
    return [html.unescape(found) for found in re.findall(r'href="([^"]+)"', page) if cut in found]


def test_a_store_without_runs_says_what_to_type(url, get):
    open_store(url).close()
    page = get("/")
    assert "<code>adjudge judges</code>" in page
    assert "<code>adjudge run summary my.jsonl --store sqlite:///" in page


def test_no_password_of_a_store_is_shown(monkeypatch):
    monkeypatch.setattr("adjudge.web.pages.runs.list_runs", lambda store: [])
    page = str(asked("postgresql://anna:secret@localhost/x", "/").body)
    assert "secret" not in page
    assert "anna" in page


def test_runs_are_listed_with_all_that_tells_them_apart(url, get):
    run = a_run(url, "summary", [even(4), None], name="ferries", model="openai:small")
    page = get("/")
    for text in ("ferries", run.id, "summary", "openai:small", "data.jsonl", "1 of 2 judged", "1 failed", "2026-01-01"):
        assert text in page
    assert f"/runs/{run.id}" in links(page)
    assert f'name="run" value="{run.id}"' in page


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["three", "two", "one"]),
        ("q=TWO", ["two"]),
        ("q=openai", ["two", "one"]),
        ("q=data.jsonl", ["three", "two", "one"]),
        ("judge=translation", ["three"]),
        ("model=openai:large", ["two"]),
        ("status=partial", ["one"]),
        ("status=running", []),
        ("judge=summary&status=complete", ["two"]),
        ("page=2", ["three", "two", "one"]),
    ],
)
def test_runs_are_filtered_and_searched(url, get, query, names):
    a_run(url, "summary", [even(4), None], name="one", model="openai:small")
    a_run(url, "summary", [even(4)], name="two", model="openai:large")
    a_run(url, "translation", [], name="three", model="offline")
    page = get(f"/?{query}")
    assert re.findall(r'<th scope="row"><a [^>]*>(\w+)</a>', page) == names
    part = asked(url, f"/?{query}", **{"hx-request": "true"})
    assert "<html" not in str(part.body)
    assert re.findall(r'<th scope="row"><a [^>]*>(\w+)</a>', str(part.body)) == names


def test_the_address_that_goes_with_a_part_has_no_empty_fields(url):
    a_run(url, "summary", [even(4)])
    part = asked(url, "/?q=fer+%26&judge=&model=&status=", **{"hx-request": "true"})
    assert part.headers["HX-Replace-Url"] == "/?q=fer+%26"


@pytest.mark.parametrize("page", ["0", "-1", "x", "١", "9" * 30, ""])
def test_pages_are_counted_from_one(url, page):
    run = a_run(url, "summary", [even(4)])
    for address in ("/", f"/runs/{run.id}"):
        assert asked(url, f"{address}?page={page}").status == (200 if page == "" else 404)


@pytest.mark.parametrize("page", ["2", "7", "9" * 15])
def test_behind_the_end_of_a_list_is_its_last_page(url, get, page):
    run = a_run(url, "summary", [even(4)])
    for address in ("/", f"/runs/{run.id}"):
        assert get(f"{address}?page={page}") == get(address)
    assert "Nothing matches these filters." in get(f"/?page={page}&q=none")


def test_the_folder_of_a_dataset_is_not_shown():
    run = a_state("/home/anna/secret/data.jsonl")
    assert run.run.data_name == "data.jsonl"
    assert a_state("C:\\anna\\data.jsonl").run.data_name == "data.jsonl"
    assert not RunsAsked(search="secret").holds(run)


def a_state(data: str):
    run = Run(
        id="x",
        judge="j",
        judge_digest="d",
        lang="en",
        data=data,
        data_digest="d",
        items=1,
        settings=Settings(model="m"),
    )
    return RunState(run=run, status="complete")


def test_a_run_has_its_report_its_items_and_the_ways_on(url, get):
    run = a_run(url, "summary", [even(4), None, even(2)], name="ferries")
    other = a_run(url, "summary", [even(4), None, even(3)], name="again")
    page = get(f"/runs/{run.id}")
    for text in ("<h1>Summary</h1>", "Items: 3 of 3", "timed_out", "Criteria"):
        assert text in page
    for end in ("label", "agreement", "report.html", "report.md", "verdicts.jsonl", "scores.csv", "verdicts.json"):
        assert f"/runs/{run.id}/{end}" in links(page)
    assert f"/runs/{run.id}?bar=coverage%3A2#items" in links(page)
    assert f'<option value="{other.id}">' in page
    found = re.findall(r'href="/runs/[^"]+/items/(\d)"', page)
    assert found == ["2", "3", "1", "2"], "the failure, and the items"


def test_every_page_behind_a_run_leads_back_to_it(url, get):
    run = a_run(url, "summary", [even(4), even(2)], name="ferries")
    behind = [way for way in links(get(f"/runs/{run.id}")) if re.search(r"/judges/|/label|/agreement|/items/", way)]
    behind += [f"/runs/{run.id}/label/1?as=anna", f"/runs/{run.id}/label/done?as=anna", f"/compare?run={run.id}"]
    assert f"/judges/summary?run={run.id}" in behind
    assert len(behind) == 9
    for way in behind:
        assert f'<a href="/runs/{run.id}">ferries</a>' in get(way), way
    assert '<a href="/judges">Judges</a></li>' in get("/judges/summary")


def test_a_run_is_found_by_its_name_and_has_one_address(url):
    run = a_run(url, "summary", [even(4)], name="ferries")
    moved = asked(url, "/runs/ferries?sort=coverage")
    assert (moved.status, moved.headers["Location"]) == (303, f"/runs/{run.id}?sort=coverage")
    assert asked(url, "/runs/nobody").status == 404


@pytest.mark.parametrize("given", [[], [None], [None, None]])
def test_a_run_without_a_verdict_is_shown(url, get, given):
    run = a_run(url, "summary", given)
    page = get(f"/runs/{run.id}")
    assert ("No item was judged." in page) == (not given)
    assert len(set(links(page, "/items/"))) == len(given)
    assert "Items" in get(f"/runs/{run.id}?sort=-coverage&q=x&bar=coverage:1")


@pytest.mark.parametrize("query", ["sort=x", "bar=x:1", "bar=coverage", "status=x"])
def test_what_a_run_cannot_be_asked_is_refused(url, query):
    run = a_run(url, "summary", [even(4)])
    assert asked(url, f"/runs/{run.id}?{query}").status == (200 if query == "bar=coverage" else 400)


def test_the_list_follows_what_is_asked(url, get):
    run = a_run(url, "summary", [even(score) for score in (1, 5, 3)])
    page = get(f"/runs/{run.id}?sort=-coverage&bar=accuracy:3&q=item")
    assert "Items: 1 of 3" in page
    (item,) = links(page, "/items/")
    assert item == f"/runs/{run.id}/items/3?sort=-coverage&bar=accuracy%3A3&q=item"
    assert 'aria-sort="descending"' in page
    assert f"/runs/{run.id}?sort=-coverage&q=item#items" in links(page)


def test_an_item_leads_to_its_neighbours_and_back(url, get):
    run = a_run(url, "summary", [even(score) for score in (1, 5, 3)])
    page = get(f"/runs/{run.id}/items/3?sort=coverage")
    found = dict(re.findall(r'href="([^"]+)"[^>]* data-key="(\w)"', page))
    assert {key: html.unescape(link) for link, key in found.items()} == {
        "k": f"/runs/{run.id}/items/1?sort=coverage",
        "j": f"/runs/{run.id}/items/2?sort=coverage",
        "u": f"/runs/{run.id}?sort=coverage#items",
    }
    assert "2 of 3 in the list" in page


@pytest.mark.parametrize("number", ["0", "3", "x", "-1", "1e0", "9" * 40, "١"])
def test_an_item_that_is_not_there_is_not_found(url, number):
    run = a_run(url, "summary", [even(4), even(3)])
    assert asked(url, f"/runs/{run.id}/items/{number}").status == 404


def test_an_item_shows_the_question_and_the_reasons(url, get):
    rag = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")
    run = a_run(url, "rag-answers", [dict.fromkeys(rag, 3)])
    page = get(f"/runs/{run.id}/items/1")
    assert "question of item 0: the ferry leaves at 0." in page
    assert "gave 3" in page
    assert "A says: answers of item 0" in page


def test_the_list_has_the_figure_of_a_run_and_makes_it_when_it_is_looked_at(url, get, monkeypatch):
    run = a_run(url, "summary", [even(4), None, even(2)])
    asks = f'hx-get="/runs/{run.id}/figure"'
    assert asks in get("/")
    part = asked(url, f"/runs/{run.id}/figure", **{"hx-request": "true"})
    figure = '<b>3.00</b> <span class="soft small">[1.00, 5.00]</span>'
    assert figure in str(part.body)
    assert re.search("Average score · <[^>]*>2 of 3<", str(part.body))
    assert "<html" not in str(part.body)
    page = get("/")
    assert figure in page
    assert asks not in page
    assert asked(url, f"/runs/{run.id}/figure").headers["Location"] == f"/runs/{run.id}"
    monkeypatch.setattr("adjudge.web.pages.figure.WEB_FIGURE_ITEMS", 2)
    assert figure not in get("/"), "of a run with many items there is none"


def test_the_figure_of_a_comparison_is_that_of_its_best_candidate(url):
    names = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")
    run = a_run(url, "rag-answers", [{name: {"<i>A": 2, "B": 4} for name in names}])
    part = asked(url, f"/runs/{run.id}/figure", **{"hx-request": "true"})
    assert re.search(r"<b>24\.0</b>.*>B · Total scores · <[^>]*>1 of 1<", str(part.body))
    for judge in ("search-summary", "translation-mqm"):
        bare = a_run(url, judge, [None])
        assert asked(url, f"/runs/{bare.id}/figure", **{"hx-request": "true"}).status == 200
        assert "/figure" not in str(asked(url, f"/?q={bare.id}").body), "nothing was judged"


TRANSLATION = ("adequacy", "fluency", "terminology", "hallucination", "punctuation")


@pytest.mark.parametrize(
    ("lang", "short", "whole"),
    [
        ("en", "! over Punctuation alone", "Quality is over Punctuation alone: nothing else of it was judged."),
        ("ru", "! только по: Пунктуация", "— только по тому, что оценено: Пунктуация."),
    ],
)
def test_a_figure_that_rests_on_a_part_of_its_criteria_says_so_in_the_list(url, lang, short, whole):
    run = a_run(url, "translation", [{**dict.fromkeys(TRANSLATION), "punctuation": 5}] * 3, lang=lang)
    part = asked(url, f"/runs/{run.id}/figure", **{"hx-request": "true", "accept-language": lang})
    assert re.search(f'title="[^"]*{whole}">{short}<', str(part.body))
    full = a_run(url, "translation", [dict.fromkeys(TRANSLATION, 5)] * 3, lang=lang)
    assert "title=" not in str(asked(url, f"/runs/{full.id}/figure", **{"hx-request": "true"}).body)


def test_a_failed_item_says_why(url, get):
    run = a_run(url, "summary", [None, even(3)])
    assert "no answer in time" in get(f"/runs/{run.id}/items/1")


def test_a_running_run_asks_for_its_progress_until_it_has_ended(url, get):
    run = going(url)
    page = get(f"/runs/{run}")
    assert f'hx-get="/runs/{run}/live"' in page
    assert '<progress value="2" max="3"' in page
    assert "<noscript>" in page
    assert "Criteria</h2>" not in page
    for way in ("label", "labels", "agreement", "verdicts.jsonl"):
        assert f'href="/runs/{run}/{way}"' in page, "what there is so far can be had"
        assert asked(url, f"/runs/{run}/{way}").status == 200
    part = asked(url, f"/runs/{run}/live", **{"hx-request": "true"})
    assert (part.status, "<html" in str(part.body)) == (200, False)
    assert "no answer in time" in str(part.body)
    assert f'hx-get="/runs/{run}/live?short=1"' in get("/")
    short = asked(url, f"/runs/{run}/live?short=1", **{"hx-request": "true"})
    assert "1 of 3 judged" in str(short.body)
    _OPEN[0].finish(run, "partial", summary=None, seconds=1.0)
    ended = asked(url, f"/runs/{run}/live", **{"hx-request": "true"})
    assert (ended.headers["HX-Refresh"], ended.body) == ("true", "")
    assert "hx-get" not in str(asked(url, f"/runs/{run}/live?short=1", **{"hx-request": "true"}).body)
    assert "Criteria</h2>" in get(f"/runs/{run}")


def test_the_time_that_is_left_of_a_run_with_a_question_is_a_bound():
    state = replace(a_state("data.jsonl"), status="running")
    asked_for = replace(state, run=replace(state.run, until="ci(coverage) < 0.1"))
    bounds = [
        "Time left, at most" in str(element("div", progress_drawn(one, (), words("en")))) for one in (state, asked_for)
    ]
    assert bounds == [False, True]


def test_a_run_that_was_stopped_by_its_cost_is_not_said_to_have_failed():
    stopped = replace(a_state("data.jsonl"), status="partial")
    assert "failed" not in status_drawn(stopped, words("en"))
    assert "some not judged" in status_drawn(stopped, words("en"))


def test_without_script_the_progress_is_the_page_of_the_run(url):
    run = going(url)
    moved = asked(url, f"/runs/{run}/live")
    assert (moved.status, moved.headers["Location"]) == (303, f"/runs/{run}")


def test_a_pace_is_over_the_last_minute():
    paces = Paces()
    assert paces.of("a", 10, 0.0) is None
    assert paces.of("a", 20, 5.0) == 2.0
    assert paces.of("b", 20, 5.0) is None
    assert paces.of("a", 20 + 30, 5.0 + WEB_PACED_S) == 30 / WEB_PACED_S
    assert paces.of("a", 50, 5.0 + WEB_PACED_S) is not None
    for number in range(WEB_PACED_RUNS):
        paces.of(f"other {number}", 1, 70.0)
    assert paces.of("a", 60, 71.0) is None


def test_files_are_what_the_commands_write(url):
    run = a_run(url, "summary", [even(4), even(2)], rows=[a_row_of("=1+1"), a_row_of("b")], name="x")
    for end, kind in (("verdicts.jsonl", "jsonl"), ("scores.csv", "csv"), ("verdicts.json", "native")):
        found = asked(url, f"/runs/{run.id}/{end}")
        assert found.headers["Content-Disposition"] == f'attachment; filename="{run.id}.{end}"'
        assert _joined(found.body) == _joined(run.export(kind))
    assert "'=1+1" in _joined(asked(url, f"/runs/{run.id}/scores.csv").body)
    for end, kind in (("report.md", "markdown"), ("report.html", "html")):
        run_command(["show", run.id, "--store", url, "--format", kind, "-o", "shown"])
        assert _joined(asked(url, f"/runs/{run.id}/{end}").body) == Path("shown").read_text("utf-8")
    first = json.loads(_joined(asked(url, f"/runs/{run.id}/verdicts.jsonl").body).splitlines()[0])
    assert first["id"] == "=1+1"


def a_row_of(name: str) -> dict[str, Any]:
    return a_row(load("summary", "en")[1], 1) | {"id": name}


def _joined(body) -> str:
    pieces = [body] if isinstance(body, str | bytes) else body
    return "".join(piece.decode() if isinstance(piece, bytes) else piece for piece in pieces)


def test_addresses_are_written_as_they_are_read():
    hostile = 'a"b/ c?&#\u202e<script>'
    assert run_path(hostile, "items", 3).startswith("/runs/a%22b%2F%20c%3F%26%23")
    assert run_path("a\ud800b").isascii()
    assert with_query("/", {"q": "a b&c", "page": ""}) == "/?q=a+b%26c"
    assert ItemsAsked(search="x", page=3).address("/r", page=1) == "/r?q=x"
    assert ItemsAsked(bar="coverage:2").address("/r", bar="") == "/r"


def test_pages_of_a_run_are_in_its_language_and_others_in_the_browsers(url):
    run = a_run(url, "summary", [even(4)], lang="ru")
    assert '<html lang="ru">' in str(asked(url, f"/runs/{run.id}").body)
    assert '<html lang="ru">' in str(asked(url, f"/runs/{run.id}/items/1").body)
    assert '<html lang="en">' in str(asked(url, "/").body)
    assert '<html lang="ru">' in str(asked(url, "/", **{"accept-language": "ru-RU,ru"}).body)
    assert list_runs(store=url)[0].run.lang == "ru"
