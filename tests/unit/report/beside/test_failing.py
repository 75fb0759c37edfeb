"""Failures that are not random are warned of, and random ones are not."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from adjudge.core.judge import Field
from adjudge.core.records import Failure, Verdict
from adjudge.report.beside import failing as module
from adjudge.report.beside.failing import Failing
from adjudge.report.beside.row import Row
from tests.unit.report import sample

JUDGE = sample.single()
NAMED = replace(JUDGE, fields=(*JUDGE.fields, Field(name="system", type="name", role="system", required=False)))


def items(n, seed=0):
    rng = random.Random(seed)
    for at in range(n):
        text = "The ferry leaves at noon. " * rng.randint(1, 6)
        yield {"id": f"i{at}", "content": "A long way to the harbour. " * rng.randint(5, 60), "text": text}


def warned(rows, fails, *, judge=JUDGE, failed=None):
    state = sample.state(judge, len(rows))
    count = sum(map(bool, fails)) if failed is None else failed
    found = Failing(judge, replace(state, failed=count))
    for row, fail in zip(rows, fails, strict=True):
        name = row["id"]
        outcome = (
            Failure(item=name, kind="timeout", stage="judge", message="")
            if fail
            else Verdict(item=name, scores={}, reasons={}, derived={}, native={})
        )
        found.add(outcome, Row(judge, json.dumps(row)))
    assert found.section() is None
    return list(found.warnings())


def test_failures_of_long_sources():
    rows = list(items(80))
    (warning,) = warned(rows, [len(row["content"]) > 1400 for row in rows])
    assert "their sources are longer" in warning and "over items with shorter sources" in warning


def test_failures_of_short_texts():
    rows = list(items(80))
    (warning,) = warned(rows, [len(row["text"]) < 40 for row in rows])
    assert "their texts are shorter" in warning


def test_items_that_lack_an_answer_have_no_shorter_texts():
    judge, rng = sample.compare(), random.Random(3)

    def row(at):
        answers = {name: "The ferry leaves at noon. " * rng.randint(3, 6) for name in "ABC"}
        if at % 5 == 0:
            del answers["C"]  # its candidate gave none
        return {"id": f"i{at}", "question": "When?", "sources": ["At noon."], "answers": answers}

    assert warned([row(at) for at in range(80)], [at % 5 == 0 for at in range(80)], judge=judge) == []


@pytest.mark.parametrize(("late", "word"), [(True, "later"), (False, "earlier")])
def test_failures_at_one_end_of_the_dataset(late, word):
    rows = list(items(80))
    (warning,) = warned(rows, [(at >= 65) if late else (at < 15) for at in range(80)])
    assert f"they stand {word} in the dataset" in warning


def test_failures_of_a_system():
    rows = [row | {"system": "AB"[at % 2]} for at, row in enumerate(items(80))]
    (warning,) = warned(rows, [at % 2 == 0 and at % 4 == 0 for at in range(80)], judge=NAMED)
    assert "A: 100 % of failed and 33 % of judged items" in warning


def test_failures_of_a_language():
    rows = [row | {"lang": "de" if at % 4 == 0 else "en"} for at, row in enumerate(items(80))]
    (warning,) = warned(rows, [at % 4 == 0 and at % 8 == 0 for at in range(80)])
    assert "languages failed unequally often. de: 100 % of failed" in warning


def test_random_failures_are_no_pattern(monkeypatch):
    """Of 200 runs with random failures 5 % may alarm: 17 or more would in 2 of 100 cases, by the binomial."""
    monkeypatch.setattr("adjudge.stats.exchange.EXCHANGES", 999)
    alarms = 0
    for seed in range(200):
        rng = random.Random(seed)
        rows = [row | {"system": rng.choice("ABC"), "lang": rng.choice(["de", "en"])} for row in items(60, seed)]
        alarms += bool(warned(rows, [rng.random() < 0.2 for _ in rows], judge=NAMED))
    assert alarms <= 16


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_both_languages_say_it(lang):
    rows = list(items(80))
    (warning,) = warned(rows, [len(row["content"]) > 1400 for row in rows], judge=replace(JUDGE, lang=lang))
    assert ("not a random part" if lang == "en" else "не случайны") in warning


@pytest.mark.parametrize("odd", [None, 7, 3.5, True, [], ["de"], {"de": 1}, "", "   ", "\ud800"])
def test_a_column_of_languages_that_is_no_text_is_no_fault(odd):
    rows = [row | {"lang": odd if at % 2 else "en"} for at, row in enumerate(items(60))]
    warned(rows, [at % 4 == 1 for at in range(60)])


def test_few_failures_show_nothing_and_no_row_is_read():
    rows = list(items(40))
    assert warned(rows, [at < 2 for at in range(40)]) == []

    class Unread(Row):
        @property
        def item(self):
            raise AssertionError("a row was read")

    found = Failing(JUDGE, sample.state(JUDGE, 1))
    found.add(Verdict(item="1", scores={}, reasons={}, derived={}, native={}), Unread(JUDGE, "{}"))
    assert list(found.warnings()) == []


def test_of_many_items_a_share_is_looked_at(monkeypatch):
    monkeypatch.setattr(module, "ITEMS_MAX", 60)
    rows = list(items(400))
    (warning,) = warned(rows, [len(row["content"]) > 1400 for row in rows])
    assert "their sources are longer" in warning


def test_hostile_languages_stay_text():
    rows = [row | {"lang": "\x1b[2J<b>\n# x" * 99 if at % 2 else "en"} for at, row in enumerate(items(80))]
    (warning,) = warned(rows, [at % 4 == 1 for at in range(80)])
    assert "\x1b" not in warning and "\n" not in warning and len(warning) < 400
