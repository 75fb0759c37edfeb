"""The prompt for a candidate that is a language model: the question and the sources, nothing else of the item."""

from __future__ import annotations

from adjudge.core.records import Call, Item, Prompt, digest
from adjudge.spec.prompt import NO_SCHEMA, fence, fenced_source, free_mark, texts
from adjudge.spec.wording import words

_PHRASES = ("answer_head", "answer_fence", "answer_question", "answer_sources", "answer_now")


def render_answer(lang: str, call: Call, item: Item) -> Prompt:
    """What a candidate is asked. The sources are fenced as for a judge: they are no instructions to it either."""
    told = words(lang)
    mark = free_mark(call.key, "\n".join(texts(item.fields)))
    sources = [fenced_source(mark, number, source) for number, source in enumerate(item.sources("sources"), 1)]
    user = "\n\n".join(
        (
            told.say("answer_fence", mark=mark),
            f"# {told.say('answer_sources')}",
            "\n".join(sources),
            f"# {told.say('answer_question')}",
            fence(mark, told.say("answer_question"), item.text("question")),
            told.say("answer_now"),
        )
    )
    return Prompt(system=told.say("answer_head"), user=user, schema=NO_SCHEMA)


def answering_digest(lang: str) -> str:
    """A hash of the words that candidates are asked with: other words make other answers."""
    told = words(lang)
    return digest([told.say(phrase) for phrase in _PHRASES])
