from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.core.records import Source
from adjudge.reply import evidence
from adjudge.reply.evidence import Located, locate

TEXT = (
    "Он сказал: «Ещё раз» — и ушёл\nдомой. He said “no”… The dose is 1,5 mg at −5 °C, 12 500 roubles for 10–15 days. "
    "They don’t concatenate C# and C++; p != 0, x < 3. Doses of .5 mg, snake_case and a B12 shot cost 7 % more."
)
SOURCES = (Source(id="a", text=TEXT), Source(id="b", text="Ещё одно слово. Dose: 2 mg."), Source(id="c", text=""))


def state(quote: str, *named: str) -> str:
    found = locate(quote, SOURCES, named)
    return found.state if found else "none"


@pytest.mark.parametrize(
    "quote",
    [
        "Он сказал: «Ещё раз»",
        "и ушёл\nдомой",
        "1,5 mg",
        "−5 °C",
        "don’t",
        "  10–15 days. ",
        "C++; p != 0",
        "no”…",
        "B12",
    ],
)
def test_what_stands_there_letter_for_letter_is_verified(quote):
    found = locate(quote, SOURCES, ("a",))
    assert found is not None and found.at is not None
    assert (found.state, found.source, found.found) == ("verified", "a", True)
    assert TEXT[slice(*found.at)] == quote.strip()


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ('"еще раз" - и ушел домой', "Ещё раз» — и ушёл\nдомой"),
        ("ОН СКАЗАЛ", "Он сказал"),
        ('he said "no"...', "He said “no"),
        ("«He said “no”»", "He said “no"),
        ("Он сказал … домой", "Он сказал: «Ещё раз» — и ушёл\nдомой"),
        ("Он сказал […] раз … the dose is", "Он сказал: «Ещё раз» — и ушёл\nдомой. He said “no”… The dose is"),
        ("ушёл домой!", "ушёл\nдомой"),
        ("at -5°C", "at −5 °C"),
        ("12500 roubles", "12 500 roubles"),
        ("12\u202f500 roubles", "12 500 roubles"),
        ("10-15 days", "10–15 days"),
        ("don't concatenate", "don’t concatenate"),
        ("con\u00adcatenate", "concatenate"),
        (unicodedata.normalize("NFD", "Ещё раз"), "Ещё раз"),
        ("_snake_case_", "snake_case"),
        ("7% more", "7 % more"),
    ],
)
def test_what_only_typesetting_changes_is_repaired(quote, there):
    found = locate(quote, SOURCES, ("a", "b"))
    assert found is not None and found.at is not None
    assert (found.state, found.source, TEXT[slice(*found.at)]) == ("repaired", "a", there)


@pytest.mark.parametrize(
    "quote",
    [
        "она сказала", "домой … Он сказал", "сказал домой", "Он не сказал", "домо", "омой", "concat", "cat",
        "15 mg", "1 5 mg", "1.5 mg", "5 mg", "1 mg", "5 °C", "500 roubles", "15 days", "10 15 days", "10 days", "dont",
        "C and C++", "C# and C", "p = 0", "x > 3", "x 3", "7 more", "B 12", "12 shot", "snake case", "con catenate",
        "Он … домой … Он", "Ещё одно … 3 mg", "Он … mg",
    ],
)  # fmt: skip
def test_other_words_numbers_or_another_order_are_not_found(quote):
    assert locate(quote, SOURCES) == Located(state="not_found")


def test_a_quote_from_another_source_than_the_named_ones_is_misattributed():
    assert (state("Ещё одно слово", "b"), state("Ещё одно слово", "a")) == ("verified", "misattributed")
    assert locate("еще одно слово!", SOURCES, ("a",)) == Located(state="misattributed", source="b", at=(0, 14))
    assert locate("Ещё одно … 2 mg", SOURCES, ("a",)) == Located(state="misattributed", source="b", at=(0, 26))
    assert state("Ещё одно слово") == "verified", "where none is named, any will do"
    assert state("Dose: 2 mg", "a", "b") == "verified"
    assert not Located(state="misattributed").found


@pytest.mark.parametrize("quote", ["", " \n", "...", "!?", "«»", "—", "[…]"])
def test_what_has_no_word_is_no_quote(quote):
    assert locate(quote, SOURCES) is None


def test_without_a_text_to_look_in_nothing_is_said():
    assert locate("Он сказал", ()) is None
    assert locate("Он сказал", (SOURCES[2],)) is None
    assert locate("Он сказал", SOURCES, ("c",)) == Located(state="misattributed", source="a", at=(0, 9))


def test_the_exact_place_is_preferred_to_an_earlier_one_in_other_typesetting():
    source = Source(id="s", text="THE END comes. Lend me the end.")
    assert locate("the end", [source]) == Located(state="verified", source="s", at=(23, 30))
    both = (Source(id="x", text="THE END."), Source(id="y", text="the end"))
    assert locate("the end", both) == Located(state="verified", source="y", at=(0, 7))


def test_parts_are_taken_where_they_stand_near_to_one_another():
    quote, near = (
        "this is the first part … that is the other one",
        "this is the first part of it; that is the other one",
    )
    far = "this is the first part " + "word " * 500 + near
    found = locate(quote, [Source(id="s", text=far)])
    assert found is not None and found.at is not None
    assert far[slice(*found.at)] == near


@pytest.mark.parametrize(
    ("first", "words", "wanted"),
    [
        ("this is the", 15, "repaired"),
        ("this is the", 25, "not_found"),
        ("this is the one", 150, "repaired"),
        ("this is the one", 250, "not_found"),
    ],
)
def test_not_much_may_be_left_out_and_less_beside_few_words(first, words, wanted):
    text = Source(id="s", text=f"{first} {'word ' * words}that is the other one")
    found = locate(f"{first} … that is the other one", [text])
    assert found is not None and found.state == wanted


def test_a_quote_in_more_pieces_than_people_make_is_none():
    text = " ".join(f"w{n} x{n}" for n in range(40))
    pieces = [f"w{n} x{n}" for n in range(0, 40, 2)]
    sources = [Source(id="s", text=text)]
    assert locate(" … ".join(pieces[:12]), sources) == Located(
        state="repaired", source="s", at=(0, text.find("x22") + 3)
    )
    assert locate(" … ".join(pieces[:13]), sources) == Located(state="not_found")


#: Pieces that are compared in some other spelling, or that part and join words.
PIECES = st.sampled_from(
    [
        "a",
        "B",
        "ab",
        "ё",
        "Е",
        "é",
        "e\u0301",
        "ß",
        "SS",
        "İ",
        "ŉ",
        "ʼ",
        "'",
        "’",
        "\u00ad",
        "1",
        "1 000",
        "-",
        "_",
        " ",
        "…",
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@given(quote=TEXTS, texts=st.lists(TEXTS, min_size=1, max_size=2))
@example(quote="donʼt", texts=["don't"])
@example(quote="ещё", texts=["Еще"])
@example(quote="conca", texts=["con\u00adca"])
@example(quote="café", texts=["cafe\u0301"])
def test_looking_at_the_letters_first_changes_nothing(quote, texts):
    sources = [Source(id=str(number), text=text) for number, text in enumerate(texts)]
    found = locate(quote, sources, ["0"])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(evidence._Words, "may_hold", lambda self, letters: True)
        assert locate(quote, sources, ["0"]) == found
