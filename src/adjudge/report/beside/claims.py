"""What became of the claims of the judged texts, and of their citations, where each claim was checked by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.reply.citations import citations
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.report.verdicts import mappings
from adjudge.report.words import words
from adjudge.stats.interval import Moments, mean_interval

#: What a claim is, the good first, and the word for it; then what may be said of it beside that.
_STATES = {
    "claim_supported": "claims_supported",
    "claim_unverified": "claims_unverified",
    "claim_elsewhere": "claims_elsewhere",
    "claim_unsupported": "claims_unsupported",
    "claim_contradicted": "claims_contradicted",
}
_UNCITED, _DANGLING = "claim_uncited", "citation_dangling"
_WORDS = {**_STATES, _UNCITED: "claims_uncited"}


class Claims:
    """A table for runs whose claims were listed and then checked."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._say, self._count, self._dangling = words(judge.lang), Counter[str](), Counter[str]()
        self._shares = {kind: Moments() for kind in _WORDS}
        self._texts = 0
        # the only source of a text needs no number
        several = any(field.type != "text" for field in judge.with_role("source"))
        self._outputs = [field.name for field in judge.with_role("output")] if several else []

    def add(self, outcome: Outcome, row: Row) -> None:
        if not isinstance(outcome, Verdict) or not outcome.findings:
            return
        own = Counter(str(one.get("kind")) for one in mappings(outcome.findings))
        claims = sum(own[kind] for kind in _STATES)
        self._texts += claims > 0
        for kind, shares in self._shares.items() if claims else ():
            if kind != _UNCITED or own[kind] or self._cites(row):
                self._count[kind] += own[kind]
                # claims of one text are not independent of one another, so texts are counted, not claims
                shares.add(100.0 * own[kind] / claims)
        self._dangling.update(citations=own[_DANGLING], texts=own[_DANGLING] > 0)

    def _cites(self, row: Row) -> bool:
        """Whether the judged text cites anything: else its claims need no citation."""
        item = row.item if self._outputs else None
        return item is not None and any(citations(item.text(name)) for name in self._outputs)

    def section(self) -> Section | None:
        claims = sum(self._count[kind] for kind in _STATES)
        if not claims:
            return None
        say = self._say
        rows, data = [], {}
        for kind, shares in self._shares.items():
            ends = mean_interval(shares, 0.0, 100.0)
            data[kind] = {"n": self._count[kind], "share": shares.mean, "ci95": None if ends is None else list(ends)}
            shown = f"{say.number(shares.mean, 1)} % {say.interval(ends, 1)}"
            if shares.n:
                rows.append((say(_WORDS[kind]), say.number(self._count[kind], 0), shown))
        found: dict[str, Any] = {"texts": self._texts, "claims": claims, **data, _DANGLING: self._dangling["citations"]}
        notes = [say("claims_note", n=say.number(claims, 0), texts=say.number(self._texts, 0))]
        if self._dangling["citations"]:
            counts = {name: say.number(count, 0) for name, count in self._dangling.items()}
            notes.append(say("claims_dangling", **counts))
        return Section(
            name="claims",
            title=say("claims_title"),
            columns=(say("claims_state"), say("claims_count"), say("claims_share")),
            rows=tuple(rows),
            notes=tuple(notes),
            data=found,
        )

    def warnings(self) -> Iterable[str]:
        return ()
