"""Calibration files: read strictly, applied within their range, refused where they do not belong."""

from __future__ import annotations

import asyncio
import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.core import limits
from adjudge.core.errors import ConfigError
from adjudge.core.records import Call, Finding, Item, Prompt, Request, Settings
from adjudge.models import offline
from adjudge.models.offline.calibrated import Fitted, read_calibration, shape
from adjudge.models.offline.findings import Measured, words
from adjudge.models.offline.judge import Offline
from adjudge.spec.load import load_judge

SUMMARY = load_judge("summary", "en")
FITTED = Fitted(
    base=0.1,
    weights={"composite": 0.2, "held": 0.5},
    half=0.15,
    ranges={"composite": (0.1, 0.9), "held": (0.0, 1.0)},
    chars=(10, 500),
)


def body(**changes: Any) -> dict[str, Any]:
    one = {
        "base": 0.1,
        "weights": {"composite": 0.2, "held": 0.5},
        "half": 0.15,
        "ranges": {"composite": [0.1, 0.9], "held": [0, 1]},
        "chars": [10, 500],
    }
    made = {
        "adjudge_calibration": 1,
        "judge": "summary",
        "shape": shape(SUMMARY),
        "revision": "abc",
        "criteria": {"accuracy": {**one, **changes.pop("one", {})}},
    }
    return {**made, **changes}


def written(value: Any) -> str:
    Path("c.json").write_text(value if isinstance(value, str) else json.dumps(value))
    return "c.json"


def measured(quality: float | None, held: float | None) -> Measured:
    return Measured(quality=quality, parts={} if held is None else {"held": held}, spread=0.3)


def applied(quality: float | None, held: float | None, chars: int = 100, lang: str = "en") -> Measured:
    return FITTED.applied(measured(quality, held), chars, words(lang))


def test_a_file_is_read_as_it_was_written():
    found = read_calibration(written(body()), "abc")
    assert found.criteria == {"accuracy": FITTED}
    assert (found.judge, len(found.digest)) == ("summary", 12)
    found.check(SUMMARY)
    found.check(load_judge("summary", "ru"))


def test_the_mix_and_the_interval_are_those_of_the_file():
    found = applied(0.5, 0.4)
    assert found.quality == pytest.approx(0.1 + 0.2 * 0.5 + 0.5 * 0.4)
    assert found.spread == 0.15
    assert applied(None, 0.4).quality is None


@given(st.floats(0.1, 0.9), st.floats(0, 1), st.floats(0, 0.5))
def test_a_better_part_never_lowers_the_score(quality, held, more):
    low, high = applied(quality, held).quality, applied(quality, min(1.0, held + more)).quality
    assert low is not None and high is not None
    assert 0 <= low <= high <= 1


@pytest.mark.parametrize(
    ("quality", "held", "chars", "said"),
    [
        (0.95, 0.5, 100, "“composite” is 0.95, and in the texts of the calibration it is 0.10 to 0.90"),
        (0.5, None, 100, "“held” cannot be measured here"),
        (0.5, 0.5, 9, "Characters in the text: 9; the texts of the calibration have 10 to 500"),
        (0.5, 0.5, 501, "Characters in the text: 501;"),
    ],
)
def test_outside_of_what_it_has_seen_it_does_not_judge_and_says_why(quality, held, chars, said):
    found = applied(quality, held, chars)
    assert found.quality is None
    assert said in found.reason
    assert applied(quality, held, chars, "ru").reason not in ("", found.reason)


def test_what_was_found_is_kept_after_the_reason():
    lost = Finding(kind="unsupported", reason="Nobody says this.", at=(0, 4), against=True)
    found = FITTED.applied(replace(measured(0.5, 0.5), findings=(lost,)), 9, words("en"))
    assert (found.quality, found.spread) == (None, None)
    assert [each.kind for each in found.findings] == ["outside_length", "unsupported"]
    assert found.findings[1] is lost


@pytest.mark.parametrize("text", ["", " \n ", "…"])
def test_a_text_without_words_has_the_plain_judges_fixed_score(text):
    request = Request(
        call=Call(key="k", stage="judge", items=("a",)),
        prompt=Prompt(system="", user="", schema={}),
        judge=SUMMARY,
        items=(Item(id="a", fields={"content": "The keeper lit the lamp.", "text": text}),),
        settings=Settings(model="offline"),
    )
    calibration = read_calibration(written(body()), "abc")
    plain, mine = (asyncio.run(Offline(each).answer(request)).text for each in (None, calibration))
    assert json.loads(mine)["accuracy"]["score"] == 1.0
    assert mine == plain


def test_the_number_of_characters_needs_no_plural():
    assert applied(0.5, 0.5, 2, "ru").reason.startswith("Знаков в тексте: 2;")


def test_a_calibration_is_bound_to_what_decides_the_parts_and_not_to_wording(monkeypatch, tmp_path):
    folder = tmp_path / "offline"
    shutil.copytree(Path(offline.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(offline, "__file__", str(folder / "__init__.py"))

    def both() -> tuple[str, str]:
        offline.revision.cache_clear()
        offline.measures.cache_clear()
        return offline.revision(), offline.measures()

    try:
        first = both()
        for name in ("words.en.yaml", "words.ru.yaml", "calibrated.py"):
            before = both()
            (folder / name).write_bytes((folder / name).read_bytes() + b"\n# more\n")
            assert both()[0] != before[0]
            assert both()[1] == first[1]
        for name in ("weights.yaml", "lexicon.yaml", "marks.yaml", "support.py"):
            before = both()
            (folder / name).write_bytes((folder / name).read_bytes() + b"\n# more\n")
            assert both()[1] != before[1]
    finally:
        monkeypatch.undo()
        both()


def test_another_judge_is_refused():
    found = read_calibration(written(body()), "abc")
    with pytest.raises(ConfigError, match="made for the judge `summary`, not for `rag-answers`"):
        found.check(load_judge("rag-answers", "en"))
    other = read_calibration(written(body(shape="0" * 12)), "abc")
    with pytest.raises(ConfigError, match="with other fields, criteria or scales"):
        other.check(SUMMARY)


def test_other_measures_are_refused_and_the_way_out_is_named():
    with pytest.raises(ConfigError, match=r"other measures.*\n.*adjudge calibrate summary --labels FILE"):
        read_calibration(written(body()), "abd")


def test_a_future_format_is_refused():
    with pytest.raises(ConfigError, match="newer adjudge"):
        read_calibration(written(body(adjudge_calibration=2)), "abc")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "no calibration"),
        ("[" * 200_000, "no calibration"),
        ("[]", "`the file` must be an object"),
        ('{"a": 1, "a": 2}', "stands twice"),
        (body(adjudge_calibration=True), "must be 1"),
        (body(adjudge_calibration="1"), "must be 1"),
        (body(judge=""), "`judge` must be a short text"),
        (body(judge="a\x1b[31m"), "`judge` must be a short text"),
        (body(criteria={}), "`criteria` is empty"),
        (body(criteria=[]), "`criteria` must be an object"),
        (body(one={"base": "0"}), "`accuracy.base` must be a number"),
        (body(one={"base": 1e300}), "`accuracy.base` must be a number"),
        (body(one={"base": 10**400}), "`accuracy.base` must be a number"),
        (body(one={"half": -0.1}), "`accuracy.half` must be 0 or more"),
        (body(one={"half": True}), "`accuracy.half` must be a number"),
        (body(one={"weights": {"composite": -1, "held": 0}}), "`accuracy.weights.composite` must be 0 or more"),
        (body(one={"weights": {"composite": 1}}), "a range for every weight"),
        (body(one={"weights": {}, "ranges": {}}), "a range for every weight"),
        (body(one={"ranges": {"composite": [1, 0], "held": [0, 1]}}), "must not end before it begins"),
        (body(one={"ranges": {"composite": [0], "held": [0, 1]}}), "must be two numbers"),
        (body(one={"chars": None}), "`accuracy.chars` must be two numbers"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(value, said):
    with pytest.raises(ConfigError, match=r"c\.json") as caught:
        read_calibration(written(value), "abc")
    assert said in str(caught.value)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(number):
    with pytest.raises(ConfigError, match="no number"):
        read_calibration(written(body(one={"half": number})), "abc")


def test_a_file_that_is_too_large_or_not_there_is_refused():
    with pytest.raises(ConfigError, match="more than"):
        read_calibration(written(" " * (limits.CALIBRATION_BYTES + 1)), "abc")
    with pytest.raises(ConfigError, match=r"cannot read the calibration none\.json"):
        read_calibration("none.json", "abc")
    with pytest.raises(ConfigError, match="cannot read the calibration"):
        read_calibration(".", "abc")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_no_bytes_are_a_fault(content):
    Path("c.json").write_bytes(content)
    with pytest.raises(ConfigError):
        read_calibration("c.json", "abc")
