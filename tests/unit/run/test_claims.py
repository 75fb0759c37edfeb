"""What the parts of a source say to a claim, made into one."""

from __future__ import annotations

import pytest

from adjudge.reply.evidence import Located
from adjudge.run.attribution import Found
from adjudge.run.claims import combined

FOUND = Located(state="verified", source="a", at=(0, 4))
LOST = Located(state="not_found")


def supported(quote: str = "q", located: Located | None = FOUND, sources: tuple[int, ...] = (1,)) -> Found:
    return Found(support="supported", quote=quote, located=located, sources=sources)


def denied(severity: str, located: Located | None = FOUND) -> Found:
    return Found(support="contradicted", severity=severity, quote="no", located=located, sources=(2,))


def silent(severity: str = "minor") -> Found:
    return Found(support="unsupported", severity=severity)


def test_one_part_that_supports_a_claim_is_enough():
    found = combined([silent("significant"), denied("significant"), supported("lost", LOST, (3,)), supported()])
    assert (found.support, found.severity, found.quote) == ("supported", None, "q"), "the quote that stands somewhere"
    assert found.sources == (3, 1)


def test_else_one_that_denies_it_and_the_gravest_counts():
    found = combined([silent("significant"), denied("minor"), denied("significant", LOST), silent()])
    assert (found.support, found.severity, found.located) == ("contradicted", "significant", FOUND)


@pytest.mark.parametrize(
    ("given", "severity"),
    [
        (("minor",), "minor"),
        (("minor", "minor", "significant"), "minor"),
        (("minor", "significant", "significant"), "significant"),
        (("minor", "significant"), "significant"),
    ],
)
def test_else_it_is_unsupported_as_gravely_as_most_parts_say(given, severity):
    found = combined([silent(one) for one in given])
    assert (found.support, found.severity, found.sources) == ("unsupported", severity, ())
