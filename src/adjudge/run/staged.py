"""One item in stages: claims and questions are listed and then checked, and the other criteria asked in one call."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import fields
from typing import Any, TypeAlias

from adjudge.core.judge import Judge
from adjudge.core.records import Opinion
from adjudge.run import claims, questionnaire, window
from adjudge.run.ask import Asker
from adjudge.run.plan import Unit
from adjudge.run.repeats import Repeats
from adjudge.run.together import together
from adjudge.spec.criteria import STAGED
from adjudge.spec.prompt import render
from adjudge.spec.stages import part_of

#: What one part of the work says of an item, and the keys of the calls that it took.
Part: TypeAlias = tuple[Opinion, list[str]]
_JUDGED = {"claims": claims.judged, "questions": questionnaire.judged}


class Staged(Repeats):
    """The parts of a repeat are asked at once; without one of them the repeat is lost."""

    def __init__(self, judge: Judge, unit: Unit) -> None:
        super().__init__(judge, unit)
        self._calls = {call.repeat: call for call in unit.calls}
        self._others = [one.name for one in judge.criteria if one.kind not in STAGED]

    async def _repeat(self, asker: Asker, repeat: int) -> Opinion:
        self._check_window(asker, repeat)
        parts, keys = await together(self._parts(asker, repeat))
        self.keys.extend(keys)
        return whole(self._judge, parts)

    def _parts(self, asker: Asker, repeat: int) -> Iterator[Coroutine[Any, Any, Part]]:
        if self._others:
            yield self._verdict(asker, part_of(self._judge, self._others), self._calls[repeat], self.item)
        for criterion in self._judge.criteria:
            if criterion.kind in STAGED:
                yield _JUDGED[criterion.kind](asker, criterion, self.item, self._place, repeat)

    def _check_window(self, asker: Asker, repeat: int) -> None:
        """Where the criteria without stages do not fit, the item fails: nothing else is asked about it then."""
        if self._others and asker.planner.options.window:
            prompt = render(part_of(self._judge, self._others), self._calls[repeat], (self.item,))
            window.check(prompt, asker.planner.options.window, asker.planner.settings)


def whole(judge: Judge, parts: Sequence[Opinion]) -> Opinion:
    """One opinion from several that have no criterion in common, in the order of the judge's file."""
    merged: dict[str, Any] = {
        one.name: {name: found for part in parts for name, found in getattr(part, one.name).items()}
        for one in fields(Opinion)
        if one.name not in ("flags", "order", "repeat")
    }
    scores = merged.pop("scores")
    return Opinion(
        scores={criterion.name: scores[criterion.name] for criterion in judge.scored if criterion.name in scores},
        flags=tuple(dict.fromkeys(flag for part in parts for flag in part.flags)),
        **merged,
    )
