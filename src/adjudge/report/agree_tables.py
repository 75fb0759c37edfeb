"""The tables of agreement: the figures that decide, all of them with intervals, confusions, and the texts far apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from adjudge.report.agree_answers import DECIDES, Kind, Named, percent, point_of, reason_of
from adjudge.report.plain import fit
from adjudge.report.tables import Section
from adjudge.report.words import Words
from adjudge.stats.agreement import FIGURES
from adjudge.stats.between import Between
from adjudge.stats.estimate import Figure

#: A table of more points says nothing to the eye.
POINTS_MAX = 11
#: Of more people's values the mean is shown.
VALUES_MAX = 5
#: So much of a reason or a comment is shown; the JSON has all of it.
WHY_CHARS = 240
_ROWS: Mapping[str, str] = {
    "exact": "agree_row_exact",
    "within_one": "agree_row_within_one",
    "kappa": "agree_row_kappa",
    "kappa_linear": "agree_row_kappa_linear",
    "kappa_quadratic": "agree_row_kappa_quadratic",
    "alpha_nominal": "agree_row_alpha_nominal",
    "alpha_ordinal": "agree_row_alpha_ordinal",
    "alpha_interval": "agree_row_alpha_interval",
    "icc": "agree_row_icc",
    "pearson": "agree_row_pearson",
    "spearman": "agree_row_spearman",
    "kendall": "agree_row_kendall",
    "pairwise": "agree_row_pairwise",
    "pairwise_calibrated": "agree_row_pairwise_calibrated",
    "pairwise_within": "agree_row_pairwise_within",
    "pairwise_within_calibrated": "agree_row_pairwise_within_calibrated",
    "bias": "agree_row_bias",
    "mae": "agree_row_mae",
}
_SHARES = {"exact", "within_one", "pairwise", "pairwise_calibrated", "pairwise_within", "pairwise_within_calibrated"}
_CONFUSION: Mapping[Kind, str] = {
    "people": "agree_confusion_people",
    "judge": "agree_confusion_judge",
    "repeats": "agree_confusion_repeats",
}
_N: Mapping[Kind, str] = {
    "people": "agree_note_n_people",
    "judge": "agree_note_n_judge",
    "repeats": "agree_note_n_repeats",
}
_APART: Mapping[Kind, tuple[str, str]] = {
    "people": ("agree_apart_people", "agree_people"),
    "judge": ("agree_apart_judge", "agree_other"),
    "repeats": ("agree_apart_repeats", "agree_other_repeat"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What one side gave a text, and why; `who` is empty where there is no name."""

    who: str
    value: float | None
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Apart:
    """A text on which the two sides are far apart; `gap` is the judge's score minus the mean of the others."""

    item: str
    candidate: str
    criterion: str
    title: str
    gap: float
    judge: Said
    others: tuple[Said, ...]


def main_section(kind: Kind, found: Sequence[Named], say: Words, *, language: str = "") -> Section:
    """One line for each criterion: over all texts, or over those of one language."""
    beside = any(one.agreement.people is not None for one in found)
    columns = [say("criterion"), say("coverage"), say("agree_exact"), say("agree_one_answer"), say("agree_within_one")]
    columns += [say("agree_kappa"), *([say("agree_person")] if beside else []), say("agree_rho")]
    if kind != "repeats":
        columns.append(say("agree_bias"))
    notes = [say(_N[kind]), say("agree_note_main")]
    if kind != "repeats":
        notes.append(say("agree_note_bias"))
    if beside:
        notes.append(say("agree_note_person"))
    return Section(
        name=f"agreement_{language}" if language else "agreement",
        title=say("agree_language", lang=language) if language else say("agree_main"),
        columns=tuple(columns),
        rows=tuple(_main_row(one, say, beside=beside, bias=kind != "repeats") for one in found),
        notes=() if language else (" ".join(notes),),
        data={},
    )


def _main_row(one: Named, say: Words, *, beside: bool, bias: bool) -> tuple[str, ...]:
    agreement, figures = one.agreement, one.agreement.figures
    majority, people = agreement.majority, agreement.people
    always = "—"
    if majority is not None:
        always = f"{percent(majority.exact, say)} ({point_of(agreement, majority.point, say)})"
    cells = [one.title, f"{say.number(agreement.n, 0)}/{say.number(agreement.labelled, 0)}"]
    near = "—" if _two_points(one) else _cell("within_one", figures["within_one"], say)
    cells += [_cell("exact", figures["exact"], say), always, near, _cell(DECIDES, figures[DECIDES], say)]
    if beside:
        cells.append("—" if people is None else say.number(people.persons[DECIDES].value))
    cells.append(_cell("spearman", figures["spearman"], say))
    return (*cells, _cell("bias", figures["bias"], say)) if bias else tuple(cells)


def _two_points(one: Named) -> bool:
    """On such a scale everything is within one."""
    return one.agreement.axis.span == 1


def detail_section(one: Named, say: Words, *, language: str = "") -> Section:
    """Every figure of a criterion with its interval, beside one constant answer and beside a person."""
    agreement = one.agreement
    people = agreement.people
    columns = [say("agree_figure"), say("agree_value"), say("interval"), say("agree_one_answer")]
    if people is not None:
        columns += [say("agree_judge"), say("agree_one_person")]
    rows, reasons = [], dict[str, list[str]]()
    for name in FIGURES:
        if name not in agreement.figures or (name == "within_one" and _two_points(one)):
            continue
        figure, title = agreement.figures[name], say(_ROWS[name])
        if why := reason_of(figure, say):
            reasons.setdefault(why, []).append(title)
            continue
        cells = [title, _cell(name, figure, say), _interval(name, figure, say)]
        cells.append("—" if figure.constant is None else _number(name, figure.constant, say))
        if people is not None:
            cells += [_cell(name, side[name], say) if name in side else "—" for side in (people.judge, people.persons)]
        rows.append(tuple(cells))
    notes = [say("agree_note_unknown", names="; ".join(names), reason=why) for why, names in reasons.items()]
    if people is not None:
        notes += [say("agree_note_alike"), say("agree_note_alphas", **_alphas(people, say))]
    n = say.n_of(agreement.n, agreement.labelled)
    if agreement.epsilon:
        notes.append(say("agree_note_epsilon", epsilon=say.number(agreement.epsilon)))
    if agreement.epsilon_within is not None and agreement.epsilon_within != agreement.epsilon:
        notes.append(say("agree_note_epsilon_within", epsilon=say.number(agreement.epsilon_within)))
    return Section(
        name=f"figures_{agreement.axis.name}" + (f"_{language}" if language else ""),
        title=say("agree_detail", title=f"{one.title}, {language}" if language else one.title, n=n),
        columns=tuple(columns),
        rows=tuple(rows),
        notes=tuple(notes),
        data={},
    )


def _alphas(people: Between, say: Words) -> dict[str, str]:
    return {
        f"{level}{suffix}": say.number(side[f"alpha_{level}"].value)
        for suffix, side in (("", people.alphas), ("_more", people.with_judge))
        for level in ("nominal", "ordinal", "interval")
    }


def _number(name: str, value: float | None, say: Words) -> str:
    if name in _SHARES:
        return percent(value, say)
    return say.signed(value) if name == "bias" else say.number(value)


def _cell(name: str, figure: Figure, say: Words) -> str:
    return _number(name, figure.value, say)


def _interval(name: str, figure: Figure, say: Words) -> str:
    if figure.ci95 is None:
        return "—"
    low, high = figure.ci95
    return say.interval((100 * low, 100 * high), 0) if name in _SHARES else say.interval((low, high))


def confusion_section(kind: Kind, one: Named, say: Words) -> Section | None:
    """How often each pair of points was given; none where the points are too many for a table."""
    table = one.agreement.confusion
    if not 2 <= len(table.points) <= POINTS_MAX:
        return None
    points = [point_of(one.agreement, point, say) for point in table.points]
    return Section(
        name=f"confusion_{one.agreement.axis.name}",
        title=say("agree_confusion", title=one.title),
        columns=(say(_CONFUSION[kind]), *points),
        rows=tuple(
            (point, *(say.number(count, 0) for count in counts))
            for point, counts in zip(points, table.counts, strict=True)
        ),
        data={},
    )


def apart_section(kind: Kind, apart: Sequence[Apart], say: Words) -> Section:
    """The texts of largest disagreement, and what each side says of them."""
    title, theirs = _APART[kind]
    candidates = any(one.candidate for one in apart)
    columns = [say("agree_item"), *([say("candidate")] if candidates else []), say("criterion")]
    rows = []
    for one in apart:
        given = [said.value for said in one.others if said.value is not None]
        others = say.texts["range"].join(map(say.score, given))  # not a comma where that is the decimal mark
        if len(given) > VALUES_MAX:
            others = say("agree_mean_of", mean=say.score(fmean(given)))
        names = [one.item, *([one.candidate] if candidates else []), one.title]
        rows.append((*names, say.score(one.judge.value), others, say.signed(one.gap)))
    return Section(
        name="disagreements",
        title=say(title),
        columns=(*columns, say("agree_judge"), say(theirs), say("agree_gap")),
        rows=tuple(rows),
        by_item=True,
        notes=tuple(_reasons(apart, say)),
        data={},
    )


def _reasons(apart: Sequence[Apart], say: Words) -> Iterator[str]:
    for one in apart:
        said = [_said(one.judge, say("agree_judge"), say), *(_said(other, "", say) for other in one.others)]
        if any(said):
            of = ", ".join(filter(None, (one.item, one.candidate, one.title)))
            yield f"{fit(of, WHY_CHARS)}. {' · '.join(filter(None, said))}"


def _said(said: Said, who: str, say: Words) -> str:
    if not said.why.strip():
        return ""
    name = fit(who or said.who or say("agree_somebody"), WHY_CHARS)
    return say("agree_said", who=name, value=say.score(said.value), why=fit(said.why, WHY_CHARS))
