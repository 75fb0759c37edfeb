"""From a JSON value to an Opinion: the judge's description decides what counts, and nothing is filled in."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from adjudge.core.errors import Ambiguous, Malformed, Missing, NoVerdict, ReplyError, Truncated
from adjudge.core.judge import Criterion, Judge, Leaf, Output, leaves
from adjudge.core.records import Opinion, Score, Source
from adjudge.reply import spans
from adjudge.reply.checks import read_checks
from adjudge.reply.cursor import Clash, same
from adjudge.reply.denial import leaves_out
from adjudge.reply.embedded import with_evidence
from adjudge.reply.findings import Findings, plain_text, whole_list
from adjudge.reply.keys import ABSENT, ALIASES, KEYS, is_alone, label, look_up, names_of, normal
from adjudge.reply.numbers import number
from adjudge.reply.quotes import Quoted, Quotes, everything


@dataclass(frozen=True, kw_only=True, slots=True)
class Expected:
    """What the call showed the model.

    `labels` maps a label to a candidate (compare) or an item id (batch); `sources` an item id, or "" when there is
    one item, to its numbered sources, and `outputs` to the text that is judged; `judged` holds every text that was
    shown; `embedded` is the judge without a language model, whose scores may be fractions or absent.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)
    outputs: Mapping[str, str | None] = field(default_factory=dict)
    judged: tuple[str, ...] = ()
    embedded: bool = False


class Gate:
    """Checks values against one judge and what one call showed."""

    def __init__(self, judge: Judge, expected: Expected, quotes: Quotes | None = None, *, whole: bool = False) -> None:
        #: Whether the reply is one JSON value and nothing else.
        self.whole = whole
        self.judge, self.expected, self.quotes = judge, expected, quotes
        #: Whether a score is counted from a list: of a list that was cut off no one knows what is lost.
        self.counts = any(criterion.scored and criterion.kind != "rating" for criterion in judge.criteria)
        self._exact, self._loose = _keys_of(judge)

    def opinion(self, value: Any, item: str = "") -> Opinion:
        """The opinion that the value states on one item; a ReplyError names the first place where it fails."""
        if not self.recognises(value):
            raise NoVerdict("no object with the verdict's keys")
        checker = _Checker(self.judge, self.expected, item)
        try:
            checker.walk(self.judge.output, value, "")
            found = checker.result()
        except ReplyError:
            if self.quotes and (self.quotes.says(value) or self._quotes_names(value, item)):
                raise Quoted from None
            raise
        if self.quotes and self.quotes.hold(value, found, item, whole=self.whole):
            raise Quoted
        if self.expected.embedded:
            return with_evidence(self.judge, found, value, self.expected.labels, self.expected.judged)
        return found

    def _quotes_names(self, value: Any, item: str) -> bool:
        """Whether the value is a verdict of a judged text, which may name candidates as no prompt does."""
        names = {name: name for name in self.expected.labels.values()}
        checker = _Checker(self.judge, replace(self.expected, labels=names), item)
        try:
            checker.walk(self.judge.output, value, "")
            return bool(self.quotes and self.quotes.hold(value, checker.result(), item))
        except ReplyError:
            return False

    def recognises(self, value: Any) -> bool:
        """Whether the value is an object with any key of the verdict at all; if not, it is about something else."""
        if not isinstance(value, dict):
            return False
        return not self._exact.isdisjoint(value) or (
            len(value) <= KEYS and not self._loose.isdisjoint(map(normal, value))
        )

    def begins(self, value: Any) -> bool:
        """Whether the object has the place of any score: then it is a verdict, or meant to be one."""
        return isinstance(value, dict) and any(name in value for names in self._scored_names() for name in names)

    def unasked(self, value: Any) -> set[str]:
        """The keys in the value that are none that the judge asked for, nor a known spelling of one."""
        known = self._loose | _PARTS | set(map(normal, self.expected.labels))
        known |= {normal(name) for leaf in leaves(self.judge.output) for name in (leaf.name,)}
        held = (entry for entry in everything([value]) if isinstance(entry, dict))
        return {key for entry in held for key in entry if normal(key) not in known}

    def agrees(self, value: Any, found: Opinion) -> bool:
        """Whether an object that is no whole verdict has some ratings, and all of them are those of the opinion."""
        if len(value) > KEYS:
            return False
        stated: list[tuple[str, str, float | None]] = []
        for pair in value.pairs if isinstance(value, Clash) else value.items():
            for key, child in self.judge.output.items():
                checker = _Checker(self.judge, self.expected, "")
                with contextlib.suppress(ReplyError):
                    checker.walk({key: child}, dict([pair]), "")
                stated += ((name, who, number) for name, by in checker.numbers.items() for who, number in by.items())
        given = {(name, who): score.value for name, by in found.scores.items() for who, score in by.items()}
        return bool(stated) and all(given.get((name, who), ABSENT) == number for name, who, number in stated)

    def _scored_names(self) -> Iterator[tuple[str, ...]]:
        for key, child in self.judge.output.items():
            if _scored(self.judge, child):
                yield names_of(self.judge, key, child)

    def complete(self, value: Any) -> bool:
        """Whether the object has the place of every score, right or wrong: then its error is the reply's error."""
        return isinstance(value, dict) and all(any(name in value for name in names) for names in self._scored_names())


#: Every spelling of every part of a verdict.
_PARTS = frozenset(normal(name) for names in ALIASES.values() for name in names)


@lru_cache(maxsize=64)
def _keys_of(judge: Judge) -> tuple[frozenset[str], frozenset[str]]:
    """The keys that a verdict has at its top, as they are and however they are spelled."""
    names = {name for key, child in judge.output.items() for name in names_of(judge, key, child)}
    names |= {name for child in judge.output.values() if isinstance(child, Mapping) for name in child}
    return frozenset(names), frozenset(map(normal, names))


#: Under such a key a judge corrects itself.
AMENDS = re.compile(
    r"revis|correct(?!ness|_answer)|updat|adjust|amend|instead|исправ|уточн|пересм|поправ", re.IGNORECASE
)
_FINAL = re.compile(r"final|actual|true_|real_|итогов|окончат", re.IGNORECASE)
#: Such a key, or such a word under a key that tells of the whole, says that it is no verdict.
_VOID = re.compile(
    r"retract|withdr|supersed|draft|placeholder|example|sample|dummy|fake|invalid|not_?valid|revoked|discard|reject|fail|error|cancel"
    r"|pending|refus|чернов|заглуш|пример|отозван|отмен|ошибк",
    re.IGNORECASE,
)
_VALID = re.compile(r"(?:is_?)?(?:valid|final|ok|confirmed|done|genuine|usable)", re.IGNORECASE)
_TELLS = re.compile(
    r"status|state|note|disclaimer|warning|remark|caveat|статус|примечание|замечание|оговорка", re.IGNORECASE
)


def check_own(value: Mapping[str, Any], names: list[str], where: str, *, score: bool = False) -> None:
    """Refuse an object that corrects itself, or says that it is no verdict, under a key that nobody asked for."""
    if len(value) > KEYS:
        return
    asked = set(map(normal, names))
    given = [entry for key, entry in value.items() if normal(key) in asked]
    for key, entry in value.items():
        if key in names:
            continue
        said = _VOID.search(key) if entry is True else _VALID.fullmatch(key) if entry is False else None
        if isinstance(entry, str) and _TELLS.fullmatch(key):
            said = _VOID.search(entry)
        if said:
            raise NoVerdict(f"{where or 'the object'}: `{key[:40]}` says that it is no verdict")
        other = not isinstance(entry, bool | None) and entry != "" and not any(same(entry, one) for one in given)
        # a number called final is the mean of all, but beside a score it is another one
        final = _FINAL.search(key) and (score or isinstance(entry, dict | list)) and not isinstance(entry, str)
        if other and (AMENDS.search(key) or final):
            raise Ambiguous(f"{where or 'the object'}: `{key[:40]}` says something else than the verdict beside it")


def _scored(judge: Judge, shape: Output) -> bool:
    return any(judge.derived_value(leaf.name) is None and _decides(judge, leaf) for leaf in leaves(shape))


def _decides(judge: Judge, leaf: Leaf) -> bool:
    """Whether a score is stated here, or the list that it is made of."""
    criterion = judge.criterion(leaf.name)
    return criterion.scored and (criterion.kind == "rating" or leaf.part not in ("score", "reason"))


class _Checker:
    """Walks the output shape and the value side by side and collects what the leaves hold."""

    def __init__(self, judge: Judge, expected: Expected, item: str) -> None:
        self.judge, self.expected = judge, expected
        self.numbers: dict[str, dict[str, float | None]] = {}
        self.reasons: dict[str, dict[str, str]] = {}
        self.flags: dict[str, None] = {}
        self.texts: dict[str, str] = {}
        self.stated: dict[str, Any] = {}
        sources = expected.sources.get(item, expected.sources.get("", ()))
        judged = expected.outputs.get(item, expected.outputs.get(""))
        self.findings = Findings(sources=sources, flags=self.flags, judged=judged, embedded=expected.embedded)

    def walk(self, shape: Output, value: Any, where: str) -> None:
        if isinstance(shape, Mapping):
            self._mapping(shape, value, where)
        elif isinstance(shape, tuple):
            self._whole(self.judge.criterion(shape[0].name), value, where)
        else:
            self._leaf(shape, value, where)

    def _mapping(self, shape: Mapping[str, Output], value: Any, where: str) -> None:
        if value is not ABSENT and not isinstance(value, dict):
            raise Malformed(f"{where}: an object was due")
        if isinstance(value, dict) and not self.expected.embedded:
            names = [name for key, child in shape.items() for name in names_of(self.judge, key, child)]
            check_own(value, names, where)
            if len(value) > len(shape):
                self._check_spellings(shape, value, where)
            if any(map(self._is_counted, shape.values())):
                self._check_beside(names, value, where)
        for key, child in shape.items():
            path = f"{where}.{key}" if where else key
            alone = is_alone(shape, child)
            found, respelled = (ABSENT, False) if value is ABSENT else self._entry(value, key, child, alone, path)
            if respelled:
                self.flags["repaired:keys"] = None
            if found is ABSENT and isinstance(child, Mapping) and value is not ABSENT:
                # a level left out: its keys may stand one level up, under their exact names
                found = {name: value[name] for name in child if name in value} or ABSENT
            self.walk(child, found, path)

    def _check_spellings(self, shape: Mapping[str, Output], value: dict[str, Any], where: str) -> None:
        """Refuse an object that says two things under two spellings of one key."""
        for key, child in shape.items() if len(value) <= KEYS else ():
            spelled = set(map(normal, names_of(self.judge, key, child)))
            hits = [entry for name, entry in value.items() if normal(name) in spelled]
            if any(not same(hits[0], other) for other in hits[1:]):
                raise Ambiguous(f"{where or 'the object'}: several keys mean {key} and disagree")

    def _is_counted(self, child: Output) -> bool:
        """Whether here stands a list that a score is counted from."""
        leaf = child if isinstance(child, Leaf) else child[0] if isinstance(child, tuple) else None
        kind = self.judge.criterion(leaf.name).kind if leaf and not self.judge.derived_value(leaf.name) else ""
        return kind in ("claims", "questions", "spans")

    def _check_beside(self, names: list[str], value: dict[str, Any], where: str) -> None:
        """Refuse a list that goes on, or is said to, under a key that nobody asked for."""
        if len(value) > KEYS:
            return
        asked = set(map(normal, names))
        beside = {key: entry for key, entry in value.items() if normal(key) not in asked}
        lists = [key for key, entry in beside.items() if isinstance(entry, list) and entry]
        told = [key for key, entry in beside.items() if isinstance(entry, str) and normal(key) not in _PARTS]
        more = lists if len(beside) < len(value) else lists[1:]  # one alone is the list itself under another name
        if more := more or [key for key in told if leaves_out(value[key])]:
            raise Truncated(f"{where or 'the verdict'}: `{more[0][:40]}` holds more than the list that was due")

    def _entry(self, value: dict[str, Any], key: str, child: Output, alone: bool, path: str) -> tuple[Any, bool]:
        return look_up(value, names_of(self.judge, key, child, alone=alone), path, agree=True)

    def _leaf(self, leaf: Leaf, value: Any, where: str) -> None:
        derived = self.judge.derived_value(leaf.name)
        if derived is not None:
            if value is not ABSENT and value is not None and not leaf.part:
                self.stated[leaf.name] = self._renamed(value)
            return
        criterion = self.judge.criterion(leaf.name)
        if criterion.kind == "text":
            self._text(criterion, value)
        elif criterion.kind == "rating" and not leaf.part:
            self._whole(criterion, value, where)
        elif criterion.checks and not self.expected.embedded:
            if leaf.part == "score":
                self._whole(criterion, value, where)
        elif criterion.kind == "rating" and leaf.part == "score":
            self._spread(value, where, lambda who, entry, at: self._score(criterion, who, entry, at))
        elif leaf.part == "evidence":
            self._quoted(criterion, "", value, where)
        elif leaf.part == "reason" and criterion.kind != "spans":
            if value is not ABSENT:
                self._spread(value, where, lambda who, entry, at: self._reason(criterion, who, entry))
            self.reasons.setdefault(criterion.name, {})
        elif leaf.part == "score":
            if value is not ABSENT and value is not None:
                self.stated[criterion.name] = value
        elif leaf.part != "reason":
            self._finding(criterion, value, where)

    def _finding(self, criterion: Criterion, value: Any, where: str) -> None:
        if self.expected.embedded and (value is None or isinstance(value, str)):
            if criterion.scored:
                self.numbers[criterion.name] = {"": None}
                if value:  # in the place of the list stands why there is none
                    self.reasons[criterion.name] = {"": value}
            return
        if value is ABSENT or value is None:
            raise Missing(f"{where}: absent")
        score = self.findings.read(criterion, whole_list(value, where), where)
        if score is not None:
            self.numbers[criterion.name] = {"": score}
        if criterion.kind == "spans":
            self.reasons[criterion.name] = {"": spans.told(criterion, self.findings.spans[criterion.name])}

    def _spread(self, value: Any, where: str, use: Any) -> None:
        """Give the value to `use`, once, or for every candidate in the compare layout."""
        if self.judge.layout != "compare":
            use("", value, where)
            return
        if not isinstance(value, dict):
            raise (
                Missing(f"{where}: absent")
                if value is ABSENT or value is None
                else Malformed(f"{where}: an object with an entry for each candidate was due")
            )
        look_up(value, ("",), where)
        entries: dict[str, Any] = {}
        for key, entry in value.items():
            name = label(key, self.expected.labels)
            if name is None:
                self.flags[f"unknown_candidate:{key[:60]}"] = None
            elif name in entries and entries[name] != entry:
                raise Malformed(f"{where}: two entries for the candidate {self._shown(name)}")
            else:
                entries[name] = entry
        for shown, name in self.expected.labels.items():
            if name not in entries:
                raise Missing(f"{where}: no entry for the candidate {shown}")
        for name, entry in entries.items():
            use(name, entry, f"{where}.{self._shown(name)}")

    def _shown(self, name: str) -> str:
        """A candidate as the model knows it: what is wrong with a reply is told to the model."""
        return next((shown for shown, known in self.expected.labels.items() if known == name), name)

    def _whole(self, criterion: Criterion, value: Any, where: str) -> None:
        self._spread(value, where, lambda who, entry, at: self._pair(criterion, who, entry, at))

    def _pair(self, criterion: Criterion, who: str, value: Any, where: str) -> None:
        """A score with its reason: an object, an array of the two, or a bare number; or the checks it is made of."""
        reason: Any = ""
        if criterion.checks and not self.expected.embedded:
            checked = read_checks(criterion, value, where)
            self.numbers.setdefault(criterion.name, {})[who] = checked.value
            self.reasons.setdefault(criterion.name, {})[who] = checked.reason
            self.findings.found.setdefault(criterion.name, {})[who] = checked.findings
            return
        if isinstance(value, dict):
            if not self.expected.embedded:
                check_own(value, list(ALIASES["score"]), where, score=True)
            score, respelled = look_up(value, ALIASES["score"], where, agree=True)
            reason, _ = look_up(value, ALIASES["reason"], where)
            if criterion.evidence:
                self._quoted(criterion, who, look_up(value, ALIASES["evidence"], where)[0], where)
            if respelled:
                self.flags["repaired:keys"] = None
        elif isinstance(value, list):
            if not 1 <= len(value) <= 2:
                raise Malformed(f"{where}: a score and a reason were due, not {len(value)} values")
            score, reason = value[0], value[1] if len(value) == 2 else ""
        else:
            score = value
        self._reason(criterion, who, reason)
        self._score(criterion, who, score, where)

    def _quoted(self, criterion: Criterion, who: str, value: Any, where: str) -> None:
        if criterion.evidence and not self.expected.embedded:
            self.findings.evidence(criterion, who, value, where)

    def _score(self, criterion: Criterion, who: str, value: Any, where: str) -> None:
        if value is ABSENT:
            raise Missing(f"{where}: no score")
        assert criterion.scale is not None
        if value is None and self.expected.embedded:
            self.numbers.setdefault(criterion.name, {})[who] = None
            return
        if isinstance(value, str):
            self.flags["repaired:numbers"] = None
        result = number(value, criterion.scale, where=where, fractions=self.expected.embedded)
        self.numbers.setdefault(criterion.name, {})[who] = result

    def _reason(self, criterion: Criterion, who: str, value: Any) -> None:
        self.reasons.setdefault(criterion.name, {})[who] = plain_text(value)

    def _text(self, criterion: Criterion, value: Any) -> None:
        text = plain_text(value)
        if text:
            self.texts[criterion.name] = text
        else:
            self.flags[f"no_text:{criterion.name}"] = None

    def _renamed(self, value: Any) -> Any:
        """A figure that the model states, with candidates under their real names."""
        if self.judge.layout != "compare":
            return value
        if isinstance(value, dict):
            return {name: entry for key, entry in value.items() if (name := label(key, self.expected.labels))}
        if not isinstance(value, str):
            return value
        # a word for a draw is kept; a name that was never shown is nobody's
        return label(value, self.expected.labels) or (None if value in self.expected.labels.values() else value)

    def result(self) -> Opinion:
        """The opinion, once every criterion that is scored has a number for every candidate."""
        everyone: set[str] = {who for by_name in self.numbers.values() for who in by_name} or {""}
        scores: dict[str, dict[str, Score]] = {}
        for criterion in self.judge.scored:
            numbers = self.numbers.get(criterion.name, {})
            absent = everyone - set(numbers) if criterion.kind == "rating" else {""} - set(numbers)
            if absent:
                who = self._shown(min(absent))
                raise Missing(f"{criterion.name}: no score" + (f" for {who}" if who else ""))
            reasons = self.reasons.get(criterion.name)
            scores[criterion.name] = {
                who: Score(value=value, reason=(reasons or {}).get(who, "")) for who, value in numbers.items()
            }
            assert criterion.scale is not None
            needed = any(s.value != criterion.scale.best and not s.reason for s in scores[criterion.name].values())
            if needed and reasons is not None:
                self.flags[f"no_reason:{criterion.name}"] = None
        for criterion in () if self.expected.embedded else self.judge.criteria:
            if criterion.evidence:
                self.findings.weigh(criterion, scores[criterion.name])
        return Opinion(
            scores=scores,
            claims=self.findings.claims,
            questions=self.findings.questions,
            selected=self.findings.selected,
            spans=self.findings.spans,
            findings=self.findings.found,
            texts=self.texts,
            stated=self.stated,
            flags=tuple(self.flags),
        )
