"""Can this judge be trusted? The sentences that say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from adjudge.report.words import Words
from adjudge.stats.agreement import Agreement
from adjudge.stats.alternative import ANNOTATORS_MIN, UNITS_MIN
from adjudge.stats.estimate import Figure, Reason

Kind: TypeAlias = Literal["people", "judge", "repeats"]
#: What agreement comes to: the reverse of it, not to be told from chance and worse than one and the same answer, not to
#: be told from chance, beyond chance, unknown.
Found: TypeAlias = Literal["against", "worse", "chance", "beyond", "unknown"]
#: The figure that decides: it counts a near miss as half right, and takes off what chance would give.
DECIDES = "kappa_quadratic"
#: With fewer sources an interval that holds chance says that they are few, not that agreement looks like chance.
SOURCES_MIN = 5
_WITH: Mapping[Kind, str] = {
    "people": "agree_with_people",
    "judge": "agree_with_judge",
    "repeats": "agree_with_repeats",
}
_MORE: Mapping[Kind, str] = {"people": "agree_more_people", "judge": "agree_more_judge"}
_LESS: Mapping[Kind, str] = {"people": "agree_less_people", "judge": "agree_less_judge"}
_REASONS: Mapping[Reason, str] = {
    "none": "agree_reason_none",
    "few": "agree_reason_few",
    "alone": "agree_reason_alone",
    "judge": "agree_reason_judge",
    "people": "agree_reason_people",
    "same": "agree_reason_same",
    "perfect": "agree_reason_perfect",
    "groups": "agree_reason_groups",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """The agreement on one criterion, with its title and the names of the annotators in the order of their columns.

    `hollow`: one and the same answer would pass the alternative-annotator test too.
    """

    agreement: Agreement
    title: str
    annotators: tuple[str, ...] = ()
    hollow: bool = False


def found_of(one: Agreement) -> Found:
    """What the agreement on one criterion comes to."""
    ci95 = one.figures[DECIDES].ci95
    if ci95 is None:
        return "unknown"
    if ci95[0] > 0:
        return "beyond"
    if ci95[1] < 0:
        return "against"
    if one.clusters < SOURCES_MIN:
        return "unknown"
    return "worse" if below_one_answer(one) else "chance"


def below_one_answer(one: Agreement) -> bool:
    """Whether always giving the commonest point would be right more often."""
    exact = one.figures["exact"].value
    return one.majority is not None and exact is not None and exact < one.majority.exact


def people_differ(one: Agreement) -> bool:
    """Whether the agreement of people with each other can't be told from chance."""
    ci95 = None if one.people is None else one.people.persons[DECIDES].ci95
    return ci95 is not None and ci95[0] <= 0 and one.clusters >= SOURCES_MIN


def answers(kind: Kind, found: Sequence[Named], languages: Mapping[str, Sequence[Named]], say: Words) -> Iterator[str]:
    """Where the judge is of no use, where it agrees, how it compares with a person, and how it is biased."""
    whom = say(_WITH[kind])
    if parts := [one.title for one in found if _undecided(one)]:
        yield say("agree_warn_people", parts=listed(parts, say))
    if against := _kappas(_those(found, "against"), say):
        yield say("agree_against", whom=whom, parts=against)
    # Of repeats neither side is right, so that no answer can be right more often.
    worse, chance = _those(found, "worse"), _those(found, "chance")
    for one in worse if kind != "repeats" else ():
        yield _worse(one, whom, say)
    if by_chance := _kappas(chance if kind != "repeats" else worse + chance, say):
        yield say("agree_chance", whom=whom, parts=by_chance)
    if beyond := _kappas(_those(found, "beyond"), say):
        yield say("agree_beyond", whom=whom, parts=beyond)
    for name, own in languages.items():
        if parts := [one.title for one in _differ_in(found, own) if _undecided(one)]:
            yield say("agree_people_in", lang=name, parts=listed(parts, say))
    coarse = [one for one in _those(found, "beyond") if below_one_answer(one.agreement)]
    if coarse and kind != "repeats":
        yield say("agree_coarse", parts=listed((_one_answer(one, say) for one in coarse), say))
    unknown: dict[str, list[str]] = {}
    for one in _those(found, "unknown"):
        unknown.setdefault(_unknown(one.agreement, say), []).append(one.title)
    for reason, titles in unknown.items():
        yield say("agree_unknown", parts=listed(titles, say), whom=whom, reason=reason)
    if kind == "people":
        yield from _beside_people(found, say)
    if kind != "repeats":
        yield from _biases(kind, found, say)
    if kind == "people":
        yield from _stands_in(found, say)
    yield from _by_language(found, languages, whom, say)


def people_warnings(found: Sequence[Named], languages: Mapping[str, Sequence[Named]], say: Words) -> Iterator[str]:
    """Where people do not agree with each other, and the answers do not say so."""
    if parts := [one.title for one in found if people_differ(one.agreement) and not _undecided(one)]:
        yield say("agree_warn_people", parts=listed(parts, say))
    for name, own in languages.items():
        if parts := [one.title for one in _differ_in(found, own) if not _undecided(one)]:
            yield say("agree_people_in", lang=name, parts=listed(parts, say))


def point_of(one: Agreement, point: int, say: Words) -> str:
    """A point of the scale; yes or no where it has these two."""
    if (one.axis.low, one.axis.high) == (0, 1):
        return say("agree_yes") if point else say("agree_no")
    return say.number(point, 0)


def percent(value: float | None, say: Words) -> str:
    return "—" if value is None else f"{say.number(100 * value, 0)} %"


def listed(parts: Iterable[str], say: Words) -> str:
    """Parts as a sentence lists them."""
    *most, last = parts
    return say("agree_and", most=", ".join(most), last=last) if most else last


def reason_of(figure: Figure, say: Words) -> str:
    """Why a figure is not known; empty where it is."""
    return say(_REASONS[figure.reason]) if figure.value is None and figure.reason is not None else ""


def _unknown(one: Agreement, say: Words) -> str:
    reason = one.figures[DECIDES].reason or "few"
    if reason == "few" and one.clusters < one.n:
        return say("agree_reason_sources", n=say.number(one.clusters, 0))
    return say(_REASONS[reason])


def _those(found: Sequence[Named], what: Found) -> list[Named]:
    return [one for one in found if found_of(one.agreement) == what]


def _worse(one: Named, whom: str, say: Words) -> str:
    agreement = one.agreement
    assert agreement.majority is not None
    return say(
        "agree_worse",
        title=one.title,
        point=point_of(agreement, agreement.majority.point, say),
        whom=whom,
        exact=percent(agreement.figures["exact"].value, say),
        n=say.number(agreement.n, 0),
        constant=percent(agreement.majority.exact, say),
        kappa=_figure(agreement.figures[DECIDES], say),
    )


def _one_answer(one: Named, say: Words) -> str:
    agreement = one.agreement
    assert agreement.majority is not None
    return say(
        "agree_coarse_part",
        title=one.title,
        point=point_of(agreement, agreement.majority.point, say),
        constant=percent(agreement.majority.exact, say),
        exact=percent(agreement.figures["exact"].value, say),
    )


def _figure(figure: Figure, say: Words) -> str:
    return f"{say.number(figure.value)} {say.interval(figure.ci95)}" if figure.ci95 else say.number(figure.value)


def _kappas(those: Sequence[Named], say: Words) -> str:
    parts = [f"{one.title} ({_figure(one.agreement.figures[DECIDES], say)})" for one in those]
    return listed(parts, say) if parts else ""


def _beside_people(found: Sequence[Named], say: Words) -> Iterator[str]:
    parts = []
    for one in found:
        if (people := one.agreement.people) is None:
            continue
        judge, person = people.judge[DECIDES].value, people.persons[DECIDES].value
        if judge is not None and person is not None:
            values = {"title": one.title, "judge": say.number(judge), "person": say.number(person)}
            parts.append(say("agree_beside_part", **values))
    if parts:
        yield say("agree_beside", parts=listed(parts, say))


def _biases(kind: Kind, found: Sequence[Named], say: Words) -> Iterator[str]:
    sure = [(one, figure) for one in found if (figure := one.agreement.figures["bias"]).ci95 is not None]
    for key, sign in ((_MORE[kind], 1), (_LESS[kind], -1)):
        parts = [
            f"{one.title} ({say.signed(figure.value)} {say.interval(figure.ci95)})"
            for one, figure in sure
            if figure.ci95 is not None and min(sign * end for end in figure.ci95) > 0
        ]
        if parts:
            yield say(key, parts=listed(parts, say))


def _stands_in(found: Sequence[Named], say: Words) -> Iterator[str]:
    tested = [one for one in found if one.agreement.alternative.stands_in is not None]
    if parts := [_won(one, say) for one in tested if one.agreement.alternative.stands_in]:
        allowed = percent(tested[0].agreement.alternative.epsilon, say)
        yield say("agree_alt_yes", parts=listed(parts, say), allowed=allowed)
    if names := [one.title for one in tested if one.hollow]:
        yield say("agree_alt_hollow", parts=listed(names, say))
    if parts := [_won(one, say) for one in tested if not one.agreement.alternative.stands_in]:
        yield say("agree_alt_no", parts=listed(parts, say))
    rest = [one for one in found if one.agreement.n and one.agreement.alternative.stands_in is None]
    for key, reason in (("agree_alt_annotators", "annotators"), ("agree_alt_units", "units")):
        if names := [one.title for one in rest if one.agreement.alternative.reason == reason]:
            needed = {"people": ANNOTATORS_MIN} | ({"sources": UNITS_MIN} if reason == "units" else {})
            yield say(key, parts=listed(names, say), **needed)


def _won(one: Named, say: Words) -> str:
    against = one.agreement.alternative.against
    return say("agree_alt_part", title=one.title, won=sum(each.won for each in against), of=len(against))


def _undecided(one: Named) -> bool:
    """Whether the labels, on which people do not agree, are why the judge's agreement is not beyond chance."""
    return people_differ(one.agreement) and found_of(one.agreement) != "beyond"


def _differ_in(found: Sequence[Named], own: Sequence[Named]) -> list[Named]:
    """What people do not agree on in one language, though they do over all texts."""
    known = {one.agreement.axis.name for one in found if people_differ(one.agreement)}
    return [one for one in own if one.agreement.axis.name not in known and people_differ(one.agreement)]


def _by_language(
    found: Sequence[Named], languages: Mapping[str, Sequence[Named]], whom: str, say: Words
) -> Iterator[str]:
    """Languages in which agreement is not what it is over all, and not for want of people who agree."""
    good = {one.agreement.axis.name for one in _those(found, "beyond")}
    for name, own in languages.items():
        lost = [one for one in own if one.agreement.axis.name in good and not people_differ(one.agreement)]
        if parts := _kappas([one for one in lost if found_of(one.agreement) in ("against", "worse", "chance")], say):
            yield say("agree_not_in", lang=name, whom=whom, parts=parts)
