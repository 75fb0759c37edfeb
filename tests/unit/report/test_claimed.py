"""Where the judged text makes a claim."""

from __future__ import annotations

import pytest

from adjudge.report.claimed import place_of

TEXT = (
    "Dose: 3.5 mg twice a day. Patients on amlodipine should double its dose on bad days [1]!\n"
    "Действие лекарства можно усилить уксусом"
)


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("double its dose", "double its dose"),
        (
            "Amlodipine patients should double the dose",
            "Patients on amlodipine should double its dose on bad days [1]!",
        ),
        ("Усилить действие лекарств можно с уксусом", "Действие лекарства можно усилить уксусом"),
        ("Dose of 3.5 mg", None),  # two words are too few to tell a sentence by
        ("Nothing of this is said anywhere", None),
        ("", None),
    ],
)
def test_a_claim_is_found_at_its_words_or_in_the_sentence_that_has_most_of_them(claim, words):
    at = place_of(claim, TEXT)
    assert (TEXT[slice(*at)] if at else None) == words


def test_of_two_sentences_the_nearer_one_is_meant():
    text = "The ferry left the harbour late. The ferry left the harbour late in winter."
    assert place_of("In winter the ferry left late from the harbour", text) == (33, len(text))


def test_a_text_without_sentences_takes_time_in_proportion():
    assert place_of("alpha beta gamma delta", "word " * 40_000) is None
