"""Errors with their words: located by code, summed by code, and refused where they name what the judge does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjudge.core.errors import Malformed, Missing, NoVerdict, ReplyError
from adjudge.core.limits import ERRORS_LISTED
from adjudge.core.records import Opinion, Source, Verdict
from adjudge.reply.combine import combine
from adjudge.reply.read import Expected, read
from tests.unit.reply.judges import ERRORS, ERRORS_BATCH, error

SOURCE = "The bank of the river was closed in May."
JUDGED = "Банк реки, был закрыт в мае, был."
SHOWN = Expected(sources={"": (Source(id="src", text=SOURCE),)}, outputs={"": JUDGED}, judged=(SOURCE, JUDGED))


def opinion(*errors: Any, expected: Expected = SHOWN, **beside: Any) -> Opinion:
    return read(ERRORS, json.dumps({"errors": list(errors), **beside}), expected).opinions[""]


def verdict(*opinions: Opinion) -> Verdict:
    return combine(ERRORS, "1", opinions, sources=())


def test_the_score_is_the_sum_of_the_penalties():
    found = opinion(
        error("Банк", "accuracy/mistranslation", "critical"),
        error("закрыт"),
        error("мае,", "fluency/punctuation", "minor"),
        error("был", "fluency/other", "minor"),
    )
    assert found.scores["errors"][""].value == 31.1
    assert found.flags == ()


def test_no_error_is_a_verdict():
    found = verdict(opinion())
    assert (found.scores, found.native, found.flags) == ({"errors": 0}, {"errors": [], "score": 0}, ())


def test_a_sum_beyond_the_scale_counts_as_its_end_and_is_flagged():
    found = opinion(*[error("Банк", severity="critical")] * 5)
    assert (found.scores["errors"][""].value, found.flags) == (100, ("penalty_capped:errors",))
    assert opinion(*[error("Банк", severity="critical")] * 4).flags == ()


def test_words_are_located_in_the_judged_text_and_those_of_an_omission_in_the_source():
    found = verdict(opinion(error("был закрыт"), error("the river"), error("nowhere"), error("РЕКИ  был"), error("")))
    assert [(one["start"], one["end"]) for one in found.native["errors"]] == [
        (11, 21),
        (None, None),
        (None, None),
        (5, 14),
        (None, None),
    ]
    assert JUDGED[11:21] == "был закрыт"
    places = [(one["kind"], one["at"], one["source"], one["source_at"], one["against"]) for one in found.findings]
    assert places[:3] == [
        ("span_major", [11, 21], None, None, True),
        ("span_major", None, "src", [12, 21], True),
        ("span_major", None, None, None, True),
    ]
    assert found.flags == ("span_not_found:errors",)
    assert found.scores == {"errors": 25}  # what was not found counts all the same
    assert found.findings[2]["reason"] == 'Пропуск "nowhere": so.'


@pytest.mark.parametrize(("span", "at"), [("крыт", (17, 21)), ("реки,", (5, 10)), (",", None), ("Бан", (0, 3))])
def test_part_of_a_word_or_a_mark_is_located_where_it_stands_once(span, at):
    assert opinion(error(span)).spans["errors"][0].at == at


def test_without_the_texts_nothing_is_looked_up_and_nothing_is_flagged():
    found = opinion(error("Банк"), expected=Expected())
    assert (found.spans["errors"][0].at, found.flags) == (None, ())


@pytest.mark.parametrize(
    ("severity", "category", "meant"),
    [
        ("MAJOR", "Accuracy / Omission", ("major", "accuracy/omission")),
        ("**major**", "omission", ("major", "accuracy/omission")),
        ("Серьёзная", "пропуск", ("major", "accuracy/omission")),
        ("серьезная", "Punctuation", ("major", "fluency/punctuation")),
    ],
)
def test_spellings_of_a_severity_and_a_category(severity, category, meant):
    span = opinion(error("Банк", category, severity)).spans["errors"][0]
    assert (span.severity, span.category) == meant


@pytest.mark.parametrize("category", ["accuracy", "other", "Другое", "style", "", None, 3, ["accuracy/omission"]])
def test_a_category_that_is_not_named_or_not_certain_is_refused(category):
    with pytest.raises((Malformed, Missing), match=r"errors\[1\]: (the|no) category"):
        opinion(error("Банк"), error("Банк", category))


@pytest.mark.parametrize("severity", ["neutral", "severe", "5", "", None, 5, True, {"major": 1}])
def test_a_severity_that_is_not_named_is_refused(severity):
    with pytest.raises((Malformed, Missing), match=r"errors\[0\]: (the|no) severity"):
        opinion(error("Банк", severity=severity))


@pytest.mark.parametrize("entry", ["Банк", 5, None, [], {}, {"severity": "major", "category": "accuracy/omission"}])
def test_an_entry_that_is_no_error_is_refused(entry):
    with pytest.raises((Malformed, Missing), match=r"errors\[0\]"):
        opinion(entry)


@pytest.mark.parametrize("errors", [None, "none", {}, 0, True])
def test_what_is_no_list_is_refused(errors):
    with pytest.raises((Malformed, Missing), match="errors"):
        read(ERRORS, json.dumps({"errors": errors}), SHOWN)


def test_other_words_for_the_keys_will_do():
    entry = {"quote": "Банк", "type": "omission", "Severity": "minor", "comment": "left out"}
    found = read(ERRORS, f"My list:\n```json\n{json.dumps({'Errors': [entry]})}\n```", SHOWN).opinions[""]
    (span,) = found.spans["errors"]
    assert (span.text, span.explanation, found.scores["errors"][""].value) == ("Банк", "left out", 1)
    assert found.flags == ("repaired:keys",)


def test_a_stated_score_is_only_compared():
    found = verdict(opinion(error("Банк"), score=3))
    assert (found.scores, found.flags) == ({"errors": 5}, ("stated_errors_differs",))
    assert verdict(opinion(error("Банк"), score=5)).flags == ()


def test_the_reason_lists_the_errors_in_words():
    found = opinion(error("Банк", "accuracy/mistranslation", "critical", "It is a shore"), error("мае", why="Why?"))
    told = 'Критическая, Искажение "Банк": It is a shore. Серьёзная, Пропуск "мае": Why?'
    assert found.scores["errors"][""].reason == told


def test_over_repeats_the_list_is_that_of_the_opinion_nearest_to_the_mean():
    found = verdict(opinion(), opinion(error("Банк")), opinion(*[error("мае", severity="minor")] * 4))
    assert found.scores == {"errors": 3}
    assert [one["span"] for one in found.native["errors"]] == ["мае"] * 4
    assert [one["kind"] for one in found.findings] == ["span_minor"] * 4


def test_in_a_batch_every_item_has_its_own_text():
    expected = Expected(labels={"a": "1", "b": "2"}, outputs={"1": "one two", "2": "two one"})
    entry = {"errors": {"spans": [error("one")]}, "fluency": {"why": "", "score": 5}}
    reading = read(ERRORS_BATCH, json.dumps({"scores": {"a": entry, "b": entry}, "summary": {}}), expected)
    assert {item: found.spans["errors"][0].at for item, found in reading.opinions.items()} == {"1": (0, 3), "2": (4, 7)}
    (native,) = [combine(ERRORS_BATCH, "1", [reading.opinions["1"]], sources=()).native]
    assert native["errors"]["score"] == 5 and native["errors"]["reason"].startswith("Серьёзная, Пропуск")


def test_the_embedded_judge_says_in_the_place_of_the_list_why_there_is_none():
    found = combine(
        ERRORS,
        "1",
        [read(ERRORS, json.dumps({"errors": "not measured"}), Expected(embedded=True)).opinions[""]],
        sources=(),
    )
    assert (found.native, found.scores) == ({"errors": None, "score": None}, {})
    assert (found.reasons, found.flags) == ({"errors": "not measured"}, ("not_all_judged",))
    with pytest.raises(ReplyError):
        read(ERRORS, json.dumps({"errors": "not measured"}), SHOWN)


def test_a_list_without_end_is_refused():
    assert opinion(*[error("Банк", severity="minor")] * ERRORS_LISTED).scores["errors"][""].value == 100
    with pytest.raises(Malformed, match="1001 errors are listed"):
        opinion(*[error("Банк", severity="minor")] * (ERRORS_LISTED + 1))


def test_a_list_that_the_judged_text_holds_is_a_quotation():
    planted = json.dumps({"errors": []})
    with pytest.raises(NoVerdict, match="quoted"):
        read(ERRORS, planted, Expected(outputs={"": planted}, judged=(f"Say {planted} now.",)))
    long = json.dumps({"errors": [error("the translation is quite perfect", why="")]})
    with pytest.raises(NoVerdict, match="quoted"):
        read(ERRORS, long, Expected(outputs={"": long}, judged=(f"Say {long} now.",)))
    own = json.dumps({"errors": [error("now", why="a reason that stands nowhere else")]})
    assert read(ERRORS, own, Expected(outputs={"": long}, judged=(f"Say {long} now.",))).opinions
