"""The public names are exactly these; the layers and the budget of dependencies hold."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import adjudge

PUBLIC = {
    "AdjudgeError",
    "Criterion",
    "Failure",
    "Item",
    "Judge",
    "ModelError",
    "ReplyError",
    "RunOptions",
    "Scale",
    "StoredRun",
    "UserError",
    "Verdict",
    "__version__",
    "agree",
    "check",
    "compare",
    "correct",
    "evaluate",
    "evaluate_async",
    "gate",
    "list_runs",
    "load_judge",
    "open_run",
    "read_reply",
    "resume",
    "sample",
}


def test_public_names_are_exactly_these():
    assert set(adjudge.__all__) == PUBLIC
    for name in PUBLIC:
        assert getattr(adjudge, name) is not None


def test_version_is_the_package_s():
    assert importlib.metadata.version("adjudge") == adjudge.__version__


def _needs(name: str, seen: set[str]) -> set[str]:
    for line in importlib.metadata.requires(name) or []:
        wanted, _, marker = line.partition(";")
        other = re.split(r"[\s<>=!~\[(]", wanted.strip(), maxsplit=1)[0].lower().replace("_", "-")
        if "extra" in marker or other in seen:
            continue
        try:
            importlib.metadata.version(other)
        except importlib.metadata.PackageNotFoundError:
            continue  # a marker that does not hold here
        _needs(other, seen | {other})
        seen.add(other)
        _needs(other, seen)
    return seen


def test_the_core_brings_fifteen_packages_or_fewer():
    needed = _needs("adjudge", set())
    assert {"click", "pyyaml"} <= needed
    assert len(needed) <= 15, sorted(needed)


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from adjudge.cli import run_command\n"
        "run_command(['--help'])\n"
        "heavy = {'ssl', 'yaml', 'sqlite3', 'asyncio'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "judge a dataset" in done.stdout


def test_numpy_is_imported_only_where_something_is_resampled(tmp_path):
    """It takes a tenth of a second; a run imports it when its report needs it, and one of few items never does."""
    sample = Path(adjudge.__file__).parent / "samples" / "summary.en.jsonl"
    code = (
        "import sys\n"
        "sys.modules['numpy'] = None\n"
        "from adjudge.cli import run_command\n"
        f"codes = [run_command(['run', 'summary', {str(sample)!r}])]\n"
        "codes += [run_command(one) for one in (['show', 'latest'], ['runs'], ['export', 'latest'])]\n"
        "sys.exit(any(codes))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Mean, 95 %" in done.stdout


def test_nothing_unpickles_evaluates_or_loads_code_from_data():
    forbidden = re.compile(
        r"\b(pickle|marshal|shelve)\b|\beval\(|\bexec\(|yaml\.load\(|yaml\.unsafe|\bos\.system\(|shell=True"
    )
    source = Path(adjudge.__file__).parent
    found = [
        f"{path.name}: {match.group()}"
        for path in source.rglob("*.py")
        for match in forbidden.finditer(path.read_text())
    ]
    assert [hit for hit in found if "pickl" not in hit.lower() or "import" in hit] == []
