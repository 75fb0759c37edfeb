from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

import pytest
import yaml

from adjudge.core.judge import Judge
from adjudge.core.records import Finding, Item
from adjudge.data.items import make_item
from adjudge.demo import SAMPLES, files
from adjudge.models.offline.judge import measure_many
from adjudge.spec.load import bundled_judges, load_judge
from tests.unit.models.offline.places import misplaced

KINDS = yaml.safe_load((SAMPLES / "kinds.yaml").read_text(encoding="utf-8"))["kinds"]


@cache
def judged(name: str, lang: str) -> tuple[Judge, list[tuple[Item, str, Finding]]]:
    judge = load_judge(name, lang)
    lines = [line for path in files(name, lang) for line in path.read_text(encoding="utf-8").splitlines()]
    items = [make_item(judge, json.loads(line), str(n)) for n, line in enumerate(lines, 1)]
    return judge, [
        (item, candidate, finding)
        for item, found in zip(items, measure_many(judge, items), strict=True)
        for candidate, measured in found.items()
        for each in measured.values()
        for finding in each.findings
    ]


def every(lang: str) -> Iterator[tuple[Item, str, Finding]]:
    for name in bundled_judges():
        yield from judged(name, lang)[1]


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_samples_hold_every_kind_of_finding(lang):
    kinds = {finding.kind for _, _, finding in every(lang)}
    assert [kind["en"] for kind in KINDS if not kinds & set(kind["of"])] == []


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("name", bundled_judges())
def test_findings_stand_where_they_say(name, lang):
    judge, found = judged(name, lang)
    wrong = [why for item, candidate, finding in found if (why := misplaced(judge, item, candidate, finding))]
    assert wrong == []


PLANTED = {
    "bridge-negations": {"negation_lost", "negation_added"},
    "bridge-date-and-name": {"number_differs", "new_names", "new_numbers"},
    "bridge-cut": {"repeated", "truncated"},
    "most-negations": {"negation_lost", "negation_added"},
    "most-date-and-name": {"number_differs", "new_names", "new_numbers"},
    "most-cut": {"repeated", "truncated"},
    "tick-bite": {"better_citation", "question_open"},
    "kleshch": {"better_citation", "question_open"},
    "iron-tablets": {"dangling", "better_citation"},
    "melatonin": {"dangling"},
    "es-08": {"numbers_missing", "numbers_added"},
    "es-10": {"untranslated"},
    "es-21": {"mark_unpaired"},
    "es-22": {"truncated", "mark_end_none"},
    "es-23": {"wrong_script"},
    "es-24": {"mark_spacing"},
    "es-25": {"doubled"},
    "ru-06": {"mark_end"},
    "ru-09": {"numbers_missing", "numbers_added"},
    "ru-11": {"untranslated"},
    "ru-21": {"mark_unpaired"},
    "ru-22": {"truncated", "mark_end_none"},
    "ru-23": {"repeated"},
    "ru-24": {"mark_spacing"},
    "ru-25": {"doubled", "mixed_script"},
}


def test_what_is_planted_is_found():
    found: dict[str, set[str]] = {}
    for lang in ("en", "ru"):
        for item, _, finding in every(lang):
            found.setdefault(item.id, set()).add(finding.kind)
    assert {name: kinds - found[name] for name, kinds in PLANTED.items() if kinds - found[name]} == {}


@pytest.mark.parametrize(
    ("lang", "name"), [("en", "clock-good"), ("ru", "olhovka-good"), ("en", "es-01"), ("ru", "ru-01")]
)
def test_a_good_text_has_no_planted_kind(lang, name):
    # What these kinds say of a good text would be plainly false.
    plain = {"negation_lost", "negation_added", "truncated", "repeated", "new_names", "number_differs", "untranslated"}
    assert {finding.kind for item, _, finding in every(lang) if item.id == name} & plain == set()
