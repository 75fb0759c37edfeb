"""From the value of --model to a model. Nothing is contacted here; what is wrong is said before any call."""

from __future__ import annotations

import difflib
import math
import re
from typing import NoReturn, cast, get_args

from adjudge.core import limits
from adjudge.core.errors import ConfigError
from adjudge.core.records import Ask
from adjudge.models.base import Model

KINDS = {
    "offline": "offline",
    "offline+vectors": "offline+vectors",
    "openai": "openai:NAME",
    "anthropic": "anthropic:NAME",
    "local": "local:FILE.gguf",
    "replay": "replay:FILE",
}
_WITHOUT_ODDS = {"offline": "is no language model", "anthropic": "speaks a protocol that has none"}
#: The kinds that are asked over a network.
HOSTED = ("openai", "anthropic")
#: Only an address that says it is one: other names may hold an @ too.
_SERVER = re.compile(r"(?P<model>[^@]*(?:@(?!https?://)[^@]*)*)@(?P<url>https?://.*)", re.DOTALL)
#: How the names of well-known models begin, for those who forget the provider.
_MAKERS = {"gpt": "openai", "o1": "openai", "o3": "openai", "o4": "openai", "chatgpt": "openai", "claude": "anthropic"}


def hosted(spec: str) -> bool:
    """Whether a specification names a model that is asked over a network."""
    return spec.strip().partition(":")[0] in HOSTED


def split_server(spec: str) -> tuple[str, str | None]:
    """A specification without the server that it may carry, and the server's address.

    >>> split_server("openai:qwen3@http://gpu-1:8000/v1")
    ('openai:qwen3', 'http://gpu-1:8000/v1')
    """
    found = _SERVER.fullmatch(spec.strip()) if hosted(spec) else None
    return (found["model"], found["url"]) if found else (spec, None)


def kind_of(spec: str) -> str:
    """The kind of model that a specification names, without its extras: `offline`, `openai`, `local`.

    >>> kind_of("local:judge.gguf")
    'local'
    """
    return spec.strip().partition(":")[0].partition("+")[0]


def asked(spec: str, ask: str | None) -> Ask:
    """How a model is asked: as told, where it can be, or else in the way that suits it."""
    kind = kind_of(spec)
    if ask is None:
        return "yes-no" if kind == "local" else "rating"
    if ask not in get_args(Ask):
        raise ConfigError(f"--ask must be {' or '.join(get_args(Ask))}, not {ask[: limits.NAME_CHARS]!r}")
    if ask == "yes-no" and kind in _WITHOUT_ODDS:
        raise ConfigError(
            f"--ask yes-no needs token probabilities, and --model {kind} {_WITHOUT_ODDS[kind]}",
            hint="use --ask rating, or a model that states them: local:FILE.gguf or openai:NAME",
        )
    return cast(Ask, ask)


def check_probabilities(spec: str, ask: str) -> None:
    """Refuse --probabilities where they can't be had, or are read already."""
    kind = kind_of(spec)
    if ask == "yes-no":
        raise ConfigError(
            "--probabilities is for --ask rating: --ask yes-no reads nothing but probabilities",
            hint="leave --probabilities out" if kind != "local" else "leave it out; local models are asked yes or no",
        )
    if kind in _WITHOUT_ODDS or kind == "local":
        why = _WITHOUT_ODDS.get(kind, "states them for --ask yes-no only")
        raise ConfigError(
            f"--probabilities needs token probabilities, and --model {kind} {why}",
            hint="use openai:NAME with a server that states them, or --repeat K for a spread from repeats",
        )


def choose_model(
    spec: str, *, base_url: str | None = None, api_key_env: str | None = None, timeout_s: float | None = None
) -> Model:
    """The model that a specification names, e.g. `offline` or `openai:gpt-4.1-mini`."""
    kind, _, name = spec.strip().partition(":")
    if timeout_s is not None and not (math.isfinite(timeout_s) and timeout_s > 0):
        raise ConfigError("the time-out must be a number of seconds above 0")
    if kind in HOSTED:
        return _over_http(kind, name, base_url, api_key_env, timeout_s)
    if kind not in KINDS or (not name and spec.strip() != kind) or (kind == "replay" and not name):
        _unknown(spec, kind)
    if base_url is not None or api_key_env is not None:
        option = "--base-url" if base_url is not None else "--api-key-env"
        raise ConfigError(
            f"{option} means nothing to --model {kind}", hint="it goes with openai:NAME or anthropic:NAME"
        )
    if kind == "local":
        from adjudge.models.local import Local

        return Local(name)
    if kind == "replay":
        from adjudge.models.replay import Replay

        return Replay(name)
    from adjudge.models.offline import load_vectors, measures
    from adjudge.models.offline.calibrated import read_calibration
    from adjudge.models.offline.judge import Offline

    vectors = load_vectors() if kind == "offline+vectors" else None
    return Offline(read_calibration(name, measures(vectors=vectors is not None)) if name else None, vectors)


def _over_http(kind: str, name: str, base_url: str | None, api_key_env: str | None, timeout_s: float | None) -> Model:
    if not name or not name.isprintable() or len(name) > limits.NAME_CHARS:
        raise ConfigError(f"--model {kind}: lacks a usable model name", hint=f"write it as {KINDS[kind]}")
    _, at, server = name.rpartition("@")
    if at and (not server or server == "localhost" or any(mark in server for mark in ":/.")):
        raise ConfigError(
            f"--model {kind}:{name[: limits.NAME_CHARS]}: what follows the @ is not an address",
            hint=f"it begins with http:// or https://, as in {kind}:NAME@http://localhost:8000/v1",
        )
    if kind == "openai":
        from adjudge.models.openai import OpenAI

        return OpenAI(name, base_url=base_url, api_key_env=api_key_env, timeout_s=timeout_s)
    from adjudge.models.anthropic import Anthropic

    return Anthropic(name, base_url=base_url, api_key_env=api_key_env, timeout_s=timeout_s)


def _unknown(spec: str, kind: str) -> NoReturn:
    close = difflib.get_close_matches(kind.lower(), KINDS, n=1)
    maker = next((maker for start, maker in _MAKERS.items() if kind.lower().startswith(start)), None)
    guess = f"{maker}:{spec}" if maker else KINDS[close[0]] if close else None
    known = ", ".join(KINDS.values())
    raise ConfigError(
        f"unknown model {spec[: limits.NAME_CHARS]!r}",
        hint=f"did you mean {guess}? There are {known}" if guess else f"there are {known}",
    )
