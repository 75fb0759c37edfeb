"""The figures of a comparison as tables: of two sides line by line, of more a ranking and a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.report.compared import Contrast, needed_for_margin
from adjudge.report.compared_said import Voice, digits_of
from adjudge.report.tables import Section
from adjudge.stats.paired import MARGIN_SHARE, UNITS_MIN, Paired

#: So many sides have a line, and so many a column, the best first; the JSON has all.
LINES, COLUMNS = 20, 10
_OPEN = {
    "test": "compare_word_open",
    "equal": "compare_word_equal",
    "interval": "compare_word_open",
    "noise": "compare_word_noise",
    "few": "compare_word_few",
}


def figures(voice: Voice) -> Iterator[Section]:
    """The tables behind the answer."""
    page = _Figures(voice)
    return page.two() if len(voice.labels) == 2 else page.many()


class _Figures:
    def __init__(self, voice: Voice) -> None:
        self.voice, self.found, self.say, self.labels = voice, voice.found, voice.say, voice.labels

    def two(self) -> Iterator[Section]:
        """Two sides: what is said of each value, what the sides have there, and what could have been said."""
        say, (a, b) = self.say, self.labels
        pairs = [one.pairs[0] for one in self.found.contrasts]
        if not pairs:
            return
        counts = {pair.n for pair in pairs}
        items, several = self._units(pairs), len(counts) > 1
        yield Section(
            name="verdicts",
            title=say("compare_verdicts", a=a, b=b),
            columns=(
                say("criterion"),
                say("compare_difference"),
                say("compare_column_p"),
                *([say("compare_n")] if several else []),
                say("compare_verdict"),
            ),
            rows=tuple((pair.axis.title, *self._verdict(pair, several)) for pair in pairs),
            notes=(
                say("compare_note_p" if len(self.found.criteria) > 1 else "compare_note_p_one", items=items),
                *self._lower(),
            ),
            data={},
        )
        yield Section(
            name="means",
            title=say("compare_means"),
            columns=(say("criterion"), a, b, say("compare_ahead", b=b)),
            rows=tuple((pair.axis.title, *self._means(pair)) for pair in pairs),
            notes=(say("compare_note_means"),),
            data={},
        )
        yield self._power(pairs)

    def _units(self, pairs: Sequence[Paired]) -> str:
        """What is permuted, items or their sources; from and to where not every pair has as many."""
        tests = [pair.seen for pair in pairs if pair.n] or [pair.seen for pair in pairs]
        ends = dict.fromkeys(self.say.number(find(test.units for test in tests), 0) for find in (min, max))
        shared = any(test.units < test.n for test in tests)
        return self.say("compare_sources", n="–".join(ends)) if shared else self.voice.items("–".join(ends))

    def _verdict(self, pair: Paired, several: bool) -> tuple[str, ...]:
        return (
            self.voice.difference(pair, interval=True) if pair.n else "—",
            self.voice.p(pair.p),
            *([self.say.number(pair.n, 0)] if several else []),
            self._word(pair),
        )

    def _word(self, pair: Paired) -> str:
        """What is said of the second side."""
        say, word, rates = self.say, pair.word, self.found.same_texts
        if word in ("better", "worse"):
            better = "compare_word_rates_better" if rates else "compare_word_better"
            worse = "compare_word_rates_worse" if rates else "compare_word_worse"
            told = say(better if word == "better" else worse)
            return say("compare_word_small", word=told) if pair.why == "small" else told
        if word == "not_separable":
            return say(_OPEN[pair.why])
        return say("compare_word_same") if word == "same" else say("compare_word_blocked")

    def _means(self, pair: Paired) -> tuple[str, ...]:
        say, digits = self.say, digits_of(pair.axis)
        ahead = " / ".join(say.number(count, 0) for count in (pair.wins, pair.ties, pair.losses))
        return say.number(pair.mean_a, digits), say.number(pair.mean_b, digits), ahead

    def _power(self, pairs: Sequence[Paired]) -> Section:
        say, voice = self.say, self.voice
        floors = any(pair.noise is not None for pair in pairs)
        rows = []
        for pair in pairs:
            wanted = needed_for_margin(pair)
            line = [pair.axis.title, voice.margin(pair), voice.points(pair.axis, pair.smallest)]
            line.append("—" if wanted is None else say.number(wanted, 0))
            rows.append((*line, *([voice.points(pair.axis, pair.noise)] if floors else [])))
        return Section(
            name="power",
            title=say("compare_power"),
            columns=(
                say("criterion"),
                say("compare_margin"),
                say("compare_shown"),
                say("compare_wanted"),
                *([say("compare_floor")] if floors else []),
            ),
            rows=tuple(rows),
            notes=(say("compare_note_power"), *self._few(pairs), *self._common_notes(floors)),
            data={},
        )

    def _few(self, pairs: Sequence[Paired]) -> Iterator[str]:
        if any(0 < pair.seen.units < UNITS_MIN for pair in pairs):
            yield self.say("compare_note_units", least=UNITS_MIN)

    def _lower(self) -> Iterator[str]:
        titles = [one.axis.title for one in self.found.contrasts if one.axis.better == "lower"]
        if titles:
            yield self.say("compare_note_better", titles=", ".join(titles))

    def _common_notes(self, floors: bool) -> Iterator[str]:
        say = self.say
        yield say("compare_note_margin", share=say.number(100 * MARGIN_SHARE, 0))
        if not floors:
            # the embedded judge always says the same
            if not all(side.run.settings.model.startswith("offline") for side in self.found.sides):
                yield say("compare_note_floor_unknown")
            return
        yield say("compare_note_floor")
        if not all(self.found.repeated):
            yield say("compare_note_floor_part")

    def many(self) -> Iterator[Section]:
        """More than two: a ranking, who was told apart from whom, and all criteria with their groups."""
        say, found = self.say, self.found
        for one in found.heads:
            yield self._ranking(one)
            yield self._matrix(one)
        if found.overall is not None and found.criteria:
            order = _order(found.overall)
            yield Section(
                name="criteria",
                title=say("compare_table"),
                columns=(say("criterion"), *(self.labels[index] for index in order)),
                rows=tuple((one.axis.title, *self._lettered(one, order)) for one in found.criteria),
                notes=(say("compare_note_table"), *self._lower(), *self._shown(COLUMNS)),
                data={},
            )

    def _ranking(self, one: Contrast) -> Section:
        say, axis, found = self.say, one.axis, one.together
        assert found is not None
        floors = any(pair.noise is not None for pair in one.pairs)
        rows = [
            (
                f"{side.rank} {self.labels[side.index]}",
                say.number(side.mean, digits_of(axis)),
                f"{say.number(side.judged, 0)}/{say.number(self.found.units, 0)}",
                say.chance(side.best),
                side.letters,
            )
            for side in found.sides[:LINES]
        ]
        return Section(
            name="ranking",
            title=say("compare_ranking", title=axis.title),
            columns=(
                say("compare_side"),
                say("mean"),
                say("coverage"),
                say("compare_best_chance"),
                say("compare_group"),
            ),
            rows=tuple(rows),
            notes=(
                *self._shown(LINES),
                say("compare_note_group", items=self.voice.items(found.n)),
                *self._smallest(one),
                *self._common_notes(floors),
            ),
            data={},
        )

    def _smallest(self, one: Contrast) -> Iterator[str]:
        """What the pairs could have shown: they vary more and less."""
        known = [pair.smallest for pair in one.pairs if pair.smallest is not None]
        if known:
            least, most = (self.voice.points(one.axis, value) for value in (min(known), max(known)))
            key = "compare_smallest_pair" if least == most else "compare_smallest_pairs"
            yield self.say(key, least=least, most=most)

    def _matrix(self, one: Contrast) -> Section:
        say, found = self.say, one.together
        assert found is not None
        order = _order(one)
        rows = [
            (self.labels[row], *("·" if row == column else self._cell(found.matrix[column][row]) for column in order))
            for row in order
        ]
        return Section(
            name="matrix",
            title=say("compare_matrix", title=one.axis.title),
            columns=(say("compare_side"), *(self.labels[index] for index in order)),
            rows=tuple(rows),
            notes=(say("compare_note_matrix"), *self._shown(COLUMNS)),
            data={},
        )

    def _cell(self, pair: Paired | None) -> str:
        """The line's side less that of the column, with a mark for what is said of it."""
        if pair is None or not pair.n:
            return "—"
        marks = {"better": "*", "worse": "*", "same": "=", "blocked": "?"}
        return self.voice.difference(pair) + marks.get(pair.word, "") + ("=" if pair.why == "small" else "")

    def _shown(self, most: int) -> Iterator[str]:
        if len(self.labels) > most:
            yield self.say("compare_note_shown", n=most, of=len(self.labels))

    def _lettered(self, one: Contrast, order: Sequence[int]) -> list[str]:
        assert one.together is not None
        sides = {side.index: side for side in one.together.sides}
        return [
            f"{self.say.number(sides[index].mean, digits_of(one.axis))} {sides[index].letters}".rstrip()
            for index in order
        ]


def _order(one: Contrast) -> list[int]:
    """The sides that are shown, the best first."""
    assert one.together is not None
    return [side.index for side in one.together.sides[:COLUMNS]]
