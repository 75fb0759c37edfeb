"""Judging in stages against judging in one call, on the bundled samples with a real model: the table of docs/staged.md.

python -m eval.staged [--model M] [--base-url URL] [--lang en ru] [--limit N] [--no-write]

Without --model it is the GGUF file that ADJUDGE_LOCAL_MODEL names. Replies are kept in the user's cache folder: what
was asked before is not asked again, and the table counts what the replies took, be they new or kept.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import adjudge
from adjudge.core.errors import AdjudgeError
from adjudge.core.records import Reply, Verdict
from adjudge.models.local import CONTEXT_VARIABLE, FILE_VARIABLE
from adjudge.report.verdicts import mappings
from adjudge.store.store import open_store

PAGE = Path(__file__).parents[1] / "docs" / "staged.md"
SAMPLES = Path(adjudge.__file__).parent / "samples"
JUDGE = "search-summary"
LANGS = ("en", "ru")
CRITERIA = ("hallucination", "quality", "relevancy")
MODES = {"one call": False, "in stages": True}
#: A verdict of one call lists every claim and question of an item, so window and answer must have room for them.
CONTEXT_TOKENS = 16_384
ANSWER_TOKENS = 3_000
BEGIN, END = "<!-- eval.staged: begin -->", "<!-- eval.staged: end -->"
_SENTENCES = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """One mode on the rows of one language: its replies by the keys of their calls, and what came out."""

    lang: str
    mode: str
    items: int
    judged: int
    replies: Mapping[str, Reply]
    means: Mapping[str, float | None]
    asked: Sequence[frozenset[str]]


def sample(lang: str, limit: int | None) -> list[dict[str, Any]]:
    lines = (SAMPLES / f"{JUDGE}.{lang}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines][:limit]


def shorter(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with another summary of the same sources: every second sentence of its own."""
    return {**row, "summary": " ".join(_SENTENCES.split(row["summary"].strip())[::2])}


def tried(rows: Sequence[Mapping[str, Any]], lang: str, mode: str, options: Mapping[str, Any]) -> Tried:
    """Judge the rows in one of the modes."""
    run = adjudge.evaluate(JUDGE, list(rows), lang=lang, staged=MODES[mode], **options)
    with open_store(run.store, create=False) as store:
        replies = {call.key: reply for call, reply in store.run_replies(run.id)}
    verdicts = {one.item: one for one in run.outcomes() if isinstance(one, Verdict)}
    found = Tried(
        lang=lang,
        mode=mode,
        items=len(rows),
        judged=len(verdicts),
        replies=replies,
        means={one.name: one.mean for one in run.report().criteria},
        asked=[_asked(verdicts.get(row["id"])) for row in rows],
    )
    sys.stderr.write(f"{lang}, {mode}: {found.judged} of {found.items} judged with {len(replies)} replies\n")
    return found


def _asked(verdict: Verdict | None) -> frozenset[str]:
    """The questions that a verdict rests on."""
    groups = verdict.native["summary_quality_evaluation"]["questions_and_answers"] if verdict else []
    return frozenset(str(one["question"]) for group in mappings(groups) for one in mappings(group["questions"]))


def measured(langs: Sequence[str], limit: int | None, options: Mapping[str, Any]) -> list[tuple[Tried, Tried]]:
    """Each mode on the samples, and then on other summaries of the same sources."""
    found = []
    for lang in langs:
        rows = sample(lang, limit)
        for mode in MODES:
            first = tried(rows, lang, mode, options)
            found.append((first, tried([shorter(row) for row in rows], lang, mode, options)))
    return found


def table(found: Sequence[tuple[Tried, Tried]], model: str) -> str:
    """The figures as Markdown."""
    titles = ["samples", "mode", "summaries", "judged", "calls", "had before", "tokens in", "tokens out"]
    head = [*titles, *CRITERIA, "questions as before"]
    rows = [cells for pair in found for cells in _rows(*pair)]
    lines = [" | ".join(cells) for cells in (head, ["---"] * len(head), *rows)]
    told = f"Model: `{model}`, {date.today().isoformat()}. Made by `make eval-staged`."
    return "\n".join([told, "", *(f"| {line} |" for line in lines)])


def _rows(first: Tried, other: Tried) -> Iterator[list[str]]:
    for name, one, before in (("as they are", first, None), ("shorter", other, first)):
        known = before.replies if before else {}
        new = [reply for key, reply in one.replies.items() if key not in known]
        taken = [sum(getattr(reply, part) or 0 for reply in new) for part in ("tokens_in", "tokens_out")]
        means = [one.means.get(criterion) for criterion in CRITERIA]
        same = "" if before is None else _same(before, one)
        yield [
            *(
                one.lang,
                one.mode,
                name,
                f"{one.judged} of {one.items}",
                f"{len(new)}",
                f"{len(one.replies) - len(new)}",
            ),
            *(f"{count:,}" for count in taken),
            *("—" if mean is None else f"{mean:.1f}" for mean in means),
            same,
        ]


def _same(first: Tried, other: Tried) -> str:
    """How many questions of the second time were asked the first time too, over the items judged both times."""
    both = [(one, two) for one, two in zip(first.asked, other.asked, strict=True) if one and two]
    return f"{sum(len(one & two) for one, two in both)} of {sum(len(two) for _, two in both)}" if both else "—"


def written(page: str, text: str) -> str:
    """The page with the text between its marks."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    if not tail:
        raise SystemExit(f"{PAGE.name} has no lines {BEGIN} and {END} to write between")
    return f"{head}{BEGIN}\n{text}\n{END}{tail}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="local", help="as for `adjudge run`; else the file in ADJUDGE_LOCAL_MODEL")
    parser.add_argument("--base-url")
    parser.add_argument("--lang", nargs="+", choices=LANGS, default=LANGS)
    parser.add_argument("--limit", type=int, help="so many items of each language")
    parser.add_argument("--no-write", action="store_true", help="print the table only")
    given = parser.parse_args(arguments)
    os.environ.setdefault(CONTEXT_VARIABLE, str(CONTEXT_TOKENS))
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adjudge"
    cache.mkdir(parents=True, exist_ok=True)
    options = {"model": given.model, "base_url": given.base_url, "store": f"sqlite:///{cache / 'eval-staged.db'}"}
    options |= {"ask": "rating", "max_tokens": ANSWER_TOKENS, "concurrency": 4}
    try:
        found = measured(given.lang, given.limit, options)
    except AdjudgeError as error:
        raise SystemExit(f"nothing was measured: {error}") from None
    file = given.model.removeprefix("local").lstrip(":") or os.environ.get(FILE_VARIABLE, "")
    made = table(found, Path(file).name if given.model.startswith("local") else given.model)
    sys.stdout.write(made + "\n")
    if not given.no_write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
