"""Whatever errors a reply lists: the score is exactly their sum, in any order, and nothing unknown becomes a number."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import ReplyError
from adjudge.core.records import Opinion, Source
from adjudge.reply.combine import combine
from adjudge.reply.read import Expected, read
from tests.unit.reply.judges import ERRORS, SPANS, error

COSTS = {"critical": "25", "major": "5", "minor": "1"}
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60) | st.sampled_from(
    ["Он пришёл, увидел — победил.", 'Say "no" {"errors": []} now', "a\u0301 ё е\u0308 \u202eabc", "| a | b |", "\x00"]
)
ERRORS_LISTED = st.lists(
    st.builds(
        error,
        TEXTS,
        st.sampled_from(list(SPANS.categories)),
        st.sampled_from(list(COSTS)),
        TEXTS,
    ),
    max_size=12,
)


def opinion(errors: list[dict[str, Any]], judged: str = "", source: str = "") -> Opinion:
    expected = Expected(sources={"": (Source(id="src", text=source),)}, outputs={"": judged})
    return read(ERRORS, json.dumps({"errors": errors}), expected).opinions[""]


def expected_sum(errors: list[dict[str, Any]]) -> float:
    cost = Decimal(0)
    for one in errors:
        marks = (one["severity"], one["category"]) == ("minor", "fluency/punctuation")
        cost += Decimal("0.1" if marks else COSTS[one["severity"]])
    return float(min(cost, Decimal(100)))


@given(ERRORS_LISTED)
def test_the_score_is_exactly_the_sum(errors):
    found = opinion(errors)
    assert found.scores["errors"][""].value == expected_sum(errors)
    assert len(found.spans["errors"]) == len(found.findings["errors"][""]) == len(errors)


@given(st.data(), ERRORS_LISTED)
def test_the_order_of_the_list_changes_nothing(data, errors):
    mixed = data.draw(st.permutations(errors))
    first, second = opinion(errors, "some text", "any source"), opinion(mixed, "some text", "any source")
    assert first.scores["errors"][""].value == second.scores["errors"][""].value
    assert sorted(first.flags) == sorted(second.flags)


@given(st.data(), ERRORS_LISTED, st.text(max_size=12) | st.sampled_from(["0", "none", "neutral", "maj or", "критично"]))
def test_an_unknown_severity_never_becomes_a_score(data, errors, word):
    plain = word.strip(" *_`\"'\t\n:.").casefold().replace("ё", "е")
    known = {name for pair in SPANS.severities.items() for name in pair}
    if plain.replace("-", "_").replace(" ", "_") in {one.casefold().replace("ё", "е") for one in known}:
        return
    place = data.draw(st.integers(0, len(errors)))
    listed = [*errors[:place], error("x", severity=word), *errors[place:]]
    try:
        opinion(listed)
    except ReplyError:
        return
    raise AssertionError(f"{word!r} was taken for a severity")


@given(TEXTS, TEXTS, ERRORS_LISTED)
def test_places_hold_the_words_and_lie_in_their_text(judged, source, errors):
    found = combine(ERRORS, "1", [opinion(errors, judged, source)], sources=())
    for one, finding in zip(found.native["errors"], found.findings, strict=True):
        if one["start"] is not None:
            assert 0 <= one["start"] < one["end"] <= len(judged)
            assert finding["at"] == [one["start"], one["end"]]
        if finding["source_at"]:
            assert finding["at"] is None and 0 <= finding["source_at"][0] < finding["source_at"][1] <= len(source)
    unplaced = [one for one in found.findings if one["at"] is None and one["source_at"] is None]
    assert ("span_not_found:errors" in found.flags) is bool(unplaced)


@given(st.text('abв ,."«»', min_size=1, max_size=40), st.data())
def test_any_words_of_the_text_are_found_where_they_stand_once(judged, data):
    start = data.draw(st.integers(0, len(judged) - 1))
    words = judged[start : data.draw(st.integers(start + 1, len(judged)))].strip()
    found = opinion([error(words)], judged).spans["errors"][0]
    if words and judged.count(words) == 1:
        assert found.at is not None
        if judged[slice(*found.at)] != words:  # whole words in other typesetting come before parts of words
            assert [*filter(str.isalpha, judged[slice(*found.at)])] == [*filter(str.isalpha, words)] != []
