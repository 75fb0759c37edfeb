"""`make demo`: the bundled samples of all four judges, judged by the embedded judge, with no key and no network."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from adjudge.api.stored import open_run
from adjudge.cli import run_command
from adjudge.core.records import Verdict
from adjudge.report.plain import fit

SAMPLES = Path(__file__).parent / "samples"
FLAWED = SAMPLES / "flawed"
COLUMNS = 80


def main(folder: str = "demo", lang: str | None = None) -> int:
    """Judge every sample, print the tables and what was found, and write the HTML reports into a folder."""
    out = Path(folder)
    out.mkdir(exist_ok=True)
    store = f"sqlite:///{out / 'demo.db'}"
    lang = lang or ("ru" if os.environ.get("LANG", "").startswith("ru") else "en")
    written: list[Path] = []
    found: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for sample in sorted(SAMPLES.glob(f"*.{lang}.jsonl")):
        judge = sample.name.removesuffix(f".{lang}.jsonl")
        page, data = out / f"{judge}.html", out / f"{judge}.jsonl"
        data.write_text("".join(path.read_text(encoding="utf-8") for path in files(judge, lang)), encoding="utf-8")
        if code := run_command(["run", judge, str(data), "--model", "offline", "--lang", lang, "--store", store]):
            return code
        if code := run_command(["show", "latest", "--format", "html", "-o", str(page), "--store", store]):
            return code
        written.append(page)
        for outcome in open_run("latest", store=store).outcomes():
            # Two criteria may rest on one finding.
            every = outcome.findings if isinstance(outcome, Verdict) else ()
            found |= {(outcome.item, each.get("candidate", ""), each["reason"]): each for each in every}
    sys.stdout.write("\n" + table(found.values(), lang) + "\nReports: " + " ".join(map(str, written)) + "\n")
    return 0


def files(judge: str, lang: str) -> list[Path]:
    """A judge's samples: whole items, and short ones with a flaw planted in each."""
    return [path for path in (SAMPLES / f"{judge}.{lang}.jsonl", FLAWED / f"{judge}.{lang}.jsonl") if path.exists()]


def table(found: Iterable[Mapping[str, Any]], lang: str) -> str:
    """Each kind of finding with its number and one example, in lines that fit a terminal."""
    said = yaml.safe_load((SAMPLES / "kinds.yaml").read_text(encoding="utf-8"))
    reasons: dict[str, list[str]] = {}
    for finding in found:
        reasons.setdefault(finding["kind"], []).append(finding["reason"])
    rows = [said["columns"][lang]]
    for kind in said["kinds"]:
        every = [reason for name in kind["of"] for reason in reasons.get(name, ())]
        rows.append([kind[lang], str(len(every)), min(every, key=len) if every else "—"])
    wide = [max(len(row[at]) for row in rows) for at in (0, 1)]
    room = COLUMNS - sum(wide) - 4
    lines = [f"{name:{wide[0]}}  {n:>{wide[1]}}  {fit(example, room)}" for name, n, example in rows]
    return "\n".join([said["heading"][lang], "", *lines, ""])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
