"""The human-labelled sets as samples: what was judged, against what, and what people said of it."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parents[2]
Half = Literal["dev", "held", "all"]


class Absent(Exception):
    """The sets are not on this machine."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One judged text. `source` is what halves and intervals are split by, `document` what is compared within."""

    id: str
    source: str
    document: str
    text: str
    sources: tuple[str, ...] = ()
    query: str = ""
    reference: str = ""
    lang: str = "en"
    #: The generator, origin, domain or language: figures are also shown for each.
    part: str = ""
    system: str = ""
    human: Mapping[str, float] = field(default_factory=dict)
    #: What language models and trained metrics, published with the set, said of the text.
    others: Mapping[str, float] = field(default_factory=dict)


def folder() -> Path:
    """Where the sets are: $ADJUDGE_DATA, or `../shared/data` beside the project."""
    found = Path(os.environ.get("ADJUDGE_DATA") or ROOT.parent / "shared" / "data")
    if not (found / "human").is_dir():
        raise Absent(
            "the human-labelled sets are not here: expected a folder `human` of .jsonl.gz files in ../shared/data "
            "beside the project, or in the folder that ADJUDGE_DATA names; nothing was measured"
        )
    return found


def raw(name: str) -> Iterator[dict[str, Any]]:
    """The rows of one set as they are."""
    with gzip.open(folder() / "human" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _place(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:4], "big")


def half_of(source: str) -> Half:
    """The half a source belongs to; those who choose weights look at `dev` only."""
    return "held" if _place(source) & 1 else "dev"


def taken(samples: list[Sample], *, half: Half = "all", fast: int = 0) -> list[Sample]:
    """One half of the samples; with `fast`, whole sources until about that many samples are there."""
    chosen = [s for s in samples if half in ("all", half_of(s.source))]
    if not fast or len(chosen) <= fast:
        return chosen
    sizes: dict[str, int] = {}
    for sample in chosen:
        sizes[sample.source] = sizes.get(sample.source, 0) + 1
    kept: set[str] = set()
    count = 0
    for source in sorted(sizes, key=lambda name: (_place(name) >> 1, name)):
        if count < fast:
            kept.add(source)
            count += sizes[source]
    return [s for s in chosen if s.source in kept]


def _sample(row: Mapping[str, Any], **known: Any) -> Sample:
    """A sample under the row's own id, split by its own key."""
    return Sample(**{"id": row["id"], "source": row["split_key"], "document": row["split_key"], **known})


def summeval() -> list[Sample]:
    """News summaries of 16 systems: coherence, consistency, fluency, relevance."""
    return [
        _sample(
            r,
            document=r["doc_id"],
            text=r["summary"],
            sources=(r["source"],),
            reference=r["reference"],
            system=r["system"],
            part=r["system"],
            human=r["human"],
        )
        for r in raw("summeval")
    ]


def summeval_op() -> list[Sample]:
    """Summaries of product reviews by 13 systems, seven dimensions."""
    return [
        _sample(
            r, text=r["summary"], sources=tuple(r["sources"]), system=r["system"], part=r["system"], human=r["human"]
        )
        for r in raw("summeval_op")
    ]


def qags() -> list[Sample]:
    """One-sentence and longer news summaries: how consistent with the article."""
    return [
        _sample(
            r,
            document=r["dataset"],
            part=r["dataset"],
            text=r["summary"],
            sources=(r["source"],),
            human={"consistency": r["human_consistency_0_1"]},
        )
        for r in raw("qags")
    ]


def summedits() -> list[Sample]:
    """Summaries with one fact edited or not, in eight domains."""
    return [
        _sample(
            r,
            part=r["domain"],
            text=r["summary"],
            sources=(r["source"],),
            human={"consistent": float(r["human_consistent"])},
        )
        for r in raw("summedits")
    ]


def multi_summeval() -> list[Sample]:
    """A system's summary against the reference in five languages: focus (precision) and coverage (recall)."""
    return [
        _sample(
            r,
            part=r["lang"],
            lang=r["lang"],
            system=r["system"],
            text=r["summary"],
            sources=(r["reference"],),
            human=r["human_z"],
        )
        for r in raw("multi_summeval")
    ]


def ru_literary() -> list[Sample]:
    """Russian chapters with summaries from the web and an expert's score."""
    return [
        _sample(r, lang="ru", text=r["summary"], sources=(r["source"],), human={"score": float(r["human_score_1_5"])})
        for r in raw("ru_literary_summaries")
    ]


def ragtruth() -> list[Sample]:
    """Answers of six generators to one context: 1 when people marked nothing as made up."""
    return [
        _sample(
            r,
            document=r["source_id"],
            part=r["model"],
            system=r["model"],
            text=r["response"],
            query=r["question"] or "",
            sources=(r["context"],),
            lang="en",
            human={"faithful": float(not r["hallucinated"]), r["task_type"]: float(not r["hallucinated"])},
            others=(
                {"gpt-4o-mini, spans": -float(len(r["gpt_judge_pred_spans"]))}
                if r.get("gpt_judge_pred_spans") is not None
                else {}
            ),
        )
        for r in raw("ragtruth")
    ]


def attributionbench() -> list[Sample]:
    """A claim and the references it cites: 1 when they support it."""
    return [
        _sample(
            r,
            part=r["src_dataset"],
            text=r["claim"],
            query=r["question"] or "",
            sources=tuple(r["references"]),
            human={"supported": float(r["label"])},
        )
        for r in raw("attributionbench")
    ]


def ragchecker() -> list[Sample]:
    """Both answers of each pair and the golden answer; the label is people's mean preference for this answer."""
    found = []
    for r in raw("ragchecker_pairs"):
        for place, sign in (("1", -1), ("2", 1)):
            found.append(
                Sample(
                    id=f"{r['id']}|{place}",
                    source=r["split_key"],
                    document=r["id"],
                    part=r["dataset"],
                    text=r[f"answer_{place}"],
                    query=r["query"],
                    reference=r["gt_answer"],
                    human={name: sign * sum(given) / len(given) for name, given in r["human"].items()},
                    others={
                        f"RAGChecker, {name.removesuffix('_label')}": float(value)
                        for name, value in r["ragchecker_scores"][place].items()
                    },
                )
            )
    return found


def alce() -> list[Sample]:
    """Answers with a question and nothing to check against: how useful."""
    return [
        _sample(r, part=r["dataset"], text=r["answer"], query=r["question"], human={"utility": float(r["utility_1_5"])})
        for r in raw("alce_utility")
    ]


def kqa() -> list[Sample]:
    """A physician's statement against a medical answer: 1 when the answer entails it."""
    return [
        _sample(
            r,
            part=r["model"],
            text=r["claim"],
            query=r["question"],
            sources=(r["answer"],),
            human={"entailed": float(r["human_label"] == "Entailment")},
        )
        for r in raw("kqa_medical_nli")
    ]


def expertqa() -> list[Sample]:
    """Claims of answers with the evidence they cite: 1 when an expert called the support complete."""
    return [
        Sample(
            id=f"{r['id']}|{at}",
            source=r["split_key"],
            document=r["id"],
            part="medical" if r["is_medical"] else "other",
            text=c["claim_string"],
            query=r["question"],
            sources=tuple(c["evidence"]),
            system=r["system"],
            human={"supported": float(c["support"] == "Complete")},
        )
        for r in raw("expertqa")
        for at, c in enumerate(r["claims"])
        if c["evidence"] and c["support"] in ("Complete", "Partial", "Incomplete", "Missing")
    ]


def wmt(pair: str) -> list[Sample]:
    """Translations of each segment by 13 to 16 systems with MQM scores; human references are left out."""
    return [
        _sample(
            r,
            document=f"{r['test_set']}|{r['doc_id']}|{r.get('seg_index', r.get('seg_id'))}|{r['src']}",
            part=r["domain"],
            system=r["system"],
            lang=pair[-2:],
            text=r["mt"],
            sources=(r["src"],),
            reference=r["ref"] or "",
            human={"mqm": float(r["mqm_score"])},
            others=_published(r),
        )
        for r in raw(f"wmt_mqm_{pair.replace('-', '')}")
        if r["mqm_score"] is not None and not r["system"].lower().startswith("ref")
    ]


def _published(row: Mapping[str, Any]) -> dict[str, float]:
    metrics = row.get("metrics") or {}
    found = {
        "GEMBA-MQM (GPT-4)": row.get("gemba_mqm_gpt4"),
        "XCOMET-Ensemble": metrics.get("XCOMET-Ensemble-refA"),
        "CometKiwi": metrics.get("CometKiwi-src"),
    }
    return {name: float(value) for name, value in found.items() if value is not None}


def bio_mqm(pair: str = "en-ru") -> list[Sample]:
    """Medical translations with marked errors: 1 when a person marked one of that kind."""
    found = []
    for r in raw("bio_mqm_ru"):
        if r["lp"] != pair or r["is_reference"]:
            continue
        marks = [mark for given in r["mqm_ratings"].values() for mark in given]
        kinds = {mark.get("subcategory") for mark in marks}
        found.append(
            _sample(
                r,
                document=f"{r['doc_id']}|{r['seg_id']}",
                part=r["system"],
                system=r["system"],
                lang=pair[-2:],
                text=r["mt"],
                sources=(r["src"],),
                reference=r["ref"] or "",
                human={
                    "clean punctuation": float("Punctuation" not in kinds),
                    "all translated": float("Untranslated" not in kinds),
                },
            )
        )
    return found
