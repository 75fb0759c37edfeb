"""The options of a run, checked where they are given."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.api.candidates import signatures
from adjudge.core import limits
from adjudge.core.errors import ConfigError
from adjudge.core.judge import Judge
from adjudge.core.records import EMBEDDED, Ask, Orders, Settings
from adjudge.data.candidates import parse_candidates
from adjudge.models import local
from adjudge.models.base import Model
from adjudge.models.choose import asked, check_probabilities, choose_model, hosted, kind_of, split_server
from adjudge.models.offline import revision
from adjudge.run.plan import DEFAULT_BATCH, DEFAULT_ORDERS, Options
from adjudge.run.prices import Budget, price_of
from adjudge.run.until import parse
from adjudge.spec.criteria import STAGED

#: Options that mean something in one layout only.
_OF_LAYOUT = (("orders", "compare"), ("candidates", "compare"), ("batch_size", "batch"), ("probe_batch", "batch"))
#: Options that mean nothing to the embedded judge, and why.
_NOT_EMBEDDED = (
    ("staged", "has no stages"),
    ("window", "reads any source whole"),
    ("probe_batch", "looks at every item by itself, so its batches change nothing"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOptions:
    """Everything `adjudge run` can be told beside judge and data; see `adjudge run --help`.

    A server in the model's name (`openai:NAME@URL`) becomes the `base_url`, whatever else was given as such.
    """

    model: str = "offline"
    base_url: str | None = None
    api_key_env: str | None = None
    lang: str | None = None
    store: str | None = None
    map: tuple[str, ...] = ()
    concurrency: int = 32
    repeat: int = 1
    orders: Orders | None = None
    batch_size: int | None = None
    ask: Ask | None = None
    reasons: bool = False
    staged: bool | None = None
    window: int | None = None
    probe_batch: int | None = None
    candidates: tuple[str, ...] = ()
    candidate_timeout: float = limits.CANDIDATE_TIMEOUT_S
    probabilities: bool = False
    limit: int | None = None
    until: str | None = None
    seed: int = 0
    name: str = ""
    temperature: float | None = 0.0
    max_tokens: int | None = None
    rpm: int | None = None
    tpm: int | None = None
    max_cost: float | None = None
    max_wait: float = limits.MAX_WAIT_S
    prices: str | None = None
    fresh: bool = False

    def __post_init__(self) -> None:
        model, server = split_server(self.model)
        if server is not None:
            object.__setattr__(self, "model", model)
            object.__setattr__(self, "base_url", server)
        object.__setattr__(self, "ask", asked(model, self.ask))
        if self.probabilities:
            check_probabilities(model, str(self.ask))
        for name in ("concurrency", "limit", "max_tokens", "rpm", "tpm"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"--{name.replace('_', '-')} must be at least 1, not {value}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ConfigError(f"--temperature must be between 0 and 2, not {self.temperature}")
        if not 0 < self.candidate_timeout < float("inf"):
            raise ConfigError(f"--candidate-timeout must be a number of seconds above 0, not {self.candidate_timeout}")
        if self.max_cost is not None and not self.max_cost > 0:
            raise ConfigError(f"--max-cost must be above 0, not {self.max_cost}")
        if not self.max_wait >= 0:
            raise ConfigError(f"--max-wait must be a number of seconds from 0, not {self.max_wait}")
        if len(self.name) > limits.NAME_CHARS or not self.name.isprintable():
            raise ConfigError(f"--name must be {limits.NAME_CHARS} printable characters at most, on one line")
        if self.name == "latest":
            raise ConfigError("--name latest is taken: it always means the newest run")
        if kind_of(model) == "local":
            # from another folder, or with another default, a resume must find the same file
            path = local.model_file(model.strip().partition(":")[2]).resolve()
            object.__setattr__(self, "model", f"local:{path}")
            # it answers one question at a time, and those on one item should follow one another
            object.__setattr__(self, "concurrency", 1)

        if kind_of(model) == "offline" and (calibration := model.strip().partition(":")[2]):
            object.__setattr__(self, "model", f"{model.strip().partition(':')[0]}:{Path(calibration).resolve()}")

    def settings(self) -> Settings:
        kind, _, path = self.model.partition(":")
        named = kind_of(self.model) in ("local", "offline") and path
        return Settings(
            # a file is what it holds, not where it lies; that is in the revision
            model=f"{kind}:{Path(path).name}" if named else self.model,
            base_url=self.base_url.rstrip("/") if self.base_url and not self._server_is_for_candidates else None,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            revision=self._revision(),
            probabilities=self.probabilities,
        )

    def judging_model(self) -> Model:
        """The model that judges; nothing is contacted."""
        if self._server_is_for_candidates:
            return choose_model(self.model)
        return choose_model(self.model, base_url=self.base_url, api_key_env=self.api_key_env)

    @property
    def _server_is_for_candidates(self) -> bool:
        """Whether --base-url and --api-key-env mean something to candidates alone."""
        return not hosted(self.model) and _some_hosted(self.candidates)

    def _revision(self) -> str | None:
        """What the name of the model leaves open: the embedded judge's own state, or what a replay file holds."""
        if kind_of(self.model) == EMBEDDED:
            calibration = _file_digest(Path(self.model.partition(":")[2])) if ":" in self.model else None
            own = revision(vectors=self.model.startswith("offline+vectors"))
            return f"{own}+{calibration}" if calibration else own
        if kind_of(self.model) == "local":
            return local.revision(Path(self.model.removeprefix("local:")))
        return _file_digest(Path(self.model.removeprefix("replay:"))) if self.model.startswith("replay:") else None

    @property
    def free(self) -> bool:
        """Whether nothing is ever paid for."""
        return kind_of(self.model) in ("offline", "local", "replay")

    def budget(self, settings: Settings) -> Budget:
        """The ceiling and the price. A ceiling on what can't be counted would be none."""
        price = price_of(settings, self.prices or os.environ.get("ADJUDGE_PRICES"))
        if self.max_cost is not None and price is None and not self.free:
            raise ConfigError(
                f"--max-cost: the price of {self.model} is not known",
                hint="give it with --prices FILE (see docs/cost.md), or leave --max-cost out",
            )
        # what costs nothing is not stopped by what is spent beside it
        return Budget(ceiling_usd=None if self.free else self.max_cost, price=price)

    def plan(self, judge: Judge) -> Options:
        """The options that this judge's layout knows; one that it does not know is an error, not ignored."""
        for name, layout in _OF_LAYOUT:
            if getattr(self, name) not in (None, ()) and judge.layout != layout:
                option = name.replace("_", "-").removesuffix("s") if name == "candidates" else name.replace("_", "-")
                raise ConfigError(f"--{option} is for the {layout} layout, and `{judge.name}` has {judge.layout}")
        self._check_timeout()
        for name, why in _NOT_EMBEDDED:
            if getattr(self, name) is not None and kind_of(self.model) == EMBEDDED:
                raise ConfigError(
                    f"{self._option(name)}: the embedded judge {why}",
                    hint="leave it out, or name a model with --model",
                )
        if self.ask == "yes-no":
            return self._questions(judge)
        if self.reasons:
            raise ConfigError("--reasons is for --ask yes-no", hint="a rating comes with its reasons as it is")
        if self.staged is not None and not any(criterion.kind in STAGED for criterion in judge.criteria):
            raise ConfigError(
                f"{self._option('staged')} is for claims and questions, and `{judge.name}` has neither",
                hint="leave it out: this judge is asked in one call as it is",
            )
        staged = (judge.staged if self.staged is None else self.staged) and kind_of(self.model) != EMBEDDED
        if staged and len(judge.with_role("output")) != 1:
            raise ConfigError(
                f"--staged needs one text that is judged, and `{judge.name}` has {len(judge.with_role('output'))}",
                hint="give one field of its judge.yaml `role: output`",
            )
        orders = DEFAULT_ORDERS if self.orders is None else self.orders
        size = DEFAULT_BATCH if self.batch_size is None else self.batch_size
        if self.probe_batch and size == 1:
            raise ConfigError("--probe-batch compares batches with single items, and --batch-size 1 makes no batch")
        return Options(
            repeat=self.repeat,
            orders=orders if judge.layout == "compare" else None,
            batch_size=size if judge.layout == "batch" else None,
            staged=staged,
            window=self.window,
            probe_batch=self.probe_batch,
            candidates=signatures(self),
            until=self._until(judge),
            seed=self.seed,
        )

    def _check_timeout(self) -> None:
        asked = any(not one.given for one in parse_candidates(self.candidates))
        if self.candidate_timeout != limits.CANDIDATE_TIMEOUT_S and not asked:
            raise ConfigError(
                "--candidate-timeout is for candidates that are asked for their answers, and there is none",
                hint="name one with --candidate NAME=WHERE, or leave it out",
            )

    def _option(self, name: str) -> str:
        """An option as it was given on the command line."""
        return "--one-call" if name == "staged" and self.staged is False else f"--{name.replace('_', '-')}"

    def _questions(self, judge: Judge) -> Options:
        """The plan of `--ask yes-no`: every text and every question by itself."""
        for name in ("orders", "batch_size", "probe_batch", "staged", "window"):
            if getattr(self, name) is not None:
                raise ConfigError(
                    f"{self._option(name)} means nothing with --ask yes-no, which asks about each text by itself",
                    hint="leave it out, or use --ask rating",
                )
        if not any(criterion.question for criterion in judge.scored):
            raise ConfigError(
                f"no criterion of `{judge.name}` has a question for --ask yes-no in `{judge.lang}`",
                hint=f"add `question:` to its criteria in {judge.lang}.yaml, or use --ask rating",
            )
        return Options(
            repeat=self.repeat,
            ask="yes-no",
            reasons=self.reasons,
            candidates=signatures(self),
            until=self._until(judge),
            seed=self.seed,
        )

    def _until(self, judge: Judge) -> str:
        """The question in its one spelling; "" where none was asked."""
        return "" if self.until is None else str(parse(self.until, judge))


def _some_hosted(candidates: Sequence[str]) -> bool:
    return any(hosted(one.where) for one in parse_candidates(candidates))


def _file_digest(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def options_for(models: Sequence[str], *, name: str = "", **options: Any) -> list[RunOptions]:
    """The options of one run for each model, the same for all of them.

    A server, the name of a key, stages and a window go to the models that know what to do with them; where none does,
    that is an error when the model is chosen or the run planned. The runs are named NAME, NAME-2, NAME-3.
    """
    some_hosted = any(map(hosted, models))
    rated = [kind_of(model) != EMBEDDED and asked(model, options.get("ask")) == "rating" for model in models]
    chosen = []
    for number, model in enumerate(models, start=1):
        own = dict(options)
        if some_hosted and not hosted(model) and not _some_hosted(options.get("candidates", ())):
            own |= {"base_url": None, "api_key_env": None}
        if any(rated) and not rated[number - 1]:
            own |= {"staged": None, "window": None}
        chosen.append(RunOptions(model=model, name=f"{name}-{number}" if name and number > 1 else name, **own))
    return chosen
