"""The pictures of the documents, made in a real browser: `python -m tests.screenshots [FOLDER]`.

The texts are invented, the embedded judge judges them, and what a clock would change is set: two runs of this make the
same pictures, as far as fonts and the browser are the same.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

import adjudge
from adjudge.api.stored import StoredRun
from adjudge.cli import run_command
from adjudge.core.labels import Label
from adjudge.core.records import Call, Outcome, Reply
from adjudge.store.store import open_store
from adjudge.store.writes import OutcomeDone, ReplyDone
from adjudge.web.site import Site
from tests.fakes.browser import ARGUMENTS, serving

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
SAMPLES = Path(adjudge.__file__).parent / "samples"
#: Id, question, sentences of the source; the first says most, and each has something to get wrong.
STORIES: Sequence[tuple[str, str, Sequence[str]]] = (
    ("ferry", "When does the island ferry run in winter?", (
        "The island ferry leaves the north pier at 7:15 and 16:40 from November to March.",
        "In storms above nine metres per second the harbour master cancels the afternoon crossing.",
        "A ticket costs 12 euros, and children under 6 travel free.",
        "Bicycles are carried on the lower deck, no more than 14 at a time.")),
    ("museum", "What did the clock museum restore?", (
        "The clock museum restored a tower clock of 1742 with the help of two retired smiths.",
        "Three of its wheels had been missing since the fire of 1911 and were cast again in bronze.",
        "The work took 19 months and was paid for by 340 small donations.",
        "The clock strikes every hour in the courtyard, except at night.")),
    ("orchard", "How did the late frost affect the orchard?", (
        "A frost in the second week of May destroyed about 60 percent of the apple blossom.",
        "The growers lit 400 small fires between the rows to save the lower slopes.",
        "Pear trees, which bloom earlier, lost almost nothing.",
        "The cooperative expects a harvest of 900 tonnes instead of 2,200.")),
    ("library", "What changes at the town library?", (
        "The town library will lend tools as well as books from the first of October.",
        "Drills, ladders and sewing machines can be kept for 7 days.",
        "Readers pay a deposit of 20 euros, which is returned with the tool.",
        "The reading room stays open until 21:00 on Thursdays.")),
    ("bridge", "Why was the footbridge closed?", (
        "The footbridge over the mill stream is closed because inspectors found rot in two of its beams.",
        "The beams were laid in 1978 and should have lasted 50 years.",
        "Walkers use the road bridge 600 metres downstream until the repair in June.",
        "The council has set aside 85,000 euros for oak and labour.")),
    ("bees", "What did the survey of bees find?", (
        "A survey of 112 gardens counted 31 species of wild bees, five more than ten years ago.",
        "Most of them nest in the ground, so bare soil matters more than bee hotels.",
        "Gardens without pesticides had twice as many species.",
        "The volunteers will count again in spring 2028.")),
)  # fmt: skip
WRONG = {"7:15": "8:50", "1742": "1802", "60": "15", "first of October": "first of August", "two": "nine", "112": "240"}


def mistaken(text: str) -> str:
    for right, wrong in WRONG.items():
        text = text.replace(right, wrong, 1)
    return text


def variants(told: Sequence[str]) -> Mapping[str, str]:
    """Summaries of one story, from the best to the worst."""
    return {
        "full": " ".join(told[:3]),
        "brief": told[0],
        "padded": " ".join(
            (*told, "It goes without saying that all of this is of great interest to many people.", told[0])
        ),
        "mistaken": mistaken(" ".join(told[:2])),
        "invented": f"{told[0]} The mayor wept with joy and promised 3 million euros by Christmas.",
    }


def summaries() -> Iterator[dict[str, Any]]:
    for name, _, told in STORIES:
        for kind, text in variants(told).items():
            yield {"id": f"{name}-{kind}", "content": " ".join(told), "text": text}


def answers() -> Iterator[dict[str, Any]]:
    for place, (name, question, told) in enumerate(STORIES):
        each = variants(told)
        kinds = ("full", "brief", "mistaken") if place % 3 else ("brief", "full", "invented")
        given = {who: each[kind] for who, kind in zip(("Heron", "Lantern", "Quill"), kinds, strict=True)}
        sources = [{"id": str(at), "text": text} for at, text in enumerate(told, start=1)]
        yield {"id": name, "question": question, "sources": sources, "answers": given, "reference": " ".join(told[:2])}


def shipped(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / name).read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A run that the pictures show, with what a clock would decide."""

    id: str
    judge: str
    lang: str
    rows: Sequence[Mapping[str, Any]]
    name: str
    started: str


def wanted() -> list[Wanted]:
    told = list(summaries())
    shorter = [{**row, "text": row["text"].partition(". ")[0].rstrip(".") + "."} for row in told]
    return [
        Wanted(id="summary-20261102-a", judge="summary", lang="en", rows=told, name="news, long summaries",
               started="2026-11-02T09:30:00+00:00"),
        Wanted(id="summary-20261103-b", judge="summary", lang="en", rows=shorter, name="news, one sentence",
               started="2026-11-03T14:05:00+00:00"),
        Wanted(id="rag-answers-20261104-c", judge="rag-answers", lang="en", rows=list(answers()), name="town questions",
               started="2026-11-04T11:20:00+00:00"),
        Wanted(id="translation-20261105-d", judge="translation", lang="ru", rows=shipped("translation.ru.jsonl"),
               name="перевод анонсов", started="2026-11-05T08:45:00+00:00"),
        Wanted(id="search-summary-20261106-e", judge="search-summary", lang="ru",
               rows=shipped("search-summary.ru.jsonl"), name="поиск: здоровье", started="2026-11-06T17:10:00+00:00"),
    ]  # fmt: skip


def made(folder: Path, url: str) -> None:
    """The runs of the pictures: judged in a store of their own, and kept under fixed ids and times in this one."""
    drafts = f"sqlite:///{folder}/drafts.db"
    for one in wanted():
        judge = adjudge.load_judge(one.judge, lang=one.lang)
        run = adjudge.evaluate(judge, [dict(row) for row in one.rows], store=drafts)
        keep(StoredRun(drafts, run.id), one, url)


def keep(draft: StoredRun, one: Wanted, url: str) -> None:
    with open_store(draft.store) as drafts, open_store(url) as store:
        state = drafts.state(draft.id)
        run = replace(state.run, id=one.id, name=one.name, started=one.started, data=f"{one.judge}.jsonl")
        pairs: list[tuple[Outcome, str]] = list(drafts.outcomes_with_rows(draft.id))
        replies: list[tuple[Call, Reply]] = list(drafts.run_replies(draft.id))
        files = drafts.judge_files(run.judge_digest)
        assert files is not None
        store.save_judge(run.judge_digest, files)
        store.add_dataset(run.data_digest, [(outcome.item, row) for outcome, row in pairs])
        store.create_run(run, spec="{}")
        store.claim(run.id)
        places = {outcome.item: place for place, (outcome, _) in enumerate(pairs)}
        for call, reply in replies:
            span = (places[call.items[0]], places[call.items[-1]]) if call.items else (len(pairs), len(pairs))
            still = replace(reply, latency_s=0.01)
            store.commit([ReplyDone(run=run.id, call=call, span=span, reply=still, step="strict")])
        store.commit([OutcomeDone(run=run.id, position=at, outcome=one) for at, (one, _) in enumerate(pairs)])
        store.finish(run.id, "complete", summary=state.summary or None, seconds=4.2)
        store.add_labels(run.id, labels(one, pairs, draft))


def labels(one: Wanted, pairs: Sequence[tuple[Outcome, str]], draft: StoredRun) -> list[Label]:
    """Two people's scores of a dozen items of the first run."""
    if one.id != wanted()[0].id:
        return []
    said = {"full": 5, "brief": 3, "padded": 3, "mistaken": 2, "invented": 1}
    return [
        Label(
            item=outcome.item,
            criterion=criterion.name,
            annotator=who,
            value=min(5, max(1, said[outcome.item.partition("-")[2]] + (at + shift) % 2)),
            added=f"2026-11-02T12:{at:02}:00+00:00",
        )
        for at, (outcome, _) in enumerate(pairs[:12])
        for shift, who in enumerate(("Ada", "Boris"))
        for criterion in draft.judge.scored
    ]


def shoot(page: Page, address: str, file: Path, height: int) -> None:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert page.viewport_size is not None
    width = page.viewport_size["width"]
    clip = {"x": 0, "y": 0, "width": width, "height": height}
    page.screenshot(path=file, clip=clip, full_page=True, animations="disabled")  # type: ignore[arg-type]


#: Name → width, height, colours.
VIEWS = {"wide": (1200, 900, "light"), "dark": (1200, 900, "dark"), "phone": (390, 844, "light")}
#: How far down a wide picture of a report goes.
REPORT_HEIGHT = 1500
#: Page → where it is, and the views that the documents have of it. Reports are files, all others are of the server.
PAGES = {
    "report-summary": ("", ("wide", "phone")),
    "report-rag-answers": ("", ("wide", "dark")),
    "report-translation": ("", ("wide",)),
    "runs": ("/", ("wide", "phone")),
    "run": ("/runs/summary-20261102-a", ("dark",)),
    "item": ("/runs/summary-20261102-a/items/4", ("wide", "phone")),
    "compare": ("/compare?run=summary-20261102-a&run=summary-20261103-b", ("wide", "dark")),
    "judges": ("/judges", ("wide",)),
    "judge": ("/judges/rag-answers", ("dark",)),
    "label": ("/runs/rag-answers-20261104-c/label/1?as=Ada", ("wide", "phone")),
    "agreement": ("/runs/summary-20261102-a/agreement", ("wide",)),
}


def pictures(browser: Browser, folder: Path, url: str, reports: Path) -> None:
    """Every view of every page, into the folder."""
    with serving(Site(store=url, lang="en")) as address:
        for view, (width, height, scheme) in VIEWS.items():
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
                reduced_motion="reduce",
                locale="en",
                timezone_id="UTC",
            )
            page = context.new_page()
            for name, (path, views) in PAGES.items():
                if view in views:
                    where = address + path if path else (reports / f"{name.removeprefix('report-')}.html").as_uri()
                    tall = REPORT_HEIGHT if view == "wide" and not path else height
                    shoot(page, where, folder / f"{name}-{view}.png", tall)
            context.close()


def main(folder: Path = FOLDER) -> None:
    program = shutil.which("chromium")
    if program is None:
        sys.exit("chromium is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        here = Path(temporary)
        url = f"sqlite:///{here}/pictures.db"
        made(here, url)
        for one in wanted():
            file = here / f"{one.judge}.html"
            if not file.exists():
                run_command(["show", one.id, "--store", url, "--format", "html", "-o", str(file)])
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
            pictures(browser, folder, url, here)
            browser.close()


if __name__ == "__main__":
    main(*(Path(given) for given in sys.argv[1:2]))
