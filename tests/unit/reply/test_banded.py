"""The point of a scale for claims that are wrong: by their number and the gravest."""

from __future__ import annotations

import pytest

from adjudge.core.judge import Criterion
from adjudge.core.scale import Scale
from adjudge.reply.findings import banded

CLAIMS = Criterion(name="c", kind="claims", scale=Scale(min=0, max=3, better="lower"), bands=(0, 2, 5))
RATING = Criterion(
    name="r", kind="rating", scale=Scale(min=1, max=5, better="higher"), bands=(0, 2, 5, 9), long="claims"
)


@pytest.mark.parametrize(
    ("minor", "significant", "claims", "rating"),
    [
        (0, 0, 0, 5),
        (1, 0, 1, 4),
        (2, 0, 1, 4),
        (3, 0, 2, 3),
        (5, 0, 2, 3),
        (6, 0, 3, 2),
        (9, 0, 3, 2),
        (10, 0, 3, 1),
        (0, 1, 3, 2),
        (9, 1, 3, 1),
        (0, 2, 3, 1),
    ],
)
def test_the_point_for_so_many(minor, significant, claims, rating):
    severities = ["minor"] * minor + ["significant"] * significant
    assert banded(CLAIMS, severities) == claims
    assert banded(RATING, severities) == rating
