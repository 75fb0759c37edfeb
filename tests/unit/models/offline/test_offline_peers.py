from __future__ import annotations

import pytest

from adjudge.core.records import Item
from adjudge.models.offline.judge import measure_all, measure_many
from adjudge.models.offline.peers import consensus, voices
from adjudge.models.offline.view import Case
from adjudge.spec.load import load_judge
from tests.unit.models.offline.asking import numbered, segment

SOURCE = "The old ferry left the harbour at noon."
SAID = ["Старый паром вышел из гавани в полдень.", "Старый паром покинул гавань в полдень.", "В полдень паром вышел."]


def measured(texts: list[str], lang: str = "en", ref: str | None = None):
    judge = load_judge("translation", lang)
    items = [segment(SOURCE, text, ref, others=texts[:n] + texts[n + 1 :]) for n, text in enumerate(texts)]
    return [one[""]["adequacy"] for one in measure_many(judge, items)]


def view(text: str, others: list[str], ref: str | None = None):
    return Case(load_judge("translation", "en"), segment(SOURCE, text, ref, others=others)).view("")


@pytest.mark.parametrize(("lang", "said"), [("en", "agreement with 3 other"), ("ru", "согласию с другими")])
def test_agreement_stands_in_for_a_reference_and_says_so(lang, said):
    good, *_, strange = measured([*SAID, "Зелёная кошка съела три яблока."], lang)
    assert good.quality > strange.quality + 0.3
    assert {"peers", "backed", "marks", "size"} <= set(good.parts)
    told = [finding for finding in good.findings if finding.kind == "peers_only"]
    assert said in told[0].reason
    assert not told[0].against


@pytest.mark.parametrize("others", [[], SAID[1:2]])
def test_one_other_translation_is_not_enough_for_a_score(others):
    assert [found.quality for found in measured([SAID[0], *others])] == [None] * (1 + len(others))
    assert voices(view(SAID[0], others)) == []


@pytest.mark.parametrize(("lang", "said"), [("en", "30 of 100 of the score"), ("ru", "30 из 100 оценки")])
def test_beside_a_reference_the_others_are_a_part_of_the_score_that_is_told_by_itself(lang, said):
    alone = measured(SAID[:1], lang, ref=SAID[0])[0]
    beside = measured(SAID, lang, ref=SAID[0])[0]
    others = measured(SAID, lang)[0]
    assert dict(beside.parts) == {**alone.parts, "others": others.quality}
    assert beside.quality == pytest.approx(0.7 * alone.quality + 0.3 * others.quality)
    told = [finding for finding in beside.findings if finding not in alone.findings]
    assert [finding.kind for finding in told] == ["peers_beside"]
    assert said in told[0].reason and not told[0].against


def test_the_same_text_from_all_is_full_agreement():
    assert set(consensus(view(SAID[0], [SAID[0], SAID[0]])).values()) == {1.0}


def test_what_a_text_scores_does_not_depend_on_its_neighbours_in_the_file():
    judge = load_judge("translation", "en")
    items = [segment(SOURCE, text) for text in SAID]
    assert [one[""]["adequacy"].quality for one in measure_many(judge, items)] == [None] * 3


@pytest.mark.parametrize(("lang", "said"), [("en", "Agreement with the other"), ("ru", "Согласие с другими")])
def test_other_summaries_are_told_and_not_counted(lang, said):
    judge = load_judge("summary", lang)
    alone = Item(id="1", fields={"content": SOURCE, "text": "The ferry left."})
    beside = Item(id="1", fields={**alone.fields, "others": numbered(["The ferry left at noon.", "It rained."])})
    plain, told = (measure_all(judge, item)[""]["coverage"] for item in (alone, beside))
    assert (plain.quality, plain.parts) == (told.quality, told.parts)
    more = [finding for finding in told.findings if finding not in plain.findings]
    assert [(finding.kind, finding.against) for finding in more] == [("peers_agree", False)]
    assert said in more[0].reason
