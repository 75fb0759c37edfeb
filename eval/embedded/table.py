"""The tables of docs/embedded-judge.md and eval/embedded/figures.md, made of the kept figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from eval.embedded.aims import AIMS, ANSWERS, PLAIN, UNSEEN, VECTORS, Place
from eval.embedded.figures import Figure
from eval.embedded.measured import Row
from eval.embedded.results import rows_from
from eval.embedded.shown import cell, number

_ABOUT_ZERO = ("Spearman", "within documents", "mean Spearman over parts")
Rows = Mapping[Place, Mapping[str, Row]]


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is words; a column in which nothing stands is left out."""
    full = [at for at in range(len(head)) if not rows or any(row[at] not in ("", "-") for row in rows)]
    head, rows = [head[at] for at in full], [[row[at] for at in full] for row in rows]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|---" + "|--:" * (len(head) - 1) + "|", *lines[1:]])


def by_place(kept: Mapping[str, Any]) -> Rows:
    """Every row by set, label and kind, then by what predicted it."""
    found: dict[Place, dict[str, Row]] = {}
    for part in ("summaries", "answers", "translations", "vectors"):
        for row in rows_from(kept.get(part, {}).get("value", [])):
            found.setdefault((row.set, row.label, row.kind), {})[row.by] = row
    return found


def score_of(place: Place) -> str:
    """The score of `offline` that answers to a label, or to the same label of one part."""
    name, label, _ = place
    return ANSWERS.get((name, label)) or ANSWERS.get((name, label.partition(",")[0])) or ""


def _half(row: Row | None, half: str) -> str:
    figure = row.figures.get(half) if row else None  # type: ignore[call-overload]
    return number(figure.value) if figure else "-"


def _best_plain(found: Mapping[str, Row]) -> list[str]:
    """The best plain metric over all texts, and the same one on the held half."""
    values = {by: found[by].figures["all"].value for by in PLAIN if by in found}
    values = {by: value for by, value in values.items() if not math.isnan(value)}
    best = max(values, key=lambda by: values[by], default="")
    return [f"{number(values[best])} {best}", _half(found[best], "held")] if best else ["-", "-"]


def _published(found: Mapping[str, Row], label: str, told: str) -> str:
    """What others said of the very same texts, or what they published of the whole set."""
    same = []
    for by, row in found.items():
        # RAGChecker scores every label by itself.
        if by.startswith(("GEMBA", "XCOMET", "gpt-4o", f"RAGChecker, {label}")):
            same.append(f"{by.partition(',')[0]} {number(row.figures['all'].value)}")
    return "; ".join([*same, *([told] if told else [])]) or "-"


def aims(rows: Rows, kept: Mapping[str, Any]) -> str:
    """What is wanted beside what was reached, both halves."""
    head = ["what", "floor", "aim", "`offline`", "dev half", "held half", "with vectors", "length alone"]
    head += ["best plain metric", "its held half", "language models", "n"]
    lines = []
    for aim in AIMS:
        found = rows.get(aim.at, {})
        own = found.get(score_of(aim.at))
        figure = own.figures["all"] if own else None
        held = own.figures.get("held") if own else None
        unseen_half = "-" if held is None else cell(held)
        lines.append(
            [
                aim.what,
                *("" if value is None else number(value) for value in (aim.floor, aim.aim)),
                "-" if figure is None else cell(figure),
                _half(own, "dev"),
                f"**{unseen_half}**" if held and aim.aim is not None and held.value >= aim.aim else unseen_half,
                _half(found.get(VECTORS + score_of(aim.at)), "all"),
                _half(found.get("length"), "all"),
                *_best_plain(found),
                _published(found, aim.at[1], aim.published),
                str(figure.n) if figure else "-",
            ]
        )
    wide = [[*line, *[""] * (len(head) - len(line))] for line in _other_aims(rows, kept)]
    return markdown(head, [*lines, *wide])


def _other_aims(rows: Rows, kept: Mapping[str, Any]) -> list[list[str]]:
    """What is wanted beside agreement on one set."""
    found = []
    moved = {p: rows[p][ANSWERS[p[:2]]].figures["all"] for p in rows if ANSWERS.get(p[:2], "") in rows[p]}
    if moved:
        against = {p: f.value - (0.5 if p[2] not in _ABOUT_ZERO else 0) for p, f in moved.items()}
        wrong = sorted({f"{p[0]} {p[1]}" for p, value in against.items() if value < 0})
        told = f"{len(wrong)} of {len({p[:2] for p in moved})} labels" + (f": {', '.join(wrong)}" if wrong else "")
        found.append(["any set at hand, figures on the wrong side of chance", "some", "none", told])
        coverage = {p: f for p, f in moved.items() if ANSWERS[p[:2]] == "summary.coverage" and p[2] in _ABOUT_ZERO}
        relevant = {p: f for p, f in coverage.items() if p[0] != "SummEval"}
        if relevant:
            lowest = min(relevant, key=lambda p: relevant[p].value)
            told = f"{cell(relevant[lowest])} {', '.join(lowest)}"
            found.append(["relevance and coverage, the lowest figure of any set but SummEval", "", ".450", told])
    if "intervals" in kept:
        covered = rows_from(kept["intervals"]["value"])
        means = [row for row in covered if row.set == UNSEEN]
        single = [row for row in covered if row.set != UNSEEN and "calibrated" not in row.by]
        for what, chosen in (
            ("the plain scores really cover, mean over sets not seen, by criterion", means),
            ("the plain scores really cover, single sets not seen", single),
            ("calibrated scores really cover", [row for row in covered if "calibrated" in row.by]),
        ):
            if chosen:
                wide = ["", ""] if chosen is single else [".79-.83", ".78-.82"]
                halves = [
                    _range([r.figures[h].value for r in chosen if h in r.figures]) for h in ("all", "dev", "held")
                ]
                found.append([f"80 % intervals of {what}", *wide, *halves])
    if "silent" in kept:
        given, texts = (sum(one[key] for one in kept["silent"]["value"]) for key in ("numbers", "texts"))
        found.append(["numbers given where nothing can be judged", "a number", "none", f"{given} of {texts}"])
    if "speed" in kept:
        rates = sorted(one["per_second"] for one in kept["speed"]["value"]["speeds"])
        found.append(["texts a second on one core", "370", "500", f"{rates[0]:.0f} to {rates[-1]:.0f}"])
        found.append(["start, s", "", "0.5", f"{kept['speed']['value']['start_s']:.2f}"])
    return found


def _range(values: Sequence[float]) -> str:
    if not values:
        return ""
    return f"{number(min(values))} to {number(max(values))}, mean {number(sum(values) / len(values))}"


def unseen(rows: Rows) -> str:
    """The score that answers to a label on every set, with its sign."""
    head = ["set: label", "figure", "score", "`offline`", "dev half", "held half", "with vectors", "length alone"]
    head += ["best plain metric", "its held half", "n"]
    lines = []
    for place, found in rows.items():
        by = ANSWERS.get(place[:2])
        if by and by in found:
            own = found[by]
            lines.append(
                [
                    f"{place[0]}: {place[1]}",
                    place[2],
                    f"`{by}`",
                    cell(own.figures["all"]),
                    _half(own, "dev"),
                    _half(own, "held"),
                    _half(found.get(VECTORS + by), "all"),
                    _half(found.get("length"), "all"),
                    *_best_plain(found),
                    str(own.figures["all"].n),
                ]
            )
    return markdown(head, lines)


def parts(rows: Rows) -> str:
    """The same score by generator, origin or language."""
    head = ["set: label, part", "figure", "score", "`offline`", "length alone", "best plain metric", "n"]
    lines = []
    for place, found in rows.items():
        by = score_of(place)
        if "," in place[1] and by in found:
            figure = found[by].figures["all"]
            cells = [f"{place[0]}: {place[1]}", place[2], f"`{by}`", cell(figure), _half(found.get("length"), "all")]
            lines.append([*cells, _best_plain(found)[0], str(figure.n)])
    return markdown(head, lines)


def everything(rows: Rows) -> str:
    """Every measure and metric on every label, a table a set."""
    told = []
    for name in dict.fromkeys(place[0] for place in rows):
        places = [place for place in rows if place[0] == name and "," not in place[1]]
        bys = list(dict.fromkeys(by for place in places for by in rows[place]))
        head = ["", *(f"{label}, {kind}" for _, label, kind in places)]
        lines = []
        for by in bys:
            cells = [_half(rows[place].get(by), "all") for place in places]
            marked = [f"**{c}**" if ANSWERS.get(place[:2]) == by else c for c, place in zip(cells, places, strict=True)]
            lines.append([by, *marked])
        n = max(row.figures["all"].n for place in places for row in rows[place].values())
        told.append(f"### {name} ({n} texts)\n\n{markdown(head, lines)}")
    return "\n\n".join(told)


def adversary(value: Sequence[Mapping[str, str]]) -> str:
    """A table a judge: a row a trick, a column a score."""
    told = []
    for judge in dict.fromkeys(row["judge"] for row in value):
        mine = [row for row in value if row["judge"] == judge]
        scores = list(dict.fromkeys(row["score"] for row in mine))
        lines = []
        for trick in dict.fromkeys(row["trick"] for row in mine):
            cells = {row["score"]: row["shown"] for row in mine if row["trick"] == trick}
            lines.append([trick, *(cells.get(score, "-") for score in scores)])
        head = [f"`{judge}` ({mine[0]['n']} texts)", *(score.partition(".")[2] for score in scores)]
        told.append(markdown(head, lines))
    return "\n\n".join(told)


def speed(value: Mapping[str, Any]) -> str:
    """Outputs a second, and the start."""
    lines = [
        [
            one["what"],
            f"{one['per_second']:.0f}",
            f"{one['words']:.0f}",
            f"{one['source_words']:.0f}",
            str(one["texts"]),
        ]
        for one in value["speeds"]
    ]
    start = f"The start, from the command to the first verdict and its report: {value['start_s']:.2f} s."
    return markdown(["what", "texts/s", "words of a text", "of its sources", "n"], lines) + "\n\n" + start


def silent(value: Sequence[Mapping[str, Any]]) -> str:
    """How often a number was given where none can be."""
    head = ["judge, criterion", "set", "texts", "numbers given"]
    lines = [[f"`{one['judge']}`, {one['criterion']}", one["set"], one["texts"], one["numbers"]] for one in value]
    return markdown(head, [[str(shown) for shown in line] for line in lines])


def local(value: Mapping[str, Any]) -> str:
    """A local model: one yes/no question, a digit and a rating in JSON, on the same texts."""
    lines = []
    for name, task in value["tasks"].items():
        for way, found in task["ways"].items():
            shown = [cell(Figure(**found[kind])) for kind in ("auc", "spearman")]
            lines.append([f"{name}, {way}", *shown, f"{found['same']:.0%}", str(found["unread"]), str(task["n"])])
    head = ["what, how asked", "AUC", "Spearman", "commonest answer", "unread", "n"]
    told = [f"- {name}: {task['about']}" for name, task in value["tasks"].items()]
    seconds = f"{value['seconds_per_question']} s a question on this machine; `{value['model']}`, {value['date']}."
    return "\n\n".join([markdown(head, lines), "\n".join(told), seconds])


def intervals(value: Sequence[dict[str, Any]]) -> str:
    """How often the 80 % intervals held what people said."""
    head = ["set: label, score", "covered", "dev half", "held half", "n"]
    lines = []
    for row in rows_from(value):
        figure = row.figures["all"]
        cells = [f"{row.set}: {row.label}, {row.by}", cell(figure), _half(row, "dev"), _half(row, "held")]
        lines.append([*cells, str(figure.n)])
    return markdown(head, lines)
