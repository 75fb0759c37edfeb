"""What items would take whose calls follow from one another: an estimate, since nothing is listed before the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from adjudge.core import limits
from adjudge.core.errors import ContextTooLong
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Item
from adjudge.run.claims import support_characters
from adjudge.run.long import Long
from adjudge.run.merge import prompt_room
from adjudge.run.plan import CHARACTERS_PER_TOKEN, Planner, Unit, estimate_tokens, judged_text, numbered_sources
from adjudge.run.window import check, grouped, known_window, size_for, spans, splittable
from adjudge.spec.criteria import STAGED
from adjudge.spec.prompt import instructions, render, render_merge
from adjudge.spec.questionnaire import given, render_answers, render_questions
from adjudge.spec.stages import part_of, render_claims, without_source

#: Tokens of the prompt and of the answer of one call.
Tokens: TypeAlias = tuple[int, int]
#: About how much of a text makes one claim, and how many tokens a claim, its check, a question and its answer have.
_CLAIM_CHARS = 110
_CLAIM_TOKENS = 45
_CHECK_TOKENS = 60
_QUESTION_TOKENS = 40
_RATING_TOKENS = 70
_QUESTIONS = 10


class Foresight:
    """Estimates the calls of stages, long sources and merges; what items have in common is counted once."""

    def __init__(self, planner: Planner) -> None:
        self._planner, self._judge = planner, planner.judge
        self._window = planner.options.window or known_window(planner.settings)
        self._listed: set[tuple[str, str]] = set()

    def calls(self, unit: Unit) -> list[Tokens] | None:
        """About what each call of a unit takes; None where the plan itself has them all."""
        try:
            return self._calls(unit)
        except ContextTooLong:
            return []  # such an item fails, and nothing is asked

    def merges(self, batches: int) -> Iterator[Tokens]:
        """The calls that make the summaries of so many batches one, in a tree as `run.merge` does."""
        if not self._planner.batched:
            return
        base, summary = estimate_tokens(render_merge(self._judge, "", ())), len(self._judge.scored) * _RATING_TOKENS
        size = max((prompt_room(self._planner) - base) // summary, 2)
        while batches > 1:
            groups = [min(size, batches - start) for start in range(0, batches, size)]
            yield from ((base + group * summary, summary) for group in groups if group > 1)
            batches = len(groups)

    def _calls(self, unit: Unit) -> list[Tokens] | None:
        if self._planner.options.staged:
            return list(self._staged(unit.items[0]))
        if self._planner.options.ask == "rating" and splittable(self._judge):
            item = unit.items[0]
            shown = sum(len(item.text(field.name)) for field in self._judge.fields)
            size = self._size(len(instructions(self._judge)), shown)
            return None if size is None else list(self._long(unit))
        return None

    def _size(self, beside: int, whole: int) -> int | None:
        return size_for(self._window, self._planner.settings, beside, whole)

    def _staged(self, item: Item) -> Iterator[Tokens]:
        rest = [one for one in self._judge.criteria if one.kind not in STAGED]
        if rest:
            yield from self._rated(part_of(self._judge, [one.name for one in rest]), item)
        for criterion in self._judge.criteria:
            if criterion.kind == "claims":
                yield from self._claims(criterion, item)
            elif criterion.kind == "questions":
                yield from self._questions(criterion, item)

    def _rated(self, judge: Judge, item: Item) -> Iterator[Tokens]:
        prompt = render(judge, self._planner.call("rest", (item,)), (item,))
        check(prompt, self._planner.options.window, self._planner.settings)
        tokens = estimate_tokens(prompt)
        for _ in range(self._planner.options.repeat):
            yield tokens, len(judge.criteria) * _RATING_TOKENS

    def _first(self, name: str, text: str) -> bool:
        """Whether a text is listed for the first time."""
        new = bool(text.strip()) and (name, text) not in self._listed
        self._listed.add((name, text))
        return new

    def _claims(self, criterion: Criterion, item: Item, size: int | None = None) -> Iterator[Tokens]:
        text = judged_text(self._judge, item) or ""
        count = -(-len(text.strip()) // _CLAIM_CHARS)
        if self._first(criterion.name, text):
            yield estimate_tokens(render_claims(self._judge, criterion, "", text)), count * _CLAIM_TOKENS
        fixed, sources = support_characters(self._judge, criterion, item), numbered_sources(self._judge, item)
        whole = sum(len(source.text) for source in sources)
        size = size or self._size(fixed + limits.CLAIMS_CHARS_PER_CALL, whole)
        for pieces in grouped(sources, size) * self._planner.options.repeat:
            for start in range(0, count, limits.CLAIMS_PER_CALL):
                claims = min(count - start, limits.CLAIMS_PER_CALL)
                shown = fixed + sum(len(piece.source.text) for piece in pieces) + claims * _CLAIM_CHARS
                yield round(shown / CHARACTERS_PER_TOKEN), claims * _CHECK_TOKENS

    def _questions(self, criterion: Criterion, item: Item) -> Iterator[Tokens]:
        query, outputs = given(self._judge, item, "query"), given(self._judge, item, "output")
        prompt = render_questions(self._judge, criterion, "", text="", query=query)
        beside, count = len(prompt.system) + len(prompt.user), 0
        for source in numbered_sources(self._judge, item):
            size = self._size(beside, len(source.text))
            parts = spans(source.text, size) if size else [(0, len(source.text))]
            count += _QUESTIONS * len(parts)
            if self._first(f"{criterion.name}/{query}", source.text):
                for start, end in parts:
                    yield round((beside + end - start) / CHARACTERS_PER_TOKEN), _QUESTIONS * _QUESTION_TOKENS
        prompt = render_answers(self._judge, criterion, "", outputs=outputs, asked={})
        for _ in range(self._planner.options.repeat):
            for start in range(0, count, limits.QUESTIONS_PER_CALL):
                asked = min(count - start, limits.QUESTIONS_PER_CALL)
                yield estimate_tokens(prompt) + asked * _QUESTION_TOKENS, asked * _QUESTION_TOKENS

    def _long(self, unit: Unit) -> Iterator[Tokens]:
        item = unit.items[0]
        long = Long(self._judge, unit)
        size = long.part_size(self._size(long.beside(self._planner), len(long.source)))
        each, once, claims = (long.made(way) for way in ("each", "once", "claims"))
        if each:
            yield from self._each([criterion.name for criterion in each], long, size)
        if once:
            yield from self._rated(without_source(self._judge, tuple(criterion.name for criterion in once)), item)
        if claims:
            yield from self._claims(claims[0], item, size)

    def _each(self, names: Sequence[str], long: Long, size: int) -> Iterator[Tokens]:
        for start, end in spans(long.source, size) * self._planner.options.repeat:
            tokens = round((long.beside(self._planner) + end - start) / CHARACTERS_PER_TOKEN)
            yield tokens, len(names) * _RATING_TOKENS
