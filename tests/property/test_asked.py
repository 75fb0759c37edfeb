"""What a list is asked for survives the way through an address."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.limits import NAME_CHARS
from adjudge.web.message import Request
from adjudge.web.pages.query import SORT, ItemsAsked, run_path

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(
    st.builds(
        ItemsAsked,
        sort=TEXTS.map(lambda text: text or SORT),
        bar=TEXTS,
        flag=TEXTS,
        status=TEXTS,
        search=TEXTS.map(lambda text: text.strip()[:NAME_CHARS]),
        page=st.integers(1, 10**9 - 1),
    ),
    TEXTS.filter(bool),
)
def test_an_address_is_read_as_it_was_written(asked, run):
    address = asked.address(run_path(run, "items", 7))
    assert address.isascii()
    parts = urlsplit(address)
    assert parts.path.count("/") == 4
    assert not parts.fragment
    query = parse_qs(parts.query, keep_blank_values=True)
    assert ItemsAsked.read(Request(method="GET", path=parts.path, query=query)) == asked


@given(st.dictionaries(st.sampled_from(["sort", "bar", "flag", "status", "q"]), st.lists(st.text(), min_size=1)))
def test_any_query_is_read(query):
    asked = ItemsAsked.read(Request(method="GET", path="/", query=query))
    assert asked.address("/").isascii()
