"""The label pages, request by request."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from adjudge.api.labelling import Desk
from adjudge.api.stored import StoredRun
from adjudge.core.limits import LABEL_PLACES
from adjudge.report.plain import unwrapped
from adjudge.report.words import words
from adjudge.spec.load import load_judge
from adjudge.web.app import answer, router
from adjudge.web.guard import LOCAL, Guard
from adjudge.web.message import Request, Response
from adjudge.web.pages.label_form import _explained, cell_name, read_cells
from adjudge.web.site import Site
from tests.fakes.verdicts import a_row, a_run
from tests.unit.api.test_changes import even

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/a.db"


def asked(run: StoredRun, path: str, *, labelling: bool = False, items: int = 0, **headers: str) -> Response:
    site = Site(store=run.store, labelling=run.id if labelling else "", items=items)
    parts = urlsplit(path if path == "/" else f"/runs/{run.id}/label{path}")
    query = parse_qs(parts.query, keep_blank_values=True)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request(method="GET", path=parts.path, query=query, headers={"host": "localhost", **names})
    return answer(router(site), site, Guard(hosts=LOCAL), request)


def got(run: StoredRun, path: str, **more: Any) -> str:
    found = asked(run, path, **more)
    assert found.status == 200, found.body
    return str(found.body)


def sent(run: StoredRun, path: str, form: dict[str, Any], *, script: bool = True) -> Response:
    site, body = Site(store=run.store), urlencode({"as": "anna", **form}).encode()
    headers = {"host": "localhost", "content-type": FORM, **({"accept": "application/json"} if script else {})}
    request = Request(
        method="POST", path=f"/runs/{run.id}/label/{path}", headers=headers, receive=lambda most: body[:most]
    )
    return answer(router(site), site, Guard(hosts=LOCAL), request)


def told(response: Response) -> Any:
    return json.loads(str(response.body))


def whole(run: StoredRun, place: int, value: int = 3, annotator: str = "anna") -> dict[str, str]:
    """A form with every cell of an item answered."""
    desk = Desk.open(run, annotator)
    codes = desk.at(place).candidates
    return {cell_name(one.name, code): str(value) for one in desk.criteria for code in codes}


def test_who_is_not_known_is_asked_and_who_is_goes_on(url: str):
    run = a_run(url, "summary", [even(3), even(4)])
    first = got(run, "")
    assert '<input name="as" required autofocus' in first
    assert first.partition('class="l-start"')[2].count("<li>") == 3
    hostile = "<script>alert(1)</script>"
    page = got(run, f"?{urlencode({'as': hostile})}")
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page
    assert asked(run, "?as=anna&go=1").headers["Location"] == f"/runs/{run.id}/label/1?as=anna"
    sent(run, "1", whole(run, 1))
    assert asked(run, "?as=anna&go=1").headers["Location"] == f"/runs/{run.id}/label/2?as=anna"
    sent(run, "2", whole(run, 2))
    assert asked(run, "?as=anna&go=1").headers["Location"] == f"/runs/{run.id}/label/done?as=anna"
    assert asked(run, "/1").status == 400
    assert asked(run, f"?{urlencode({'as': 'x' * 300})}").status == 400


def test_where_one_run_is_labelled_everything_begins_there_and_nothing_else_is_shown(url: str):
    run, other = a_run(url, "summary", [even(3)]), a_run(url, "summary", [even(4)], name="other")
    assert asked(run, "/", labelling=True).headers["Location"] == f"/runs/{run.id}/label"
    assert got(run, "", labelling=True)
    site = Site(store=url, labelling=run.id)
    for path in (f"/runs/{run.id}", f"/runs/{run.id}/items/1", f"/runs/{other.id}/label", "/judges"):
        request = Request(method="GET", path=path, headers={"host": "localhost"})
        assert answer(router(site), site, Guard(hosts=LOCAL), request).status == 404, path


@pytest.mark.parametrize("judge", ["summary", "translation"])
def test_an_item_says_the_judges_words_and_not_who_wrote_the_text(url: str, judge: str):
    names = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
    if judge == "translation":
        names = ("adequacy", "fluency", "terminology", "hallucination", "punctuation")
    run = a_run(url, judge, [dict.fromkeys(names, 2)])
    body = a_row(run.judge, 0)
    text = body["trg" if judge == "translation" else "text"]
    row = {**body, "system": "SystemX", "others": ["what others wrote"], "note": "an extra column"}
    run = a_run(url, judge, [dict.fromkeys(names, 2)], rows=[row], name="named")
    page = unescape(got(run, "/1?as=anna"))
    for criterion in run.judge.scored:
        assert criterion.scale is not None
        assert criterion.title in page
        assert re.sub(r"\n(?!- )\s*", " ", criterion.asks.strip()) in page
        for label in criterion.scale.labels.values():
            assert page.count(label) >= 2, "beside the point, and for those who hear the page"
    assert text in page
    for hidden in ("SystemX", "what others wrote", "an extra column", "gave 2"):
        assert hidden not in page


def test_a_page_is_in_the_language_of_the_run_whatever_the_browser_wants(url: str):
    run = a_run(url, "summary", [even(3)], lang="ru")
    page = got(run, "/1?as=anna", accept_language="en")
    assert '<html lang="ru">' in page and "Запись 1 из 1" in page and "больше — лучше" in page


def test_answers_are_taken_one_by_one_and_a_repeated_one_changes_nothing(url: str):
    run = a_run(url, "summary", [even(3), even(4)])
    for _ in range(2):
        state = told(sent(run, "1", {"say.coverage.": "4"}))
        assert state == {"complete": False, "answered": False, "done": 0, "progress": "0 of 2 answered"}
    assert told(sent(run, "1", {"say.accuracy.": "skip", "comment": "a\r\nb"}))["complete"] is False
    task = Desk.open(run, "anna").at(1)
    assert {name: label.value for (_, name), label in task.answers.items()} == {"coverage": 4, "accuracy": None}
    assert task.comment == "a\nb"
    assert told(sent(run, "1", whole(run, 1)))["done"] == 1
    assert Desk.open(run, "boris").at(1).answers == {}
    undone = 0
    while told(sent(run, "undo", {}))["address"]:
        undone += 1
    assert undone == 8, "two answers, a comment, and five others: the repeated one is no second thing to undo"


def test_a_comment_that_a_page_cannot_show_whole_is_not_lost_by_sending_the_page_back(url: str):
    run = a_run(url, "summary", [even(3)])
    said = "\n\u200eleft\u202eright"
    Desk.open(run, "anna").comment(1, said)
    assert "\n\n\ufffdleft\ufffdright</textarea>" in got(run, "/1?as=anna")
    sent(run, "1", {"say.coverage.": "4", "comment": "\r\n\ufffdleft\ufffdright"}, script=False)
    assert Desk.open(run, "anna").at(1).comment == said
    sent(run, "1", {"comment": "left"}, script=False)
    assert Desk.open(run, "anna").at(1).comment == "left"


@pytest.mark.parametrize(
    ("form", "status", "what"),
    [
        ({"say.coverage.": "6"}, 400, "coverage"),
        ({"say.coverage.": "nan"}, 400, "coverage"),
        ({"say.coverage.": "2.5"}, 400, "whole"),
        ({"say.coverage.": "<b>"}, 400, "not a number"),
        ({"say.nothing.": "1"}, 400, "nothing"),
        ({"say.coverage.zzz": "1"}, 400, "candidate"),
        ({"comment": "x" * 10_001}, 400, "comment"),
        ({"number": "99"}, 409, "not to be labelled"),
        ({"number": "9" * 99}, 409, "not to be labelled"),
        ({"as": " "}, 400, "name"),
    ],
)
def test_what_cannot_be_taken_is_refused_in_words(url: str, form: dict[str, str], status: int, what: str):
    run = a_run(url, "summary", [even(3)])
    refused = sent(run, "1", form)
    assert refused.status == status
    assert what in told(refused)["error"]["message"]
    page = sent(run, "1", form, script=False)
    assert page.status == status and "<h1>" in str(page.body)
    assert Desk.open(run, "anna").at(1).answers == {}


@pytest.mark.parametrize("place", ["0", "2", "x", "-1", "1.0", "9" * 40, "%D9%A1", "undo"])
def test_there_is_no_such_item(url: str, place: str):
    run = a_run(url, "summary", [even(3)])
    assert asked(run, f"/{place}?as=anna").status in (400, 404)
    assert asked(run, f"/{place}/verdict?as=anna").status in (400, 404)


def test_an_answer_finds_its_item_when_places_have_changed(url: str):
    run = a_run(url, "summary", [even(1 + place % 5) for place in range(40)])
    page = got(run, "/7?as=anna")
    number = re.search(r'name="number" value="(\d+)"', page)
    assert number
    assert told(sent(run, "3", {"number": number[1], "say.coverage.": "5"}))["done"] == 0
    desk = Desk.open(run, "anna")
    assert [place for place in range(1, 41) if desk.at(place).answers] == [7]


def test_a_plain_form_goes_on_or_says_what_is_missing(url: str):
    run = a_run(url, "summary", [even(3), even(4)])
    there = sent(run, "1", {"say.coverage.": "4", "comment": ""}, script=False).headers["Location"]
    page = got(run, there.removeprefix(f"/runs/{run.id}/label"))
    assert "still open: Accuracy, Coherence, Conciseness, Freedom from hallucination" in page
    assert sent(run, "1", whole(run, 1), script=False).headers["Location"] == f"/runs/{run.id}/label/2?as=anna"
    assert "/1?as=anna&said=undone" in sent(run, "undo", {}, script=False).headers["Location"]


def test_the_verdict_is_refused_until_everything_is_answered(url: str):
    run = a_run(url, "summary", [even(3)])
    answers = whole(run, 1)
    last = answers.popitem()
    sent(run, "1", answers)
    for wanted in ("", "true"):
        early = asked(run, "/1/verdict?as=anna", hx_request=wanted)
        assert early.status == 400 and "gave 3" not in str(early.body)
    assert 'id="reveal"' in got(run, "/1?as=anna") and "hidden" in got(run, "/1?as=anna").split('id="reveal"')[1][:300]
    sent(run, "1", dict([last]))
    fragment = got(run, "/1/verdict?as=anna", hx_request="true")
    assert fragment.startswith("<div>") and fragment.count("gave 3") == 5
    assert "<h1>" in got(run, "/1/verdict?as=anna")
    assert asked(run, "/1/verdict?as=boris").status == 400, "each person answers first"


def test_an_item_without_a_verdict_is_labelled_too(url: str):
    run = a_run(url, "summary", [None])
    sent(run, "1", whole(run, 1))
    assert "no answer in time" in got(run, "/1/verdict?as=anna")


def test_candidates_stand_under_letters_until_the_reveal(url: str):
    names = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")
    given = {name: {"Zebra": 5, "Yak": 3, "Xerus": 1} for name in names}
    row = {"id": "i", "question": "q", "sources": ["s"], "answers": {"Zebra": "one", "Yak": "two", "Xerus": "three"}}
    run = a_run(url, "rag-answers", [given], rows=[row])
    page = got(run, "/1?as=anna")
    assert re.findall(r'scope="col"[^>]*><span class="l-letter"[^>]*>(\w)', page) == ["A", "B", "C"]
    assert not re.search("Zebra|Yak|Xerus", page)
    form = whole(run, 1, 2)
    assert len(form) == 18
    state = sent(run, "1", form)
    assert told(state)["complete"] and not re.search("Zebra|Yak|Xerus", str(state.body))
    shown = got(run, "/1/verdict?as=anna")
    task = Desk.open(run, "anna").at(1)
    for letter, code in zip("ABC", task.candidates, strict=True):
        assert f"{letter} is {task.names[code]}" in shown
    assert re.findall(r"You <b>(\w)</b> · Judge <b>(\w)</b>", shown)[:3] == [
        ("2", {"Zebra": "5", "Yak": "3", "Xerus": "1"}[task.names[code]]) for code in task.candidates
    ]


def test_long_scales_are_typed_and_short_ones_have_a_digit_for_each_point(url: str):
    run = a_run(url, "search-summary", [{"hallucination": 1, "quality": 80, "relevancy": 2}])
    page = got(run, "/1?as=anna")
    found = re.findall('(<fieldset[^>]*data-criterion="(\\w+)".*?</fieldset>)', page, re.S)
    cells = {name: cell for cell, name in found}
    assert re.findall('type="radio"[^>]*value="(\\w+)"', cells["hallucination"]) == ["0", "1", "2", "3", "skip"]
    assert 'type="number"' in cells["quality"] and 'min="0" max="100" step="1"' in cells["quality"]
    assert "lower is better" in cells["hallucination"] and "higher is better" in cells["quality"]
    assert told(sent(run, "1", {"say.quality.": "87"}))["done"] == 0
    assert 'value="87"' in got(run, "/1?as=anna")


def test_the_end_shows_what_is_open_or_how_far_one_agrees(url: str):
    run = a_run(url, "summary", [even(1 + place) for place in range(5)])
    before = got(run, "/done?as=anna")
    assert "Not all items are labelled yet" in before and "<table" not in before and "labels.csv" not in before
    for place in range(1, 6):
        sent(run, str(place), whole(run, place, place))
    after = got(run, "/done?as=anna")
    assert re.search(rf'<th scope="row"><a href="/runs/{run.id}/label/\d\?as=anna">i\d</a>', after)
    assert "All items are labelled" in after and "<table" in after and "Coverage" in after
    assert f"/runs/{run.id}/labels.csv?as=anna" in after and f"/runs/{run.id}/labels.jsonl?as=anna" in after
    assert "Not all items" in got(run, "/done?as=boris")


def test_so_many_open_items_are_listed_and_no_more(url: str):
    run = a_run(url, "summary", [even(3)] * (LABEL_PLACES + 7))
    page = got(run, "/1?as=anna")
    listed = page.split('aria-label="Open items"')[1].split("</ol>")[0]
    assert listed.count("<a ") == LABEL_PLACES and "and 7 more" in listed


def test_no_page_has_a_script_or_a_style_of_its_own(url: str):
    run = a_run(url, "summary", [even(3)])
    for path in ("", "?as=anna", "/1?as=anna", "/done?as=anna"):
        page = got(run, path)
        assert not re.search(r"<script(?! src=\"/static/)|<style|\sstyle=|\son\w+=|javascript:", page)


def test_cells_of_a_form():
    form = {"as": "x", "say.a.": "4", "say.b.code": "skip", "say.c.": "", "comment": "say.d.", "say.e.": "0,5"}
    assert read_cells(form) == [("a", "", 4.0), ("b", "code", None), ("e", "", 0.5)]


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_people_read_what_to_look_at_and_not_what_a_reply_has_to_hold(url: str, lang: str):
    run = a_run(url, "summary", [even(3)], lang=lang)
    page = unescape(got(run, "/1?as=anna"))
    for one in Desk.open(run, "anna").criteria:
        assert unwrapped(one.asks) in page
        assert one.answer and unwrapped(one.answer) not in page


def test_people_who_count_errors_read_what_each_costs():
    criterion = load_judge("translation-mqm", "en").criteria[0]
    page = str(_explained(criterion, words("en")))
    assert "<b>25</b>Critical" in page and "<b>0.1</b>Minor: Punctuation" in page
