"""adjudge run"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from adjudge import api
from adjudge.cli.outcome import carry_out, share_out
from adjudge.cli.output import emit_json, json_option, processes_option, safe, store_option
from adjudge.core import limits
from adjudge.core.counted import counted
from adjudge.core.records import EMBEDDED
from adjudge.data.items import mapping
from adjudge.models.choose import kind_of


class _Orders(click.ParamType[Any]):
    name = "K|balanced|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in ("all", "balanced") or isinstance(value, int):
            return value
        try:
            return int(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor `balanced` or `all`", param, ctx)


@click.command(
    "run",
    epilog="Example: adjudge run summary my.jsonl --model openai:gpt-4.1-mini --lang ru\n\n"
    "Example: adjudge run ./my-judge data.csv --map text=abstract --model openai:any --base-url http://localhost:8080/v1\n\n"
    "Example: adjudge run summary my.jsonl --model openai:gpt-4.1-mini --model openai:qwen3@http://localhost:11434/v1",
)
@click.argument("judge")
@click.argument("data")
@click.option(
    "--model",
    "models",
    multiple=True,
    default=("offline",),
    show_default=True,
    metavar="M",
    help="offline (needs no key and no network; offline:FILE with a calibration, offline+vectors with sentence "
    "vectors), local:FILE.gguf, openai:NAME, anthropic:NAME, replay:FILE; a hosted "
    "one may carry its server, as openai:NAME@URL. Repeatable: a run each, side by side, and a comparison with the "
    "first at the end.",
)
@click.option("--base-url", metavar="URL", help="Any OpenAI-compatible server; for the models that carry none.")
@click.option(
    "--api-key-env", metavar="NAME", help="Variable with the key [default: OPENAI_API_KEY or ANTHROPIC_API_KEY]."
)
@click.option("--lang", help="Language of the prompt and of the reasons [default: the judge's].")
@click.option("--map", multiple=True, metavar="FIELD=COLUMN", help="A column under another name; repeatable.")
@click.option("--concurrency", default=32, show_default=True, metavar="N", help="Requests in flight, for each model.")
@click.option("--repeat", default=1, show_default=True, metavar="K", help="Independent repeats of every call.")
@click.option(
    "--orders",
    type=_Orders(),
    metavar="K|balanced|all",
    help="Compare layout: how many orders of the candidates [default: 2]; balanced: as many as candidates, "
    "each of them once at each place.",
)
@click.option("--batch-size", type=int, metavar="B", help="Batch layout: items per call [default: 10].")
@click.option(
    "--ask",
    type=click.Choice(["rating", "yes-no"]),
    help="One structured reply, or one yes/no question per criterion, read from token probabilities "
    "[default: rating; for local models yes-no].",
)
@click.option("--reasons", is_flag=True, help="With --ask yes-no: one more call for each answer, to say why in words.")
@click.option(
    "--staged/--one-call",
    default=None,
    help="List claims and questions first and check them then, in calls of their own, or all in one call "
    "[default: as the judge's file says].",
)
@click.option(
    "--candidate",
    "candidates",
    multiple=True,
    metavar="NAME=WHERE",
    help="Compare layout: a candidate and where its answers come from: column:NAME, file:ANSWERS.jsonl, a model "
    "(openai:NAME, openai:NAME@URL, anthropic:NAME, local:FILE.gguf), cmd:COMMAND or an http:// address that "
    "answers. Repeatable.",
)
@click.option(
    "--candidate-timeout",
    default=60.0,
    show_default=True,
    metavar="S",
    help="Seconds that a candidate has for one answer.",
)
@click.option(
    "--probe-batch",
    type=int,
    metavar="N",
    help="Batch layout: judge N items singly too, and say what batching changes.",
)
@click.option(
    "--window",
    type=int,
    metavar="TOKENS",
    help="What the model can read at once; a longer source is judged part by part [default: as known of the model].",
)
@click.option(
    "--probabilities",
    is_flag=True,
    help="Ask for the probabilities of the scores' tokens, and take the expected score where the server gives them.",
)
@click.option(
    "--until",
    metavar="QUESTION",
    help='Judge in random order and stop when the question is answered: "ci(CRITERION) < 0.1", when the half-width of '
    'its mean\'s interval is below 0.1 points of the scale; "better(A, B)", when one of two candidates or systems is '
    'better over all, or "better(A, B, CRITERION)" on one criterion. The intervals hold at every moment of the run.',
)
@click.option("--limit", type=int, metavar="N", help="Judge only the first N rows.")
@click.option("--seed", default=0, show_default=True, help="Seed of orders and shuffles.")
@click.option("--name", default="", help="A name for the run, to use instead of its id; several are NAME, NAME-2, ...")
@click.option("--temperature", default=0.0, show_default=True, help="Sampling temperature of the model.")
@click.option("--max-tokens", type=int, metavar="T", help="Longest answer to ask for [default: the server's].")
@click.option("--rpm", type=int, metavar="N", help="Requests per minute at most, for each model.")
@click.option("--tpm", type=int, metavar="N", help="Tokens per minute at most, for each model.")
@click.option(
    "--max-cost",
    type=float,
    metavar="USD",
    help="Stop cleanly when this much is spent, by all models together; a resume counts what its run spent before.",
)
@click.option(
    "--max-wait",
    default=limits.MAX_WAIT_S,
    show_default=True,
    metavar="S",
    help="Stop cleanly, to be resumed, when a server tells the run to wait (429) and answers nothing for S seconds.",
)
@click.option("--prices", metavar="FILE", help="More prices, or other ones [default: the variable ADJUDGE_PRICES].")
@click.option("--dry-run", is_flag=True, help="Check everything, say what it would take and cost, call nothing.")
@click.option("--fresh", is_flag=True, help="Do not reuse replies of earlier runs.")
@processes_option
@store_option
@json_option
def command(
    judge: str,
    data: str,
    models: tuple[str, ...],
    processes: int | None,
    dry_run: bool,
    as_json: bool,
    store: str | None,
    **options: Any,
) -> int:
    """Judge DATA (JSON, JSONL, CSV, TSV, Parquet, or - for standard input) with JUDGE (a name or a folder).

    Every reply is stored before it counts; an interrupted run goes on with `adjudge resume`.
    """
    prepared = api.prepare_all(judge, data, api.options_for(models, store=store, **options), dry=dry_run)
    try:
        for name, column in prepared[0].dataset.overlooked.items():
            told = f"the column `{column}` is not read as `{name}`; it is with {mapping({name: column})}"
            click.echo(f"adjudge: {safe(told)}", err=True)
        if dry_run:
            _foresee([api.dry_run(one) for one in prepared], as_json=as_json)
            return 0
        if api.crew_of(prepared, processes).processes > 1:
            run = api.begin(prepared[0])
            crew = api.crew_for(run, store=store, processes=processes)  # what was judged before is not shared out
            return share_out(run, crew, store=store, as_json=as_json)
        return carry_out(lambda listener: api.start_all(prepared, listener), store=store, as_json=as_json)
    finally:
        prepared[0].dataset.close()


def _foresee(plans: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    costs = [plan["cost_usd"] for plan in plans]
    total = None if None in costs else sum(costs)
    if as_json:
        emit_json(plans[0] if len(plans) == 1 else {"plans": plans, "cost_usd": total})
        return
    for plan in plans:
        click.echo(safe(_foreseen(plan)) + ("; nothing was called" if len(plans) == 1 else ""))
    for warning in dict.fromkeys(one for plan in plans for one in plan.get("warnings", ())):
        click.echo(safe(f"! {warning}"))
    if len(plans) > 1:
        calls = sum(plan["calls"] for plan in plans)
        unknown = "cost unknown: not every model has a price"
        click.echo(
            f"together {counted(calls, 'call')}, {unknown if total is None else _cost(total)}; nothing was called"
        )


def _foreseen(plan: dict[str, Any]) -> str:
    tokens, cost = _sent(plan), plan["cost_usd"]
    priced = "cost unknown: no price for this model" if cost is None else _cost(cost)
    seen = f" (price from {plan['price_seen']})" if plan["price_seen"] else ""
    asked = sum(one["calls"] for one in plan.get("candidates", {}).values())
    whom = f"{asked} of them to candidates for their answers, the others to {plan['model']}"
    count = f"{'about ' if plan.get('calls_estimated') else ''}{counted(plan['calls'], 'call')}"
    calls = f"{count}, {whom}" if asked else f"{count} to {plan['model']}"
    read = f"about {tokens['in']:,} tokens in and {tokens['out']:,} out, " if any(tokens.values()) else ""
    most = f"; at most, since it ends when {plan['until']} is answered" if "until" in plan else ""
    return f"{counted(plan['items'], 'item')}, {calls}, {read}{priced}{seen}{most}"


def _sent(plan: dict[str, Any]) -> dict[str, int]:
    """The tokens that are sent to anyone: the embedded judge is sent none, its candidates may be."""
    if kind_of(plan["model"]) != EMBEDDED:
        return dict(plan["tokens"])
    candidates = plan.get("candidates", {}).values()
    return {way: sum(one["tokens"][way] for one in candidates) for way in ("in", "out")}


def _cost(usd: float) -> str:
    return f"about ${usd:.4f}" if usd else "free"
