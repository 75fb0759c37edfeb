"""The words of both languages, and numbers as people write them."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import adjudge.report
import adjudge.web
from adjudge.report.words import languages, words
from adjudge.stats.interval import Moments

SLOTS = re.compile(r"\$(\w+)")


def test_both_languages_say_the_same_things_with_the_same_slots():
    assert languages() == {"en", "ru"}
    english, russian = words("en").texts, words("ru").texts
    assert english.keys() == russian.keys()
    for key, text in english.items():
        assert isinstance(text, str)
        assert sorted(SLOTS.findall(text)) == sorted(SLOTS.findall(russian[key])), key
        assert not {"{", "}"} & {*text, *russian[key]}, f"{key}: slots are written as $name"


def test_every_word_is_used():
    folders = [Path(adjudge.report.__path__[0]), Path(adjudge.web.__path__[0])]
    source = "".join(path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py"))
    composed = {"better_higher", "better_lower", "source", "output", "reference", "query", "system", "peers", "other"}
    composed |= {"minor", "significant"}
    unused = [key for key in words("en").texts if f'"{key}"' not in source and f"'{key}'" not in source]
    assert {key for key in unused if not key.startswith("flag_")} <= composed


def test_every_flag_in_plain_words_is_a_flag():
    named = {key.removeprefix("flag_") for key in words("en").texts if key.startswith("flag_")} - {"stated"}
    page = (Path(__file__).parents[3] / "docs" / "results.md").read_text("utf-8")
    assert len(named) > 5
    assert [word for word in named if f"| `{word}" not in page] == []


@pytest.mark.parametrize("lang", ["xx", "", "../en", "en/../ru"])
def test_other_languages_are_shown_in_english(lang):
    assert words(lang) is words("en")


def test_numbers_are_written_as_the_language_writes_them():
    assert (words("en").number(1234.5), words("ru").number(1234.5)) == ("1,234.50", "1\u00a0234,50")
    assert (words("en").score(4.0), words("ru").score(4.5), words("ru").score(None)) == ("4", "4,5", "—")
    assert (words("en").score(100.0), words("en").score(3.333)) == ("100", "3.33")
    assert words("en").number(-0.001) == "0.00"
    assert (words("en").interval((1, 2)), words("ru").interval((1, 2))) == ("[1.00, 2.00]", "[1,00; 2,00]")


def test_one_mean_is_written_alike_however_it_was_summed():
    values = [4.4] * 17 + [4.6] * 8 + [4.8] * 2 + [5.0] * 13
    moments = Moments()
    for value in values:
        moments.add(value)
    means = {moments.mean, math.fsum(values) / len(values)}  # as a run's report has it, and a comparison of runs
    assert len(means) == 2 and {words("en").number(mean) for mean in means} == {"4.66"}
    assert words("ru").number(4.854999999999999) == words("ru").number(4.855) == "4,86"
    assert (words("en").number(float("inf")), words("en").number(2**70, 0)) == ("inf", f"{2**70:,}")


def test_differences_have_their_sign_and_chances_are_never_all_or_nothing():
    english = words("en")
    assert [english.signed(value) for value in (1.5, -1.5, 0.0, 0.001, None)] == ["+1.50", "-1.50", "0.00", "0.00", "—"]
    assert [english.chance(value) for value in (0.5, 1.0, 0.0, 0.951, None)] == ["50 %", "> 99 %", "< 1 %", "95 %", "—"]


def test_times_and_costs():
    english = words("en")
    assert [english.duration(value) for value in (3.42, 59, 128, 7300)] == ["3.4 s", "59 s", "2 min 8 s", "2 h 1 min"]
    assert [english.cost(value) for value in (None, 0.0, 0.01234, 12.5)] == [
        "unknown",
        "free",
        "$0.0123",
        "$12.50",
    ]


def test_content_in_a_sentence_is_not_scanned_again():
    assert words("en")("warn_unjudged", title="$reason", reason="$title") == "$reason: not judged. $title"
