from __future__ import annotations

import pytest

from adjudge.models.offline.lexicon import load
from adjudge.spec.load import load_judge
from tests.unit.models.offline.asking import ask, numbered, rag, search, summary

STORY = (
    "The keeper Anna Holm lit the lamp of the lighthouse every evening at six. In March a storm broke the window and "
    "the lamp went out. Anna did not leave the tower. She held a lantern in the broken window for nine hours, and the "
    "ferry Sula with 40 passengers found the harbour. In the morning the captain brought her a new pane of glass."
)
GOOD = (
    "Anna Holm, the keeper of the lighthouse, lit its lamp every evening. In March a storm broke the window and the "
    "lamp went out. Anna did not leave the tower but held a lantern for nine hours, and the ferry Sula with 40 "
    "passengers found the harbour. The captain brought her new glass."
)
JUDGE = load_judge("summary", "en")


def scores(text: str, content: str = STORY) -> dict[str, float]:
    return {name: part["score"] for name, part in ask(JUDGE, summary(content, text)).items() if "score" in part}


def reason(name: str, text: str, content: str = STORY) -> str:
    return str(ask(JUDGE, summary(content, text))[name]["justification"])


def test_a_good_summary_is_near_the_top():
    found = scores(GOOD)
    assert min(found[name] for name in ("coverage", "accuracy", "hallucination_check")) > 4.5
    # Coherence is kept away from the top on purpose.
    assert 3.5 < found["coherence"] < 4.7


@pytest.mark.parametrize(
    ("criterion", "worse", "named"),
    [
        ("coverage", "A storm broke the window of the lighthouse.", "held a lantern"),
        ("accuracy", GOOD.replace("40 passengers", "90 passengers"), "90"),
        ("accuracy", GOOD.replace("did not leave", "did leave"), "leave"),
        ("hallucination_check", GOOD + " Her brother Viktor rowed out with a rope and saved two sailors.", "Viktor"),
        ("coherence", GOOD + " The lamp went out because a storm broke the window and", "breaks off"),
        ("coherence", f"{GOOD} {GOOD}", "Repeated"),
        ("conciseness", STORY + " " + STORY, "Repeated"),
        ("conciseness", "A storm.", "too short"),
    ],
)
def test_a_fault_lowers_its_criterion_and_is_named(criterion, worse, named):
    assert scores(worse)[criterion] < scores(GOOD)[criterion] - 0.2
    assert named in reason(criterion, worse)


def test_reasons_are_in_the_language_of_the_run():
    found = ask(load_judge("summary", "ru"), summary("Кот спит на окне. Пёс лает во дворе.", "Кот не спит на окне."))
    assert "Текст отрицает" in found["accuracy"]["justification"]


def test_the_average_is_left_to_code():
    assert set(ask(JUDGE, summary(STORY, GOOD))["overall"]) == {"conclusion"}


@pytest.mark.parametrize("text", ["", "  \n", "🙂🙂", "…"])
def test_nothing_said_is_the_worst_point(text):
    found = ask(JUDGE, summary(STORY, text))
    assert {part["score"] for part in found.values() if "score" in part} == {1.0}
    assert all(part["justification"] for part in found.values() if "score" in part)


def test_no_source_and_another_script_are_not_judged():
    assert scores(GOOD, content="")["accuracy"] is None
    assert "different scripts" in reason("accuracy", "Смотрительница держала фонарь девять часов.")


def test_what_cannot_be_seen_is_not_judged_and_says_so():
    item = rag({"a": "It rains.", "b": "It snows."}, ["It rains."])
    found = ask(load_judge("rag-answers", "en"), item, labels={"A": "a", "B": "b"})
    assert [found["scores"]["depth"][label]["score"] for label in "AB"] == [None, None]
    assert "language model" in found["scores"]["depth"]["A"]["justification"]


ANSWERS = {
    "full": "Anna held a lantern for nine hours, so the ferry Sula found the harbour [1].",
    "thin": "She did something brave.",
    "false": "Anna rang a bell for two hours and the ferry sank near Oslo [7].",
}


def compared(order: tuple[str, ...]) -> dict[str, dict[str, tuple[float, str]]]:
    item = rag(
        ANSWERS, [STORY], "Anna held a lantern for nine hours and the ferry found the harbour.", "Who saved the ferry?"
    )
    labels = dict(zip("ABC", order, strict=True))
    found = ask(load_judge("rag-answers", "en"), item, order=order, labels=labels)
    return {
        criterion: {labels[label]: (part["score"], part["justification"]) for label, part in parts.items()}
        for criterion, parts in found["scores"].items()
    } | {"conclusion": found["conclusion"]}


def test_order_changes_nothing():
    assert compared(("full", "thin", "false")) == compared(("false", "thin", "full"))


def test_the_better_answer_leads():
    found = compared(("full", "thin", "false"))
    for criterion in ("correctness", "completeness"):
        values = {name: value for name, (value, _) in found[criterion].items()}
        assert max(values, key=lambda name: values[name]) == "full"
    assert "[7]" in found["correctness"]["false"][1]


def first(criterion: str, item) -> tuple[float | None, str]:
    found = ask(load_judge("rag-answers", "en"), item, labels={"A": "a", "B": "b"})["scores"][criterion]["A"]
    return found["score"], found["justification"]


BOOK = "The novel was finished in 1902 and sold 40 copies. Leo Tolstoy wrote it in the country, far from his publisher."


@pytest.mark.parametrize("reference", [None, "It was finished in 1902."])
def test_a_number_is_in_no_script(reference):
    item = rag({"a": "1902", "b": "1905"}, [BOOK], reference, "When was the novel finished?")
    for criterion in ("correctness", "completeness", "conciseness"):
        assert "script" not in first(criterion, item)[1]
    assert (first("correctness", item)[0] or 0) > 3
    russian = rag({"a": "1902", "b": "1905"}, [BOOK], "Роман закончен в 1902 году.", "When was the novel finished?")
    assert "script" not in first("completeness", russian)[1]


def test_a_short_answer_that_stands_in_the_sources_is_not_a_zero():
    for question, answer in (("Who was the writer?", "Leo Tolstoy"), ("Who is it?", "Tolstoy."), ("How many?", "40")):
        score, why = first("completeness", rag({"a": answer, "b": "x"}, [BOOK], None, question))
        assert score is None
        assert "stands in the sources" in why
    wrong, why = first("completeness", rag({"a": "Anton Chekhov", "b": "x"}, [BOOK], None, "Who was the writer?"))
    assert wrong == 0
    assert (first("completeness", rag({"a": "x", "b": "x"}, [BOOK], None, "Who was the writer?"))[0]) is None


def test_length_is_blamed_only_where_it_costs():
    near = " ".join(STORY.split()[: round(len(STORY.split()) * 0.55)])
    long = " ".join(STORY.split()[: round(len(STORY.split()) * 0.75)])
    assert (scores(near)["conciseness"] > 4.5, "That is long" in reason("conciseness", near)) == (True, False)
    assert (scores(long)["conciseness"] < 4, "That is long" in reason("conciseness", long)) == (True, True)


@pytest.mark.parametrize(
    ("lang", "source", "right", "wrong"),
    [
        (
            "en",
            "The mean age of the patients was 61.3 years. Each of them took 2.5 mg of the drug daily for a month.",
            "The mean age of the patients was 61.3 years. Each took 2.5 mg daily.",
            "The mean age of the patients was 613 years. Each took 25 mg daily.",
        ),
        (
            "ru",
            "Средний возраст больных составил 61,3 года. Каждый принимал по 2,5 мг препарата в день в течение месяца.",
            "Средний возраст больных составил 61,3 года. Каждый принимал по 2,5 мг в день.",
            "Средний возраст больных составил 613 лет. Каждый принимал по 25 мг в день.",
        ),
    ],
)
def test_a_decimal_mark_lost_in_a_summary_is_told(lang, source, right, wrong):
    judge = load_judge("summary", lang)
    good, bad = (ask(judge, summary(source, text)) for text in (right, wrong))
    assert good["hallucination_check"]["score"] == 5
    assert bad["hallucination_check"]["score"] < 4
    assert "613" in bad["accuracy"]["justification"] and "25" in bad["accuracy"]["justification"]


@pytest.mark.parametrize("lang", ["ru", "en"])
def test_wording_fits_a_single_sentence_and_a_single_word(lang):
    one = ask(load_judge("summary", lang), summary("A cat sat on the mat. It slept.", "A cat sat on the mat."))
    word = ask(load_judge("summary", lang), summary("A cat sat on the mat. It slept.", "Cat."))
    said = one["accuracy"]["justification"] + word["conciseness"]["justification"]
    assert "1 sentences" not in said and "1 words" not in said
    assert "(1)" in said or ": 1)" in said


def test_no_reason_says_twice_that_nothing_was_judged():
    for lang in ("ru", "en"):
        phrases = load(f"words.{lang}.yaml")
        assert [key for key, text in phrases.items() if text.startswith(("Not judged", "Не оценено"))] == [
            "conclusion_limits",
            *(["batch_none"] if lang == "en" else []),
        ]


def test_sources_cited_by_name_are_read():
    item = rag({"a": "The ferry found the harbour [log].", "b": "no"}, [STORY])
    sources = (numbered([STORY])[0].__class__(id="log", text=STORY),)
    item = type(item)(id="1", fields={**item.fields, "sources": sources})
    found = ask(load_judge("rag-answers", "en"), item, labels={"A": "a", "B": "b"})
    assert "does not exist" not in found["scores"]["correctness"]["A"]["justification"]


PAGES = [
    "Ibuprofen lowers fever in children. The dose is 10 mg per kg. It is taken every 6 hours, with food. It must not "
    "be given to a dehydrated child. It can harm the kidneys. Chickenpox is a reason to avoid it.",
    "Paracetamol lowers fever too. The dose is 15 mg per kg. It is taken every 4 hours.",
]
CITED = "Ibuprofen lowers fever in children [1]. Paracetamol is taken every 4 hours [2]."


def evaluated(text: str) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = ask(
        load_judge("search-summary", "en"), search(text, PAGES, "How to lower fever?")
    )
    return found


def test_claims_carry_verdict_source_and_a_quote_from_it():
    text = CITED + " Vinegar rubs cool the skin within minutes [2]. Ibuprofen is taken every 3 hours [1]."
    claims = evaluated(text)["hallucination_evaluation"]["claims"]
    assert isinstance(claims, list)
    assert [claim["verdict"] for claim in claims] == ["supported", "supported", "significant", "significant"]
    assert claims[1]["sources"] == [2]
    assert claims[1]["quote"] in PAGES[1]
    assert (claims[2]["quote"], claims[2]["sources"]) == ("", [])
    # What contradicts a claim is quoted, but it is no source for it.
    assert (claims[3]["quote"] in PAGES[0], claims[3]["sources"]) == (True, [])


def test_the_score_of_claims_and_questions_is_left_to_code():
    found = evaluated(CITED)
    assert "hallucination_score" not in found["hallucination_evaluation"]
    assert "summary_quality_score" not in found["summary_quality_evaluation"]


def test_questions_per_source():
    listed = evaluated(CITED)["summary_quality_evaluation"]["questions_and_answers"]
    assert isinstance(listed, list)
    assert [entry["source"] for entry in listed] == [1, 2]
    assert len(listed[0]["questions"]) >= 6
    answered = {q["question"]: q["is_answered"] for entry in listed for q in entry["questions"]}
    assert answered["Does the text say that: “Ibuprofen lowers fever in children”?"]
    assert not answered["Does the text say that: “It can harm the kidneys”?"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Ibuprofen lowers fever in children [9].", "[9]"),
        ("Ibuprofen must not be given to a dehydrated child [2].", "source [1] does"),
    ],
)
def test_bad_citations_are_named(text, named):
    assert named in str(evaluated(text)["hallucination_evaluation"]["hallucination_justification"])


def test_a_weakly_held_statement_is_named():
    found = evaluated("Paracetamol lowers fever and pain and soothes teething babies [2].")["hallucination_evaluation"]
    assert isinstance(found["claims"], list)
    assert [(claim["verdict"], claim["quote"]) for claim in found["claims"]] == [("minor", "")]
    assert "soothes teething" in str(found["hallucination_justification"])


def test_relevance_and_selection():
    on, off = (evaluated(text)["answer_relevancy_evaluation"] for text in (CITED, "Cats sleep a lot and purr."))
    assert float(str(on["relevancy_score"])) > float(str(off["relevancy_score"]))
    assert on["relevant_search_result_urls"] == [1, 2]
    assert off["relevant_search_result_urls"] == []
    assert "[Page 1](https://example.org/1) [1]" in str(on["relevancy_justification"])


def test_claims_in_another_script_are_null_not_a_number():
    found = evaluated("Ибупрофен снижает жар у детей.")
    assert found["hallucination_evaluation"]["claims"] is None
    assert found["summary_quality_evaluation"]["questions_and_answers"] is None
