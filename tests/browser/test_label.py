"""Labelling in a real browser: by keyboard, blind, and with nothing lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from adjudge.api.labelling import Desk
from adjudge.api.stored import StoredRun
from adjudge.core.labels import Label
from adjudge.store.store import open_store
from adjudge.web.site import Site
from tests.fakes import verdicts
from tests.fakes.axe import violations
from tests.fakes.browser import serving, watched
from tests.fakes.faulty import bound
from tests.fakes.verdicts import a_run

CRITERIA = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
RAG = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")
CANARY = "canary-of-the-verdict"
HOSTILE = "</textarea><script>alert(1)</script><img src=x onerror=alert(2)> \u202e $what \"'"
NAMES = ("Zebra-9", "Yak-8", "Xerus-7")
NARROW: dict[str, Any] = {"viewport": {"width": 600, "height": 700}}


@pytest.fixture
def store(tmp_path: Any) -> str:
    return f"sqlite:///{tmp_path}/a.db"


def a_summary(store: str, items: int = 10, **options: Any) -> StoredRun:
    return a_run(store, "summary", [dict.fromkeys(CRITERIA, 1 + number % 5) for number in range(items)], **options)


def a_comparison(store: str, items: int = 2) -> StoredRun:
    given = [{name: dict(zip(NAMES, (5, 3, 1), strict=True)) for name in RAG}] * items
    rows = [
        {
            "id": f"i{number}",
            "question": f"When does ferry {number} leave?",
            "sources": [f"Ferry {number} leaves at nine."],
            "answers": {name: f"At {hour}." for hour, name in enumerate(NAMES, 8)},
        }
        for number in range(items)
    ]
    return a_run(store, "rag-answers", given, rows=rows)


def said(run: StoredRun, annotator: str = "anna") -> list[Label]:
    with open_store(run.store, create=False) as opened:
        return [label for label in opened.labels(run.id) if label.annotator == annotator]


def scores(run: StoredRun, annotator: str = "anna") -> dict[tuple[str, str, str], Any]:
    return {(one.item, one.candidate, one.criterion): one.value for one in said(run, annotator) if one.criterion}


def page_of(address: str, run: StoredRun, place: int | str = 1, annotator: str = "anna") -> str:
    return f"{address}/runs/{run.id}/label/{place}?as={annotator}"


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def saved(page: Any, what: str = "") -> None:
    page.wait_for_function(
        "what => { const s = document.getElementById('status');"
        " return s.dataset.kind === 'saved' && s.textContent.includes(what) }",
        arg=what,
    )


def chosen(page: Any) -> list[str]:
    found: list[str] = page.eval_on_selector_all("#sheet .l-cell input:checked", "all => all.map(one => one.value)")
    return found


def nothing(seen: Any, *, but: str = "\0") -> None:
    assert (seen.dialogs, seen.requests, [error for error in seen.errors if but not in error]) == ([], [], [])


def test_ten_items_by_keyboard_alone_with_a_reload_in_the_middle_then_agreement(browser, store):
    run = a_summary(store)
    site = Site(store=store, labelling=run.id)
    with serving(site) as address, watched(browser, origin=address) as (page, seen):
        page.goto(address)
        page.keyboard.type("anna")
        page.keyboard.press("Enter")
        for place in range(1, 11):
            page.wait_for_url(f"**/label/{place}?as=anna")
            if place == 6:
                press(page, "4 4")
                saved(page, "Accuracy")
                page.reload()
                assert chosen(page) == ["4", "4"]
                press(page, "4 4 4")
            else:
                press(page, " ".join(str(1 + place % 5) * 5))
            page.keyboard.press("Enter")
        page.wait_for_url("**/label/done?as=anna")
        shown = page.inner_text("main")
        assert "All items are labelled" in shown and "10 of 10 answered" in shown
        assert page.locator("main table tbody tr").count() >= len(CRITERIA)
        assert "Coverage" in shown
        nothing(seen)
    desk = Desk.open(run, "anna")
    given = scores(run)
    for place in range(1, 11):
        value = 4 if place == 6 else 1 + place % 5
        assert [given[desk.at(place).item.id, "", name] for name in CRITERIA] == [value] * 5


@pytest.fixture
def kept_port() -> Iterator[int]:
    """A port that is nobody else's while no server listens on it."""
    with bound(0) as held:
        yield held.getsockname()[1]


def test_nothing_is_lost_when_the_server_stops_and_starts_again(browser, store, kept_port):
    run, site, port = a_summary(store, 2), Site(store=store), kept_port
    with serving(site, port=port) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        press(page, "5")
        saved(page)
        gone = serving(site, port=port)
    # the first server has stopped here; the browser is still open in what follows
    with watched(browser, origin=address) as (page, seen):
        with gone:
            page.goto(page_of(address, run))
            assert chosen(page) == ["5"]
        press(page, "2 3")
        page.wait_for_selector("#status[data-kind=bad]")
        assert "not saved: trying again" in page.inner_text("#status")
        assert len(scores(run)) == 1
        with serving(site, port=port):
            saved(page)
            page.wait_for_function("() => !Object.keys(localStorage).length")
            assert sorted(value for value in scores(run).values()) == [2, 3, 5]
        press(page, "4")
        page.keyboard.press("c")
        page.keyboard.type("typed while nobody listened")
        page.keyboard.press("Escape")
        page.wait_for_selector("#status[data-kind=bad]")
        with page.expect_event("dialog"):
            page.close(run_before_unload=True)
        assert [bool(one) or one == "" for one in seen.dialogs] == [True], "leaving with unsent answers warns"
        context = page.context
        page.close()
        with serving(site, port=port):
            again = context.new_page()
            again.goto(page_of(address, run))
            assert chosen(again) == ["5", "2", "3", "4"]
            again.wait_for_function("() => !Object.keys(localStorage).length")
            assert sorted(value for value in scores(run).values()) == [2, 3, 4, 5]
            assert [one.comment for one in said(run) if not one.criterion] == ["typed while nobody listened"]
        assert seen.requests == []
        assert [error for error in seen.errors if "ERR_CONNECTION_REFUSED" not in error] == []


def test_undo_goes_back_over_items_and_a_person_may_not_say(browser, store):
    run = a_summary(store, 3)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        press(page, "1 2 s 4 5")
        saved(page, "Freedom")
        assert chosen(page) == ["1", "2", "skip", "4", "5"]
        press(page, "Enter")
        page.wait_for_url("**/label/2?as=anna")
        press(page, "3")
        saved(page)
        press(page, "u")
        page.wait_for_url("**/label/2?as=anna&said=undone")
        assert chosen(page) == []
        assert page.inner_text("#status") == "undone"
        press(page, "u")
        page.wait_for_url("**/label/1?as=anna&said=undone")
        assert chosen(page) == ["1", "2", "skip", "4"]
        assert sorted(scores(run).values(), key=str) == [1, 2, 4, None]
        press(page, "Enter")
        assert page.inner_text("#status") == "still open: Freedom from hallucination"
        assert "/label/1?" in page.url
        for _ in range(4):
            with page.expect_navigation():
                press(page, "u")
        press(page, "u")
        page.wait_for_selector("#status[data-kind=bad]")
        assert page.inner_text("#status") == "there is nothing to undo"
        nothing(seen)
    assert scores(run) == {}


def test_comments_are_kept_as_they_were_typed_whatever_they_hold(browser, store):
    run = a_summary(store, 1)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run, annotator="%3Cb%3Eanna%3C%2Fb%3E%22'"))
        press(page, "c")
        page.keyboard.insert_text(HOSTILE)
        page.keyboard.press("Escape")
        saved(page, "comment")
        page.keyboard.type("4444s")
        saved(page)
        page.reload()
        assert page.input_value("#comment") == HOSTILE.replace("\u202e", "\ufffd")
        assert page.locator("script:not([src]), img, main b:text('anna')").count() == 0
        press(page, "Enter")
        page.wait_for_url("**/label/done?**")
        nothing(seen)
    assert [one.comment for one in said(run, "<b>anna</b>\"'") if not one.criterion] == [HOSTILE]


def test_keys_do_nothing_where_somebody_types_or_with_other_keys_held(browser, store):
    run = a_summary(store, 2)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        press(page, "c")
        page.keyboard.type("jk 12 us?")
        press(page, "Escape Control+3 Alt+4 Meta+5 Shift+J")
        page.evaluate(
            "document.dispatchEvent(new KeyboardEvent('keydown', {key: '3', isComposing: true, bubbles: true}))"
        )
        saved(page, "comment")
        assert chosen(page) == [] and "/label/1?" in page.url
        press(page, "?")
        assert page.locator("dialog[open]").count() == 1
        press(page, "3 j")
        press(page, "Escape")
        assert page.locator("dialog[open]").count() == 0
        assert chosen(page) == [] and "/label/1?" in page.url
        press(page, "9")
        assert page.inner_text("#status") == "the scale goes from 1 to 5"
        press(page, "ArrowDown ArrowDown 3 ArrowUp ArrowUp 2")
        saved(page, "Accuracy: 2")
        press(page, "Tab Space")
        saved(page, "Conciseness: 1")
        press(page, "j")
        page.wait_for_url("**/label/2?as=anna")
        press(page, "k")
        page.wait_for_url("**/label/1?as=anna")
        nothing(seen)
    assert {name: value for (_, _, name), value in scores(run).items()} == {
        "coherence": 3,
        "accuracy": 2,
        "conciseness": 1,
    }


def test_two_people_have_their_own_order_and_their_own_answers(browser, store):
    run = a_summary(store, 3)
    orders = []
    with serving(Site(store=store)) as address:
        for name in ("anna", "boris"):
            with watched(browser, origin=address) as (page, seen):
                texts = []
                for place in range(1, 4):
                    page.goto(page_of(address, run, place, name))
                    assert chosen(page) == []
                    texts.append(page.inner_text(".l-judged .text"))
                    press(page, "5 5" if name == "anna" else "1")
                    saved(page)
                orders.append(texts)
                nothing(seen)
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1])
    assert {*scores(run).values()} == {5} and len(scores(run)) == 6
    assert {*scores(run, "boris").values()} == {1} and len(scores(run, "boris")) == 3


def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    own: Callable[..., Any] = verdicts._opinion

    def opinion(*given: Any) -> Any:
        made = own(*given)
        for scored in made.scores.values():
            for one in scored.values():
                object.__setattr__(one, "reason", f"{CANARY} {one.reason}")
        return made

    monkeypatch.setattr(verdicts, "_opinion", opinion)


@pytest.mark.parametrize("kind", ["single", "compare"])
def test_the_verdict_and_the_names_are_nowhere_before_the_answer(browser, store, monkeypatch, kind):
    planted(monkeypatch)
    run = a_comparison(store) if kind == "compare" else a_summary(store, 2)
    secrets = (CANARY, *NAMES)
    with (
        serving(Site(store=store, labelling=run.id)) as address,
        watched(browser, origin=address) as (page, seen),
    ):
        heard: list[str] = []
        page.on("response", lambda answer: heard.append(answer.url))
        page.goto(page_of(address, run))
        cells = page.locator(".l-cell").count()
        press(page, " ".join("3" * (cells - 1)))
        saved(page)
        press(page, "v")
        assert page.inner_text("#status").startswith("the judge's verdict is shown when everything here is answered")
        base = f"{address}/runs/{run.id}/label"
        routes = ["", "?as=anna", "/1?as=anna", "/2?as=anna", "/done?as=anna", "/1/verdict?as=anna", "/1/verdict"]
        for one in [*(base + route for route in routes), *heard, f"{address}/runs/{run.id}", f"{address}/"]:
            for headers in ({}, {"HX-Request": "true"}):
                answer = page.request.get(one, headers=headers)
                assert not [secret for secret in secrets if secret in answer.text()], one
        assert page.request.get(f"{base}/1/verdict?as=anna").status == 400
        form: dict[str, str | float | bool] = {"as": "anna", "comment": "x"}
        sent = page.request.post(f"{base}/1?as=anna", form=form, headers={"Accept": "application/json"})
        assert sent.ok and not [secret for secret in secrets if secret in sent.text()]
        page.reload()
        press(page, "3")
        saved(page)
        assert CANARY not in page.content()
        press(page, "v")
        page.wait_for_selector("#verdict table")
        shown = page.inner_text("#verdict")
        assert CANARY in shown
        assert (kind == "compare") == all(name in shown for name in NAMES)
        press(page, "v")
        assert page.locator("#verdict").is_hidden()
        assert CANARY not in page.request.get(f"{base}/2?as=anna").text(), "the other item is still open"
        nothing(seen)


def test_three_candidates_side_by_side_under_letters(browser, store):
    run = a_comparison(store, 1)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        assert page.locator(".l-candidates section").count() == 3
        press(page, "5 4 3")
        saved(page, "Correctness, candidate C: 3")
        press(page, "ArrowDown ArrowRight 2 ArrowLeft ArrowUp 0")
        saved(page, "Completeness, candidate B: 0")
        rows = page.eval_on_selector_all(
            "#sheet tbody tr",
            "rows => rows.slice(0, 3).map(row => [...row.querySelectorAll('fieldset')]"
            ".map(cell => cell.querySelector('input:checked')?.value ?? ''))",
        )
        assert rows == [["5", "4", "3"], ["", "0", ""], ["", "2", ""]]
        texts = page.eval_on_selector_all(".l-candidates .text", "all => all.map(one => one.textContent)")
        nothing(seen)
    task = Desk.open(run, "anna").at(1)
    names = {task.item.answers("answers")[code]: code for code in task.candidates}
    assert [names[text] for text in texts] == list(task.candidates)
    given = {(one.candidate, one.criterion): one.value for one in task.answers.values()}
    first = dict(zip(task.candidates, (5, 4, 3), strict=True))
    assert {code: given[code, "correctness"] for code in task.candidates} == first
    assert {one.candidate for one in said(run)} == set(NAMES)


def test_a_scale_of_a_hundred_is_typed(browser, store):
    run = a_run(store, "search-summary", [{"hallucination": 1, "quality": 80, "relevancy": 2}] * 2)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        press(page, "0 8 7 Enter 2")
        saved(page, "Answer relevancy: 2")
        assert page.input_value("input[type=number]") == "87"
        press(page, "Enter")
        page.wait_for_url("**/label/2?as=anna")
        press(page, "1 s 3")
        saved(page, "Answer relevancy: 3")
        press(page, "ArrowUp 1 0 1 Enter")
        assert page.inner_text("#status") == "the scale goes from 0 to 100 %"
        assert {**scores(run)} and sorted(scores(run).values(), key=str) == [0, 1, 2, 3, 87, None]
        press(page, "Backspace")
        saved(page, "Summary quality: 10")
        nothing(seen)
    assert sorted(scores(run).values()) == [0, 1, 2, 3, 10, 87]


def test_in_russian_and_with_a_russian_keyboard(browser, store):
    run = a_summary(store, 2, lang="ru")
    with serving(Site(store=store)) as address, watched(browser, origin=address, locale="en") as (page, seen):
        page.goto(page_of(address, run))
        assert page.get_attribute("html", "lang") == "ru"
        press(page, "4")
        saved(page, "4, сохранено")
        own = page.locator(".l-bar, #sheet fieldset, .l-last").all_inner_texts()
        assert re.findall(r"[A-Za-z]{2,}", " ".join(own)) == []
        page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'о', code: 'KeyJ', bubbles: true}))")
        page.wait_for_url("**/label/2?as=anna")
        nothing(seen)


def test_on_a_phone_by_touch(browser, store):
    for run in (a_summary(store, 2), a_comparison(store)):
        phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
        with serving(Site(store=store)) as address, watched(browser, origin=address, **phone) as (page, seen):
            page.goto(page_of(address, run))
            assert page.evaluate("document.documentElement.scrollWidth") == 390
            page.locator(".l-cell >> nth=1 >> label:has-text('4') >> nth=0").tap()
            saved(page)
            assert chosen(page) == ["4"]
            small = page.eval_on_selector_all(
                "#desk a, #desk button, #desk .l-point, #desk summary",
                "all => all.map(one => one.getBoundingClientRect())"
                ".filter(box => box.width && (box.width < 24 || box.height < 24)).length",
            )
            assert small == 0
            nothing(seen)


def test_a_narrow_window_begins_with_the_texts_and_goes_to_the_form_with_the_first_answer(browser, store):
    rows = [{"id": "a", "content": "A long way to read. " * 300, "text": "Short."}]
    run = a_run(store, "summary", [dict.fromkeys(CRITERIA, 3)], rows=rows)
    with serving(Site(store=store)) as address, watched(browser, origin=address, **NARROW) as (page, seen):
        page.goto(page_of(address, run))
        page.wait_for_selector(".l-live input:focus")
        assert page.evaluate("scrollY") == 0
        press(page, "4")
        saved(page)
        assert page.evaluate("scrollY") > 500
        nothing(seen)


def test_a_plain_form_works_without_script(browser, store):
    run = a_summary(store, 2)
    site = Site(store=store, labelling=run.id)
    with serving(site) as address, watched(browser, origin=address, java_script_enabled=False) as (page, seen):
        page.goto(address)
        page.fill("input[name=as]", "anna")
        page.click("button")
        for value in ("2", "skip"):
            page.check(f".l-cell >> nth={0 if value == '2' else 1} >> input[value='{value}']", force=True)
        page.fill("#comment", "two\nlines")
        page.click("#sheet button")
        assert "still open: Coherence, Conciseness, Freedom from hallucination" in page.inner_text("#status")
        for number in range(2, 5):
            page.check(f".l-cell >> nth={number} >> input[value='5']", force=True)
        page.click("#sheet button")
        assert "/label/2?" in page.url
        page.click("#undo-button")
        assert "/label/1?" in page.url and page.inner_text("#status") == "undone"
        page.check(".l-cell >> nth=4 >> input[value='1']", force=True)
        page.click("#sheet button")
        page.goto(page_of(address, run))
        page.click("#reveal")
        assert "gave" in page.inner_text("main") and "/verdict?" in page.url
        nothing(seen)
    assert sorted(scores(run).values(), key=str) == [1, 2, 5, 5, None]
    assert [one.comment for one in said(run) if not one.criterion] == ["two\nlines"]


def test_nothing_keeps_people_out_in_the_course_of_labelling(browser, store):
    run = a_comparison(store, 1)
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark", "bypass_csp": True}
    with serving(Site(store=store)) as address, watched(browser, origin=address, **phone) as (page, seen):
        page.goto(page_of(address, run))
        press(page, " ".join("2" * 18))
        saved(page, "depth, candidate C")
        press(page, "v")
        page.wait_for_selector("#verdict table")
        assert violations(page) == []
        press(page, "?")
        assert violations(page) == []
        nothing(seen)


def test_with_the_mouse_alone(browser, store):
    run = a_summary(store, 1)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        for number in range(5):
            page.locator(f".l-cell >> nth={number} >> label >> nth={number}").click()
            saved(page)
        assert chosen(page) == ["1", "2", "3", "4", "5"]
        page.locator(".l-explain.l-now li[data-value='2']").click()
        saved(page, "Freedom from hallucination: 2")
        page.click("#undo-button")
        page.wait_for_url("**said=undone")
        assert chosen(page) == ["1", "2", "3", "4", "5"]
        assert page.inner_text("#final") == "Once you have seen it your scores are final."
        page.click("#reveal")
        page.wait_for_selector("#verdict table")
        page.locator(".l-explain.l-now li[data-value='2']").click()
        final = "You have seen the verdict: your scores are final. You can still comment."
        assert page.inner_text("#status") == page.inner_text("#final") == final
        page.click("#undo-button")
        page.wait_for_function("() => document.getElementById('status').textContent == 'there is nothing to undo'")
        page.reload()
        assert page.locator(".l-cell:disabled").count() == 5
        assert chosen(page) == ["1", "2", "3", "4", "5"]
        page.click("#sheet button")
        page.wait_for_url("**/label/done?as=anna")
        nothing(seen)
