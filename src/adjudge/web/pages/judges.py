"""The judges: what they read, what they judge on which scales, and their exact prompts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from adjudge.api.judges import Used, bundled, bundled_digests, find_judge, used
from adjudge.core.errors import ConfigError
from adjudge.core.judge import Criterion, Judge
from adjudge.core.scale import Scale
from adjudge.report.element import Child, Markup, element
from adjudge.report.plain import unwrapped
from adjudge.report.words import Words, words
from adjudge.web.message import Refused, Request, Response
from adjudge.web.pages import prompts
from adjudge.web.pages.choose import SHEETS, table
from adjudge.web.pages.query import run_path, run_trail, with_query
from adjudge.web.router import Route
from adjudge.web.shell import page
from adjudge.web.site import Site

#: Digests are long; so much of them tells judges apart to the eye.
DIGEST_CHARS = 12
_LAYOUTS = {"single": "judge_layout_single", "compare": "judge_layout_compare", "batch": "judge_layout_batch"}
_OPERATIONS = {
    "mean": "judge_op_mean",
    "sum": "judge_op_sum",
    "percent": "judge_op_percent",
    "winner": "judge_op_winner",
}


def address(judge: str, *, lang: str = "", digest: str = "", **more: str | int) -> str:
    """The page of a judge, as it comes with adjudge or, by its digest, as runs used it."""
    return with_query(f"/judges/{quote(judge, safe='', errors='replace')}", {"lang": lang, "digest": digest, **more})


def listed(site: Site, request: Request) -> Response:
    """All judges: those that come with adjudge, and those of the store's runs."""
    say = site.say(request)
    own = bundled(say.lang)
    runs = used(site.store)
    heads = [say(name) for name in ("changes_judge", "judge_digest", "judge_used", "changes_run")]
    stored = [
        element("h2", say("judge_stored")),
        table(
            say("judge_stored"),
            heads,
            [_stored(one, one.newest.judge_digest in bundled_digests(), say) for one in runs],
        ),
    ]
    return page(
        site,
        request,
        say,
        say("web_judges"),
        element("h1", say("web_judges")),
        element("p", say("judge_list_about"), class_="sub"),
        element("h2", say("judge_bundled")),
        element("div", [_card(judge, say) for judge in own], class_="cards"),
        stored if runs else None,
        styles=SHEETS,
    )


def _card(judge: Judge, say: Words) -> Markup:
    criteria = ", ".join(one.title or one.name for one in judge.criteria)
    facts = f" · {say(_LAYOUTS[judge.layout])} · {', '.join(judge.langs)}"
    return element(
        "article",
        element("h3", element("a", judge.title or judge.name, href=address(judge.name, lang=judge.lang))),
        element("p", element("code", judge.name), facts, class_="soft small"),
        element("p", judge.about) if judge.about else None,
        element("p", criteria, class_="soft small"),
        class_="card",
    )


def _stored(one: Used, present: bool, say: Words) -> Markup:
    run = one.newest
    link = element("a", run.judge, href=address(run.judge, lang=run.lang, digest=run.judge_digest))
    told = element("span", say("judge_present"), class_="soft small") if present else None
    return element(
        "tr",
        element("th", link, f" ({run.lang})", scope="row"),
        element("td", element("code", run.judge_digest[:DIGEST_CHARS]), " ", told),
        element("td", say.number(one.runs, 0)),
        element("td", element("a", run.name or run.id, href=run_path(run.id))),
    )


def shown(site: Site, request: Request) -> Response:
    """One judge: its fields, criteria and scales, and the exact prompts for a row."""
    name, digest, lang = request.params["judge"], request.asked("digest"), request.asked("lang")
    run = site.named(request.asked("run")) if request.asked("run") else None
    try:
        judge = run.judge if run else find_judge(name, lang=lang, digest=digest, store=site.store)
        if not (run or lang or digest) and (spoken := site.say(request).lang) in judge.langs:
            judge = find_judge(name, lang=spoken, digest="", store=site.store)
    except ConfigError as error:
        raise Refused(404, error.what, hint=error.hint or "") from None
    if judge.name != name:
        raise Refused(404, f"the judge of that run is {judge.name}", hint=f"/judges/{judge.name}")
    digest = run.state.run.judge_digest if run else digest
    say, title = words(judge.lang), judge.title or judge.name
    return page(
        site,
        request,
        say,
        title,
        element("h1", title),
        element("p", element("code", judge.name), f" · {say(_LAYOUTS[judge.layout])}", class_="sub"),
        element("p", judge.about) if judge.about else None,
        _languages(judge, digest, say),
        element("p", element("a", say("judge_prompt"), href="#prompts")),
        _fields(judge, say),
        element("h2", say("judge_criteria")),
        [_criterion(one, say) for one in judge.criteria],
        _derived(judge, say),
        prompts.drawn(request, judge, digest, run, site.store, say),
        _files(judge, say),
        trail=run_trail(run.state.run, say) if run else [(say("web_judges"), "/judges")],
        scripts=("copy.js",),
        styles=SHEETS,
    )


def _languages(judge: Judge, digest: str, say: Words) -> Markup:
    links = [
        element(
            "a",
            lang,
            href=address(judge.name, lang=lang, digest=digest),
            aria_current="true" if lang == judge.lang else None,
        )
        for lang in judge.langs
    ]
    return element("nav", links, class_="filters", aria_label=say("judge_languages"))


def _fields(judge: Judge, say: Words) -> Iterator[Markup]:
    heads = [say(name) for name in ("judge_field", "judge_role", "judge_type", "judge_also")]
    rows = [
        element(
            "tr",
            element(
                "th",
                element("code", one.name),
                element("div", say("judge_required" if one.required else "judge_optional"), class_="soft small"),
                scope="row",
            ),
            element("td", one.title or say(one.role)),
            element("td", one.type),
            element("td", ", ".join(one.aliases) or "—"),
        )
        for one in judge.fields
    ]
    yield element("h2", say("judge_fields"))
    yield table(say("judge_fields"), heads, rows)


def _criterion(one: Criterion, say: Words) -> Markup:
    facts = [one.kind, _span(one.scale, say) if one.scale else say("judge_no_scale")]
    return element(
        "section",
        element("h3", one.title or one.name, class_="titled"),
        element("p", element("code", one.name), f" · {' · '.join(facts)}", class_="soft small"),
        [element("p", unwrapped(text), class_="asks", dir="auto") for text in (one.asks, one.answer) if text],
        _points(one.scale, say) if one.scale and one.scale.labels else None,
        _pairs(say("judge_checks"), [(f"{one.weight:g}", unwrapped(one.asks)) for one in one.checks]),
        _pairs(say("judge_penalties"), [(f"{cost:g}", title) for cost, title in one.costs()]),
        class_="card",
    )


def _span(scale: Scale, say: Words) -> str:
    return f"{scale.min}–{scale.max}{scale.unit}, {say(f'better_{scale.better}')}"


def _points(scale: Scale, say: Words) -> Child:
    return _pairs(say("judge_points"), [(str(point), unwrapped(text)) for point, text in scale.labels.items()])


def _pairs(title: str, pairs: Sequence[tuple[str, str]]) -> list[Markup] | None:
    if not pairs:
        return None
    rows = [element("div", element("dt", name), element("dd", text)) for name, text in pairs]
    return [element("h4", title), element("dl", rows, class_="points")]


def _derived(judge: Judge, say: Words) -> list[Markup]:
    titles = {one.name: one.title or one.name for one in judge.criteria}
    titles |= {one.name: one.title or one.name for one in judge.derived}
    rows = [
        element(
            "li",
            element("b", one.title or one.name),
            ": ",
            say(
                "judge_derived_of",
                operation=say(_OPERATIONS[one.operation]),
                names=", ".join(titles.get(name, name) for name in one.of),
            ),
        )
        for one in judge.derived
    ]
    return [element("h2", say("judge_derived")), element("ul", rows)] if rows else []


def _files(judge: Judge, say: Words) -> list[Markup]:
    names = ("judge.yaml", f"{judge.lang}.yaml")
    return [
        element("h2", say("judge_files")),
        *(
            element(
                "details",
                element("summary", name),
                prompts.block(name, judge.files[name], say),
                class_="barred",
            )
            for name in names
        ),
    ]


ROUTES = (
    Route(method="GET", path="/judges", handler=listed, says="the judges"),
    Route(method="GET", path="/judges/{judge}", handler=shown, says="a judge with its exact prompts"),
)
