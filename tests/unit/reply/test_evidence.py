from __future__ import annotations

import pytest

from adjudge.reply.evidence import bodies, find, normal, quote_found

TEXT = "Он сказал: «Ещё раз» — и ушёл\nдомой. He said “no”…"
BODY = normal(TEXT)


@pytest.mark.parametrize(
    "quote", ['"еще раз" - и ушел домой', "ОН СКАЗАЛ", 'he said "no"...', "Он сказал … домой", "ушёл домой."]
)
def test_typesetting_does_not_matter(quote):
    assert find(quote, BODY)


@pytest.mark.parametrize("quote", ["она сказала", "домой … Он сказал", "...", "", "!?"])
def test_other_words_or_another_order_are_not_found(quote):
    assert not find(quote, BODY)


def test_unknown_is_not_false():
    assert quote_found("", [BODY]) is None
    assert quote_found("Он сказал", []) is None
    assert quote_found("Он сказал", ["", ""]) is None
    assert quote_found("Он сказал", ["other", BODY]) is True
    assert quote_found("invented", [BODY]) is False


def test_the_texts_of_a_reply_are_prepared_once():
    assert bodies((TEXT, " ")) == (BODY, "")
    assert bodies((TEXT, " ")) is bodies((TEXT, " "))
