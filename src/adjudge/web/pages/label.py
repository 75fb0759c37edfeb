"""The place to label a run: a person scores its items blind, by keyboard, and sees at the end how far they agree."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from adjudge.api.labelling import Desk
from adjudge.api.stored import StoredRun
from adjudge.core.errors import DataError, UserError
from adjudge.core.limits import LABEL_FORM_BYTES, NAME_CHARS
from adjudge.report.element import Child, Markup, element
from adjudge.report.plain import block
from adjudge.report.words import Words, words
from adjudge.web import shell
from adjudge.web.message import JSON, Refused, Request, Response, json_response, see_other, whole
from adjudge.web.pages.label_bar import bar, progress, said
from adjudge.web.pages.label_form import SKIP, read_cells, sheet
from adjudge.web.pages.label_keys import help_dialog
from adjudge.web.pages.label_texts import asks_first, texts
from adjudge.web.pages.label_verdict import revealed
from adjudge.web.pages.label_ways import address, base, desk_places, onward
from adjudge.web.pages.query import run_path, run_trail
from adjudge.web.router import Route
from adjudge.web.site import Site

_STYLES = ("label.css",)


def home(site: Site, request: Request) -> Response:
    """Where `adjudge label` begins."""
    return see_other(base(site.labelling))


def start(site: Site, request: Request) -> Response:
    """How labelling works; who is known goes on, who is not says a name."""
    run = site.run(request)
    say, name = words(run.judge.lang), _name(site, request)
    if not name:
        return _first(site, request, say, run, _ask(run.id, say))
    desk = _desk(site, request, name)
    if request.asked("go"):
        return see_other(onward(desk, 0))
    done = desk.done
    go_on = say("label_page_go_on" if done else "label_page_start")
    known = [
        element("p", say("label_page_as", name=desk.annotator)),
        element("p", progress(done, desk.total, say), class_="soft"),
        element(
            "p",
            element("a", go_on, href=onward(desk, 0), class_="l-button l-primary", autofocus=True),
            element("a", say("label_page_other"), href=f"{base(run.id)}?as=", class_="l-button"),
            class_="l-links",
        ),
    ]
    return _first(site, request, say, run, known)


def item(site: Site, request: Request) -> Response:
    """One item with its form; nothing of the judge's verdict is in it."""
    desk = _desk(site, request, _known(site, request))
    task, say = desk.at(_place(request)), words(desk.judge.lang)
    here = address(desk, task.place)
    kind = "l-compare" if desk.layout == "compare" else "l-single"
    asked = " l-asked" if asks_first(desk.judge, task.item) else ""
    content = element(
        "div",
        bar(desk, task, say, request),
        element(
            "div",
            texts(desk.judge, task, say),
            sheet(desk, task, say, address=here, verdict=address(desk, task.place, "/verdict")),
            class_=f"l-work {kind}{asked}",
        ),
        element(
            "section", id="verdict", class_="l-verdict-shown", aria_label=say("label_page_verdict"), aria_live="polite"
        ),
        help_dialog(desk.layout, say),
        id="desk",
        class_="l-desk",
        data_across=len(task.candidates),
        data_annotator=desk.annotator,
        data_base=base(desk.run.id),
        data_number=task.number,
        data_onward=onward(desk, task.place, task.place),
        data_run=desk.run.id,
        data_skip=SKIP,
        data_undo=f"{base(desk.run.id)}/undo",
        data_url=here,
        **said(say),
    )
    title = say("label_page_item", n=task.place, of=task.total)
    scripts = ("label_queue.js", "label.js")
    return shell.page(site, request, say, title, content, trail=_trail(site, desk), scripts=scripts, styles=_STYLES)


def answered(site: Site, request: Request) -> Response:
    """Take answers and a comment: for the script with the new state, for a plain form with the way on."""
    return _told(request, lambda: _take(site, request))


def undo(site: Site, request: Request) -> Response:
    """Take back the last thing that this person said, on whatever item, and go there."""

    def taken_back() -> Response:
        desk = _desk(site, request, request.form().get("as", ""))
        place = desk.undo()
        there = address(desk, place, said="undone") if place else None
        if _for_script(request):
            return json_response({"address": there})
        return see_other(there or address(desk, 1, said="nothing"))

    return _told(request, taken_back)


def verdict(site: Site, request: Request) -> Response:
    """What the judge said of an item, beside one's own answers; refused while any of these is open."""
    desk = _desk(site, request, _known(site, request))
    task, say = desk.at(_place(request)), words(desk.judge.lang)
    drawn = revealed(desk, task, say)
    if request.fragment:
        return shell.fragment(drawn)
    back = element("a", say("label_page_back"), href=address(desk, task.place), class_="l-button")
    title = say("label_page_item", n=task.place, of=task.total)
    shown = element("section", drawn, class_="l-verdict-shown")
    return shell.page(site, request, say, title, element("h1", title), shown, element("p", back), styles=_STYLES)


def done(site: Site, request: Request) -> Response:
    """What this person has done; when that is all, how far they agree with the judge."""
    desk = _desk(site, request, _known(site, request))
    say, done = words(desk.judge.lang), desk.done
    complete = done == desk.total
    title = say("label_page_done" if complete else "label_page_not_done")
    query = urlencode({"as": desk.annotator})
    exports = [
        element("a", name.upper(), href=run_path(desk.run.id, f"labels.{name}") + f"?{query}", class_="l-button")
        for name in ("csv", "jsonl")
    ]
    known = f"{say('label_page_as', name=desk.annotator)} · {progress(done, desk.total, say)}"
    ended: list[Child] = [
        element("p", f"{title}. {known}", class_="l-finished"),
        element("p", say("label_page_exports"), exports, class_="l-links"),
    ]
    content = [*ended, *_agreement(desk, say)] if complete else _left(desk, say, title, known)
    drawn = element("div", content, class_="l-ended")
    return shell.page(site, request, say, title, drawn, trail=_trail(site, desk), styles=_STYLES)


def _take(site: Site, request: Request) -> Response:
    form = request.form()
    desk = _desk(site, request, form.get("as", ""))
    place = _same_item(desk, request, form.get("number", ""))
    for criterion, candidate, value in read_cells(form):
        desk.say(place, criterion, value, candidate=candidate)
    text, before = form.get("comment", "").replace("\r\n", "\n"), desk.at(place).comment
    # a page shows no character that cannot be seen, and sends none back
    if "comment" in form and text != block(before):
        desk.comment(place, text)
    task, say = desk.at(place), words(desk.judge.lang)
    if not _for_script(request):
        return see_other(onward(desk, place) if task.complete else address(desk, place, said="missing"))
    done = desk.done
    return json_response(
        {
            "complete": task.complete,
            "answered": task.answered,
            "done": done,
            "progress": progress(done, desk.total, say),
        }
    )


def _same_item(desk: Desk, request: Request, number: str) -> int:
    """The place of the item that an answer is about: it may have moved since the page was made."""
    if not number:
        return _place(request)
    found = desk.place(whole(number) or 0)
    if found is None:
        raise Refused(409, "the item of this answer is not to be labelled here", hint="reload the page")
    return found


def _told(request: Request, act: Callable[[], Response]) -> Response:
    """The answer, or why there is none, in the form in which it was asked for."""
    if not _for_script(request):
        return act()
    try:
        return act()
    except UserError as error:
        status = error.status if isinstance(error, Refused) else 400
        return json_response({"error": {"message": error.what, "hint": error.hint or None}}, status)


def _for_script(request: Request) -> bool:
    return request.headers.get("accept", "") == JSON


def _desk(site: Site, request: Request, name: str) -> Desk:
    return Desk.open(site.run(request), name, items=site.items if site.labelling else 0)


def _name(site: Site, request: Request) -> str:
    return request.asked("as") if "as" in request.query else site.annotator


def _known(site: Site, request: Request) -> str:
    if name := _name(site, request):
        return name
    raise Refused(400, "a label needs the name of who gives it", hint=f"begin at {base(request.params['run'])}")


def _place(request: Request) -> int:
    if place := whole(request.params["place"]):
        return place
    raise Refused(404, "there is no such item to label", hint="they are numbered from 1")


def _before(site: Site, run: StoredRun) -> list[tuple[str, str]]:
    """The way to the run that is labelled, where its page is served too."""
    return [] if site.labelling else run_trail(run.state.run, words(run.judge.lang))


def _trail(site: Site, desk: Desk) -> list[tuple[str, str]]:
    return [*_before(site, desk.run), (desk.judge.title, f"{base(desk.run.id)}?{urlencode({'as': desk.annotator})}")]


def _first(site: Site, request: Request, say: Words, run: StoredRun, content: Child) -> Response:
    how = [say("label_page_how_blind"), say("label_page_how_keys"), say("label_page_how_saved")]
    drawn = element(
        "div",
        element("h1", run.judge.title),
        element("p", f"{say('label_page_title')} · {run.state.run.shown}", class_="sub"),
        element("ol", [element("li", line) for line in how]),
        content,
        class_="l-start",
    )
    return shell.page(site, request, say, say("label_page_title"), drawn, trail=_before(site, run), styles=_STYLES)


def _ask(run: str, say: Words) -> Markup:
    field = element("input", name="as", required=True, autofocus=True, maxlength=NAME_CHARS, autocomplete="name")
    return element(
        "form",
        element("label", say("label_page_name"), field),
        element("input", type="hidden", name="go", value="1"),
        element("button", say("label_page_start"), class_="l-primary", type="submit"),
        action=base(run),
        method="get",
    )


def _left(desk: Desk, say: Words, title: str, known: str) -> list[Markup]:
    go_on = element("a", say("label_page_go_on"), href=onward(desk, 0), class_="l-button l-primary", autofocus=True)
    return [
        element("h1", title),
        element("p", known, class_="sub"),
        element("p", say("label_page_agreement_later")),
        element("p", go_on, class_="l-links"),
    ]


def _agreement(desk: Desk, say: Words) -> list[Child]:
    try:
        return list(desk.agreement().drawn(desk_places(desk)))
    except DataError as error:
        return [
            element("h1", say("label_page_title")),
            element("p", say("label_page_no_agreement", why=error.what)),
        ]


_ITEM = "/runs/{run}/label/{place}"
ROUTES: tuple[Route, ...] = (
    Route(method="GET", path="/runs/{run}/label", handler=start, says="how labelling works, and who labels"),
    Route(method="GET", path="/runs/{run}/label/done", handler=done, says="agreement, when all items are labelled"),
    Route(method="POST", path="/runs/{run}/label/undo", handler=undo, says="take back a label", body=LABEL_FORM_BYTES),
    Route(method="GET", path=_ITEM, handler=item, says="an item to label"),
    Route(method="POST", path=_ITEM, handler=answered, says="labels of an item", body=LABEL_FORM_BYTES),
    Route(method="GET", path=f"{_ITEM}/verdict", handler=verdict, says="the judge's verdict, after one's own"),
)
#: Takes the place of the list of runs where there is one run to label.
HOME = Route(method="GET", path="/", handler=home, says="the run to label")
