"""What a list was asked for, read from an address and written into one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

from adjudge.api.browse import QUALITY, Around, ItemIndex, ItemPage, Where
from adjudge.api.stored import StoredRun
from adjudge.core.limits import NAME_CHARS, WEB_PAGE_ROWS
from adjudge.core.runs import Run
from adjudge.report.element import Markup, element
from adjudge.report.words import Words
from adjudge.web.message import Refused, Request, whole

#: The worst items come first: they are what one looks for.
SORT = QUALITY


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemsAsked:
    """Which items of a run, and in what order; `sort` begins with a minus where the highest come first."""

    sort: str = SORT
    bar: str = ""
    flag: str = ""
    status: str = ""
    search: str = ""
    page: int = 1

    @classmethod
    def read(cls, request: Request) -> ItemsAsked:
        return cls(
            sort=request.asked("sort") or SORT,
            bar=request.asked("bar"),
            flag=request.asked("flag"),
            status=request.asked("status"),
            search=request.asked("q").strip()[:NAME_CHARS],
            page=page_number(request),
        )

    @property
    def _choice(self) -> dict[str, Any]:
        measure, _, bar = self.bar.partition(":")
        return {
            "sort": self.sort.removeprefix("-"),
            "descending": self.sort.startswith("-"),
            "where": Where(measure=measure, bar=bar, flag=self.flag, status=self.status),
            "search": self.search,
        }

    def within(self, index: ItemIndex) -> ItemsAsked:
        """The same, but for a page that the list does not have."""
        return replace(self, page=within(self.page, index.page(**self._choice, limit=0).total))

    def of(self, index: ItemIndex) -> ItemPage:
        """The page of the list."""
        return index.page(**self._choice, offset=(self.page - 1) * WEB_PAGE_ROWS, limit=WEB_PAGE_ROWS)

    def around(self, index: ItemIndex, number: int) -> Around:
        """The place of an item in the list."""
        return index.around(number, **self._choice)

    def address(self, path: str, **changes: str | int) -> str:
        """A path with the query that asks for the same, but for the changes."""
        own: ItemsAsked = replace(self, **changes)  # type: ignore[arg-type]
        return with_query(
            path,
            {
                "sort": own.sort if own.sort != SORT else "",
                "bar": own.bar,
                "flag": own.flag,
                "status": own.status,
                "q": own.search,
                "page": own.page if own.page > 1 else "",
            },
        )


def page_number(request: Request) -> int:
    """Which page of a list is wanted, from 1."""
    if page := whole(request.asked("page") or "1"):
        return page
    raise Refused(404, "there is no such page of the list", hint="pages are counted from 1")


def within(page: int, total: int, rows: int = WEB_PAGE_ROWS) -> int:
    """A page of a list of so many, or its last one where there are fewer."""
    return max(1, min(page, -(-total // rows)))


def counted(name: str, text: str) -> int:
    """A number of a query, refused under its name where it is none."""
    if (found := whole(text)) is None:
        raise Refused(404, f"{name} is no whole number", hint="they are counted from 1")
    return found


def with_query(path: str, fields: Mapping[str, str | int]) -> str:
    """A path with those fields that are not empty."""
    query = urlencode([(name, value) for name, value in fields.items() if value != ""], errors="replace")
    return f"{path}?{query}" if query else path


def run_path(run: str, *parts: str | int) -> str:
    """The address of a run's page."""
    return "/".join(("/runs", quote(run, safe="", errors="replace"), *map(str, parts)))


def item_places(run: StoredRun, index: ItemIndex) -> Callable[[str], str | None]:
    """The addresses of the pages of a run's items, by their ids."""

    def place(item: str) -> str | None:
        number = index.number_of(item)
        return None if number is None else run_path(run.id, "items", number)

    return place


def run_trail(run: Run, say: Words) -> list[tuple[str, str]]:
    """The way to a run's page, for pages that lie behind it."""
    return [(say("web_runs"), "/"), (run.name or run.id, run_path(run.id))]


def pager(page: int, total: int, say: Words, address: Sequence[str]) -> Markup | None:
    """Links to the pages before and after; `address` has both."""
    pages = -(-total // WEB_PAGE_ROWS)
    if pages < 2:
        return None
    before = element("a", say("pages_earlier"), href=address[0], rel="prev") if 1 < page <= pages else None
    after = element("a", say("pages_later"), href=address[1], rel="next") if page < pages else None
    told = element("span", say("pages_page", n=say.number(page, 0), of=say.number(pages, 0)), class_="soft")
    return element("nav", before, told, after, class_="steps", aria_label=say("pages_pages"))
