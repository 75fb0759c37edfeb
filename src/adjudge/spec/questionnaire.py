"""The prompts of questions in stages: questions on one source, and what a judged text says to them.

As in every prompt, the stable part comes first, and texts stand between fences with a mark that occurs in none of them.
Questions are fenced too: a model wrote them, but from a text that anybody may have written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from adjudge.core import limits
from adjudge.core.judge import Criterion, Judge, Role
from adjudge.core.records import Item, Prompt
from adjudge.spec import contract
from adjudge.spec.prompt import fence, free_mark
from adjudge.spec.wording import words


def given(judge: Judge, item: Item, role: Role) -> dict[str, str]:
    """The texts of an item's fields of one role, under the fields' names."""
    names = [field.name for field in judge.with_role(role) if field.name in item.fields]
    return {name: item.text(name) for name in names if item.text(name).strip()}


def render_questions(
    judge: Judge,
    criterion: Criterion,
    key: str,
    *,
    text: str,
    query: Mapping[str, str],
    known: Sequence[str] = (),
) -> Prompt:
    """Questions on a source for the person who asked `query`; `known` are those that were written before, too few."""
    told = words(judge.lang)
    mark = free_mark(key, "\n".join((text, *query.values(), *known)))
    parts = [*_fields(judge, mark, query), f"# {told.say('questions_text')}\n\n{fence(mark, 'text', text)}"]
    least, most = limits.QUESTIONS_PER_SOURCE_MIN, limits.QUESTIONS_PER_SOURCE_MAX
    now = told.say("questions_now", min=least, max=most)
    if known:
        listed = fence(mark, "known", "\n".join(f"- {question}" for question in known))
        parts.append(f"# {told.say('questions_known')}\n\n{listed}")
        now = told.say("questions_more", missing=least - len(known))
    user = "\n\n".join((told.say("fence", mark=mark), *parts, now))
    return Prompt(
        system=_system(judge, criterion.name, "questions_head"), user=user, schema=contract.question_list(judge.lang)
    )


def render_answers(
    judge: Judge,
    criterion: Criterion,
    key: str,
    *,
    outputs: Mapping[str, str],
    asked: Mapping[int, tuple[str, str]],
) -> Prompt:
    """The judged text and numbered questions, each with the answer of its source."""
    told = words(judge.lang)
    lines = [
        line
        for number, (question, answer) in asked.items()
        for line in (f"{number}. {question}", f"   ({told.say('answers_known', answer=answer)})" if answer else "")
        if line
    ]
    mark = free_mark(key, "\n".join((*outputs.values(), *lines)))
    questions = f"# {told.say('questions_asked')}\n\n{fence(mark, 'questions', chr(10).join(lines))}"
    now = told.say("answers_now", language=told.language)
    user = "\n\n".join((told.say("fence", mark=mark), *_fields(judge, mark, outputs), questions, now))
    schema = contract.answer_list(judge.lang, tuple(map(str, asked)))
    return Prompt(system=_system(judge, criterion.name, "answers_head"), user=user, schema=schema)


def _fields(judge: Judge, mark: str, texts: Mapping[str, str]) -> list[str]:
    titles = {field.name: field.title or field.name for field in judge.fields}
    return [f"# {titles[name]}\n\n{fence(mark, name, text)}" for name, text in texts.items()]


@lru_cache(maxsize=64)
def _system(judge: Judge, name: str, head: str) -> str:
    """What is the same in every call of a stage: the judge's own words where it has any."""
    told, stages = words(judge.lang), judge.criterion(name).stages
    if head == "questions_head":
        asks, shape = stages.get("list") or told.say("questions_list"), contract.question_list(judge.lang)
    else:
        asks = stages.get("check") or told.say("answers_check")
        shape = contract.answer_list(judge.lang, (f"<{told.say('answers_number')}>",))
    least, most = limits.QUESTIONS_PER_SOURCE_MIN, limits.QUESTIONS_PER_SOURCE_MAX
    text = told.say(head, asks=asks, language=told.language, min=least, max=most)
    return f"{text}\n\n{contract.stage_format(judge.lang, shape)}"
