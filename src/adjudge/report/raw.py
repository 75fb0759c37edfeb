"""Raw replies on demand: what came back for one item, word for word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adjudge.core import limits
from adjudge.core.records import Call, Reply
from adjudge.report.element import Markup, element
from adjudge.report.plain import fit
from adjudge.report.words import Words

_NAME_COLUMNS = 60
#: What a call was for, in words.
_STAGES = {
    "answer": "items_stage_answer",
    "judge": "items_stage_judge",
    "repair": "items_stage_repair",
    "again": "items_stage_again",
    "reason": "items_stage_reason",
    "claims": "items_stage_claims",
    "support": "items_stage_support",
    "questions": "items_stage_questions",
    "answers": "items_stage_answers",
    "rest": "items_stage_rest",
    "part": "items_stage_part",
    "probe": "items_stage_probe",
    "merge": "items_stage_merge",
}
#: How a reply ended, in words.
_FINISHES = {
    "stop": "items_finish_stop",
    "length": "items_finish_length",
    "refusal": "items_finish_refusal",
    "unknown": "items_finish_unknown",
    "unread": "items_finish_unread",
}


def stage_named(stage: str, say: Words) -> str:
    """What a call was for, in words."""
    return say(_STAGES[stage]) if stage in _STAGES else fit(stage, _NAME_COLUMNS)


def raw_replies(
    replies: Sequence[tuple[Call, Reply]], say: Words, elsewhere: Mapping[str, str] = {}
) -> Iterator[Markup]:
    """Each reply behind a line that says what it answers and how it ended.

    `elsewhere` has the addresses of replies that are on the page already, by the keys of their calls.
    """
    for call, reply in replies[: limits.REPLIES_SHOWN]:
        if call.key in elsewhere:
            link = element("a", say("items_raw_elsewhere"), href=elsewhere[call.key])
            yield element("p", _told(call, reply, say), " · ", link, class_="soft small")
            continue
        yield element("details", element("summary", _told(call, reply, say)), _text(reply, say), class_="raw")
    if len(replies) > limits.REPLIES_SHOWN:
        yield element("p", say("more", n=len(replies) - limits.REPLIES_SHOWN), class_="soft small")


def _told(call: Call, reply: Reply, say: Words) -> str:
    told = [f"{say('items_raw')}: {stage_named(call.stage, say)}"]
    if call.criterion:
        told.append(fit(call.criterion, _NAME_COLUMNS))
    if call.order:
        told.append(say("items_order", names=", ".join(fit(name, _NAME_COLUMNS) for name in call.order)))
    if call.repeat:
        told.append(say("items_repeat", n=call.repeat + 1))
    told.append(say(_FINISHES[reply.finish]) if reply.finish in _FINISHES else fit(reply.finish, _NAME_COLUMNS))
    return " · ".join(told)


def _text(reply: Reply, say: Words) -> list[Markup]:
    drawn = [element("pre", reply.text[: limits.REPLY_SHOWN_CHARS], dir="auto", tabindex=0)]
    if len(reply.text) > limits.REPLY_SHOWN_CHARS:
        counts = {"shown": say.number(limits.REPLY_SHOWN_CHARS, 0), "all": say.number(len(reply.text), 0)}
        drawn.append(element("p", say("cut", **counts), class_="soft small"))
    return drawn
