"""Judges to look at: those that come with adjudge and those of stored runs, with rows to show their prompts for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from adjudge.api.stored import list_runs
from adjudge.core.errors import ConfigError, DataError
from adjudge.core.judge import Judge
from adjudge.core.limits import SAMPLE_ROWS
from adjudge.core.records import Item
from adjudge.core.runs import Run
from adjudge.data.items import canonical_row, make_item
from adjudge.data.rows import read_rows
from adjudge.spec.load import bundled_judges, judge_from_files, load_judge
from adjudge.store.store import open_store

SAMPLES = Path(__file__).parent.parent / "samples"


@dataclass(frozen=True, kw_only=True, slots=True)
class Used:
    """A judge as stored runs used it, how many runs these are, and the newest of them."""

    newest: Run
    runs: int


@lru_cache(maxsize=8)
def bundled(lang: str) -> tuple[Judge, ...]:
    """The judges that come with adjudge, in a language where they have it."""
    found = map(load_judge, bundled_judges())
    return tuple(load_judge(one.name, lang) if lang in one.langs and lang != one.lang else one for one in found)


@lru_cache(maxsize=1)
def bundled_digests() -> frozenset[str]:
    """The digests of the judges that come with adjudge, in all their languages."""
    found = map(load_judge, bundled_judges())
    return frozenset(load_judge(one.name, lang).digest for one in found for lang in one.langs)


def used(store: str) -> list[Used]:
    """The judges of the runs in a store, by the digests of their files; those of the newest runs first."""
    runs = [state.run for state in list_runs(store=store)]
    counts = Counter(run.judge_digest for run in runs)
    latest: dict[str, Run] = {}
    for run in runs:
        latest.setdefault(run.judge_digest, run)
    return [Used(newest=run, runs=counts[key]) for key, run in latest.items()]


def newest(digest: str, store: str) -> Run | None:
    """The newest run whose judge has this digest."""
    every = list_runs(store=store) if digest else []
    return next((state.run for state in every if state.run.judge_digest == digest), None)


def find_judge(name: str, *, lang: str, digest: str, store: str) -> Judge:
    """A judge by its name, or as the runs with this digest used it; `lang` is "" for its own language."""
    if not digest:
        if name not in bundled_judges():
            hint = f"there are {', '.join(bundled_judges())}; one of a run is found from the list of judges"
            raise ConfigError(f"there is no judge `{name[:80]}`", hint=hint)
        return load_judge(name, lang or None)
    with open_store(store, create=False) as opened:
        files = opened.judge_files(digest)
    run = newest(digest, store)
    judge = judge_from_files(files, lang or (run.lang if run else None)) if files else None
    if judge is None or judge.name != name:
        raise ConfigError(f"no run in the store has used a judge `{name[:80]}` with this digest")
    return judge


def sample(judge: Judge) -> tuple[str, list[Item]]:
    """The name of the bundled sample that fits a judge best, and its first items; nothing where none fits."""
    for path in sorted(SAMPLES.glob("*.jsonl"), key=lambda path: _far(judge, path)):
        try:
            items = list(islice(_items(judge, path), SAMPLE_ROWS))
        except DataError:
            continue
        return path.name, items
    return "", []


def _far(judge: Judge, path: Path) -> tuple[bool, bool, str]:
    name, lang, _ = path.name.split(".")
    return name != judge.name, lang != judge.lang, name


def _items(judge: Judge, path: Path) -> Iterator[Item]:
    for where, row in read_rows(str(path)):
        yield make_item(judge, canonical_row(judge, row, where, {}), where)
