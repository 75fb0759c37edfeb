"""`make demo`: the bundled samples of all four judges, judged by the embedded judge, with no key and no network."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from adjudge.cli import run_command

SAMPLES = Path(__file__).parent / "samples"


def main(folder: str = "demo", lang: str | None = None) -> int:
    """Judge every sample, print the tables and write the HTML reports into a folder."""
    out = Path(folder)
    out.mkdir(exist_ok=True)
    os.environ["ADJUDGE_STORE"] = f"sqlite:///{out / 'demo.db'}"
    lang = lang or ("ru" if os.environ.get("LANG", "").startswith("ru") else "en")
    written: list[Path] = []
    for sample in sorted(SAMPLES.glob(f"*.{lang}.jsonl")):
        judge = sample.name.removesuffix(f".{lang}.jsonl")
        page = out / f"{judge}.html"
        if code := run_command(["run", judge, str(sample), "--lang", lang]):
            return code
        if code := run_command(["show", "latest", "--format", "html", "-o", str(page)]):
            return code
        written.append(page)
    sys.stdout.write("\nReports: " + " ".join(map(str, written)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
