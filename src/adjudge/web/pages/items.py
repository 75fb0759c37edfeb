"""The list of a run's items, as its page shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from adjudge.api.browse import NUMBER, QUALITY, ItemIndex, ItemPage, ItemRow
from adjudge.api.stored import StoredRun
from adjudge.core.judge import Judge
from adjudge.core.records import Item, Outcome, Verdict
from adjudge.report.charts import shade
from adjudge.report.element import Child, Markup, element
from adjudge.report.flags import flag_told
from adjudge.report.items import Record
from adjudge.report.plain import fit
from adjudge.report.tables import Measure
from adjudge.report.verdicts import decided
from adjudge.report.words import Words
from adjudge.web.pages.query import ItemsAsked, pager, run_path
from adjudge.web.pages.runs import as_you_type, select

_EXCERPT_COLUMNS = 110
_FLAG_COLUMNS = 90


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemList:
    """The items of a run that were asked for; the whole section, or what of it changes as one types."""

    run: StoredRun
    index: ItemIndex
    asked: ItemsAsked
    say: Words

    @property
    def path(self) -> str:
        return run_path(self.run.id)

    def section(self) -> Markup:
        """The list with its filters."""
        return element(
            "section",
            element("h2", self.say("items")),
            self._filters() if len(self.index) else None,
            element("div", self.found(), id="found"),
            id="items",
            class_="items-list",
            tabindex=-1,
        )

    def found(self) -> list[Child]:
        """What changes as one types."""
        say, page = self.say, self.asked.of(self.index)
        if not len(self.index):
            return [element("p", say("no_items"), class_="soft")]
        counts = {"n": say.number(page.total, 0), "of": say.number(len(self.index), 0)}
        told: list[Child] = [
            element("p", say("pages_found_items", **counts), class_="soft small", role="status"),
            self._chosen_bar(),
            self._searched(page),
        ]
        if not page.rows:
            clear = element("a", say("pages_clear"), href=f"{self.path}#items")
            return [*told, element("p", say("pages_nothing"), " ", clear, class_="nothing")]
        around = [f"{self.asked.address(self.path, page=self.asked.page + step)}#items" for step in (-1, 1)]
        told_of = [say("pages_quality_note")]
        if self.run.judge.layout == "compare":
            told_of.append(say("pages_quality_compare"))
        note = element("p", " ".join(told_of), class_="soft small")
        return [*told, self._table(page), pager(self.asked.page, page.total, say, around), note]

    def _filters(self) -> Markup:
        say, asked = self.say, self.asked
        outcomes = [("judged", say("pages_judged")), ("failed", say("pages_failed"))]
        flags = [(flag, _flag(flag, say)) for flag, _ in self.index.flags.most_common()]
        return element(
            "form",
            element(
                "div",
                element("label", say("pages_search"), for_="q"),
                element(
                    "input", type="search", id="q", name="q", value=asked.search, placeholder=say("pages_search_items")
                ),
                class_="wide",
            ),
            select("sort", say("pages_sort"), self._sorts(), asked.sort, say, any_=False),
            select("status", say("pages_outcome"), outcomes, asked.status, say) if self.index.failed else None,
            select("flag", say("pages_flag"), flags, asked.flag, say) if flags else None,
            element("input", type="hidden", name="bar", value=asked.bar) if asked.bar else None,
            element("button", say("pages_filter"), type="submit"),
            class_="filters",
            role="search",
            aria_label=say("pages_filters"),
            action=f"{self.path}#items",
            method="get",
            **as_you_type(self.path, "#found"),
        )

    def _sorts(self) -> Iterator[tuple[str, str]]:
        say = self.say
        yield QUALITY, say("pages_sort_worst")
        yield f"-{QUALITY}", say("pages_sort_best")
        yield NUMBER, say("pages_sort_number")
        yield f"-{NUMBER}", say("pages_sort_number_back")
        for one in self.index.judged:
            yield one.name, say("pages_sort_up", title=one.title)
            yield f"-{one.name}", say("pages_sort_down", title=one.title)

    def _chosen_bar(self) -> Markup | None:
        name, _, bar = self.asked.bar.partition(":")
        if not bar:
            return None
        what = self.say("pages_in_bar", title=self.index.measures[name].title, bar=bar)
        away = self.asked.address(self.path, bar="", page=1)
        cross = element("a", "✕", href=f"{away}#items", aria_label=self.say("pages_remove", what=what))
        return element("p", element("span", what, " ", cross, class_="chosen"))

    def _searched(self, page: ItemPage) -> Markup | None:
        if not self.asked.search:
            return None
        counts = {"n": self.say.number(page.searched, 0)}
        items = self.run.state.run.items
        whole = page.searched >= items
        told = (
            self.say("pages_searched", **counts)
            if whole
            else self.say("pages_searched_some", **counts, of=self.say.number(items, 0))
        )
        return element("p", told, class_="soft small")

    def _table(self, page: ItemPage) -> Markup:
        measures = self.index.judged
        top = element(
            "tr",
            self._head(NUMBER, self.say("pages_number")),
            element("th", self.say("pages_item"), scope="col"),
            self._head(QUALITY, self.say("pages_quality")),
            [self._head(one.name, one.title, down=one.better == "lower") for one in measures],
        )
        records = {one.outcome.item: (one.outcome, one.item) for one in self._records(page)}
        body = [self._line(row, measures, *records.get(row.id, (None, None))) for row in page.rows]
        table = element("table", element("thead", top), element("tbody", body), class_="list items")
        return element("div", table, class_="scroll", tabindex=0, role="group", aria_label=self.say("items"))

    def _records(self, page: ItemPage) -> Iterator[Record]:
        return self.run.records([row.id for row in page.rows], replies=False)

    def _head(self, sort: str, title: str, *, down: bool = False) -> Markup:
        """A heading that sorts by its column: the worst first, and at the next click the best."""
        first, second = (f"-{sort}", sort) if down else (sort, f"-{sort}")
        now = {sort: "ascending", f"-{sort}": "descending"}.get(self.asked.sort)
        arrow = {"ascending": "↑", "descending": "↓"}.get(now or "", "")
        wanted = second if self.asked.sort == first else first
        link = element(
            "a",
            title,
            element("span", arrow, class_="arrow") if arrow else None,
            href=f"{self.asked.address(self.path, sort=wanted, page=1)}#items",
        )
        return element("th", link, scope="col", aria_sort=now, class_="figure")

    def _line(self, row: ItemRow, measures: list[Measure], outcome: Outcome | None, item: Item | None) -> Markup:
        say, judge = self.say, self.run.judge
        link = element("a", row.id, href=self.asked.address(run_path(self.run.id, "items", row.number), page=1))
        about: list[Child] = [element("div", said, class_="soft small")] if (said := _excerpt(judge, item)) else []
        if row.status == "failed":
            about.append(element("div", f"{say('pages_failed')}: {row.kind}", class_="state partial small"))
        if isinstance(outcome, Verdict) and (winner := decided(judge, outcome, say)) is not None:
            about.append(element("div", f"{say('winner')}: {winner}", class_="small"))
        if row.flags:
            about.append(element("div", f"{say('flags')}: {', '.join(row.flags)}", class_="soft small"))
        good = "—" if row.quality is None else f"{say.number(100 * row.quality, 0)} %"
        return element(
            "tr",
            element("td", say.number(row.number, 0), class_="figure soft", data_label=say("pages_number")),
            element("th", link, about, scope="row"),
            element("td", good, class_="figure", data_label=say("pages_quality")),
            [_cell(one, row.scores, say) for one in measures],
        )


def _cell(measure: Measure, scores: Mapping[str, float], say: Words) -> Markup:
    value = scores.get(measure.name)
    tone = "" if value is None else f" score{shade(measure.tone(value)).replace('g', ' t')}"
    return element("td", say.score(value), class_=f"figure{tone}", data_label=measure.title)


def _flag(flag: str, say: Words) -> str:
    return fit(flag_told(flag, say), _FLAG_COLUMNS)


def _excerpt(judge: Judge, item: Item | None) -> str:
    """The beginning of what the item is about: the question, or else the judged text."""
    if item is None:
        return ""
    for role in ("query", "output"):
        texts = [item.text(field.name) for field in judge.fields if field.role == role]
        if said := " ".join(text for text in texts if text):
            return fit(said, _EXCERPT_COLUMNS)
    return ""
