"""Runs side by side, as pages."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from adjudge.api.prepare import load
from adjudge.spec.load import BUNDLED
from adjudge.web.app import answer, router
from adjudge.web.guard import LOCAL, Guard
from adjudge.web.message import Request, Response
from adjudge.web.site import Site
from tests.fakes.verdicts import a_row, a_run
from tests.unit.api.test_changes import JUDGE, even, rows

Get = Callable[..., str]


def asked(url: str, address: str, **headers: str) -> Response:
    """What the server answers to a GET."""
    site, parts = Site(store=url), urlsplit(address)
    query = parse_qs(parts.query, keep_blank_values=True)
    request = Request(method="GET", path=parts.path, query=query, headers={"host": "localhost", **headers})
    return answer(router(site), site, Guard(hosts=LOCAL), request)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/a.db"


@pytest.fixture
def get(url: str) -> Get:
    def got(address: str, status: int = 200, **headers: str) -> str:
        found = asked(url, address, **headers)
        assert found.status == status, found.body
        return str(found.body)

    return got


def two_runs(url: str, lang: str = "en") -> tuple[str, str]:
    old = a_run(url, "summary", [even(3), even(3), None, even(3)], rows=rows(4), name="old", lang=lang)
    bodies = rows(5)
    bodies[1]["text"] = bodies[1]["text"].replace("leaves", "<i>left</i>")
    new = a_run(url, "summary", [even(4), even(1), even(3), even(3), even(5)], rows=bodies, name="new", lang=lang)
    return old.id, new.id


def states(page: str) -> dict[str, str]:
    """The word of each item in the order of the page."""
    found = re.findall(r'<th scope="row">(i\d)</th><td class="change">.*?<span class="moved \w+">([^<]*)</span>', page)
    return dict(found)


def test_two_runs_are_chosen_one_after_the_other(url: str, get: Get):
    old, new = two_runs(url)
    other = a_run(url, "translation", [], name="apart")
    first = get("/compare")
    assert f'href="/compare?run={old}"' in first
    second = get(f"/compare?run={old}")
    assert f'name="run" value="{new}"' in second
    assert f'value="{other.id}"' not in second
    assert f"<b>apart ({other.id})</b>: judged by another judge, translation" in second
    assert "other data" in second
    assert "old" not in re.findall(r"<tbody>.*</tbody>", get("/compare?q=trans"), re.S)[0]
    assert "No run has this" in get("/compare?q=nothing-like-it")


def test_where_there_is_nothing_to_choose_the_page_says_so(url: str, get: Get):
    only = a_run(url, "summary", [even(3)], name="only")
    assert "No other run can be compared with only" in get(f"/compare?run={only.id}")
    assert "?q=" not in get("/compare")


def test_the_answer_comes_first_then_what_decides_it_then_the_items(url: str, get: Get):
    old, new = two_runs(url)
    page = get(f"/compare?run={old}&run={new}")
    places = [page.index(text) for text in ("new against old", "verdict answer", 'id="settings"', 'id="items"')]
    assert places == sorted(places)
    assert "<svg" in page
    assert states(page) == {
        "i1": "▼ got worse",
        "i0": "▲ got better",
        "i3": "same overall",
        "i2": "failed in old",
        "i4": "only in new",
    }
    assert next(iter(states(page))) == "i1", "the largest change is first"
    assert '<span class="figures">3 → 1</span> <span class="moved worse small">▼ worse</span>' in page
    assert re.search(r"Digest of the data</th>.*?differs", page)
    assert "Items with the same id are paired." in page


def test_items_are_filtered_sorted_searched_and_paged(url: str, get: Get, monkeypatch: pytest.MonkeyPatch):
    old, new = two_runs(url)
    address = f"/compare?run={old}&run={new}"
    assert list(states(get(f"{address}&show=worse"))) == ["i1"]
    assert list(states(get(f"{address}&show=texts"))) == ["i1"]
    assert list(states(get(f"{address}&show=only_b"))) == ["i4"]
    assert list(states(get(f"{address}&order=number"))) == ["i0", "i1", "i2", "i3", "i4"]
    assert list(states(get(f"{address}&q=I3"))) == ["i3"]
    assert "No item is like this." in get(f"{address}&q=none")
    monkeypatch.setattr("adjudge.web.pages.changed.PAGE", 2)
    first = get(f"{address}&show=all&order=number")
    assert list(states(first)) == ["i0", "i1"]
    assert "1–2 of 5 items" in first
    on = re.findall(r'href="([^"]*)" rel="next"', first)[0].replace("&amp;", "&")
    assert list(states(get(on))) == ["i2", "i3"]
    assert "order=number" in on
    for beyond in ("4", "9" * 15):
        last = get(f"{address}&order=number&page={beyond}")
        assert list(states(last)) == ["i4"]
        assert "5–5 of 5 items" in last


@pytest.mark.parametrize("wrong", ["show=%3Cb%3E", "order=x", "by=nothing"])
def test_what_cannot_be_asked_for_is_refused(url: str, get: Get, wrong: str):
    old, new = two_runs(url)
    page = get(f"/compare?run={old}&run={new}&{wrong}", 400)
    assert "<b>" not in page


def test_runs_that_cannot_be_compared_are_clear_pages(url: str, get: Get):
    old, _ = two_runs(url)
    other = a_run(url, "translation", [], name="apart")
    apart = a_run(url, "summary", [even(3)], rows=[{**a_row(JUDGE, 77), "content": "Else."}], name="else")
    assert "there is no run nobody" in get(f"/compare?run={old}&run=nobody", 404)
    assert "can&#x27;t be compared" in get(f"/compare?run={old}&run={other.id}", 400)
    assert "is given twice" in get(f"/compare?run={old}&run={old}", 400)
    assert "have no item in common" in get(f"/compare?run={old}&run={apart.id}", 400)


def test_an_item_opens_with_both_verdicts_and_what_differs_in_its_texts(url: str, get: Get):
    old, new = two_runs(url)
    address = f"/compare/item?run={old}&run={new}&number=2"
    whole, part = get(address), get(address, **{"hx-request": "true"})
    assert whole.startswith("<!doctype html>")
    assert "<html" not in part
    for page in (whole, part):
        assert re.search(r"Coverage</th><td[^>]*><div><b>3</b></div><div>gave 3</div></td><td[^>]*><div><b>1</b>", page)
        assert "<del>leaves </del>" in page
        assert "&lt;i&gt;left&lt;/i&gt;" in page.replace("<ins>", "").replace("</ins>", "")
        assert f'href="/runs/{old}/items/2"' in page
        assert f'href="/runs/{new}/items/2"' in page
        assert page.count("content of item 1") == 1, "a text that is the same in both stands there once"


@pytest.mark.parametrize("wrong", ["page=0", "page=-1", "page=x", "page=²"])
def test_there_is_no_other_page(url: str, get: Get, wrong: str):
    old, new = two_runs(url)
    get(f"/compare?run={old}&run={new}&{wrong}", 404)


def test_every_item_of_the_list_leads_to_its_page(url: str, get: Get):
    old, new = two_runs(url)
    listed = get(f"/compare?run={old}&run={new}&order=number")
    links = [unescape(link) for link in re.findall(r'<a href="(/compare/item[^"]*)"', listed)]
    assert [f"i{place}: both verdicts</h1>" in get(link) for place, link in enumerate(links)] == [True] * 5


def test_an_item_that_failed_or_is_in_one_run_says_so(url: str, get: Get):
    old, new = two_runs(url)
    failed = get(f"/compare/item?run={old}&run={new}&number=3")
    assert "<b>old: </b>Failed (timed_out): no answer in time" in failed
    alone = get(f"/compare/item?run={old}&run={new}&number=0&number=5")
    assert "<b>old: </b>not in this run" in alone
    assert "only in new" in alone
    assert f"/runs/{old}/items" not in alone
    assert "has no item 9" in get(f"/compare/item?run={old}&run={new}&number=9&number=1", 404)
    assert "in either run" in get(f"/compare/item?run={old}&run={new}", 404)
    assert "for two runs, not for 1" in get(f"/compare/item?run={old}&number=1", 400)


def test_a_long_text_stands_beside_the_other(url: str, get: Get):
    long = [{**a_row(JUDGE, 0), "text": "word " * 3_000}]
    old = a_run(url, "summary", [even(3)], rows=long, name="old")
    new = a_run(url, "summary", [even(3)], rows=[{**long[0], "text": "other " * 3_000}], name="new")
    page = get(f"/compare/item?run={old.id}&run={new.id}&number=1")
    assert "<del>" not in page
    assert page.count("too long to show what differs") == 2


def test_what_differs_in_the_files_of_the_judges_is_shown(url: str, get: Get, tmp_path: Path):
    folder = tmp_path / "summary"
    shutil.copytree(BUNDLED / "summary", folder)
    text = (folder / "en.yaml").read_text("utf-8")
    (folder / "en.yaml").write_text(text.replace("Judges a summary", "Judges a <summary>", 1), "utf-8")
    old = a_run(url, "summary", [even(3)], name="old")
    new = a_run(url, str(folder), [even(4)], name="new")
    page = get(f"/compare?run={old.id}&run={new.id}")
    assert '<div class="gone">−about: Judges a summary' in page
    assert '<div class="new">+about: Judges a &lt;summary&gt;' in page
    assert "judge.yaml</h3>" not in page, "that file is the same"


def test_three_runs_are_ranked_without_items(url: str, get: Get):
    runs = [a_run(url, "summary", [even(score)] * 3, name=f"r{score}").id for score in (2, 3, 4)]
    page = get("/compare?" + "&".join(f"run={run}" for run in runs))
    assert 'id="settings"' in page
    assert 'id="items"' not in page


def test_in_comparisons_scores_are_means_over_candidates_and_the_item_has_each(url: str, get: Get):
    names = [one.name for one in load("rag-answers", "en")[1].scored]
    old = a_run(url, "rag-answers", [{name: {"A": 1, "B": 3} for name in names}] * 2, name="old")
    new = a_run(url, "rag-answers", [{name: {"A": 2, "B": 5} for name in names}] * 2, name="new")
    page = get(f"/compare?run={old.id}&run={new.id}")
    assert "Scores are means over the candidates that both runs judged." in page
    assert '<span class="figures">2 → 3.5</span>' in page
    item = get(f"/compare/item?run={old.id}&run={new.id}&number=1")
    assert re.search(r"Correctness · B</th><td[^>]*><div><b>3</b></div>.*?</td><td[^>]*><div><b>5</b></div>", item)
    assert re.search(r"Winner</th><td[^>]*><b>B</b></td><td[^>]*><b>B</b>", item)


def test_the_page_speaks_the_language_of_the_runs(url: str, get: Get):
    old, new = two_runs(url, lang="ru")
    page = get(f"/compare?run={old}&run={new}", **{"accept-language": "en"})
    assert '<html lang="ru">' in page
    assert "стало хуже" in page
    assert "Сравнить прогоны" in get("/compare", **{"accept-language": "ru"})


@pytest.mark.parametrize(
    ("lang", "said", "never"),
    [
        ("en", ("rated more strictly", "▼ stricter", "is milder, left of it"), ("got worse", "▼ worse")),
        ("ru", ("оценено строже", "▼ строже", "мягче оценивает"), ("стало хуже", "▼ хуже")),
    ],
)
def test_another_judge_of_the_same_texts_made_none_of_them_worse(url: str, get: Get, lang, said, never):
    old, new = (
        a_run(
            url,
            "summary",
            [even(4 - down), even(3), even(5 - down)],
            rows=rows(3),
            name=str(down),
            lang=lang,
            model=model,
        )
        for down, model in ((0, "a"), (1, "b"))
    )
    page = get(f"/compare?run={old.id}&run={new.id}")
    assert [text for text in said if text not in page] == []
    assert [text for text in never if text in page] == []


def test_verdicts_in_two_languages_stand_in_the_same_lines(url: str, get: Get):
    old = a_run(url, "summary", [even(3)], rows=rows(1), name="old", lang="en")
    new = a_run(url, "summary", [even(4)], rows=rows(1), name="new", lang="ru")
    page = get(f"/compare/item?run={old.id}&run={new.id}&number=1")
    lines = re.findall(r'<tr><th scope="row">([^<]*)</th>(.*?)</tr>', page)
    assert len(lines) == len({title for title, _ in lines}) >= len(JUDGE.scored)
    assert all("—" not in cells for _, cells in lines)
    assert page.count("the same in both") == 2


TWINS = """
title: Twins
instructions: "Judge by {{criteria}} in {{format}}."
item: "{{a}} {{b}} {{text}}"
fields: {a: Text, b: Text, text: Judged}
criteria:
  one: {title: Same, asks: Is it one?, labels: {1: a, 2: b, 3: c, 4: d, 5: e}}
  two: {title: Same, asks: Is it two?, labels: {1: a, 2: b, 3: c, 4: d, 5: e}}
"""


def test_fields_and_criteria_of_one_title_are_all_shown(url: str, get: Get, tmp_path: Path):
    folder = tmp_path / "twins"
    folder.mkdir()
    scale = "{kind: rating, scale: {min: 1, max: 5, better: higher}}"
    folder.joinpath("judge.yaml").write_text(
        "judge: twins\nversion: 1\nlayout: single\nlanguages: [en]\n"
        "fields: {a: {role: source}, b: {role: reference}, text: {role: output}}\n"
        f"criteria: {{one: {scale}, two: {scale}}}\noutput: {{one: one.score, two: two.score}}\n"
    )
    folder.joinpath("en.yaml").write_text(TWINS)
    bodies = [{"id": "i0", "a": "the first", "b": "the second", "text": "judged"}]
    runs = [a_run(url, str(folder), [{"one": 2, "two": 5}], rows=bodies, name=name) for name in ("old", "new")]
    page = get(f"/compare/item?run={runs[0].id}&run={runs[1].id}&number=1")
    assert page.count("the first") == page.count("the second") == 1
    assert page.count('<th scope="row">Same</th>') == 2


def test_too_many_runs_are_not_compared_and_a_search_that_finds_none_says_so(url: str, get: Get):
    old, _ = two_runs(url)
    assert "9 runs are too many" in get("/compare?" + "&".join(f"run={old}" for _ in range(9)), 400)
    page = get(f"/compare?run={old}&q=nothing-like-it")
    assert "No run has this in its name" in page
    assert "No other run can be compared" not in page
