from __future__ import annotations

import pytest

from adjudge.models.offline.cuts import cuts
from adjudge.models.offline.evidence import Evidence
from adjudge.models.offline.text import after, analyse
from tests.unit.models.offline.summaries import MILL


@pytest.mark.parametrize(
    ("lang", "text", "cut"),
    [
        ("en", "The fire began in the drying room.", "plain"),
        ("ru", "Пожар начался в сушильне.", "plain"),
        ("ru", "Сорок соседей мельника носили воду.", "plain"),
        ("en", "The fire began in the drying room of the mill.", "mark"),
        ("en", "A cat was seen on the roof.", None),
        ("en", "Neighbours of the miller helped.", None),
    ],
)
def test_a_copy_that_stops_before_the_source_does(lang, text, cut):
    found = cuts(Evidence([analyse(MILL[lang])]), analyse(text).sentences)
    assert [("plain" if c.plain else "mark" if c.at_mark else "") for c in found] == ([cut] if cut else [])


def test_the_longest_copy_decides_where_an_ending_is_common():
    source = "He left the old town. She saw that he left the old town by the sea."
    evidence = Evidence([analyse(source)])
    assert not cuts(evidence, analyse("Yes, he left the old town.").sentences)
    (cut,) = cuts(evidence, analyse("She saw that he left the old town.").sentences)
    assert (cut.source, cut.run, cut.place.text) == (1, 8, evidence.at[1][1].text)


def test_a_source_that_begins_anew_without_a_mark_is_no_plain_cut():
    evidence = Evidence([analyse("The mill by the river Fire destroyed it on Sunday.")])
    (cut,) = cuts(evidence, analyse("Here is the mill by the river.").sentences)
    assert not cut.plain and not cut.at_mark


@pytest.mark.parametrize(
    ("text", "count", "between"),
    [("One, two.", 1, ", t"), ("- One two [3] three", 2, "   t"), ("ёлка и ель", 1, " и"), ("One two.", 2, "")],
)
def test_what_stands_after_the_first_words(text, count, between):
    (sentence,) = analyse(text).sentences
    assert after(sentence, count) == between
