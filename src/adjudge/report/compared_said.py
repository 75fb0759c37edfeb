"""What a comparison says in sentences: the answer first, then what goes against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.report.compared import Compared, Contrast, needed_for_margin
from adjudge.report.words import Words
from adjudge.stats.board import Axis
from adjudge.stats.paired import Paired
from adjudge.stats.together import turned


class Voice:
    """Figures and names as the sentences and tables of one comparison write them."""

    def __init__(self, found: Compared, say: Words) -> None:
        self.found, self.say = found, say
        self.labels = [side.label for side in found.sides]

    def items(self, n: int | str) -> str:
        say = self.say
        count = n if isinstance(n, str) else say.number(n, 0)
        keys = {"id": "compare_items", "source": "compare_sources", "query": "compare_queries"}
        return say(keys[self.found.paired_by], n=count)

    @property
    def kind(self) -> str:
        """What is paired, after a number of them."""
        keys = {"id": "compare_kind_items", "source": "compare_kind_sources", "query": "compare_kind_queries"}
        return self.say(keys[self.found.paired_by])

    def points(self, axis: Axis, value: float | None) -> str:
        """Points of a scale, without a sign."""
        return self.say.number(value, _digits(axis, value))

    def difference(self, pair: Paired, *, interval: bool = False) -> str:
        """B less A, with its interval where it is wanted."""
        ends = pair.interval
        # an interval that leaves 0 out does not look as if it held it
        beyond = interval and ends is not None and (ends[0] > 0.0 or ends[1] < 0.0)
        digits = _digits(pair.axis, *ends) if beyond and ends is not None else digits_of(pair.axis)
        told = self.say.signed(pair.difference, digits)
        return f"{told} {self.say.interval(ends, digits)}" if interval else told

    def margin(self, pair: Paired) -> str:
        return f"±{self.say.score(pair.margin)}"

    def p(self, value: float | None) -> str:
        if value is None:
            return "—"
        return f"< {self.say.number(0.001, 3)}" if value < 0.001 else self.say.number(value, 3)

    def p_told(self, value: float | None) -> str:
        if value is not None and value < 0.001:
            return self.say("compare_p_less", p=self.say.number(0.001, 3))
        return self.say("compare_p", p=self.p(value))


def digits_of(axis: Axis) -> int:
    """Decimals worth showing on this scale, as in the report of a run."""
    return 2 if axis.span <= 10 else 1


def _digits(axis: Axis, *values: float | None) -> int:
    """As many decimals as show that what is not 0 is not, four at most."""
    digits = digits_of(axis)
    while digits < 4 and any(value and 1e-9 < abs(value) < 0.5 * 10.0**-digits for value in values):
        digits += 1
    return digits


def seen_by_winner(pair: Paired) -> Paired:
    """The pair as it is or, where A won, turned round: the winner less the other."""
    return turned(pair) if pair.word == "worse" else pair


def answers(voice: Voice) -> Iterator[str]:
    """One or two sentences that a hurried reader needs."""
    found, say = voice.found, voice.say
    if len(found.sides) > 2:
        for one in found.heads:
            yield from _ranked(voice, one)
    elif found.overall is None and len(found.criteria) > 1:
        yield say("compare_no_overall")
        yield from _by_criterion(voice, found.criteria, winner="")
    else:
        for one in found.heads:
            yield from _two(voice, one)
        if found.overall is not None:
            (pair,) = found.overall.pairs
            won = pair.word if pair.word in ("better", "worse") else ""
            yield from _by_criterion(voice, found.criteria, winner=won)
    if found.differ and not found.same_texts:
        yield say("compare_mixed", what=", ".join(found.differ))


def _two(voice: Voice, one: Contrast) -> Iterator[str]:
    (pair,), axis, say = one.pairs, one.axis, voice.say
    a, b = voice.labels
    shown = seen_by_winner(pair)
    common = {"title": axis.title, "items": voice.items(pair.n)}
    whole = {**common, "difference": voice.difference(shown, interval=True)}
    if pair.word in ("better", "worse"):
        better, worse = (b, a) if pair.word == "better" else (a, b)
        told = {**whole, "p": voice.p_told(pair.p)}
        if voice.found.same_texts:
            yield say("compare_rates", better=better, worse=worse, **told)
        else:
            yield say("compare_better", better=better, worse=worse, **told)
        if pair.why == "small":
            yield say("compare_small", margin=voice.margin(pair))
    elif pair.word == "same":
        yield say("compare_same", a=a, b=b, margin=voice.margin(pair), **whole)
    elif pair.word == "blocked":
        assert pair.best is not None and pair.worst is not None
        ends_filled = sorted(one.difference or 0.0 for one in (pair.worst, pair.best))
        low, high = (say.signed(one, digits_of(axis)) for one in ends_filled)
        told = {**whole, "low": low, "high": high}
        yield say("compare_blocked", a=a, b=b, lacking=say.number(pair.only_a + pair.only_b, 0), **told)
    elif pair.why == "noise":
        yield say(
            "compare_noise", a=a, b=b, noise=voice.points(axis, pair.noise), difference=voice.difference(pair), **common
        )
    elif pair.why == "few":
        key = "compare_one_source" if pair.n > 1 else "compare_few"
        yield say(key, a=a, b=b, title=axis.title, n=say.number(pair.n, 0))
    elif pair.why == "equal":
        yield say("compare_equal", a=a, b=b, interval=say.interval(pair.interval, digits_of(axis)), **common)
    else:
        told = {**whole, "p": voice.p_told(pair.p)}
        yield " ".join([say("compare_open", a=a, b=b, **told), *_at_odds(voice, pair), *_what_more(voice, pair)])


def _at_odds(voice: Voice, pair: Paired) -> Iterator[str]:
    """Where the interval and the test, which are made in different ways, do not say the same."""
    if pair.why == "interval":
        yield voice.say("compare_interval")
    elif pair.interval is not None and not pair.interval[0] <= 0.0 <= pair.interval[1]:
        yield voice.say("compare_test")


def _what_more(voice: Voice, pair: Paired) -> Iterator[str]:
    """What the data could have shown, and how many more items would show a difference that matters."""
    axis, say = pair.axis, voice.say
    if pair.smallest is not None:
        yield say("compare_smallest", smallest=voice.points(axis, pair.smallest))
    wanted = needed_for_margin(pair)
    if wanted is not None and wanted > pair.n:
        more = say.number(round_up(wanted - pair.n), 0)
        yield say("compare_more", n=more, kind=voice.kind, margin=say.score(pair.margin))
    elif pair.needed is not None and pair.needed > pair.n:
        yield say("compare_more_seen", n=say.number(round_up(pair.needed - pair.n), 0), kind=voice.kind)


def round_up(count: int) -> int:
    """Two figures of a count that is only about so large."""
    step: int = 10 ** max(0, len(str(count)) - 2)
    return -(-count // step) * step


def _by_criterion(voice: Voice, criteria: Iterable[Contrast], *, winner: str) -> Iterator[str]:
    """Each criterion under what is said of it; where the overall value has a winner, only those that go against it."""
    say, (a, b) = voice.say, voice.labels
    groups: dict[str, list[str]] = {}
    for one in criteria:
        (pair,) = one.pairs
        difference = voice.difference(seen_by_winner(pair))
        told = say("compare_one", title=one.axis.title, difference=difference) if pair.n else one.axis.title
        groups.setdefault(pair.word, []).append(told)
    rates = voice.found.same_texts
    for word, better, worse in (("better", b, a), ("worse", a, b)):
        if word == winner or not (titles := ", ".join(groups.get(word, ()))):
            continue
        if winner:
            told = say(
                "compare_against_rates" if rates else "compare_against", better=better, worse=worse, titles=titles
            )
        else:
            told = say("compare_in_rates" if rates else "compare_in_better", better=better, worse=worse, titles=titles)
        yield told
    if voice.found.overall is None:
        others = {"same": "compare_in_same", "not_separable": "compare_in_open", "blocked": "compare_in_blocked"}
        yield from (say(key, titles=", ".join(groups[word])) for word, key in others.items() if word in groups)


def _ranked(voice: Voice, one: Contrast) -> Iterator[str]:
    found, say = one.together, voice.say
    assert found is not None
    common = {"title": one.axis.title, "items": voice.items(found.n)}
    count = len(found.sides)
    top = found.groups[0] if found.groups else ()
    alone = len(top) == 1 and sum(top[0] in group for group in found.groups) == 1
    words = [pair.word for pair in one.pairs]
    apart = sum(word in ("better", "worse") for word in words)
    if set(words) == {"same"}:
        first = say("compare_all_same", n=count, margin=voice.margin(one.pairs[0]), **common)
    elif alone:
        key = "compare_best_rates" if voice.found.same_texts else "compare_best"
        first = say(key, best=voice.labels[top[0]], n=count, **common)
        small = [(at, pair) for at, pair in enumerate(found.matrix[top[0]]) if pair and pair.why == "small"]
        if small:
            names = ", ".join(voice.labels[at] for at, _ in small)
            first += " " + say("compare_best_small", names=names, margin=voice.margin(small[0][1]))
    elif not apart:
        first = say("compare_none_apart", n=count, **common)
    else:
        first = say("compare_top", names=", ".join(voice.labels[index] for index in top), **common)
    rest = [] if set(words) == {"same"} else [say("compare_pairs", apart=apart, pairs=len(words))]
    if small_pairs := sum(pair.why == "small" for pair in one.pairs):
        rest.append(say("compare_pairs_small", n=small_pairs))
    if rest and (same := words.count("same")):
        rest.append(say("compare_pairs_same", n=same))
    if blocked := words.count("blocked"):
        rest.append(say("compare_pairs_blocked", n=blocked))
    for upper, lower in found.against:
        rest.append(say("compare_cycle", better=voice.labels[lower], worse=voice.labels[upper]))
    yield " ".join([first, *rest])
