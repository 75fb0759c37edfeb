"""One item by yes-or-no questions: one call for each text and criterion, one after another, each kept by itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from adjudge.core.errors import AdjudgeError, ModelError, ReplyError
from adjudge.core.judge import Judge
from adjudge.core.records import Call, Opinion, Reply, Score
from adjudge.reply.odds import answered, opinion, read_answer, read_reason
from adjudge.run.ask import Asker
from adjudge.run.plan import Unit, candidates
from adjudge.spec.prompt import render, render_reason


class Questions:
    """What is known so far of one item: an opinion for each repeat in which every question was answered."""

    def __init__(self, judge: Judge, unit: Unit) -> None:
        self._judge, self._calls = judge, unit.calls
        (self.item,), (self._place,) = unit.items, unit.positions
        self.opinions: list[Opinion] = []
        self.errors: list[AdjudgeError] = []
        self.keys: list[str] = []

    async def ask(self, asker: Asker) -> None:
        """Ask them all. In the order of the plan, not at once: a model then reads what their prompts share once."""
        for repeat, calls in groupby(self._calls, attrgetter("repeat")):
            scores: dict[str, dict[str, Score]] = {}
            self._flags: list[str] = []
            try:
                for call in calls:
                    who = call.order[0] if call.order else ""
                    scores.setdefault(call.criterion, {})[who] = await self._one(asker, call)
            except (ModelError, ReplyError) as error:
                # an answer that is missing is not made up, so the rest of the repeat need not be asked
                self.keys.extend(error.calls)
                self.errors.append(error.with_traceback(None))
            else:
                self.opinions.append(replace(opinion(self._judge, scores, self._names, self._flags), repeat=repeat))

    @property
    def _names(self) -> tuple[str, ...]:
        return candidates(self._judge, self.item)

    async def _one(self, asker: Asker, call: Call) -> Score:
        prompt = render(self._judge, call, (self.item,))
        criterion = self._judge.criterion(call.criterion)

        def reader(reply: Reply) -> tuple[tuple[Score, str], str]:
            score, step = read_answer(self._judge, criterion, reply)
            return (score, answered(self._judge, reply)), step

        (score, answer), keys = await asker.consult(call, self._span, prompt, (self.item,), reader)
        self.keys.extend(keys)
        return await self._explained(asker, call, score, answer) if asker.planner.options.reasons else score

    @property
    def _span(self) -> tuple[int, int]:
        return self._place, self._place

    async def _explained(self, asker: Asker, asked: Call, score: Score, answer: str) -> Score:
        """The score with what the model says when asked why, in a call of its own; without it the score stands."""
        call = asker.planner.call(
            "reason", (self.item,), order=asked.order, repeat=asked.repeat, after=answer, criterion=asked.criterion
        )
        prompt = render_reason(self._judge, call, (self.item,), answer)
        try:
            said, keys = await asker.consult(call, self._span, prompt, (self.item,), read_reason)
        except (ModelError, ReplyError) as error:
            said, keys = "", list(error.calls)
        self.keys.extend(keys)
        if not said:
            self._flags.append(f"no_reason:{asked.criterion}")
            return score
        return replace(score, reason=f"{score.reason} {said}")
