"""What a judge's file may say of long sources, and what is refused."""

from __future__ import annotations

import pytest

from adjudge.core.errors import SpecError
from tests.unit.spec.files import JUDGE, changed, load

RATING = "{kind: rating, scale: {min: 1, max: 3, better: higher}}"
CLARITY, BREVITY = f"clarity: {RATING}", f"brevity: {RATING}"


def with_keys(clarity: str, brevity: str) -> str:
    first = changed(JUDGE, CLARITY, f"{CLARITY[:-1]}, {clarity}}}")
    return changed(first, BREVITY, f"{BREVITY[:-1]}, {brevity}}}")


def test_a_rating_says_how_it_is_made(tmp_path):
    judge = load(tmp_path, with_keys("long: claims, counts: contradicted, bands: [0, 2]", "long: once"))
    clarity = judge.criterion("clarity")
    assert (clarity.long, clarity.counts, clarity.bands) == ("claims", "contradicted", (0, 2))
    assert judge.criterion("brevity").long == "once"


@pytest.mark.parametrize(
    ("clarity", "brevity", "told"),
    [
        ("long: parts", "long: once", "`parts` is not a long"),
        ("long: claims, bands: [0, 2]", "long: once", "`counts`"),
        ("long: claims, counts: contradicted", "long: once", "`bands` must be 2 growing numbers"),
        ("long: claims, counts: contradicted, bands: [2, 0]", "long: once", "`bands` must be 2 growing numbers"),
        ("long: claims, counts: wrong, bands: [0, 2]", "long: once", "`wrong` is not a counts"),
        ("long: each, counts: contradicted", "long: once", "`counts` is for `long: claims`"),
        ("long: each, bands: [0, 2]", "long: once", "`bands` of a rating are for `long: claims`"),
        ("long: each", "measure: brevity", "some criteria say what to do with a long source, and `brevity` does not"),
    ],
)
def test_what_is_half_said_is_refused(tmp_path, clarity, brevity, told):
    with pytest.raises(SpecError) as error:
        load(tmp_path, with_keys(clarity, brevity))
    assert told in str(error.value)
    assert "judge.yaml" in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("article: {type: text, role: source", "article: {type: sources, role: source", "with a source of type text"),
        ("article: {type: text, role: source", "article: {type: text, role: other", "with a source of type text"),
        ("note: {type: text, role: output}", "note: {type: name, role: output}", "of one judged text"),
        ("note: {type: text, role: output}", "note: {type: text}", "of one judged text"),
    ],
)
def test_what_no_run_could_do_is_refused(tmp_path, old, new, told):
    """Or the source would not be cut after all, or a text without claims would be given the worst score."""
    judge = with_keys("long: claims, counts: contradicted, bands: [0, 2]", "long: once")
    with pytest.raises(SpecError) as error:
        load(tmp_path, changed(judge, old, new))
    assert told in str(error.value)
