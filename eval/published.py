"""Published figures from the project's own commands, beside a direct computation: the tables of docs/published.md.

python -m eval.published [--no-write]

Rows, recorded replies and human labels become files; `adjudge run --model replay:FILE` judges them with small judges
that are written for this, and `adjudge agree --labels` says how far the verdicts agree with people. The sets are looked
for beside the project, in ../shared/data; nothing of them is written into the project but the figures.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from adjudge.cli import run_command
from adjudge.core.records import Settings
from adjudge.data.items import make_item
from adjudge.run.plan import Options, Planner
from adjudge.spec.load import load_judge
from adjudge.spec.prompt import render

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "published.md"
BEGIN, END = "<!-- eval.published: begin -->", "<!-- eval.published: end -->"
#: How far a command and a direct computation may be apart.
EQUAL = 1e-9


class Metric(NamedTuple):
    """Where a row has the score, the segment Pearson published for the whole set, and the line onto a scale of 0-100.

    Straight lines change no correlation.
    """

    where: str
    published: float
    times: float
    plus: float


METRICS = {
    "gemba_mqm": Metric("gemba_mqm_gpt4", 0.502, 1, 100),
    "xcomet": Metric("XCOMET-Ensemble-refA", 0.695, 100, 0),
    "metricx": Metric("MetricX-23-refA", 0.585, 1, 99),
    "cometkiwi": Metric("CometKiwi-src", 0.475, 100, 0),
    "chrf": Metric("chrF-refA", 0.232, 0.99, 0),
    "bleu": Metric("BLEU-refA", 0.192, 0.99, 0),
}
PEOPLE = Metric("mqm_score", 1.0, 0.5, 100)
COEFFICIENTS = ("pearson", "spearman", "kendall")
#: (judge, prompt, set) → the published accuracy over both orders, both orders right, orders agree, where on record.
PAIRS: Mapping[tuple[str, str, str], tuple[float, float, float] | None] = {
    ("GPT-4", "Vanilla", "LLMBar/Natural"): (95.5, 93.0, 95.0),
    ("GPT-4", "Vanilla", "LLMBar/Adversarial/Neighbor"): None,
    ("GPT-4", "Vanilla", "LLMBar/Adversarial/GPTInst"): None,
    ("GPT-4", "Vanilla", "LLMBar/Adversarial/GPTOut"): None,
    ("GPT-4", "Vanilla", "LLMBar/Adversarial/Manual"): None,
    ("GPT-4", "Vanilla_NoRules", "Processed/MT-Bench"): (81.0, 74.5, 87.0),
    ("GPT-4", "Vanilla_NoRules", "Processed/FairEval"): (72.7, 57.6, 69.7),
    ("GPT-4", "Vanilla_NoRules", "Processed/LLMEval^2"): (75.5, 69.5, 87.5),
    ("ChatGPT", "Vanilla", "LLMBar/Natural"): None,
    ("PaLM2", "Vanilla", "LLMBar/Natural"): None,
    ("LLaMA2", "Vanilla", "LLMBar/Natural"): None,
}
PREFERRED, OTHER = "preferred", "other"
_OUTPUT = re.compile(r"\boutput\s+\(([ab])\)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Correlated:
    """One metric against the people: what `agree` says, what numpy and scipy say, and what was published."""

    metric: str
    n: int
    ours: Mapping[str, float]
    direct: Mapping[str, float]
    published: float

    @property
    def apart(self) -> float:
        """The largest difference between a command and the direct computation."""
        return max(abs(self.ours[name] - self.direct[name]) for name in COEFFICIENTS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Preferred:
    """Shares of pairs, in percent: right over both orders, both orders right, orders agree."""

    judge: str
    prompt: str
    of: str
    n: int
    ours: tuple[float, float, float]
    direct: tuple[float, float, float]
    published: tuple[float, float, float] | None

    @property
    def apart(self) -> float:
        """The largest difference between the commands and the count, in percent."""
        return max(abs(one - other) for one, other in zip(self.ours, self.direct, strict=True))


def rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def metrics(folder: Path, *, limit: int | None = None) -> list[Correlated]:
    """Segment scores of six metrics as verdicts on translations, against the penalties that people gave (MQM)."""
    chosen = [row for row in rows("human/wmt_mqm_ende") if row["system"] != "refA"][:limit]
    judge = folder / "metrics"
    _write_metrics_judge(judge)
    given = {row["id"]: {name: _score(row, metric) for name, metric in METRICS.items()} for row in chosen}
    people = np.array([_score(row, PEOPLE) for row in chosen])
    data = [{"id": row["id"], "src": row["src"], "trg": row["mt"]} for row in chosen]
    points = zip(data, (people * PEOPLE.times + PEOPLE.plus).tolist(), strict=True)
    _lines(folder / "rows.jsonl", data)
    _lines(folder / "labels.jsonl", ({"id": row["id"], **dict.fromkeys(METRICS, point)} for row, point in points))
    _recorded(folder, judge, data, lambda item, order, labels: json.dumps(_verdict(given[item])))
    done = _command(folder, "run", str(judge), "rows.jsonl", "--model", "replay:replies.jsonl")
    assert done["judged"] == len(chosen), done["health"]
    agreed = _command(folder, "agree", done["run"], "--labels", "labels.jsonl", "--worst", "0")
    found = []
    for name, metric in METRICS.items():
        scores, figures = np.array([given[row["id"]][name] for row in chosen]), _figures(agreed, name)
        direct = {
            "pearson": float(np.corrcoef(scores, people)[0, 1]),
            "spearman": float(stats.spearmanr(scores, people).statistic),
            "kendall": float(stats.kendalltau(scores, people).statistic),
        }
        ours = {one: figures[one]["value"] for one in COEFFICIENTS}
        found.append(Correlated(metric=name, n=len(chosen), ours=ours, direct=direct, published=metric.published))
    return found


def _score(row: Mapping[str, Any], metric: Metric) -> float:
    """As the row has it; to nine digits, since sums of the same penalties differ in the sixteenth, and are ties."""
    return round(float(row[metric.where] if metric.where in row else row["metrics"][metric.where]), 9)


def _verdict(scores: Mapping[str, float]) -> dict[str, Any]:
    lines = {name: score * METRICS[name].times + METRICS[name].plus for name, score in scores.items()}
    return {name: {"justification": "", "score": point} for name, point in lines.items()}


def preferences(folder: Path, *, wanted: Iterable[tuple[str, str, str]] = tuple(PAIRS)) -> list[Preferred]:
    """What models said of pairs of answers in both orders, read from their raw replies, against people's choice."""
    judge = folder / "pairs"
    _write_pairs_judge(judge)
    texts = {row["id"]: row for row in rows("human/llmbar_pairs")}
    said: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows("replies/llmbar_judge_raw"):
        key = (row["judge"], row["method"], row["pair_id"].rpartition("|")[0])
        if all((row["steps"][-1].get(order) or {}).get("winner") for order in ("direct", "swapped")):
            said.setdefault(key, []).append(row)
    return [_preferred(folder, judge, key, said[key], texts) for key in wanted]


def _preferred(
    folder: Path, judge: Path, key: tuple[str, str, str], said: Sequence[Mapping[str, Any]], texts: Mapping[str, Any]
) -> Preferred:
    data, right = list[dict[str, Any]](), list[list[bool]]()
    replies: dict[tuple[str, tuple[str, ...]], str] = {}
    for row in said:
        pair, label, last = texts[row["pair_id"]], str(row["label"]), row["steps"][-1]
        names = {"1": PREFERRED, "2": OTHER} if label == "1" else {"1": OTHER, "2": PREFERRED}
        answers = {names[side]: pair[f"output_{side}"] for side in ("1", "2")}
        data.append({"id": row["pair_id"], "question": pair["instruction"], "answers": answers})
        replies[row["pair_id"], (names["1"], names["2"])] = last["direct"]["raw"]
        replies[row["pair_id"], (names["2"], names["1"])] = last["swapped"]["raw"]
        right.append([str(last[order]["winner"]) == label for order in ("direct", "swapped")])
    _lines(folder / "rows.jsonl", data)
    _lines(folder / "labels.jsonl", ({"id": one["id"], "preference": {PREFERRED: 4, OTHER: 0}} for one in data))

    def reply(item: str, order: tuple[str, ...], labels: Sequence[str]) -> str:
        shown = dict(zip("ab", labels, strict=True))
        # the published prompt called them (a) and (b), adjudge calls them otherwise
        return _OUTPUT.sub(lambda found: f"Output ({shown[found[1].lower()]})", replies[item, order])

    _recorded(folder, judge, data, reply)
    done = _command(folder, "run", str(judge), "rows.jsonl", "--model", "replay:replies.jsonl", "--orders", "2")
    agreed = _command(folder, "agree", done["run"], "--labels", "labels.jsonl", "--worst", "0")
    n, won = done["judged"], done["candidates"][PREFERRED]
    assert n == len(said), done["health"]
    both = _figures(agreed, "preference")["pairwise_within"]["value"]
    flips = done["beside"]["orders"]["flips"]["rate"]
    direct = np.array(right)
    return Preferred(
        judge=key[0],
        prompt=key[1],
        of=key[2],
        n=n,
        ours=(100 * (won["wins"] + won["ties"] / 2) / n, 100 * both, 100 * (1 - flips)),
        direct=(
            float(100 * direct.mean()),
            float(100 * direct.all(axis=1).mean()),
            float(100 * (direct[:, 0] == direct[:, 1]).mean()),
        ),
        published=PAIRS.get(key),
    )


def _figures(agreed: Mapping[str, Any], criterion: str) -> Mapping[str, Any]:
    figures: Mapping[str, Any] = agreed["criteria"][criterion]["figures"]
    return figures


def _recorded(folder: Path, judge: Path, data: Iterable[Mapping[str, Any]], reply: Any) -> None:
    """The replies as `adjudge export --format replies` would write them, each under the content of its call."""
    loaded = load_judge(str(judge))
    planner = Planner(judge=loaded, settings=Settings(model="published"), options=Options(orders=2))
    items = [make_item(loaded, dict(row), "the set") for row in data]
    _lines(
        folder / "replies.jsonl",
        (
            {
                "content": call.content,
                "text": reply(unit.items[0].id, call.order, tuple(render(loaded, call, unit.items).labels)),
            }
            for unit in planner.units(enumerate(items))
            for call in unit.calls
        ),
    )


def _command(folder: Path, *args: str) -> dict[str, Any]:
    """One adjudge command in a folder of its own; its JSON."""
    said = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        code = run_command([*args, "--json", "--store", "sqlite:///published.db"])
    found: dict[str, Any] = json.loads(said.getvalue())
    if code not in (0, 3):
        raise SystemExit(f"adjudge {' '.join(args)}: {found}")
    return found


def _lines(path: Path, found: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in found), encoding="utf-8")


def _write_metrics_judge(folder: Path) -> None:
    """One criterion for each metric, on a scale that has room for all of them."""
    folder.mkdir()
    criteria = "\n".join(
        f"  {name}: {{kind: rating, scale: {{min: 0, max: 100, better: higher, whole: false}}}}" for name in METRICS
    )
    titles = "\n".join(f"  {name}:\n    title: {name}\n    asks: The score.\n    labels: {_LABELS}" for name in METRICS)
    fields = "  src: {type: text, role: source}\n  trg: {type: text, role: output}\n"
    (folder / "judge.yaml").write_text(
        f"judge: metrics\nlayout: single\nlanguages: [en]\nfields:\n{fields}criteria:\n{criteria}\n", encoding="utf-8"
    )
    (folder / "en.yaml").write_text(
        "title: Metrics\ninstructions: |\n  {{criteria}}\n\n  {{format}}\nitem: |\n  {{src}}\n\n  {{trg}}\n"
        f"fields: {{src: Source, trg: Translation}}\ncriteria:\n{titles}\n",
        encoding="utf-8",
    )


_LABELS = "{" + ", ".join(f"{point}: as good as {point}" for point in range(101)) + "}"


def _write_pairs_judge(folder: Path) -> None:
    """Which of two answers is better, in prose."""
    folder.mkdir()
    (folder / "judge.yaml").write_text(
        "judge: pairs\nreply: preference\nlayout: compare\nlanguages: [en]\nfields:\n"
        "  question: {type: text}\n  answers: {type: answers, role: output}\n"
        "criteria:\n  preference: {kind: rating, scale: {min: 0, max: 4, better: higher}}\n"
        "derived:\n  total: {sum: [preference]}\n  winner: {winner: total}\n",
        encoding="utf-8",
    )
    (folder / "en.yaml").write_text(
        "title: Pairs\ninstructions: |\n  {{criteria}}\n\n  {{format}}\nitem: |\n  {{question}}\n\n  {{answers}}\n"
        "fields: {question: Question, answers: Answer}\ncriteria:\n  preference:\n    title: Preference\n"
        "    asks: Which answer is better.\n"
        "    labels: {0: much worse, 1: worse, 2: equal, 3: better, 4: much better}\n",
        encoding="utf-8",
    )


def tables(correlated: Sequence[Correlated], preferred: Sequence[Preferred]) -> str:
    """The tables of the page."""
    named = ("Pearson", "Spearman", "Kendall tau-b", "farthest from scipy", "Pearson, whole set, published")
    lines = [
        f"Segment scores against MQM, en-de, {correlated[0].n:,} translations:",
        "",
        f"| metric | {' | '.join(named)} |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for one in correlated:
        shown = " | ".join(f"{one.ours[name]:.3f}" for name in COEFFICIENTS)
        lines.append(f"| {one.metric} | {shown} | {_bounded(one.apart)} | {one.published:.3f} |")
    lines += [
        "",
        "Pairs of answers, in percent: right over both orders / both orders right / orders agree:",
        "",
        "| judge, prompt | set | pairs | adjudge | farthest from a count of published winners | whole set, published |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for pair in preferred:
        whole = "" if pair.published is None else _three(pair.published)
        figures = f"{_three(pair.ours)} | {_bounded(pair.apart)} | {whole}"
        lines.append(f"| {pair.judge}, {pair.prompt} | {pair.of} | {pair.n} | {figures} |")
    return "\n".join(lines)


def _bounded(apart: float) -> str:
    return "< 1e-9" if apart < EQUAL else f"{apart:.2g}"


def _three(shares: Sequence[float]) -> str:
    return " / ".join(f"{share:.1f}" for share in shares)


def main() -> None:
    """Compute, compare, print, and put the tables into the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        correlated, preferred = metrics(Path(folder)), preferences(Path(folder))
    made = tables(correlated, preferred)
    print(made)
    if max(*(one.apart for one in correlated), *(one.apart for one in preferred)) >= EQUAL:
        raise SystemExit("a figure is not that of the direct computation")
    if not options.no_write:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition(BEGIN)
        PAGE.write_text(f"{head}{BEGIN}\n{made}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
