"""One item by yes-or-no questions: one call for each text and criterion, one after another, each kept by itself."""

from __future__ import annotations

from dataclasses import replace

from adjudge.core.errors import ModelError, ReplyError
from adjudge.core.judge import Judge
from adjudge.core.records import Call, Opinion, Reply, Score
from adjudge.reply.odds import answered, opinion, read_answer, read_reason
from adjudge.run.ask import Asker
from adjudge.run.plan import Unit, candidates
from adjudge.run.repeats import Repeats
from adjudge.spec.prompt import render, render_reason


class Questions(Repeats):
    """Asked in the order of the plan, not at once: a model then reads what their prompts share once."""

    def __init__(self, judge: Judge, unit: Unit) -> None:
        super().__init__(judge, unit)
        self._calls = unit.calls
        self._flags: list[str] = []

    async def _repeat(self, asker: Asker, repeat: int) -> Opinion:
        """An answer that is missing is not made up, so after it the rest of the repeat is not asked."""
        scores: dict[str, dict[str, Score]] = {}
        self._flags = []
        for call in self._calls:
            if call.repeat == repeat:
                who = call.order[0] if call.order else ""
                scores.setdefault(call.criterion, {})[who] = await self._one(asker, call)
        return opinion(self._judge, scores, self._names, self._flags)

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
