from __future__ import annotations

import pytest

from adjudge.core.records import Item
from adjudge.models.offline.judge import measure_many
from adjudge.models.offline.peers import consensus, voices
from adjudge.models.offline.view import Case
from adjudge.spec.load import load_judge
from tests.unit.models.offline.asking import segment

SOURCE = "The old ferry left the harbour at noon."
SAID = ["Старый паром вышел из гавани в полдень.", "Старый паром покинул гавань в полдень.", "В полдень паром вышел."]


def measured(texts: list[str], lang: str = "en", ref: str | None = None):
    judge = load_judge("translation", lang)
    many = measure_many(judge, [segment(SOURCE, text, ref, str(n)) for n, text in enumerate(texts)])
    return [one[""]["adequacy"] for one in many]


def view(text: str, others: list[str], ref: str | None = None):
    return Case(load_judge("translation", "en"), segment(SOURCE, text, ref), tuple(others)).view("")


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


@pytest.mark.parametrize(("lang", "said"), [("en", "not counted in the score"), ("ru", "в оценку не входит")])
def test_beside_a_reference_the_others_are_told_and_not_counted(lang, said):
    alone = measured(SAID[:1], lang, ref=SAID[0])[0]
    beside = measured(SAID, lang, ref=SAID[0])[0]
    assert (beside.quality, beside.parts) == (alone.quality, alone.parts)
    told = [finding for finding in beside.findings if finding not in alone.findings]
    assert [finding.kind for finding in told] == ["peers_beside"]
    assert said in told[0].reason and not told[0].against


def test_the_same_text_from_all_is_full_agreement():
    assert set(consensus(view(SAID[0], [SAID[0], SAID[0]])).values()) == {1.0}


def test_a_translation_into_another_language_is_no_peer():
    judge = load_judge("translation", "en")
    rows = [("ru", SAID[0]), ("ru", SAID[1]), ("ru", SAID[2]), ("de", "Die alte Fähre lief mittags aus.")]
    items = [
        Item(id=str(n), fields={"src": SOURCE, "trg": text, "trg_lang": lang}) for n, (lang, text) in enumerate(rows)
    ]
    found = [one[""]["adequacy"] for one in measure_many(judge, items)]
    assert found[3].quality is None
    assert all("agreement with 2 other" in one.reason for one in found[:3])
