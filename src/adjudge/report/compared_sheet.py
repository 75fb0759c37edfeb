"""A comparison as a sheet: the answer, the tables behind it, what must be known with it."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.report.compared import LACKS, Compared, Gap, Lack
from adjudge.report.compared_said import Voice, answers
from adjudge.report.compared_tables import figures
from adjudge.report.sheet import Sheet
from adjudge.report.tables import Section
from adjudge.report.warn import warn_over
from adjudge.report.words import words
from adjudge.store.url import with_store

#: Below so many items, or sources, rare large differences are easily not among those seen.
FEW = 30
#: So many sides are named in a title.
NAMED = 4
_LACK: dict[Lack, str] = {
    "failed": "compare_lack_failed",
    "pending": "compare_lack_pending",
    "stopped": "compare_lack_stopped",
    "absent": "compare_lack_absent",
    "unscored": "compare_lack_unscored",
}
_COUNT: dict[Lack, str] = {
    "failed": "compare_count_failed",
    "pending": "compare_count_pending",
    "stopped": "compare_count_stopped",
    "absent": "compare_count_absent",
    "unscored": "compare_count_unscored",
}


def compared_sheet(found: Compared) -> Sheet:
    """The sheet of a comparison."""
    return _Page(found).sheet()


class _Page:
    def __init__(self, found: Compared) -> None:
        self.found, self.say = found, words(found.lang)
        self.voice = Voice(found, self.say)
        self.labels = self.voice.labels

    def sheet(self) -> Sheet:
        found = self.found
        said, warned = tuple(answers(self.voice)), tuple(self._warnings())
        return Sheet(
            title=self._title(),
            lang=found.lang,
            facts=tuple(self._facts()),
            answers=said,
            sections=(*figures(self.voice), *self._lacking(), self._sides()),
            warnings=warned,
            signatures=tuple(dict.fromkeys(side.run.signature for side in found.sides)),
            data={"answers": list(said), **found.as_json(), "warnings": list(warned)},
        )

    def _title(self) -> str:
        title = self.found.title
        if len(self.labels) == 2:
            return self.say("compare_title_two", title=title, a=self.labels[0], b=self.labels[1])
        names = ", ".join(self.labels) if len(self.labels) <= NAMED else str(len(self.labels))
        return self.say("compare_title_many", title=title, names=names)

    def _facts(self) -> Iterator[str]:
        say, found, items = self.say, self.found, self.voice.items(self.found.units)
        yield say("compare_by_id", items=items) if found.paired_by == "id" else say("compare_by_source", items=items)
        if found.sources is not None:
            yield say("compare_kept_together", n=say.number(found.sources, 0))
        if margins := dict.fromkeys(self.voice.margin(one.pairs[0]) for one in found.heads):
            yield say("compare_margins", margins=", ".join(margins))
        yield say("compare_seed", seed=found.seed)

    def _lacking(self) -> Iterator[Section]:
        """Items that one side judged and another did not: how many, and the first of them."""
        found, say = self.found, self.say
        if not found.lacking:
            return
        counts = []
        for side in found.sides:
            told = [self._counted(why, side.lacks[why]) for why in LACKS if side.lacks.get(why)]
            if told:
                counts.append(say("compare_lacks", side=side.label, counts=", ".join(told)))
        shown = len({gap.item for gap in found.gaps})
        yield Section(
            name="lacking",
            title=say("compare_lacking"),
            columns=(say("compare_lack_item"), say("compare_lack_side"), say("compare_lack_why")),
            rows=tuple((gap.item, self.labels[gap.side], self._why(gap)) for gap in found.gaps),
            notes=(
                "; ".join(counts) + ".",
                say("compare_note_lacking", shown=say.number(shown, 0), of=self.voice.items(found.lacking)),
                say("compare_note_filled"),
            ),
            data={},
        )

    def _why(self, gap: Gap) -> str:
        if gap.why == "absent" and self.found.paired_by != "id":
            return self.say("compare_lack_absent_source")
        return self.say(_LACK[gap.why], told=gap.told or "—")

    def _counted(self, why: Lack, count: int) -> str:
        key = "compare_count_absent_source" if why == "absent" and self.found.paired_by != "id" else _COUNT[why]
        return self.say(key, n=self.say.number(count, 0))

    def _sides(self) -> Section:
        say = self.say
        return Section(
            name="sides",
            title=say("compare_sides"),
            columns=(say("compare_side"), say("compare_judged"), say("model"), say("compare_run")),
            rows=tuple(
                (
                    side.label,
                    f"{say.number(side.judged, 0)}/{say.number(side.items, 0)}",
                    side.run.settings.model,
                    side.run.id,
                )
                for side in self.found.sides
            ),
            data={},
        )

    def _warnings(self) -> Iterator[str]:
        found, say = self.found, self.say
        runs = list(dict.fromkeys(side.run.id for side in found.sides))
        told = (f"{name}: {', '.join(dict.fromkeys(values))}" for name, values in found.differ.items())
        what = "; ".join(told)
        if found.same_texts and what:
            agree = with_store(f"adjudge agree {' '.join(runs)}", found.store)
            yield say("compare_warn_judges", what=what, command=agree)
        elif found.same_texts:
            yield say("compare_warn_again")
        elif what:
            yield say("compare_warn_differ", what=what)
        if found.other_source:
            yield say("compare_warn_source", n=say.number(found.other_source, 0))
        if found.other_reference:
            yield say("compare_warn_reference", items=self.voice.items(found.other_reference))
        if found.paired_by != "id" and found.by != "system":
            yield say("compare_warn_paired" if found.paired_by == "source" else "compare_warn_queries")
        for title, names in found.over.items():
            yield warn_over(title, names, say)
        for one in found.left_out:
            each = zip(self.labels, one.told, strict=True)
            if one.why == "basis":
                yield say("compare_warn_basis", title=one.title, told="; ".join(f"{who}: {told}" for who, told in each))
            else:
                names = ", ".join(who for who, told in each if told)
                yield say("compare_warn_unjudged", title=one.title, names=names)
        if unfinished := [side.label for side in found.sides if side.status in ("interrupted", "running")]:
            yield say("compare_warn_unfinished", names=", ".join(unfinished))
        if stopped := [side.label for side in found.sides if side.lacks.get("stopped")]:
            yield say("compare_warn_stopped", names=", ".join(stopped))
        tests = [pair.seen for one in found.contrasts for pair in one.pairs]
        most = max(tests, key=lambda seen: seen.units, default=None)
        if most is not None and most.units < FEW:
            sources = say("compare_sources", n=say.number(most.units, 0))
            yield say("compare_warn_few", items=sources if most.units < most.n else self.voice.items(most.n))
        if found.unnamed:
            yield say("compare_warn_unnamed", n=say.number(found.unnamed, 0))
