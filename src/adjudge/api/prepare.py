"""Everything that can be wrong is found here, before anything is called or written; and what a run would take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.api.options import RunOptions
from adjudge.api.stored import stored_item
from adjudge.core.errors import ConfigError
from adjudge.core.judge import Judge
from adjudge.data.dataset import Dataset, read_dataset
from adjudge.data.items import parse_map
from adjudge.data.rows import read_rows, rows_of
from adjudge.models.base import Model
from adjudge.models.choose import choose_model
from adjudge.models.offline import Offline
from adjudge.run.plan import Planner, Unit, estimate_tokens
from adjudge.run.prices import Budget
from adjudge.spec.load import judge_files, judge_folder, judge_from_files
from adjudge.spec.prompt import render

#: A score with a reason of one to three sentences.
_TOKENS_PER_CRITERION = 70
#: Yes or no, and the end of the answer.
_TOKENS_PER_WORD = 2


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A run that has been checked from end to end, before anything is called or written."""

    judge: Judge
    files: Mapping[str, str]
    dataset: Dataset
    model: Model | None
    options: RunOptions
    planner: Planner
    budget: Budget

    def units(self) -> Iterator[Unit]:
        rows = enumerate(self.dataset.rows())
        return self.planner.units((place, stored_item(self.judge, body)) for place, (_, body) in rows)


def prepare(judge: Judge | str, data: Any, options: RunOptions, *, dry: bool = False) -> Prepared:
    """Check judge, model, options and every row. What is wrong is an error here, and nothing is left behind.

    A dry run needs no key: its model is never asked.
    """
    return prepare_all(judge, data, [options], dry=dry)[0]


def prepare_all(judge: Judge | str, data: Any, options: Sequence[RunOptions], *, dry: bool = False) -> list[Prepared]:
    """`prepare` for several models, whose options differ in nothing else: the rows are read once, and shared."""
    files, loaded = load(judge, options[0].lang)
    plans = [one.plan(loaded) for one in options]
    models = [
        None if dry else choose_model(one.model, base_url=one.base_url, api_key_env=one.api_key_env) for one in options
    ]
    for model in models:
        if isinstance(model, Offline) and model.calibration:
            model.calibration.check(loaded)
    planners = [
        Planner(judge=loaded, settings=one.settings(), options=plan) for one, plan in zip(options, plans, strict=True)
    ]
    _check_different(planners)
    budgets = [one.budget(planner.settings) for one, planner in zip(options, planners, strict=True)]
    for budget in budgets:
        budget.beside = [other for other in budgets if other is not budget]
    columns = parse_map(loaded, options[0].map)
    path = isinstance(data, (str, Path))
    rows = read_rows(str(data)) if path else rows_of(data)
    dataset = read_dataset(loaded, rows, name=str(data) if path else "rows", columns=columns, limit=options[0].limit)
    for planner in planners:
        _check_orders(planner, dataset)
    return [
        Prepared(judge=loaded, files=files, dataset=dataset, model=model, options=one, planner=planner, budget=budget)
        for one, model, planner, budget in zip(options, models, planners, budgets, strict=True)
    ]


def _check_different(planners: Sequence[Planner]) -> None:
    """A run against itself would compare nothing, and the second one would only wait for the first."""
    seen = set()
    for settings in (planner.settings for planner in planners):
        if settings in seen:
            server = f" at {settings.base_url}" if settings.base_url else ""
            raise ConfigError(
                f"--model {settings.model}{server} is given twice, with the same settings",
                hint="repeats of one model are --repeat K; another server is openai:NAME@URL",
            )
        seen.add(settings)


def dry_run(prepared: Prepared, *, sample: int = 200) -> dict[str, Any]:
    """What a run would do: items, calls, tokens and cost, estimated from the first prompts. Nothing is called."""
    calls = tokens = tokens_out = seen = 0
    plan = prepared.planner.options
    for unit in prepared.units():
        # a reason is asked for after its answer, in a prompt of about the same length
        calls += len(unit.calls) * (1 + plan.reasons)
        if plan.ask == "yes-no":
            tokens_out += len(unit.calls) * (_TOKENS_PER_WORD + plan.reasons * _TOKENS_PER_CRITERION)
        else:
            judged = sum(len(call.order) or len(unit.items) for call in unit.calls)
            tokens_out += judged * len(prepared.judge.criteria) * _TOKENS_PER_CRITERION
        if seen < sample:
            seen += len(unit.calls)
            tokens += sum(estimate_tokens(render(prepared.judge, call, unit.items)) for call in unit.calls)
    tokens_in = round(tokens / max(seen, 1) * calls)
    price = prepared.budget.price
    return {
        "items": prepared.dataset.count,
        "calls": calls,
        "model": prepared.planner.settings.model,
        "tokens": {"in": tokens_in, "out": tokens_out},
        "cost_usd": 0.0 if prepared.options.free else price.of(tokens_in, tokens_out) if price else None,
        "price_seen": price.seen if price else None,
    }


def _check_orders(planner: Planner, dataset: Dataset) -> None:
    """`--orders all` may be too many for some item; that is found out before anything is called."""
    if planner.options.orders == "all":
        try:
            for _, body in dataset.rows():
                next(planner.units([(0, stored_item(planner.judge, body))]))
        except ConfigError:
            dataset.close()
            raise


def load(judge: Judge | str, lang: str | None) -> tuple[dict[str, str], Judge]:
    """A judge with the texts of its files, by name, folder, or as loaded before."""
    if isinstance(judge, str):
        files = judge_files(judge_folder(judge))
        return files, judge_from_files(files, lang)
    if lang not in (None, judge.lang):
        raise ConfigError(f"the judge was loaded in `{judge.lang}`", hint=f'load_judge(..., lang="{lang}")')
    return dict(judge.files), judge
