"""From `--candidate NAME=WHERE` to candidates that can be asked. Nothing is contacted here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.core import limits
from adjudge.core.errors import ConfigError
from adjudge.core.judge import Judge
from adjudge.core.records import Item, Settings
from adjudge.data.candidates import Candidate, parse_candidates
from adjudge.models import command, local
from adjudge.models.base import Model
from adjudge.models.choose import HOSTED, choose_model, hosted, kind_of, split_server
from adjudge.models.command import Command
from adjudge.models.endpoint import Endpoint
from adjudge.run.answering import Answering, AnswerPlanner, Contestant, asked_of
from adjudge.run.ask import Asker
from adjudge.run.pace import Pace
from adjudge.run.plan import CHARACTERS_PER_TOKEN, Options, estimate_tokens
from adjudge.run.prices import Price, Share, price_of

if TYPE_CHECKING:
    from adjudge.api.options import RunOptions

_PROGRAMS = ("cmd", "http", "https")
_MODELS = (*HOSTED, "local")
#: A few sentences: what a dry run takes an answer for.
_ANSWER_TOKENS = 150
ANSWER_STAND_IN = "x" * round(_ANSWER_TOKENS * CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A candidate that is asked: by what settings, and at what price. A dry run has no model for it."""

    name: str
    settings: Settings
    program: bool
    price: Price | None
    free: bool
    model: Model | None = None

    def planner(self, judge: Judge) -> AnswerPlanner:
        """Makes its calls."""
        return AnswerPlanner(judge=judge, settings=self.settings, options=Options(), program=self.program)


def asked_candidates(options: RunOptions, *, dry: bool = False) -> tuple[Asked, ...]:
    """The candidates that are asked for their answers, ready to be asked unless the run is dry."""
    return tuple(_asked(options, one, dry=dry) for one in parse_candidates(options.candidates) if not one.given)


def signatures(options: RunOptions) -> tuple[str, ...]:
    """What of the asked candidates decides the numbers, one text each: NAME=MODEL, with its server and revision."""
    found = []
    for one in parse_candidates(options.candidates):
        if not one.given:
            settings = _settings(options, one)
            server = f"@{settings.base_url}" if settings.base_url else ""
            found.append(
                f"{one.name}={settings.model}{server}" + (f"#{settings.revision}" if settings.revision else "")
            )
    return tuple(found)


def answering(asker: Asker, candidates: Sequence[Asked], options: RunOptions) -> Answering | None:
    """What asks the candidates of a run, each at its own pace and price, out of one budget."""
    if not candidates:
        return None
    judge, contestants = asker.planner.judge, []
    for one in candidates:
        if one.model is None:
            raise ConfigError("a dry run was prepared, and can't be started")
        planner = one.planner(judge)
        ceiling = None if one.free else options.max_cost
        contestants.append(
            Contestant(
                name=one.name,
                planner=planner,
                asker=Asker(
                    run=asker.run,
                    planner=planner,
                    model=one.model,
                    store=asker.store,
                    ledger=asker.ledger,
                    pace=_pace(one, options),
                    budget=Share(ceiling_usd=ceiling, price=one.price, of=asker.budget),
                    fresh=asker.fresh,
                    usage=asker.usage,
                ),
            )
        )
    return Answering(judge, contestants)


def with_answering(
    plan: dict[str, Any], judge: Judge, candidates: Sequence[Asked], items: Iterable[Item], sample: int
) -> dict[str, Any]:
    """What a run would take, with what its candidates are asked before anything is judged."""
    some = [asked_of(judge, item) for item in islice(items, sample)]
    each = {}
    for one in candidates:
        calls, planner = plan["items"], one.planner(judge)
        prompts = [planner.prompt(planner.call("answer", (item,)), item) for item in some]
        tokens_in = 0 if one.program else round(sum(map(estimate_tokens, prompts)) / max(len(some), 1) * calls)
        tokens_out = 0 if one.program else calls * _ANSWER_TOKENS
        cost = 0.0 if one.free else one.price.of(tokens_in, tokens_out) if one.price else None
        tokens = {"in": tokens_in, "out": tokens_out}
        each[one.name] = {"model": one.settings.model, "calls": calls, "tokens": tokens, "cost_usd": cost}
    costs = [plan["cost_usd"], *(one["cost_usd"] for one in each.values())]
    return {
        **plan,
        "calls": plan["calls"] + sum(one["calls"] for one in each.values()),
        "tokens": {
            way: plan["tokens"][way] + sum(one["tokens"][way] for one in each.values()) for way in ("in", "out")
        },
        "cost_usd": None if None in costs else sum(costs),
        "candidates": each,
    }


def _pace(one: Asked, options: RunOptions) -> Pace:
    if hosted(one.settings.model):
        return Pace(concurrency=options.concurrency, rpm=options.rpm, tpm=options.tpm, max_wait_s=options.max_wait)
    alone = kind_of(one.settings.model) == "local"
    return Pace(concurrency=1 if alone else min(options.concurrency, limits.PROGRAMS), max_wait_s=options.max_wait)


def _asked(options: RunOptions, one: Candidate, *, dry: bool) -> Asked:
    settings = _settings(options, one)
    program = one.kind in _PROGRAMS
    free = program or not hosted(one.where)
    price = price_of(settings, options.prices or os.environ.get("ADJUDGE_PRICES"))
    if options.max_cost is not None and price is None and not free:
        raise ConfigError(
            f"--max-cost: the price of {settings.model} (--candidate {one.name}) is not known",
            hint="give it with --prices FILE (see docs/cost.md), or leave --max-cost out",
        )
    if dry and one.kind == "cmd":
        command.startable(one.path)
    model = None if dry else _model(options, one, settings)
    return Asked(name=one.name, settings=settings, program=program, price=price, free=free, model=model)


def _settings(options: RunOptions, one: Candidate) -> Settings:
    if one.kind == "cmd":
        return Settings(model=one.where, temperature=None, revision=command.revision(one.path))
    if one.kind in _PROGRAMS:
        return Settings(model=one.where, temperature=None)
    kind = kind_of(one.where)
    if kind not in _MODELS:
        raise ConfigError(
            f"--candidate {one.name}={one.where[: limits.NAME_CHARS]}: `{kind[:40]}` answers no questions",
            hint="there are column:NAME, file:PATH, cmd:COMMAND, http://ADDRESS, openai:NAME, openai:NAME@URL, "
            "anthropic:NAME and local:FILE.gguf",
        )
    name, server = split_server(one.where)
    base_url = server or (options.base_url if hosted(one.where) else None)
    return Settings(
        model=name if hosted(one.where) else f"local:{Path(one.path).name}",
        base_url=base_url.rstrip("/") if base_url else None,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        revision=local.revision(local.model_file(one.path)) if kind == "local" else None,
    )


def _model(options: RunOptions, one: Candidate, settings: Settings) -> Model:
    if one.kind == "cmd":
        return Command(one.path, timeout_s=options.candidate_timeout)
    if one.kind in _PROGRAMS:
        return Endpoint(one.where, timeout_s=options.candidate_timeout)
    if not hosted(one.where):
        return choose_model(one.where)
    return choose_model(
        settings.model,
        base_url=settings.base_url,
        api_key_env=options.api_key_env,
        timeout_s=options.candidate_timeout,
    )
