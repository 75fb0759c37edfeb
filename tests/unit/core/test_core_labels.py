"""What people say now, of all that they ever said; and what of a file is new."""

from __future__ import annotations

from dataclasses import replace

from adjudge.core.labels import Entry, Label, edited, later_of, moment, news, standing

FIRST = Label(item="a", criterion="c", annotator="anna", value=4, added="2026-01-01T10:00:00+00:00")
SECOND = replace(FIRST, value=5, added="2026-01-01T11:00:00+00:00")
OTHER = replace(FIRST, annotator="bo", value=None)


def test_the_newest_that_stands_counts():
    assert standing([FIRST, OTHER, SECOND]) == [OTHER, SECOND]
    assert standing([FIRST, OTHER, replace(SECOND, withdrawn="now")]) == [FIRST, OTHER]
    assert standing([replace(FIRST, withdrawn="now")]) == []


def test_would_not_say_is_not_taken_back():
    assert standing([FIRST, replace(FIRST, value=None)]) == [replace(FIRST, value=None)]


def test_an_entry_takes_back_the_one_that_it_names():
    taken = Entry(4, replace(FIRST, value=None, added="later"), withdraws=2)
    log = [Entry(2, FIRST), Entry(3, SECOND), taken, Entry(5, OTHER), Entry(6, OTHER, withdraws=99)]
    assert edited(log) == {2: replace(FIRST, withdrawn="later"), 3: SECOND, 5: OTHER}


def test_times_are_read_with_and_without_a_zone():
    assert moment("2026-01-01T10:00:00+00:00") == moment("2026-01-01T12:00:00+02:00") == moment("2026-01-01 10:00")
    assert moment("yesterday") is None
    assert later_of(FIRST, SECOND) is later_of(SECOND, FIRST) is SECOND
    assert later_of(FIRST, OTHER) is OTHER


def test_what_was_ever_said_at_that_time_is_known():
    for said in ([FIRST], [FIRST, SECOND], [replace(FIRST, withdrawn="now")]):
        found = news(said, [FIRST])
        assert (found.labels, found.known, found.outdated) == ([], 1, 0)


def test_what_is_older_than_the_last_word_is_outdated():
    found = news([SECOND], [FIRST, OTHER])
    assert (found.labels, found.known, found.outdated) == ([OTHER], 0, 1)
    assert news([replace(SECOND, withdrawn="now")], [FIRST]).labels == [FIRST]


def test_without_a_time_a_label_is_said_now():
    bare = replace(FIRST, added="")
    assert news([FIRST], [bare]).known == 1
    assert news([FIRST, SECOND], [bare]).labels == [bare]
    assert news([], [bare]).labels == [bare]
    assert news([FIRST], [replace(bare, comment="why")]).labels == [replace(bare, comment="why")]
