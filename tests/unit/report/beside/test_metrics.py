"""Metrics beside the judge: the same figures as sacrebleu gives directly, and correlations as scipy has them."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
import sacrebleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from scipy import stats

from adjudge.core.errors import ConfigError
from adjudge.core.records import Failure, Verdict
from adjudge.report.beside import figures, metrics, sacre
from adjudge.report.beside.metrics import Metrics, fields_of, item_metrics, reference_fields
from adjudge.report.beside.row import Row
from adjudge.spec.load import load_judge
from tests.unit.report import sample

JUDGE = load_judge("translation", lang="en")
WORDS = ("the", "a", "small", "old", "house", "cat", "dog", "river", "runs", "sleeps", "near", "never", "and", "then")
#: As people call sacrebleu themselves.
DIRECT = {"BLEU": BLEU(), "chrF": CHRF(), "chrF++": CHRF(word_order=2), "TER": TER()}


def texts(n, seed=1):
    draw = random.Random(seed)
    for _ in range(n):
        reference = [draw.choice(WORDS) for _ in range(draw.randint(4, 14))]
        output = [draw.choice(WORDS) if draw.random() < 0.3 else word for word in reference]
        yield " ".join(output) + ".", " ".join(reference) + "."


def row(source, output, reference="", system="", lang=""):
    fields = {"src": source, "trg": output, "ref": reference, "system": system, "trg_lang": lang}
    return Row(JUDGE, json.dumps({"id": source, **{name: value for name, value in fields.items() if value}}))


def verdict(item, value):
    scores = {one.name: 1 + value / 25 for one in JUDGE.scored}
    return Verdict(item=item, scores=scores, reasons={}, derived={"quality": value}, native={})


def gathered(rows, judge=JUDGE):
    """Rows are of output, reference, system, the judge's value (None is a failure) and the language."""
    found = Metrics(judge, sample.state(judge, len(rows)))
    for number, (output, reference, system, value, lang) in enumerate(rows):
        outcome = (
            Failure(item=str(number), kind="timeout", stage="ask", message="")
            if value is None
            else verdict(str(number), value)
        )
        found.add(outcome, row(f"s{number}", output, reference, system, lang))
    return found


def rows_of(n, systems=("one", "two"), lang="German"):
    draw = random.Random(5)
    return [
        (output, reference, systems[number % len(systems)], 100 * draw.random(), lang)
        for number, (output, reference) in enumerate(texts(n))
    ]


def by_name(section):
    return {(one["metric"], one["system"]): one for one in section.data["scores"]}


def test_corpus_and_segments_are_those_of_sacrebleu():
    rows = rows_of(60)
    found = by_name(gathered(rows).section())
    segment = {**DIRECT, "BLEU": BLEU(effective_order=True)}
    for system in (None, "one", "two"):
        own = [one for one in rows if system in (None, one[2])]
        outputs, references = [one[0] for one in own], [one[1] for one in own]
        for name, metric in DIRECT.items():
            figure = found[name, system]
            assert figure["corpus"] == pytest.approx(metric.corpus_score(outputs, [references]).score, abs=1e-9)
            each = [segment[name].sentence_score(o, [r]).score for o, r in zip(outputs, references, strict=True)]
            assert figure["mean"] == pytest.approx(sum(each) / len(each), abs=1e-9)
            assert figure["signature"] == str(metric.get_signature())
            assert (figure["n"], figure["of"]) == (len(own), len(own))
            judged = [one[3] for one in own]
            assert figure["pearson"]["value"] == pytest.approx(stats.pearsonr(judged, each).statistic, abs=1e-9)
            assert figure["spearman"]["value"] == pytest.approx(stats.spearmanr(judged, each).statistic, abs=1e-9)


def test_the_signatures_stand_with_the_table():
    section = gathered(rows_of(5)).section()
    assert f"BLEU nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{sacrebleu.__version__}" in section.notes
    assert [line[0] for line in section.rows] == ["BLEU", "chrF", "chrF++", "TER"]
    assert section.columns[-2:] == ("one", "two")
    ter = by_name(section)["TER", "two"]["corpus"]
    assert section.rows[-1][-1] == f"{ter:.1f}", "the corpus score of a system stands under its name"


def test_what_failed_counts_in_the_metrics_and_not_in_the_correlation():
    rows = [(*one[:3], None if number % 2 else one[3], one[4]) for number, one in enumerate(rows_of(20))]
    one = by_name(gathered(rows).section())["chrF", None]
    assert (one["n"], one["pearson"]["n"]) == (20, 10)


def test_chinese_is_cut_as_chinese_and_japanese_by_character_where_nothing_else_is_there():
    rows = [
        ("猫在河边睡觉。", "猫睡在河边。", "", 50.0, "zh-CN"),
        ("犬は家にいる。", "犬が家にいる。", "", 60.0, "Japanese"),
    ]
    section = gathered([*rows, *rows_of(3, systems=("",))]).section()
    signatures = {one["signature"] for one in section.data["scores"] if one["metric"] == "BLEU"}
    cuts = {signature.partition("tok:")[2].partition("|")[0] for signature in signatures}
    assert {"13a", "zh"} < cuts and (cuts - {"13a", "zh"}).pop() in ("char", "ja-mecab-0.996-IPA")
    zh = next(one for one in section.data["scores"] if "tok:zh" in one["signature"])
    assert zh["corpus"] == pytest.approx(BLEU(tokenize="zh").corpus_score([rows[0][0]], [[rows[0][1]]]).score)


@pytest.mark.parametrize(
    ("lang", "cut"),
    [("zh", "zh"), ("zh_TW", "zh"), ("Chinese (traditional)", "zh"), ("китайский", "zh"), ("de", "13a"), ("", "13a")],
)
def test_languages_by_tag_and_by_name(lang, cut):
    assert sacre.cut_of(lang) == cut


def test_no_reference_no_table():
    assert gathered([("a", "", "", 5.0, "")] * 3).section() is None
    assert gathered([("a", "  ", "", 5.0, "")] * 3).section() is None
    assert fields_of(load_judge("summary")) is None and fields_of(load_judge("rag-answers")) is None


def test_without_sacrebleu_one_note_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(sacre, "find_spec", lambda name: None)
    section = gathered(rows_of(3)).section()
    assert section.rows == () and len(section.notes) == 1
    assert "pip install 'adjudge[metrics]'" in section.notes[0]
    assert gathered([("a", "", "", 5.0, "")] * 3).section() is None
    with pytest.raises(ConfigError) as refused:
        reference_fields(JUDGE)
    assert refused.value.hint == "pip install 'adjudge[metrics]'"


def test_many_segments_are_sampled_by_source_whatever_their_order(monkeypatch):
    monkeypatch.setattr(metrics, "SEGMENTS_MAX", 30)
    rows = rows_of(100)
    section = gathered(rows).section()
    assert section.data["sampled"] and 5 < section.data["segments"] <= 30 and section.data["of"] == 100
    assert any("ADJUDGE_METRICS_SEGMENTS=100" in note for note in section.notes)
    monkeypatch.setenv("ADJUDGE_METRICS_SEGMENTS", "100")
    assert gathered(rows).section().data["segments"] == 100
    monkeypatch.setenv("ADJUDGE_METRICS_SEGMENTS", "many")
    assert gathered(rows).section().data["segments"] == section.data["segments"]


def test_one_source_a_thousand_times_is_bounded(monkeypatch):
    monkeypatch.setattr(metrics, "SEGMENTS_MAX", 10)
    found = Metrics(JUDGE, sample.state(JUDGE, 50))
    for number, (output, reference) in enumerate(texts(50)):
        found.add(verdict(str(number), 50.0), row("the same", output, reference))
    section = found.section()
    assert section is not None and section.data["segments"] == 10


def test_ter_is_left_out_where_it_would_take_long(monkeypatch):
    monkeypatch.setattr(figures, "TER_SEGMENTS", 4)
    found = by_name(gathered([*rows_of(9), ("long " * 61, "a " * 61, "one", 5.0, "")]).section())
    assert (found["TER", None]["n"], found["TER", None]["of"]) == (4, 10)
    assert found["BLEU", None]["n"] == 10
    alone = by_name(gathered([("long " * 61, "a " * 61, "", 5.0, "")] * 2).section())
    assert alone["TER", None]["corpus"] is None and alone["TER", None]["signature"] == ""


def test_quality_over_other_criteria_is_not_compared():
    rows = rows_of(10)
    found = Metrics(JUDGE, sample.state(JUDGE, 10))
    for number, (output, reference, system, value, lang) in enumerate(rows):
        full = verdict(str(number), value)
        part = replace(full, scores={"fluency": 3.0}) if number < 3 else full
        found.add(part, row(f"s{number}", output, reference, system, lang))
    assert by_name(found.section())["BLEU", None]["pearson"]["n"] == 7


def test_the_metrics_of_one_item():
    fields = reference_fields(JUDGE)
    item = row("s", "the cat sleeps.", "the cat slept.").item
    assert item_metrics(fields, item) == pytest.approx(
        {
            "BLEU": sacrebleu.sentence_bleu("the cat sleeps.", ["the cat slept."]).score,
            "chrF": sacrebleu.sentence_chrf("the cat sleeps.", ["the cat slept."]).score,
            "chrF++": sacrebleu.sentence_chrf("the cat sleeps.", ["the cat slept."], word_order=2).score,
            "TER": sacrebleu.sentence_ter("the cat sleeps.", ["the cat slept."]).score,
        }
    )
    assert item_metrics(fields, row("s", "the cat sleeps.").item) == {}


def test_where_less_is_better_agreement_still_has_the_sign_of_agreement():
    judge = load_judge("translation-mqm", lang="en")
    found = Metrics(judge, sample.state(judge, 8))
    (criterion,) = judge.scored
    for number, (output, reference) in enumerate(texts(8)):
        penalty = 100 - sacrebleu.sentence_chrf(output, [reference]).score
        outcome = replace(verdict(str(number), 0.0), scores={criterion.name: penalty}, derived={})
        body = {"id": str(number), "src": f"s{number}", "trg": output, "ref": reference}
        found.add(outcome, Row(judge, json.dumps(body)))
    assert by_name(found.section())["chrF", None]["pearson"]["value"] == pytest.approx(1.0)
