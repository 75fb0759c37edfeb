"""Whether a finding's places are in the texts, and whether what it quotes stands there."""

from __future__ import annotations

import re

from adjudge.core.judge import Judge
from adjudge.core.records import Finding, Item
from adjudge.models.offline.text import analyse, bare, fold
from adjudge.models.offline.view import Case

#: Between these a reason may quote.
_MARKS = re.compile(r"[“”«»„…]|___|: |; |, | \(|\)")
#: A quotation shorter than this would stand anywhere.
_TELLING = 8


#: These tell of a mark that is not there, or of the whole text, so they have nothing to quote.
_SILENT = ("mark_opening", "mark_end", "mark_end_none", "wrong_script")
_MARK = re.compile(r"[“«]([^\w\s]{1,2})[”»]")


def _flat(text: str) -> str:
    return " ".join(fold(text).lower().split())


def quoted(reason: str, piece: str) -> bool:
    """Whether a telling part of the reason stands in a piece of text, or the first of what the reason lists."""
    there, said = {_flat(piece), _flat(bare(piece))}, _flat(reason)
    parts = [part.strip(" .?!—") for part in _MARKS.split(said)]
    telling = [part for part in parts if len(part) >= min(_TELLING, len(_flat(bare(piece))))]
    telling += [char for marks in _MARK.findall(said) for char in marks]
    listed = said.rsplit(": ", 1)[-1].rstrip(".").split(", ")[0]
    return any(part in text for text in there for part in (*telling, listed)) or any(text in said for text in there)


def misplaced(judge: Judge, item: Item, candidate: str, finding: Finding) -> str:
    """What is wrong with a finding's places; "" when nothing is."""
    case = Case(judge, item)
    texts = {source.id: source.text for source in case.sources} | {"reference": case.reference.raw}
    judged = (case.outputs or {}).get(candidate)
    for at, text in ((finding.at, judged), (finding.source_at, texts.get(finding.source))):
        if at is None:
            continue
        if text is None or not 0 <= at[0] < at[1] <= len(text):
            return f"{at} is no place in {text!r}"
        piece = text[at[0] : at[1]]
        # A better source is named by its number, not quoted: it must be about the same.
        alike = text is not judged and finding.at is not None and judged and _shared(piece, judged[slice(*finding.at)])
        if finding.kind not in _SILENT and not quoted(finding.reason, piece) and not alike:
            return f"{finding.reason!r} quotes nothing of {piece!r}"
    return ""


def _shared(a: str, b: str) -> bool:
    return len(set(analyse(a).stems) & set(analyse(b).stems)) > 2
