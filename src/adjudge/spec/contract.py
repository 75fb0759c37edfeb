"""What a model is asked to return: the JSON schema and its skeleton for people, both read off `judge.output`.

Leaves that code makes (derived values, counts, shares) are not asked for. Within an object the evidence comes
first, then the reason, then the score: a score written after its reason rests on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from adjudge.core.judge import Criterion, Judge, Leaf, Output
from adjudge.spec.wording import words

Schema = dict[str, Any]
_RANK = {"evidence": 0, "claims": 0, "questions": 0, "spans": 0, "selected": 1, "reason": 2, "text": 3, "score": 4}


def schema(judge: Judge, labels: Sequence[str]) -> Schema:
    """The JSON schema of a reply; `labels` are the candidates (compare) or the items (batch) of this call."""
    return _schema(judge, tuple(labels))


@lru_cache(maxsize=256)
def _schema(judge: Judge, labels: tuple[str, ...]) -> Schema:
    if judge.reply != "json":
        return {}
    if judge.layout != "batch":
        return _one(judge, labels)
    found = _object(
        {"scores": _object({label: {"$ref": "#/$defs/item"} for label in labels}), "summary": summaries(judge)}
    )
    found["$defs"] = {"item": _one(judge, ())}
    return found


@lru_cache(maxsize=64)
def _one(judge: Judge, labels: tuple[str, ...]) -> Schema:
    return _Builder(judge, labels).asked(judge.output) or _object({})


@lru_cache(maxsize=64)
def summaries(judge: Judge) -> Schema:
    """The schema of one text per scored criterion: the end of a batch."""
    return _told(judge, "summary")


@lru_cache(maxsize=64)
def merged(judge: Judge) -> Schema:
    """The schema of the reply to a merge: the same, with the numbers of batches in the texts."""
    return _told(judge, "merged")


def _told(judge: Judge, phrase: str) -> Schema:
    told = words(judge.lang).say(phrase)
    return _object({criterion.name: _text(told) for criterion in judge.scored})


def reply_format(judge: Judge) -> str:
    """The `{{format}}` slot: the shape of the reply, the same for every call of the judge."""
    told = words(judge.lang)
    if judge.reply != "json":
        scale = judge.scored[0].scale
        assert scale is not None
        options = "\n".join(f"{chr(65 + n)} = {scale.labels[point]}" for n, point in enumerate(scale.points))
        return told.say(f"format_{judge.reply}", min=scale.min, max=scale.max, options=options)
    label = f"<{told.say('label' if judge.layout == 'compare' else 'id')}>"
    shape = told.say("format", skeleton=_skeleton(schema(judge, (label,))))
    fractions = any(one.kind == "rating" and one.scale and not one.scale.whole for one in judge.criteria)
    numbers = told.say("numbers_fractions" if fractions else "numbers_whole")
    return f"{shape}\n\n{numbers} {told.say('numbers_computed')}"


def merge_format(judge: Judge) -> str:
    """The `{{format}}` slot of the merge call."""
    return words(judge.lang).say("format", skeleton=_skeleton(merged(judge)))


def stage_format(lang: str, found: Schema) -> str:
    """The shape of a reply to one stage of judging in stages."""
    return words(lang).say("format", skeleton=_skeleton(found))


@lru_cache(maxsize=64)
def claim_list(lang: str) -> Schema:
    """The schema of the claims of a judged text, each with the words that state it."""
    say = words(lang).say
    return _object({"claims": _list(_object({"claim": _text(say("claim")), "words": _text(say("claim_words"))}))})


@lru_cache(maxsize=64)
def check_list(lang: str) -> Schema:
    """The schema of what the sources say to numbered claims."""
    say = words(lang).say
    check = {
        "claim": {"type": "integer", "minimum": 1, "description": say("claim_number")},
        "quote": _text(say("quote")),
        "sources": _numbers(say("claim_sources")),
        "verdict": _choice(("supported", "unsupported", "contradicted"), say("claim_verdict")),
        "severity": _choice(("none", "minor", "significant"), say("claim_severity")),
    }
    return _object({"checks": _list(_object(check))})


@lru_cache(maxsize=64)
def question_list(lang: str) -> Schema:
    """The schema of the questions on one source."""
    say = words(lang).say
    question = _object({"question": _text(say("question")), "answer": _text(say("short_answer"))})
    return _object({"questions": _list(question)})


@lru_cache(maxsize=256)
def answer_list(lang: str, numbers: tuple[str, ...]) -> Schema:
    """The schema of what a judged text says to numbered questions: an entry for each of them."""
    say = words(lang).say
    state = {"type": "string", "enum": ["yes", "partly", "no"], "description": say("answers_state")}
    found = _object({"answers": _object({number: {"$ref": "#/$defs/answer"} for number in numbers})})
    found["$defs"] = {"answer": _object({"why": _text(say("answers_why")), "answered": state})}
    return found


class _Builder:
    def __init__(self, judge: Judge, labels: Sequence[str]) -> None:
        self.judge, self.labels, self.words = judge, labels, words(judge.lang)

    def asked(self, output: Output) -> Schema | None:
        if isinstance(output, Leaf):
            return self._leaf(output, short=False)
        if isinstance(output, tuple):
            if self.judge.criterion(output[0].name).checks:
                return self._leaf(Leaf(output[0].name), short=True)
            parts = {"why" if leaf.part == "reason" else leaf.part: leaf for leaf in output}
            if self.judge.criterion(output[0].name).evidence:
                parts["evidence"] = Leaf(output[0].name, "evidence")
            found = {name: self._leaf(leaf, short=True) for name, leaf in _ranked(parts).items()}
        else:
            found = {name: self.asked(child) for name, child in _ranked(output).items()}
        kept = {name: part for name, part in found.items() if part is not None}
        return _object(kept) if kept else None

    def _leaf(self, leaf: Leaf, *, short: bool) -> Schema | None:
        if self.judge.derived_value(leaf.name):
            return None
        criterion = self.judge.criterion(leaf.name)
        if criterion.checks:
            return self._checks(criterion) if leaf.part != "reason" else None
        if criterion.kind == "spans":
            return self._spans(criterion) if leaf.part == "spans" else None
        if criterion.kind == "rating":
            score, reason = self._score(criterion.name), self._reason(criterion.name, short)
            if leaf.part:
                return {"score": score, "reason": reason, "evidence": self._evidence()}[leaf.part]
            grounds = {"evidence": self._evidence()} if criterion.evidence else {}
            whole = _object({**grounds, "justification": reason, "score": score})
            return _object(dict.fromkeys(self.labels, whole)) if self.judge.layout == "compare" else whole
        if leaf.part == "reason":
            return self._reason(criterion.name, short)
        makers = {"claims": self._claims, "questions": self._questions, "selected": self._selected, "text": self._free}
        return makers[leaf.part]() if leaf.part in makers else None  # what is left is a score that code makes

    def _score(self, name: str) -> Schema:
        scale = self.judge.criterion(name).scale
        assert scale is not None
        told = self.words.say("score", min=scale.min, max=scale.max)
        kind = "integer" if scale.whole else "number"
        return {"type": kind, "minimum": scale.min, "maximum": scale.max, "description": told}

    def _reason(self, name: str, short: bool) -> Schema:
        scale = self.judge.criterion(name).scale
        return _text(self.words.say("why", best=scale.best) if short and scale else self.words.say("reason"))

    def _evidence(self) -> Schema:
        say = self.words.say
        source = {"type": "integer", "minimum": 1, "description": say("evidence_source")}
        return _list(_object({"source": source, "quote": _text(say("evidence_quote"))}))

    def _free(self) -> Schema:
        return _text(self.words.say("text"))

    def _claims(self) -> Schema:
        say = self.words.say
        verdict = {"type": "string", "enum": ["supported", "minor", "significant"], "description": say("verdict")}
        numbers = _numbers(say("sources"))
        return _list(
            _object({"text": _text(say("claim")), "quote": _text(say("quote")), "sources": numbers, "verdict": verdict})
        )

    def _questions(self) -> Schema:
        say = self.words.say
        answered = {"type": "boolean", "description": say("boolean")}
        question = _object(
            {"question": _text(say("question")), "answer_justification": _text(say("answer")), "is_answered": answered}
        )
        source = {"type": "integer", "minimum": 1, "description": say("source")}
        return _list(_object({"source": source, "questions": _list(question)}))

    def _spans(self, criterion: Criterion) -> Schema:
        say = self.words.say
        severity = _choice(criterion.severities, say("severity", names=", ".join(criterion.severities)))
        return _list(
            _object(
                {
                    "span": _text(say("span")),
                    "explanation": _text(say("explanation")),
                    "category": _choice(criterion.categories, say("category")),
                    "severity": severity,
                }
            )
        )

    def _checks(self, criterion: Criterion) -> Schema:
        say = self.words.say
        one = _object({"why": _text(say("check")), "met": {"type": "boolean", "description": say("boolean")}})
        found = _object({"checks": _object(dict.fromkeys((check.name for check in criterion.checks), one))})
        return _object(dict.fromkeys(self.labels, found)) if self.judge.layout == "compare" else found

    def _selected(self) -> Schema:
        return _numbers(self.words.say("selected"))


def _ranked(shape: Mapping[str, Output]) -> dict[str, Any]:
    return dict(sorted(shape.items(), key=lambda pair: _RANK.get(pair[1].part, 0) if isinstance(pair[1], Leaf) else 0))


def _object(properties: Mapping[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(told: str) -> Schema:
    return {"type": "string", "description": told}


def _choice(names: Iterable[str], told: str) -> Schema:
    return {"type": "string", "enum": list(names), "description": told}


def _numbers(told: str) -> Schema:
    return {"type": "array", "items": {"type": "integer", "minimum": 1}, "description": told}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _skeleton(found: Schema) -> str:
    """A schema as a person would sketch it: keys as they are, values as placeholders."""
    definitions = found.get("$defs", {})

    def draw(part: Schema, indent: str) -> str:
        if "$ref" in part:
            return draw(definitions[str(part["$ref"]).rsplit("/", 1)[1]], indent)
        if part["type"] == "object":
            inner = [
                f"{indent}  {json.dumps(name, ensure_ascii=False)}: {draw(child, indent + '  ')}"
                for name, child in part["properties"].items()
            ]
            flat = "{" + ", ".join(line.strip() for line in inner) + "}"
            return flat if len(flat) <= 110 and "\n" not in flat else "{\n" + ",\n".join(inner) + f"\n{indent}}}"
        if part["type"] == "array":
            return f"[<{part['description']}>]" if "description" in part else f"[{draw(part['items'], indent)}, …]"
        told = part["description"]
        return f'"<{told}>"' if part["type"] == "string" else f"<{told}>"

    return draw(found, "")
