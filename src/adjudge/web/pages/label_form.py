"""The form of an item to be labelled: a cell for every criterion, and for every candidate of a comparison."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.api.labelling import Desk, Task
from adjudge.core.judge import Criterion
from adjudge.core.labels import Label
from adjudge.core.limits import COMMENT_CHARS
from adjudge.core.scale import Scale
from adjudge.report.element import Child, Markup, element
from adjudge.report.plain import unwrapped
from adjudge.report.words import Words
from adjudge.web.message import Refused
from adjudge.web.pages.label_texts import letters

#: What is sent in the place of a point by a person who would not say; and what the names of cells begin with.
SKIP = "skip"
CELL = "say"
#: How that is shown.
_UNSAID = "—"
#: A scale up to here has a digit for every point.
_DIGITS_MAX = 9


def cell_name(criterion: str, candidate: str) -> str:
    """What a cell is called in the form; names of criteria have no dot."""
    return f"{CELL}.{criterion}.{candidate}"


def read_cells(form: Mapping[str, str]) -> list[tuple[str, str, float | None]]:
    """The answers of a form as (criterion, candidate, value); cells that were left empty are no answers."""
    found: list[tuple[str, str, float | None]] = []
    for name, text in form.items():
        kind, _, rest = name.partition(".")
        if kind == CELL and text:
            criterion, _, candidate = rest.partition(".")
            found.append((criterion, candidate, None if text == SKIP else _number(text)))
    return found


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise Refused(400, f"`{text[:80]}` is not a number", hint="give a point of the scale, or skip") from None


def sheet(desk: Desk, task: Task, say: Words, *, address: str, verdict: str) -> Markup:
    """All criteria with their scales and words, the comment, and the ways on."""
    cells: Child = _grid(desk, task, say) if desk.layout == "compare" else _column(desk, task, say)
    return element(
        "form",
        element("input", type="hidden", name="as", value=desk.annotator),
        element("input", type="hidden", name="number", value=task.number),
        element("h2", say("criteria"), class_="l-unseen"),
        cells,
        element(
            "div",
            [_explained(one, say) for one in desk.criteria],
            class_="l-explains",
            tabindex=0,
            role="group",
            aria_label=say("label_page_what"),
            data_scrolls=True,
        ),
        element("div", _remark(task, say), _finish(task, say, verdict), class_="l-last"),
        id="sheet",
        class_="l-panel l-complete" if task.complete else "l-panel",
        method="post",
        action=address,
        autocomplete="off",
    )


def titles(desk: Desk, task: Task, say: Words) -> dict[tuple[str, str], str]:
    """What each cell is called by people, by (candidate, criterion), in the order of the form."""
    called = letters(task)
    return {
        (code, one.name): say("label_page_of_candidate", criterion=one.title or one.name, letter=called[code])
        if code
        else one.title or one.name
        for one in desk.criteria
        for code in task.candidates
    }


def _column(desk: Desk, task: Task, say: Words) -> Markup:
    return element("div", [_cell(one, "", one.title or one.name, task, say) for one in desk.criteria])


def _grid(desk: Desk, task: Task, say: Words) -> Markup:
    called, named = letters(task), titles(desk, task, say)
    heads = [
        element(
            "th",
            element("span", called[code], class_="l-letter", aria_hidden="true"),
            element("span", say("label_page_candidate", letter=called[code]), class_="l-unseen"),
            scope="col",
        )
        for code in task.candidates
    ]
    top = element("tr", element("th", element("span", say("criterion"), class_="l-unseen"), scope="col"), heads)
    rows = [
        element(
            "tr",
            element("th", one.title or one.name, scope="row", data_of=one.name),
            [
                element("td", _cell(one, code, named[code, one.name], task, say), data_letter=called[code])
                for code in task.candidates
            ],
        )
        for one in desk.criteria
    ]
    return element("div", element("table", element("thead", top), element("tbody", rows)), class_="l-grid")


def _cell(criterion: Criterion, candidate: str, title: str, task: Task, say: Words) -> Markup:
    assert criterion.scale is not None
    scale, name = criterion.scale, cell_name(criterion.name, candidate)
    label = task.answers.get((candidate, criterion.name))
    chosen = _sent(label)
    by_digit = scale.whole and scale.min >= 0 and scale.max <= _DIGITS_MAX
    points = (_points if by_digit else _typed)(scale, name, chosen, title, say)
    note = None if candidate else element("span", say(f"better_{scale.better}"), class_="soft small")
    return element(
        "fieldset",
        element("legend", title, note, class_="l-unseen" if candidate else None),
        element("div", points, class_="l-points"),
        class_="l-cell",
        disabled=task.final,
        data_name=name,
        data_criterion=criterion.name,
        data_title=title,
        data_scale=_range(scale, say),
        data_sent=chosen,
    )


def _sent(label: Label | None) -> str:
    """An answer as the form sends it; "" where there is none yet."""
    if label is None:
        return ""
    return f"{label.value:.12g}" if isinstance(label.value, int | float) else SKIP


def _range(scale: Scale, say: Words) -> str:
    return say("label_page_range", low=scale.min, high=scale.max, unit=f" {scale.unit}" if scale.unit else "")


def _points(scale: Scale, name: str, chosen: str, title: str, say: Words) -> list[Markup]:
    return [
        *(
            element(
                "label",
                element("input", type="radio", name=name, value=point, checked=chosen == str(point)),
                point,
                element("span", f": {scale.labels[point]}", class_="l-unseen") if point in scale.labels else None,
                class_="l-point",
            )
            for point in scale.points
        ),
        _skip("radio", name, chosen, say),
    ]


def _typed(scale: Scale, name: str, chosen: str, title: str, say: Words) -> list[Markup]:
    number = element(
        "input",
        type="number",
        name=name,
        value="" if chosen == SKIP else chosen,
        min=scale.min,
        max=scale.max,
        step=1 if scale.whole else "any",
        inputmode="numeric" if scale.whole else "decimal",
        aria_label=f"{title}, {_range(scale, say)}",
    )
    unit = element("span", scale.unit, class_="soft") if scale.unit else None
    return [number, *([unit] if unit else []), _skip("checkbox", name, chosen, say)]


def _skip(kind: str, name: str, chosen: str, say: Words) -> Markup:
    return element(
        "label",
        element(
            "input", type=kind, name=name, value=SKIP, checked=chosen == SKIP, aria_label=say("label_page_skipped")
        ),
        _UNSAID,
        class_="l-point l-unsaid",
        title=say("label_page_skipped"),
    )


def _explained(criterion: Criterion, say: Words) -> Markup:
    """What a criterion asks, in the judge's own words, and what every point of its scale means."""
    assert criterion.scale is not None
    scale = criterion.scale
    about = say("label_page_scale_note", range=_range(scale, say), better=say(f"better_{scale.better}"))
    points = [element("li", element("b", point), text, data_value=point) for point, text in scale.labels.items()]
    points += [element("li", element("b", f"{cost:g}"), title) for cost, title in criterion.costs()]
    points.append(element("li", element("b", _UNSAID), say("label_page_skipped"), data_value=SKIP))
    return element(
        "section",
        element("h3", criterion.title or criterion.name, element("span", f" · {about}", class_="soft small")),
        element("ul", points),
        element("p", unwrapped(criterion.asks), class_="l-asks") if criterion.asks else None,
        class_="l-explain",
        data_of=criterion.name,
    )


def _remark(task: Task, say: Words) -> Markup:
    return element(
        "div",
        element(
            "label", say("label_page_comment"), " ", element("kbd", "c", data_live=True, hidden=True), for_="comment"
        ),
        element(
            "textarea",
            f"\n{task.comment}",  # browsers take the first line break for none of the text
            id="comment",
            name="comment",
            rows=1,
            maxlength=COMMENT_CHARS,
            dir="auto",
        ),
        class_="l-remark",
    )


def _finish(task: Task, say: Words, verdict: str) -> Markup:
    # with the script everything is saved already
    plain = element("span", say("label_page_save"), data_plain=True)
    going = element("span", say("label_page_go_on"), data_live=True, hidden=True)
    key = element("kbd", "⏎", aria_hidden="true", data_live=True, hidden=True)
    note = element(
        "p",
        say("label_page_final" if task.final else "label_page_then_final"),
        id="final",
        class_="l-final soft small",
        hidden=not task.answered,
    )
    return element(
        "div",
        element("button", plain, going, key, type="submit", class_="l-primary"),
        element(
            "a",
            say("label_page_verdict"),
            element("kbd", "v", aria_hidden="true", data_live=True, hidden=True),
            id="reveal",
            class_="l-button",
            href=verdict,
            hx_get=verdict,
            hx_target="#verdict",
            hidden=not task.answered,
        ),
        note,
        class_="l-finish",
    )
