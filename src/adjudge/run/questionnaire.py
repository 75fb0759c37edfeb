"""Questions in stages: asked of each source once for all summaries of it, then every summary is checked by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import TypeAlias, TypeVar

from adjudge.core import limits
from adjudge.core.errors import Missing, ModelError, ReplyError
from adjudge.core.judge import Criterion
from adjudge.core.records import Finding, Item, Opinion, Prompt, Question, Reply, Score, Source, Stage
from adjudge.reply.questionnaire import (
    Answer,
    Asked,
    Listed,
    distinct,
    read_answers,
    read_questions,
    separate,
    words_of,
)
from adjudge.run.ask import Asker
from adjudge.run.once import once
from adjudge.run.plan import numbered_sources
from adjudge.run.reading import stepped
from adjudge.run.together import together
from adjudge.run.window import fitting, spans
from adjudge.spec.questionnaire import given, render_answers, render_questions
from adjudge.spec.wording import words
from adjudge.stats.interval import wilson

T = TypeVar("T")
#: Questions and the keys of the calls that they took.
Listing: TypeAlias = tuple[tuple[Asked, ...], list[str]]


async def judged(asker: Asker, criterion: Criterion, item: Item, place: int, repeat: int) -> tuple[Opinion, list[str]]:
    """What one criterion of kind questions comes to for an item, and the keys of the calls it took."""
    return await _Questionnaire(asker, criterion, item, place, repeat).opinion()


class _Questionnaire:
    """One item and one criterion: the questions of all its sources, and what the judged text says to them."""

    def __init__(self, asker: Asker, criterion: Criterion, item: Item, place: int, repeat: int) -> None:
        self._asker, self._judge, self._criterion = asker, asker.planner.judge, criterion
        self._item, self._span, self._repeat = item, (place, place), repeat
        self._query = given(self._judge, item, "query")
        self._outputs = given(self._judge, item, "output")
        self._flags: dict[str, None] = {}

    async def opinion(self) -> tuple[Opinion, list[str]]:
        """The share of the questions that are answered, and the keys of the calls."""
        sources = numbered_sources(self._judge, self._item)
        lists, keys = await together(self._of_source(n, source.text) for n, source in enumerate(sources, 1))
        for number, listed in enumerate(lists, 1):
            if len(listed) < limits.QUESTIONS_PER_SOURCE_MIN:
                self._flags[f"few_questions:{number}" if listed else f"no_questions:{number}"] = None
        # what two sources ask in the same words is checked once, and counts for both
        asked = dict(enumerate(distinct(one for listed in lists for one in listed), 1))
        numbers = {words_of(one.text): number for number, one in asked.items()}
        try:
            if not asked:
                raise Missing(f"{self._criterion.name}: no question at all")
            answers, more = await self._answers(asked)
        except (ModelError, ReplyError) as error:
            raise _with_calls(error, keys) from None
        questions = [
            _question(source, one, answers[numbers[words_of(one.text)]])
            for source, listed in zip(sources, lists, strict=True)
            for one in listed
        ]
        name, value = self._criterion.name, 100.0 * sum(one.answered for one in questions) / len(questions)
        found = Opinion(
            scores={name: {"": Score(value=value)}},
            questions={name: tuple(questions)},
            flags=tuple(self._flags),
            findings={name: {"": tuple(_findings(self._judge.lang, sources, questions))}},
        )
        return found, [*keys, *more]

    async def _of_source(self, number: int, text: str) -> Listing:
        """The questions of one source: of each part of it, where it is longer than the model's window."""
        empty = self._prompt("", "", ())

        async def work(size: int | None) -> Listing:
            places = spans(text, size) if size else [(0, len(text))]
            lists, keys = await together(self._of_part(number, text[start:end]) for start, end in places)
            if len(places) > 1:
                self._flags[f"in_parts:{len(places)}"] = None
            return tuple(distinct(one for listed in lists for one in listed)), keys

        size = self._asker.part_size(len(empty.system) + len(empty.user), len(text))
        return await fitting(size, len(text), work)

    async def _of_part(self, number: int, text: str) -> Listing:
        """The questions of one text; where they are too few, some more are asked for once."""
        if not text.strip():
            return (), []
        listed, keys = await self._list(number, text)
        if len(listed) >= limits.QUESTIONS_PER_SOURCE_MIN:
            return listed, keys
        try:
            more, again = await self._list(number, text, listed)
        except ReplyError as error:
            return listed, [*keys, *error.calls]
        return tuple(separate((*listed, *more)))[: limits.QUESTIONS_PER_SOURCE_MAX], [*keys, *again]

    async def _list(self, number: int, text: str, known: Sequence[Asked] | None = None) -> Listing:
        # neither the item nor its judged text is part of the key: all that is judged by this source shares the call
        after, name = [text, self._query, known], self._criterion.name
        call = self._asker.planner.call("questions", (), after=after, criterion=name, about=(self._item,))

        def reader(reply: Reply) -> tuple[tuple[Listed, tuple[str, ...]], str]:
            return _remarked(reply, *read_questions(reply, (text, *self._query.values())))

        prompt = self._prompt(call.key, text, known or ())
        (found, remarks), keys = await once(self._asker, call, self._span, prompt, reader)
        self._flags.update(dict.fromkeys(remarks))
        if found.dropped:
            self._flags[f"questions_dropped:{number}"] = None
        return found.asked, keys

    def _prompt(self, key: str, text: str, known: Sequence[Asked]) -> Prompt:
        shown = [one.text for one in known]
        return render_questions(self._judge, self._criterion, key, text=text, query=self._query, known=shown)

    async def _answers(self, asked: Mapping[int, Asked]) -> tuple[dict[int, Answer], list[str]]:
        """What the judged text says to every question, in groups where there are many."""
        numbers, size = list(asked), limits.QUESTIONS_PER_CALL
        groups = [numbers[start : start + size] for start in range(0, len(numbers), size)]
        found, keys = await together(self._group({number: asked[number] for number in group}) for group in groups)
        return {number: answer for answers in found for number, answer in answers.items()}, keys

    async def _group(self, asked: Mapping[int, Asked]) -> tuple[dict[int, Answer], list[str]]:
        """The answers to some questions; those that are missing are asked for once more."""
        answers, keys = await self._checked("answers", asked)
        left = {number: one for number, one in asked.items() if number not in answers}
        if not left:
            return answers, keys
        try:
            more, again = await self._checked("again", left)
            if lost := [str(number) for number in left if number not in more]:
                raise Missing(f"{self._criterion.name}: no answer to the questions {', '.join(lost)}")
        except (ModelError, ReplyError) as error:
            raise _with_calls(error, keys) from None
        return {**answers, **more}, [*keys, *again]

    async def _checked(self, stage: Stage, asked: Mapping[int, Asked]) -> tuple[dict[int, Answer], list[str]]:
        after, name = [self._outputs, [[number, *one] for number, one in asked.items()]], self._criterion.name
        call = self._asker.planner.call(
            stage, (), repeat=self._repeat, after=after, criterion=name, about=(self._item,)
        )
        prompt = render_answers(self._judge, self._criterion, call.key, outputs=self._outputs, asked=asked)
        shown = (*self._outputs.values(), *(part for one in asked.values() for part in one))

        def reader(reply: Reply) -> tuple[tuple[dict[int, Answer], tuple[str, ...]], str]:
            return _remarked(reply, *read_answers(reply, shown, asked))

        (found, remarks), keys = await once(self._asker, call, self._span, prompt, reader)
        self._flags.update(dict.fromkeys(remarks))
        return found, keys


def _remarked(reply: Reply, found: T, step: str) -> tuple[tuple[T, tuple[str, ...]], str]:
    """What was read, with the flags that its verdict bears for how it was asked and read; and the step."""
    refused = ("temperature_refused",) if "temperature" in reply.refused else ()
    mended = (f"repaired:{step}",) if step in ("json5", "repair") else ()
    return stepped(reply, ((found, (*refused, *mended)), step))


def _with_calls(error: ModelError | ReplyError, keys: Sequence[str]) -> ModelError | ReplyError:
    """The error with the calls before it; a copy, since others may wait for the same call."""
    own = copy(error)
    own.calls = tuple(dict.fromkeys((*keys, *error.calls)))
    return own


def _question(source: Source, asked: Asked, answer: Answer) -> Question:
    return Question(
        source=source.id,
        text=asked.text,
        answered=answer.state != "no",
        reason=answer.reason,
        partly=answer.state == "partly",
    )


def _findings(lang: str, sources: Sequence[Source], questions: Sequence[Question]) -> Iterator[Finding]:
    """The share answered, overall and by source, and every question that is not answered in full."""
    say = words(lang).say
    for name in ("", *(source.id for source in sources)):
        of = [one for one in questions if name in ("", one.source)]
        answered = sum(one.answered for one in of)
        if (ends := wilson(answered, len(of))) is not None:
            low, high = (f"{100 * end:.0f}" for end in ends)
            share = {"share": f"{100 * answered / len(of):.0f}", "low": low, "high": high}
            told = say("answers_share", n=answered, of=len(of), partly=sum(one.partly for one in of), **share)
            yield Finding(kind="questions_answered", reason=told, source=name, against=False)
    for one in questions:
        if one.partly or not one.answered:
            kind = "question_partly" if one.partly else "question_unanswered"
            reason = f"{one.text} {one.reason}".strip()
            yield Finding(kind=kind, reason=reason, source=one.source, against=not one.answered)
