"""Everything that can be wrong is found here, before anything is called or written; and what a run would take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.api.candidates import ANSWER_STAND_IN, Asked, asked_candidates, with_answering
from adjudge.api.options import RunOptions
from adjudge.api.reading import StoredDataset, read_data
from adjudge.api.stored import stored_item
from adjudge.core.errors import ConfigError
from adjudge.core.judge import Judge
from adjudge.core.records import EMBEDDED, Item
from adjudge.data.dataset import Dataset
from adjudge.models.base import Model
from adjudge.models.choose import kind_of
from adjudge.models.offline import LISTED
from adjudge.report.warn import few_orders
from adjudge.report.words import words
from adjudge.run.answering import stand_in
from adjudge.run.foresee import Foresight
from adjudge.run.plan import Planner, Unit, candidates, estimate_tokens
from adjudge.run.prices import Budget
from adjudge.run.probe import probed, probes
from adjudge.run.until import check_sides, parse
from adjudge.spec.load import load_judge
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
    dataset: Dataset | StoredDataset
    model: Model | None
    options: RunOptions
    planner: Planner
    budget: Budget
    candidates: tuple[Asked, ...] = ()

    def items(self) -> Iterator[Item]:
        return (stored_item(self.judge, body) for _, body in self.dataset.rows())

    def units(self) -> Iterator[Unit]:
        """The plan; with something in the place of answers that candidates are yet to be asked for."""
        names = [one.name for one in self.candidates]
        if not names:
            return self.planner.units(enumerate(self.items()))
        filled = (stand_in(self.judge, item, names, ANSWER_STAND_IN) for item in self.items())
        return (self.planner.planned(place, item) for place, item in enumerate(filled))


def prepare(judge: Judge | str, data: Any, options: RunOptions, *, dry: bool = False) -> Prepared:
    """Check judge, model, options and every row. What is wrong is an error here, and nothing is left behind.

    A dry run needs no key: its model is never asked.
    """
    return prepare_all(judge, data, [options], dry=dry)[0]


def prepare_all(judge: Judge | str, data: Any, options: Sequence[RunOptions], *, dry: bool = False) -> list[Prepared]:
    """`prepare` for several models, whose options differ in nothing else: the rows are read once, and shared."""
    files, loaded = load(judge, options[0].lang)
    for chosen in options:
        _check_measures(loaded, chosen)
    plans = [one.plan(loaded) for one in options]
    models = [None if dry else one.judging_model() for one in options]
    for model in models:
        if (calibration := getattr(model, "calibration", None)) is not None:
            calibration.check(loaded)
    planners = [
        Planner(judge=loaded, settings=one.settings(), options=plan) for one, plan in zip(options, plans, strict=True)
    ]
    _check_different(planners)
    budgets = [one.budget(planner.settings) for one, planner in zip(options, planners, strict=True)]
    for budget in budgets:
        budget.beside = [other for other in budgets if other is not budget]
    candidates = [asked_candidates(one, dry=dry) for one in options]
    dataset = read_data(loaded, data, options[0], dry=dry)
    found = [
        Prepared(
            judge=loaded,
            files=files,
            dataset=dataset,
            model=model,
            options=one,
            planner=planner,
            budget=budget,
            candidates=those,
        )
        for one, model, planner, budget, those in zip(options, models, planners, budgets, candidates, strict=True)
    ]
    for one in found:
        _check_orders(one)
    try:
        for one in found:
            _check_question(one)
    except ConfigError:
        dataset.close()
        raise
    return found


def _check_measures(judge: Judge, options: RunOptions) -> None:
    """Where the embedded judge has no measure at all, a run would be nothing but gaps."""
    embedded = kind_of(options.model) == EMBEDDED
    if embedded and not any(criterion.measure or criterion.kind in LISTED for criterion in judge.scored):
        raise ConfigError(
            f"the embedded judge can't score any criterion of `{judge.name}`",
            hint="name a model that reads, as --model openai:NAME; or give a criterion a `measure` in judge.yaml",
        )


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
    sampled = probed(plan, prepared.dataset.count)
    # the embedded judge has neither stages nor a window
    foresight = Foresight(prepared.planner) if kind_of(prepared.options.model) != EMBEDDED else None
    estimated: list[tuple[int, int]] = []
    sizes: Counter[int] = Counter()
    for unit in prepared.units():
        sizes.update(len(candidates(prepared.judge, item)) for item in unit.items)
        if foresight and (own := foresight.calls(unit)) is not None:
            estimated += own
            continue
        asked = [(call, unit.items) for call in unit.calls]
        asked += [(call, (item,)) for item, alone in probes(prepared.planner, unit, sampled) for call in alone]
        # a reason is asked for after its answer, in a prompt of about the same length
        calls += len(asked) * (1 + plan.reasons)
        if plan.ask == "yes-no":
            tokens_out += len(unit.calls) * (_TOKENS_PER_WORD + plan.reasons * _TOKENS_PER_CRITERION)
        else:
            judged = sum(len(call.order) or len(items) for call, items in asked)
            tokens_out += judged * len(prepared.judge.criteria) * _TOKENS_PER_CRITERION
        if seen < sample:
            seen += len(asked)
            tokens += sum(estimate_tokens(render(prepared.judge, call, items)) for call, items in asked)
    if foresight:
        estimated += foresight.merges(-(-prepared.dataset.count // (plan.batch_size or 1)))
    tokens_in = round(tokens / max(seen, 1) * calls) + sum(tokens for tokens, _ in estimated)
    calls, tokens_out = calls + len(estimated), tokens_out + sum(tokens for _, tokens in estimated)
    price = prepared.budget.price
    warned = list(few_orders(plan.orders, sizes, words(prepared.judge.lang)))
    found: dict[str, Any] = {
        "items": prepared.dataset.count,
        "calls": calls,
        **({"calls_estimated": True} if estimated else {}),
        "model": prepared.planner.settings.model,
        "tokens": {"in": tokens_in, "out": tokens_out},
        "cost_usd": 0.0 if prepared.options.free else price.of(tokens_in, tokens_out) if price else None,
        "price_seen": price.seen if price else None,
        **({"until": plan.until} if plan.until else {}),
        **({"warnings": warned} if warned else {}),
    }
    if not prepared.candidates:
        return found
    return with_answering(found, prepared.judge, prepared.candidates, prepared.items(), sample)


def _check_orders(prepared: Prepared) -> None:
    """`--orders all` may be too many for some item; that is found out before anything is called."""
    if prepared.planner.options.orders == "all":
        try:
            for _ in prepared.units():
                pass
        except ConfigError:
            prepared.dataset.close()
            raise


def _check_question(prepared: Prepared) -> None:
    """What `--until` asks about must be scored, and the sides of `better(A, B)` must be in the data."""
    planner, judge = prepared.planner, prepared.judge
    if not planner.options.until:
        return
    question = parse(planner.options.until, judge)
    asked = next((one for one in judge.scored if one.name == question.name), None)
    if asked and kind_of(prepared.options.model) == EMBEDDED and not (asked.measure or asked.kind in LISTED):
        raise ConfigError(
            f"--until: the embedded judge can't score `{asked.name}`",
            hint="ask about another criterion, or name a model that reads, as --model openai:NAME",
        )
    if question.sides is None:
        return
    if question.systems:
        (field,) = judge.with_role("system")[:1]
        there = {item.text(field.name).strip() for item in prepared.items()} - {""}
    else:
        there = {name for item in prepared.items() for name in candidates(judge, item)}
    batched = planner.batched and planner.options.batch_size != 1
    check_sides(question, there | {one.name for one in prepared.candidates}, batched=batched)


def load(judge: Judge | str, lang: str | None) -> tuple[dict[str, str], Judge]:
    """A judge with the texts of its files, by name, folder, or as loaded before."""
    if isinstance(judge, str):
        judge = load_judge(judge, lang)
    elif lang not in (None, judge.lang):
        raise ConfigError(f"the judge was loaded in `{judge.lang}`", hint=f'load_judge(..., lang="{lang}")')
    return dict(judge.files), judge
