"""Faithfulness: what is held by the sources, what differs from them, and what must never raise the score."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.records import Finding, Item, Source
from adjudge.models.offline import novelty, support
from adjudge.models.offline.evidence import Evidence
from adjudge.models.offline.findings import Measured
from adjudge.models.offline.lists import claims
from adjudge.models.offline.text import analyse
from adjudge.models.offline.view import Case, View
from adjudge.spec.load import load_judge
from tests.linear import LARGE, assert_linear
from tests.unit.models.offline.asking import rag, summary

EN = (
    "The harbour of Vantaa froze in January 1931. The ferry Aurora carried 40 passengers across the ice-free channel. "
    "Captain Lind refused to turn back. The crew did not abandon the ship. "
    "Wheat prices increased by 12 percent that winter. "
    "The European Union later paid for a new pier in the second quarter. The museum opens at 17:00 on Fridays."
)
RU = (
    "Гавань Вантаа замёрзла в январе 1931 года. Паром «Аврора» перевёз 40 пассажиров через канал. "
    "Капитан Линд вёл паром сам. Экипаж не покинул корабль ночью. Цены на пшеницу за зиму увеличились на 12,5 процента."
)


def view(source: str, text: str, lang: str = "en") -> View:
    return Case(load_judge("summary", lang), summary(source, text)).view("")


def found(source: str, text: str, lang: str = "en") -> dict[str, Finding]:
    """The findings against a text by kind, from both measures."""
    seen = view(source, text, lang)
    every = (*support.support(seen).findings, *novelty.novelty(seen).findings)
    return {finding.kind: finding for finding in every if finding.against}


def quality(measured: Measured) -> float:
    assert measured.quality is not None
    return measured.quality


def held(source: str, text: str, lang: str = "en") -> float:
    return quality(support.support(view(source, text, lang)))


@pytest.mark.parametrize(
    ("kind", "text", "near"),
    [
        ("number_differs", "The ferry Aurora carried 90 passengers across the channel.", "carried 40 passengers"),
        ("negation_added", "Wheat prices never increased by 12 percent that winter.", "Wheat prices increased"),
        ("negation_lost", "The crew did abandon the ship.", "did not abandon"),
        ("opposite", "Wheat prices decreased by 12 percent that winter.", "Wheat prices increased"),
        ("unsupported", "Purple dragons danced around every mountain village.", None),
        ("new_names", "The harbour froze while Captain Morozov watched.", None),
        ("new_numbers", "Some 7300 dragons danced around every mountain.", None),
    ],
)
def test_each_fault_is_found_with_its_places(kind: str, text: str, near: str | None) -> None:
    good = "The harbour of Vantaa froze in January 1931. "
    finding = found(EN, good + text)[kind]
    assert finding.at is not None
    assert (good + text)[slice(*finding.at)] == text
    assert finding.reason
    if near:
        assert finding.source_at is not None
        assert near in EN[slice(*finding.source_at)]
    assert kind not in found(EN, good)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("number_differs", "Паром «Аврора» перевез 90 пассажиров через канал."),
        ("negation_added", "Цены на пшеницу за зиму не увеличились на 12.5 процента."),
        ("negation_lost", "Экипаж покинул корабль ночью."),
        ("opposite", "Цены на пшеницу за зиму уменьшились на 12,5 процента."),
        ("unsupported", "Фиолетовые драконы танцевали вокруг горной деревни."),
        ("new_names", "Гавань замёрзла, пока капитан Морозов смотрел."),
    ],
)
def test_russian_is_treated_as_english_is(kind: str, text: str) -> None:
    assert kind in found(RU, text, "ru")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (EN, "The EU later paid for a new pier in Q2."),
        (EN, "The museum opens at 5 PM on Fridays."),
        (EN, "The crew did not abandon the ship."),
        (EN, "Not only did the harbour of Vantaa freeze in January 1931."),
        (EN, "The passage does not mention any other ship in the text."),
        (RU, "Цены на пшеницу за зиму увеличились на 12.5 процента."),
        (RU, "Гавань Вантаа замерзла в январе 1931 года."),
        (RU, "В тексте не указано, сколько было других судов."),
        ("Денег на библиотеку в бюджете нет. Ремонт будет в мае.", "В бюджете нет денег на библиотеку."),
        ("В бюджете нет денег на библиотеку.", "Денег на библиотеку в бюджете нет."),
        ("The law forbids smoking in parks.", "The law does not allow smoking in parks."),
        ("The law does not allow smoking in parks.", "The law forbids smoking in parks."),
        ("The city paid 12,500,000 dollars for the bridge.", "The city paid $12.5 million for the bridge."),
        ("The museum opens at 15:00 on Fridays.", "The museum opens at 3 p.m. on Fridays."),
    ],
)
def test_what_says_the_same_is_no_fault(source: str, text: str) -> None:
    assert not {"number_differs", "new_numbers", "new_names", "negation_added", "negation_lost", "opposite"} & set(
        found(source, text)
    )


def test_a_turn_is_found_wherever_the_negation_stands() -> None:
    for text in ("Денег на библиотеку в бюджете нет.", "В бюджете нет денег на библиотеку."):
        assert "negation_added" in found("В бюджете есть деньги на библиотеку.", text)
    assert "opposite" in found("The law allows smoking in parks.", "The law forbids smoking in parks.")
    assert "number_differs" in found("The city paid 25 thousand dollars.", "The city paid 25 million dollars.")


@pytest.mark.parametrize("text", ["Yes.", "No.", "Да.", "Нет.", "It is."])
def test_of_small_words_alone_nothing_can_be_said(text: str) -> None:
    seen = view(RU if text[0] > "z" else EN, text)
    for measured in (support.support(seen), novelty.novelty(seen)):
        assert measured.quality is None
        assert [finding.kind for finding in measured.findings] == ["only_small_words"]


@pytest.mark.parametrize("text", ["...", "🙂 !"])
def test_a_text_without_a_word_is_the_worst(text: str) -> None:
    seen = view(EN, text)
    assert [measure(seen).quality for measure in (support.support, novelty.novelty)] == [0.0, 0.0]


@given(st.lists(st.sampled_from([*EN.replace(".", "").split(), "not"]), min_size=3, max_size=12))
def test_new_words_are_always_named_and_a_rank_accuses_nobody(words: list[str]) -> None:
    seen = view(EN, " ".join(words) + ".")
    for finding in (*support.support(seen).findings, *novelty.novelty(seen).findings):
        assert finding.kind != "new_words" or not any(empty in finding.reason for empty in (":  (", ": ("))
        assert finding.kind != "loosest" or not finding.against


def test_an_hour_of_the_other_clock_is_no_new_word() -> None:
    assert "new_words" not in found("The museum opens at 15:00 on Fridays.", "The museum opens at 3 p.m. on Fridays.")


def test_a_year_in_brackets_is_no_citation() -> None:
    case = Case(load_judge("rag-answers", "en"), rag({"a": "The harbour froze [1931] in January [1]."}, [EN]))
    assert support.citations(case.view("a")) == []


def test_a_field_that_says_no_is_shown_against_a_text_that_says_yes() -> None:
    source = "{'name': 'Blue Door', 'attributes': {'OutdoorSeating': False, 'WiFi': 'no', 'TakeOut': True}}"
    text = "Blue Door offers outdoor seating."
    finding = found(source, text)["field_denied"]
    assert finding.source_at is not None
    assert source[slice(*finding.source_at)] == "'OutdoorSeating': False"
    assert "field_denied" in found(source, "Blue Door has free Wi-Fi.")
    assert "field_denied" not in found(source, "Blue Door has no outdoor seating and no WiFi.")
    assert "field_denied" not in found(source, "Blue Door offers take out.")


def test_a_sentence_on_the_sources_silence_is_no_statement() -> None:
    text = "The harbour of Vantaa froze in January 1931. The text does not mention who owned the ferry."
    listed, measured = claims(view(EN, text))
    assert listed is not None
    assert [claim["verdict"] for claim in listed] == ["supported"]
    assert measured.quality == 1.0


def test_a_statement_with_the_opposite_word_is_a_significant_claim_with_its_proof() -> None:
    listed, _ = claims(view(EN, "Wheat prices decreased by 12 percent that winter."))
    assert listed is not None
    assert listed[0]["verdict"] == "significant"
    assert listed[0]["quote"].startswith("Wheat prices increased")


def test_parts_are_shares_and_the_same_text_has_them_all() -> None:
    for measure in (support.support, novelty.novelty):
        whole, poor = measure(view(EN, EN)), measure(view(EN, "Dragons danced. Captain Morozov sold 90 dragons."))
        assert quality(whole) > 0.95
        assert set(whole.parts) == set(poor.parts)
        assert all(0 <= value <= 1 for value in (*whole.parts.values(), *poor.parts.values()))
        assert quality(poor) < 0.3


def test_words_that_stand_together_in_the_source_hold_more_than_the_same_words_mixed_up() -> None:
    mixed = "The ferry Aurora refused wheat prices. Captain Lind froze 40 passengers that winter."
    assert (
        held(EN, "Captain Lind refused to turn back. The ferry Aurora carried 40 passengers.") > held(EN, mixed) + 0.2
    )


def together(text: str, *sources: str) -> float:
    evidence = Evidence([analyse(source) for source in sources])
    return evidence.check(analyse(text).sentences[0]).together


FAR = {
    "en": "The old mill burned. "
    + "Bakers sold fresh loaves near distant villages every morning. " * 3
    + "A bridge fell.",
    "ru": "Старая мельница сгорела. "
    + "Пекари продавали свежие буханки возле дальних деревень каждое утро. " * 3
    + "Мост рухнул.",
}


@pytest.mark.parametrize(
    ("lang", "near", "apart"),
    [
        ("en", "The mill burned, bakers sold.", "The mill, the bridge, the mill, the bridge."),
        ("ru", "Мельница сгорела, пекари продавали.", "Мельница, мост, мельница, мост."),
    ],
)
def test_words_near_one_another_are_together_across_a_full_stop_and_far_ones_are_not(lang, near, apart) -> None:
    assert together(near, FAR[lang]) == 1
    assert together(apart, FAR[lang]) < together(near, FAR[lang])


def test_words_of_two_sources_are_not_together() -> None:
    assert together("The mill fell.", "The old mill stood.", "A bridge fell.") == 0
    assert together("The mill fell.", "The old mill stood. A bridge fell.") == 1


def test_together_is_a_share_and_a_word_more_from_afar_never_raises_it() -> None:
    assert together("Dragons danced.", EN) == 0
    assert together("Aurora", EN) == together("Aurora", EN, "Olive oil.")
    held_all = together("The ferry Aurora carried passengers.", EN)
    assert 1 >= held_all > together("The ferry Aurora carried dragons.", EN) > 0


def test_the_time_grows_no_faster_than_a_source_that_says_one_word_over_and_over() -> None:
    assert_linear(
        lambda source: together("mill burned mill burned", source),
        lambda size: ("mill burned " * size)[:size],
        20_000,
        ratio=LARGE,
    )


def test_a_wrong_fact_costs_more_than_a_paraphrase() -> None:
    wrong = "The ferry Aurora carried 90 passengers across the ice-free channel."
    assert held(EN, "Some 40 passengers crossed the channel aboard the ferry Aurora.") > held(EN, wrong)


def test_citations_are_checked_against_what_they_cite() -> None:
    case = Case(
        load_judge("rag-answers", "en"),
        rag(
            {"a": "The ferry carried 40 passengers [2]. The harbour froze [9]."},
            [EN, "Olive oil is pressed from olives."],
        ),
    )
    kinds = {finding.kind: finding for finding in support.citations(case.view("a"))}
    assert set(kinds) == {"better_citation", "dangling"}
    assert kinds["better_citation"].source == "1"


def test_a_source_is_cited_by_the_number_its_text_begins_with() -> None:
    sources = [f"[5] {EN}", "[2] Olive oil is pressed from olives."]

    def told(text: str) -> list[str]:
        case = Case(load_judge("rag-answers", "en"), rag({"a": text}, sources))
        return [finding.reason for finding in support.citations(case.view("a"))]

    assert told("The ferry carried 40 passengers [5].") == []
    assert told("Olive oil is pressed from olives [2].") == []
    [moved] = told("The ferry carried 40 passengers [2].")
    assert moved.startswith("Source [2] does not hold") and "source [5] does" in moved
    assert told("The harbour froze [9].") == ["Citation to a source that does not exist: [9]."]


@pytest.mark.parametrize("sources", [["[5] Olive oil.", EN], ["[5] Olive oil.", f"[5] {EN}"]])
def test_numbers_that_not_every_source_has_for_itself_are_no_names(sources: list[str]) -> None:
    case = Case(load_judge("rag-answers", "en"), rag({"a": "The ferry carried 40 passengers [2]."}, sources))
    assert support.citations(case.view("a")) == []


def answered(question: str, answer: str, source: str = EN) -> float:
    case = Case(load_judge("rag-answers", "en"), rag({"a": answer}, [source], question=question))
    return quality(support.support(case.view("a")))


@pytest.mark.parametrize(
    ("right", "wrong", "answer"),
    [
        ("Which ferry carried passengers across the channel?", "Which tram climbed the western hill?", "Aurora"),
        ("who refused to turn back", "who painted the northern lighthouse", "Captain Lind"),
        ("How many passengers did the ferry carry?", "How many dragons live under the hill?", "40"),
        ("Be brief. When did the harbour freeze? Thanks.", "When did the theatre burn down?", "In January 1931."),
    ],
)
def test_a_name_or_a_number_alone_is_held_only_where_its_question_is(right: str, wrong: str, answer: str) -> None:
    assert answered(right, answer) > answered(wrong, answer) + 0.2
    assert answered("", answer) == 1


def test_a_russian_name_alone_is_held_only_where_its_question_is() -> None:
    assert answered("Кто вёл паром?", "Капитан Линд", RU) > answered("Кто расписал северный маяк?", "Капитан Линд", RU)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("names of ferries on the western hill", "Aurora"),
        ("Who painted the northern lighthouse?", "The crew did not abandon the ship."),
        ("Who painted the northern lighthouse, " * 12, "Captain Lind"),
    ],
)
def test_the_question_counts_for_a_bare_answer_to_a_short_question_only(question: str, answer: str) -> None:
    assert answered(question, answer) == answered("", answer)


def test_what_the_question_brings_is_not_told_as_the_answers_own() -> None:
    case = Case(load_judge("rag-answers", "en"), rag({"a": "Aurora"}, [EN], question="Which ship left in 1875?"))
    seen = case.view("a")
    assert not {"number", "name"} & {name for check in seen.told for name in support.doubts(check)}
    assert all("1875" not in finding.reason for finding in support.support(seen).findings)


SENTENCES = [sentence.strip() + "." for sentence in EN.split(".")[:-1]]
STRANGE = (
    "Purple dragons danced around mountains",
    "Nobody juggled seven turquoise melons",
    "Kraken Morozov bought 8123 hats",
)


@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4), st.sampled_from(STRANGE), st.integers(0, 4))
def test_an_invented_sentence_never_raises_the_score(kept: list[str], strange: str, at: int) -> None:
    text, worse = " ".join(kept), " ".join([*kept[:at], strange + ".", *kept[at:]])
    for measure in (support.support, novelty.novelty):
        assert quality(measure(view(EN, worse))) <= quality(measure(view(EN, text))) + 1e-9


@given(
    st.lists(st.sampled_from(SENTENCES), max_size=3),
    st.sampled_from([s for s in SENTENCES if any(c.isdigit() for c in s)]),
    st.integers(2000, 9999),
)
def test_a_wrong_number_never_raises_the_score(kept: list[str], told: str, wrong: int) -> None:
    number = next(word for word in ("1931", "40", "12", "17:00") if word in told)
    text, worse = (" ".join([*kept, sentence]) for sentence in (told, told.replace(number, str(wrong))))
    for measure in (support.support, novelty.novelty):
        assert quality(measure(view(EN, worse))) < quality(measure(view(EN, text)))


@given(
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5),
    st.lists(st.sampled_from(SENTENCES), max_size=3),
    st.lists(st.sampled_from(STRANGE), min_size=1, max_size=3),
)
def test_sentences_of_the_source_are_never_below_inventions(
    copied: list[str], kept: list[str], made: list[str]
) -> None:
    assert held(EN, " ".join(copied)) >= held(EN, " ".join([*kept, *(sentence + "." for sentence in made)]))


@pytest.mark.parametrize(
    "unit",
    [
        "'aB': False, ",
        "'a b%d': None, ",
        "no not never without 5 pm 17 ",
        "The king did not increase 12 prices. ",
        "not only not only ",
        "UK EU US Aa Bb ",
    ],
)
def test_hostile_sources_and_texts_take_linear_time(unit: str) -> None:
    def make(size: int) -> str:
        return "".join(unit % n if "%d" in unit else unit for n in range(size // len(unit)))

    assert_linear(lambda text: support.support(view(text, text)), make, 40_000, ratio=LARGE)


def cited(text: str, citations: object) -> list[str]:
    results = tuple(Source(id=url, url=url, text=body) for url, body in (("a.org", EN), ("b.org", "Olives give oil.")))
    fields = {"user_query": "What of the ferry?", "search_results": results, "summary": text, "citations": citations}
    case = Case(load_judge("search-summary", "en"), Item(id="a", fields=fields))
    return [finding.reason for finding in support.citations(case.view(""))]


@pytest.mark.parametrize("citations", [["b.org", "a.org"], {"2": "a.org", "1": "b.org"}, [{"url": "b.org"}, "a.org"]])
def test_a_row_may_list_what_its_citations_stand_for(citations: object) -> None:
    assert cited("The ferry carried 40 passengers [2].", citations) == []
    [moved] = cited("The ferry carried 40 passengers [1].", citations)
    assert moved.startswith("Source [1] does not hold") and "source [2] does" in moved
    assert cited("The harbour froze [3].", citations) == ["Citation to a source that does not exist: [3]."]


def test_a_list_of_citations_that_names_no_source_says_nothing() -> None:
    assert cited("The ferry carried 40 passengers [1].", ["c.org"]) == []


def test_the_id_of_a_source_stands_above_the_number_its_text_begins_with() -> None:
    sources = (Source(id="ch1", text=f"[2] {EN}"), Source(id="ch2", text="[1] Olives give oil."))
    item = rag({"a": "The ferry carried 40 passengers [ch1].", "b": "The ferry carried 40 passengers [ch2]."}, [])
    case = Case(load_judge("rag-answers", "en"), replace(item, fields={**item.fields, "sources": sources}))
    assert support.citations(case.view("a")) == []
    [moved] = (finding.reason for finding in support.citations(case.view("b")))
    assert moved.startswith("Source [ch2] does not hold") and "source [ch1] does" in moved


def test_a_number_that_no_source_begins_with_is_cited_in_vain() -> None:
    case = Case(load_judge("rag-answers", "en"), rag({"a": "The ferry carried 40 passengers [1]."}, [f"[5] {EN}"]))
    assert [finding.kind for finding in support.citations(case.view("a"))] == ["dangling"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Which ferry carried passengers?", "Borealis"), ("How many passengers did the ferry carry?", "70")],
)
def test_the_words_of_the_question_support_no_invented_answer(question: str, answer: str) -> None:
    assert answered(question, answer) == 0


def test_a_name_that_no_source_has_is_told_where_it_lowers_the_support() -> None:
    found = support.support(view(EN, "The ferry Borealis carried 40 passengers."))
    assert "new_names" in {finding.kind for finding in found.findings if finding.against}
    assert "Borealis" in found.reason
