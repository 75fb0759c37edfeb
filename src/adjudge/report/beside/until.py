"""What was asked of a run, whether it is answered, after how many items, and what was saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome
from adjudge.core.runs import Answer, RunState
from adjudge.report.beside.row import Row
from adjudge.report.plain import fit
from adjudge.report.tables import Section
from adjudge.report.words import words

NAME_COLUMNS = 40


class Until:
    """Shows the answer to the question of `--until`, which came with the run's state."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._state, self._say = state, words(judge.lang)

    def add(self, outcome: Outcome, row: Row) -> None:
        """Nothing: the outcomes were looked at in the order drawn, and this is that of the dataset."""

    def section(self) -> Section | None:
        """One line; nothing where nothing was asked."""
        answer, say, of = self._state.answer, self._say, self._state.run.items
        if answer is None:
            return None
        low, high = answer.interval
        digits = 2 if high - low >= 0.1 else 3
        number = say.signed if answer.sides else say.number
        half = "" if answer.sides else f" ±{say.number((high - low) / 2, 3)}"
        return Section(
            name="until",
            title=say("until"),
            columns=(
                say("until_question"),
                say("until_answer"),
                say("items"),
                say("until_difference" if answer.sides else "mean"),
                say("until_interval"),
            ),
            rows=(
                (
                    self._state.run.until,
                    self._said(answer),
                    say.n_of(answer.items, of),
                    number(answer.mean, digits),
                    f"{say.interval(answer.interval, digits)}{half}",
                ),
            ),
            notes=tuple(self._notes(answer)),
            data={
                "question": self._state.run.until,
                "answered": answer.answered,
                "better": answer.better or None,
                "items": answer.items,
                "of": of,
                "counted": answer.counted,
                "mean": answer.mean,
                "interval": [low, high],
                "half_width": (high - low) / 2,
                "calls_saved": self._saved(answer),
            },
        )

    def _said(self, answer: Answer) -> str:
        if not answer.answered:
            return self._say("until_open")
        return fit(answer.better, NAME_COLUMNS) if answer.sides else self._say("until_reached")

    def _notes(self, answer: Answer) -> Iterator[str]:
        say, of, saved = self._say, self._state.run.items, self._saved(answer)
        told = {"n": say.number(answer.items, 0), "of": say.number(of, 0)}
        if not answer.answered:
            yield say("until_still_open" if answer.items == of else "until_not_yet", **told)
        elif answer.items == of:
            yield say("until_at_the_end", **told)
        else:
            yield say("until_answered", calls=say.number(saved, 0), **told)
        yield say("until_of_like_these") if answer.sides else say("until_of_these", of=told["of"])
        if answer.counted < answer.items:
            yield say("until_counted", n=say.number(answer.counted, 0), of=told["n"])
        if answer.answered and self._beyond(answer):
            yield say("until_beyond")

    def _beyond(self, answer: Answer) -> int:
        """Calls that the items looked at did not take: under way when the answer came, and summaries of batches."""
        return max(0, self._state.calls + self._state.cached - answer.calls)

    def _saved(self, answer: Answer) -> int:
        """The calls that the other items would have taken, at what these took, less what was asked beyond these."""
        if not answer.answered or not answer.items:
            return 0
        left = self._state.run.items - answer.items
        return max(0, round(left * answer.calls / answer.items) - self._beyond(answer))

    def warnings(self) -> Iterable[str]:
        """None: that a question stays open is an answer too."""
        return ()
