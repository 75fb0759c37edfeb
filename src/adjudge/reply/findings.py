"""The parts of a verdict that are lists: claims, questions, errors, selections. Their scores are counted by code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.core.errors import Ambiguous, Malformed, Missing, Truncated
from adjudge.core.judge import Criterion
from adjudge.core.limits import QUESTIONS_PER_SOURCE_MIN, STATING_CHARS
from adjudge.core.records import Claim, ErrorSpan, Question, Score, Source
from adjudge.reply import spans
from adjudge.reply.cursor import Torn
from adjudge.reply.grounds import Found, Grounds, quotations
from adjudge.reply.keys import ABSENT, ALIASES, look_up

_VERDICTS = {"supported": None, "minor": "minor", "significant": "significant"}
#: The keys of a claim and of a question as they are asked for.
_CLAIM = {"text", "quote", "sources", "verdict"}
_QUESTION = {"question", "answer_justification", "is_answered"}
_NO_CLAIM = re.compile(
    r"\W*(?:(?:no|not any|zero|without|none|n/?a|nothing|empty|etc|others?|more|rest|claims?|statements?|further"
    r"|additional|and|so on|see|above|same"
    r"|нет|никак\w+|ничего|пусто|другие|прочие|остальн\w+|ещё|и|далее|утверждени\w+|т\.? ?д|см|выше)\W*){1,5}",
    re.IGNORECASE,
)


def plain_text(value: Any) -> str:
    """A reason or a text as one string; what is no text is no reason."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " ".join(value).strip()
    return ""


def whole_list(value: Any, where: str) -> list[Any]:
    """A list that counts, with nothing of it lost."""
    if not isinstance(value, list):
        raise Malformed(f"{where}: an array was due")
    if isinstance(value, Torn):
        raise Truncated(f"{where}: the list is cut off or leaves entries out")
    return value


def states_something(text: str | None) -> bool:
    """Whether a text is long enough that it must state something that can be checked."""
    return text is not None and sum(map(str.isalnum, text[: 20 * STATING_CHARS])) >= STATING_CHARS


def whole_claim(text: str, where: str) -> str:
    """A claim that states something: dots and words for nothing stand for claims that are not there."""
    if text.strip(" []()\"'") in ("...", "…") or _NO_CLAIM.fullmatch(text):
        raise Malformed(f"{where}: {text[:40]!r} is no claim")
    return text


def boolean(value: Any, where: str) -> bool:
    """True or false, in words too; anything else is no answer."""
    if isinstance(value, bool):
        return value
    word = value.strip().casefold() if isinstance(value, str) else ""
    if word in ("true", "yes", "да"):
        return True
    if word in ("false", "no", "нет"):
        return False
    if value is ABSENT or value is None:
        raise Missing(f"{where}: neither true nor false")
    raise Malformed(f"{where}: neither true nor false")


def _question(source: str, given: dict[str, Any]) -> Question | None:
    """A question that is written exactly as it was asked for."""
    text, answered, reason = given["question"], given["is_answered"], given["answer_justification"]
    if type(text) is not str or type(answered) is not bool or type(reason) is not str or not text.strip():
        return None
    return Question(source=source, text=text.strip(), answered=answered, reason=reason.strip())


def banded(criterion: Criterion, severities: Sequence[str | None]) -> float:
    """The point of the scale for claims that are wrong, each with its severity, by their number and the gravest.

    A significant one means the worst point. In a rating, which has more to say than claims, one means the point before
    it, and two mean it.
    """
    scale = criterion.scale
    assert scale is not None
    place = next((n for n, most in enumerate(criterion.bands) if len(severities) <= most), len(criterion.bands))
    if significant := severities.count("significant"):
        mild = criterion.kind == "rating" and significant == 1
        place = max(place, len(criterion.bands) - mild)
    return float(scale.best + (place if scale.better == "lower" else -place))


class Findings:
    """Reads the lists and keeps them; source references become the sources' own ids."""

    def __init__(
        self,
        *,
        sources: tuple[Source, ...],
        flags: dict[str, None],
        judged: str | None = None,
        embedded: bool = False,
    ) -> None:
        self.sources, self.flags, self.judged, self.embedded = sources, flags, judged, embedded
        self._ids: dict[str | None, str] | None = None
        self.claims: dict[str, tuple[Claim, ...]] = {}
        self.questions: dict[str, tuple[Question, ...]] = {}
        self.selected: dict[str, tuple[str, ...]] = {}
        self.spans: dict[str, tuple[ErrorSpan, ...]] = {}
        #: Criterion → candidate → what is shown of it in the texts.
        self.found: Found = {}
        # the embedded judge states its findings itself, and quotes what it has just read
        self._grounds = Grounds(sources, {}, {}) if embedded else Grounds(sources, flags, self.found)
        self._quoted: set[tuple[str, str]] = set()

    def read(self, criterion: Criterion, entries: list[Any], where: str) -> float | None:
        """Keep the list of a criterion; its score by count, if it has one."""
        if criterion.kind == "claims":
            return self._claims(criterion, entries, where)
        if criterion.kind == "questions":
            return self._questions(criterion, entries, where)
        if criterion.kind == "spans":
            return self._spans(criterion, entries, where)
        self.selected[criterion.name] = tuple(dict.fromkeys(self._resolve_all(entries)))
        return None

    def _claims(self, criterion: Criterion, entries: list[Any], where: str) -> float:
        claims = tuple(self._claim(criterion, entry, f"{where}[{n}]") for n, entry in enumerate(entries))
        self.claims[criterion.name] = claims
        if not claims and not self.embedded and states_something(self.judged):
            raise Missing(f"{where}: no claim is listed, though the text makes some")
        if not claims:
            self.flags[f"no_claims:{criterion.name}"] = None
        return banded(criterion, [claim.severity for claim in claims if not claim.supported])

    def _claim(self, criterion: Criterion, entry: Any, where: str) -> Claim:
        if not isinstance(entry, dict):
            raise Malformed(f"{where}: an object was due")
        text = plain_text(look_up(entry, ALIASES["claim"], where)[0])
        if not text:
            raise Missing(f"{where}: no text")
        if not self.embedded:
            whole_claim(text, where)
        supported, severity = self._support(entry, where)
        quote = plain_text(look_up(entry, ALIASES["quote"], where)[0])
        given = look_up(entry, ALIASES["sources"], where)[0]
        sources = tuple(dict.fromkeys(self._resolve_all(given if isinstance(given, list) else [given])))
        place = self._grounds.look_up(criterion.name, "", quote, sources)
        return Claim(
            text=text,
            supported=supported,
            severity=severity,
            sources=sources,
            quote=quote,
            quote_found=None if place is None else place.found,
        )

    def evidence(self, criterion: Criterion, who: str, value: Any, where: str) -> None:
        """Keep the quotations that a rating rests on."""
        for quote, named in quotations(value, where):
            if self._grounds.look_up(criterion.name, who, quote, self._resolve_all(named)) is not None:
                self._quoted.add((criterion.name, who))

    def weigh(self, criterion: Criterion, scores: Mapping[str, Score]) -> None:
        """Flag a rating that is not the best and rests on no quotation, though one was asked for."""
        assert criterion.scale is not None
        name, best = criterion.name, criterion.scale.best
        for who, score in scores.items() if self.sources else ():
            if score.value != best and (name, who) not in self._quoted:
                self.flags[f"no_evidence:{name}"] = None

    def _support(self, entry: dict[str, Any], where: str) -> tuple[bool, str | None]:
        verdict = look_up(entry, ALIASES["verdict"], where)[0]
        if type(verdict) is str and verdict in _VERDICTS and entry.keys() == _CLAIM:
            return verdict == "supported", _VERDICTS[verdict]
        stated = look_up(entry, ("supported", "is_supported"), where)[0]
        if verdict is not ABSENT and verdict is not None:
            word = verdict.strip().casefold() if isinstance(verdict, str) else ""
            if word not in _VERDICTS:
                raise Malformed(f"{where}: the verdict {str(verdict)[:40]!r} is none of {', '.join(_VERDICTS)}")
            severity = _VERDICTS[word]
            if stated is not ABSENT and stated is not None and boolean(stated, where) != (severity is None):
                raise Ambiguous(f"{where}: verdict and supported contradict each other")
            return severity is None, severity
        if boolean(stated, where):
            return True, None
        severity = look_up(entry, ("severity", "тяжесть"), where)[0]
        word = severity.strip().casefold() if isinstance(severity, str) else ""
        if word not in ("minor", "significant"):
            raise Missing(f"{where}: not supported, and neither minor nor significant")
        return False, word

    def _questions(self, criterion: Criterion, entries: list[Any], where: str) -> float:
        questions: list[Question] = []
        for n, entry in enumerate(entries):
            questions += self._group(entry, f"{where}[{n}]")
        self.questions[criterion.name] = tuple(questions)
        counts = Counter(question.source for question in questions)
        for n, source in enumerate(self.sources, start=1):
            count = counts[source.id]
            if count < QUESTIONS_PER_SOURCE_MIN:
                self.flags[f"{'few' if count else 'no'}_questions:{n}"] = None
        if not questions:
            raise Missing(f"{where}: no question at all")
        return 100.0 * sum(question.answered for question in questions) / len(questions)

    def _spans(self, criterion: Criterion, entries: list[Any], where: str) -> float:
        name = criterion.name
        found = spans.read_spans(criterion, entries, where, judged=self.judged, sources=self.sources)
        score, capped = spans.total(criterion, found)
        if capped:
            self.flags[f"penalty_capped:{name}"] = None
        if self.judged is not None and spans.not_found(found):
            self.flags[f"span_not_found:{name}"] = None
        self.spans[name], self.found[name] = found, {"": spans.findings(criterion, found)}
        return score

    def _group(self, entry: Any, where: str) -> list[Question]:
        if not isinstance(entry, dict):
            raise Malformed(f"{where}: an object was due")
        named = look_up(entry, ALIASES["source"], where)[0]
        # without a source that was shown the questions count all the same: to drop them would change the share
        if (source := self._resolve(named)) is None and self.sources and not isinstance(named, str | int | float):
            self.flags["unknown_source:"] = None
        inner = look_up(entry, ALIASES["questions"], where)[0]
        listed = [entry] if inner is ABSENT else whole_list(inner, f"{where}.questions")
        questions = []
        for n, question in enumerate(listed):
            if type(question) is dict and question.keys() >= _QUESTION:
                found = _question(source or "", question)
                if found is not None:
                    questions.append(found)
                    continue
            at = f"{where}.questions[{n}]"
            if not isinstance(question, dict):
                raise Malformed(f"{at}: an object was due")
            text = plain_text(look_up(question, ALIASES["question"], at)[0])
            if not text:
                raise Missing(f"{at}: no question")
            answered = boolean(look_up(question, ALIASES["answered"], at)[0], at)
            reason = plain_text(look_up(question, ALIASES["answer_reason"], at)[0])
            questions.append(Question(source=source or "", text=text, answered=answered, reason=reason))
        return questions

    def _resolve_all(self, references: list[Any]) -> list[str]:
        return [found for one in references if (found := self._resolve(one)) is not None]

    def _resolve(self, reference: Any) -> str | None:
        """The id of the source meant: by number, by id or by address; an unknown one is flagged and dropped."""
        if type(reference) is int and 1 <= reference <= len(self.sources) < 100_000:
            return self.sources[reference - 1].id
        if reference is ABSENT or reference is None or isinstance(reference, bool | list | dict):
            return None
        text = str(int(reference) if isinstance(reference, float) and reference == reference // 1 else reference)
        text = text.strip(" []#.\"'")
        if not self.sources:
            return text or None
        if text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= len(self.sources):
            return self.sources[int(text) - 1].id
        if self._ids is None:
            self._ids = {name: source.id for source in reversed(self.sources) for name in (source.url, source.id)}
        if text in self._ids:
            return self._ids[text]
        self.flags[f"unknown_source:{text[:80]}"] = None
        return None
