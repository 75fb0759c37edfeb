"""The head of an item to be labelled: where one is, what is saved, and the ways to other items."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from adjudge.api.labelling import Desk, Task
from adjudge.core.limits import LABEL_PLACES
from adjudge.report.element import Markup, element
from adjudge.report.words import Words
from adjudge.web.message import Request
from adjudge.web.pages.label_form import titles
from adjudge.web.pages.label_ways import address, base


def bar(desk: Desk, task: Task, say: Words, request: Request) -> Markup:
    """Where one is, what is saved, and the ways to other items."""
    done = desk.done
    return element(
        "div",
        element("h1", say("label_page_item", n=task.place, of=task.total)),
        element("progress", value=done, max=desk.total, id="bar", aria_label=progress(done, desk.total, say)),
        _places(desk, task, done, say),
        element("p", _status(desk, task, say, request), id="status", class_="l-status", role="status"),
        element("nav", _moves(desk, task, say), class_="l-moves", aria_label=say("label_page_moves")),
        class_="l-bar",
    )


def _status(desk: Desk, task: Task, say: Words, request: Request) -> str:
    said = request.asked("said")
    if said == "missing" and not task.complete:
        left = [title for cell, title in titles(desk, task, say).items() if cell not in task.answers]
        return say("label_page_missing", what=", ".join(left))
    return {"undone": say("label_page_undone"), "nothing": say("label_page_nothing")}.get(said, "")


def _moves(desk: Desk, task: Task, say: Words) -> Iterator[Markup]:
    ways = (
        ("previous", "←", "k", say("label_page_previous"), task.place - 1),
        ("next", "→", "j", say("label_page_next"), task.place + 1),
    )
    for name, arrow, key, word, place in ways:
        if 1 <= place <= task.total:
            yield element(
                "a",
                arrow,
                _key(key),
                href=address(desk, place),
                id=name,
                class_="l-button",
                data_go=True,
                title=word,
                aria_label=word,
                aria_keyshortcuts=key,
            )
    yield element(
        "form",
        element("input", type="hidden", name="as", value=desk.annotator),
        element("button", say("label_page_undo"), _key("u"), id="undo-button", aria_keyshortcuts="u"),
        method="post",
        action=f"{base(desk.run.id)}/undo",
    )
    yield element(
        "button", say("label_page_help"), _key("?"), id="help-button", type="button", data_live=True, hidden=True
    )


def _key(key: str) -> Markup:
    return element("kbd", key, aria_hidden="true", data_live=True, hidden=True)


def _places(desk: Desk, task: Task, done: int, say: Words) -> Markup:
    """The items that are open, as many as a person may want to choose from."""
    left = desk.total - done
    shown = list(islice(desk.open_after(0), LABEL_PLACES))
    links = [
        element(
            "li",
            element(
                "a",
                place,
                href=address(desk, place),
                data_go=True,
                aria_current="page" if place == task.place else None,
                aria_label=say("label_page_item", n=place, of=task.total),
            ),
        )
        for place in shown
    ]
    if left > len(shown):
        links.append(element("li", say("label_page_more", n=left - len(shown))))
    return element(
        "details",
        element("summary", progress(done, desk.total, say), id="done", title=say("label_page_open_list")),
        element("ol", links or element("li", say("label_page_nothing_open")), aria_label=say("label_page_open_list")),
        class_="l-places",
    )


def progress(done: int, total: int, say: Words) -> str:
    """How many items are answered."""
    return say("label_page_progress", n=done, of=total)


def said(say: Words) -> dict[str, str]:
    """What the script says; the slot `$what` is filled there."""
    return {
        "data_saving": say("label_page_saving"),
        "data_saved": say("label_page_saved"),
        "data_again": say("label_page_again"),
        "data_refused": say("label_page_refused"),
        "data_outside": say("label_page_outside"),
        "data_missing": say("label_page_missing"),
        "data_nothing": say("label_page_nothing"),
        "data_unreachable": say("label_page_unreachable"),
        "data_early": say("label_page_early"),
        "data_final": say("label_page_final"),
        "data_comment": say("label_page_comment_said"),
        "data_skipped": say("label_page_skipped"),
    }
