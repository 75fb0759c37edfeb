"""What a person said is neither lost nor said twice, whatever becomes of the server, the tab and the storage."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.api.labelling import Desk
from adjudge.api.stored import StoredRun
from adjudge.store.store import open_store
from adjudge.web.site import Site
from tests.browser.test_label import a_comparison, a_summary, chosen, nothing, page_of, press, saved, scores
from tests.fakes.browser import serving, watched

# A tab hears of what another one did a moment after the storage shows it.
HEARS = "window.addEventListener('storage', event => { if (event.newValue === null) window.heard = true })"


@pytest.fixture
def store(tmp_path: Any) -> str:
    return f"sqlite:///{tmp_path}/a.db"


def edits(run: StoredRun) -> list[Any]:
    with open_store(run.store, create=False) as opened:
        return [(one.criterion, one.value) for one in opened.label_edits(run.id)]


def delivered(page: Any) -> None:
    page.wait_for_function("() => !Object.keys(localStorage).length")


def test_an_answer_whose_arrival_nobody_heard_of_is_sent_again_and_said_once(browser, store):
    run = a_summary(store, 1)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        unheard = iter([True])

        def deaf(route: Any) -> None:
            if next(unheard, False):
                route.fetch()
                route.abort()
            else:
                route.continue_()

        page.route("**/label/1?*", deaf)
        press(page, "4 3")
        page.wait_for_selector("#status[data-kind=bad]")
        saved(page, "Accuracy: 3")
        delivered(page)
        nothing(seen, but="ERR_FAILED")
    assert edits(run) == [("coverage", 4), ("accuracy", 3)]


def test_two_tabs_share_what_waits_and_the_last_word_counts(browser, store):
    run = a_summary(store, 1)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        context, posts = page.context, page_of(address, run)
        stopped = True

        def gate(route: Any) -> None:
            if stopped and route.request.method == "POST":
                route.abort()
            else:
                route.continue_()

        context.route("**/label/1?*", gate)
        page.goto(posts)
        press(page, "1 1")
        page.wait_for_selector("#status[data-kind=bad]")
        page.evaluate(HEARS)
        other = context.new_page()
        other.goto(posts)
        assert chosen(other) == ["1", "1"]
        press(other, "3")
        other.wait_for_selector("#status[data-kind=bad]")
        press(other, "ArrowUp ArrowUp ArrowUp 5")
        page.wait_for_function("() => Object.values(localStorage).some(one => JSON.parse(one).what === 'Coverage: 5')")
        kept = page.evaluate("Object.values(localStorage).map(one => JSON.parse(one).what)")
        assert sorted(kept) == ["Accuracy: 1", "Coherence: 3", "Coverage: 5"], "nothing of one tab is lost to the other"
        page.wait_for_function("() => window.heard")
        stopped = False
        for one in (other, page):
            one.evaluate("window.dispatchEvent(new Event('online'))")
        delivered(page)
        page.wait_for_timeout(500)
        nothing(seen, but="ERR_FAILED")
    assert {name: value for (_, _, name), value in scores(run).items()} == {
        "coverage": 5,
        "accuracy": 1,
        "coherence": 3,
    }
    assert sorted(edits(run)) == [("accuracy", 1), ("coherence", 3), ("coverage", 5)]


def test_an_answer_on_its_way_is_not_tried_again_where_another_tab_has_a_newer_one(browser, store):
    run = a_summary(store, 1)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        other, held = page.context.new_page(), list[Any]()
        for one in (page, other):
            one.goto(page_of(address, run))
        page.route("**/label/1?*", lambda route: route.continue_() if held else held.append(route))
        page.evaluate(HEARS)
        press(page, "1")
        page.wait_for_function("() => Object.keys(localStorage).length")
        other.reload()
        press(other, "ArrowUp 5")
        saved(other, "Coverage: 5")
        page.wait_for_function("() => window.heard")
        held[0].abort()
        page.wait_for_function("() => document.getElementById('status').dataset.kind === ''")
        press(page, "2")
        saved(page, "Accuracy: 2")
        nothing(seen, but="ERR_FAILED")
    assert [one for one in edits(run) if one == ("coverage", 1)][1:] == [], "once at most: the other tab sent it, too"
    assert {name: value for (_, _, name), value in scores(run).items()} == {"coverage": 5, "accuracy": 2}


def test_a_newer_answer_of_the_same_tab_takes_the_place_of_one_that_failed_on_its_way(browser, store):
    run = a_summary(store, 1)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        held: list[Any] = []
        page.goto(page_of(address, run))
        page.route("**/label/1?*", lambda route: route.continue_() if held else held.append(route))
        press(page, "1 ArrowUp 5")
        page.wait_for_function("() => Object.keys(localStorage).length === 2 || !Object.keys(localStorage).length")
        held[0].abort()
        saved(page, "Coverage: 5")
        delivered(page)
        nothing(seen, but="ERR_FAILED")
    assert edits(run) == [("coverage", 5)]


@pytest.mark.parametrize("how", ["forbidden", "full"])
def test_a_browser_that_keeps_nothing_still_sends_everything(browser, store, how):
    run = a_summary(store, 1)
    scripts = {
        "forbidden": "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no') } })",
        "full": "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
    }
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.add_init_script(scripts[how])
        page.goto(page_of(address, run))
        press(page, "4 3 s 1 5")
        saved(page, "Freedom from hallucination: 5")
        nothing(seen)
    assert list(scores(run).values()) == [4, 3, None, 1, 5]


def test_what_the_server_will_never_take_is_told_and_the_rest_is_saved(browser, store):
    run = a_summary(store, 1)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        page.evaluate(
            "() => { const [wrong] = document.querySelectorAll('.l-cell input'); wrong.value = '77'; wrong.click();"
            " document.querySelector('#sheet [name=\\'say.accuracy.\\'][value=\\'3\\']').click(); }"
        )
        delivered(page)
        page.locator("#status", has_text="not saved: `coverage` is 77").wait_for()
        press(page, "2")
        saved(page, "Accuracy: 2")
        nothing(seen, but="400")
    assert edits(run) == [("accuracy", 3), ("accuracy", 2)]


def test_back_shows_what_was_said_and_not_what_the_page_was(browser, store):
    run = a_summary(store, 2)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        press(page, "4 4")
        saved(page, "Accuracy")
        press(page, "j")
        page.wait_for_url("**/label/2?as=anna")
        desk = Desk.open(run, "anna")
        desk.say(1, "coverage", 2)
        page.go_back()
        page.wait_for_url("**/label/1?as=anna")
        assert chosen(page) == ["2", "4"]
        nothing(seen)


def test_who_skips_everything_does_not_see_the_verdict(browser, store):
    run = a_comparison(store, 2)
    with serving(Site(store=store, labelling=run.id)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        press(page, " ".join("s" * 18))
        saved(page, "depth, candidate C")
        page.wait_for_selector("#sheet.l-complete")
        press(page, "v")
        assert "not all of it skipped" in page.inner_text("#status")
        assert page.request.get(page_of(address, run, "1/verdict")).status == 400
        press(page, "3")
        saved(page, "depth, candidate C: 3")
        press(page, "v")
        page.wait_for_selector("#verdict table")
        nothing(seen)


def test_a_capital_letter_does_the_same_with_caps_lock(browser, store):
    run = a_summary(store, 2)
    with serving(Site(store=store)) as address, watched(browser, origin=address) as (page, seen):
        page.goto(page_of(address, run))
        page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'J', code: 'KeyJ', bubbles: true}))")
        page.wait_for_url("**/label/2?as=anna")
        nothing(seen)
