from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.core.errors import ConfigError, DataError
from adjudge.models.choose import asked, choose_model, split_server


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)


def test_the_embedded_judge_is_embedded_and_others_are_not(tmp_path: Path) -> None:
    assert choose_model("offline").embedded
    assert not choose_model("openai:m", base_url="http://localhost/v1").embedded
    assert not choose_model("anthropic:m", base_url="http://localhost").embedded


def test_a_name_may_hold_colons() -> None:
    model = choose_model("openai:llama3:8b", base_url="http://localhost:11434/v1")
    assert vars(model)["name"] == "llama3:8b"


@pytest.mark.parametrize(
    ("spec", "model", "server"),
    [
        ("openai:m@http://h/v1", "openai:m", "http://h/v1"),
        ("anthropic:m@https://h", "anthropic:m", "https://h"),
        ("openai:team@m@v2@http://h:1/v1@x", "openai:team@m@v2", "http://h:1/v1@x"),
        ("openai:a@http://b@http://c", "openai:a", "http://b@http://c"),
        ("openai:me@example.org", "openai:me@example.org", None),
        ("openai:m@ftp://h", "openai:m@ftp://h", None),
        ("replay:f@http://h", "replay:f@http://h", None),
        ("offline", "offline", None),
        ("openai:" + "@" * 100_000, "openai:" + "@" * 100_000, None),
    ],
)
def test_a_name_may_carry_its_server(spec: str, model: str, server: str | None) -> None:
    assert split_server(spec) == (model, server)


@pytest.mark.parametrize(
    ("spec", "variable"), [("openai:gpt-4.1-mini", "OPENAI_API_KEY"), ("anthropic:m", "ANTHROPIC_API_KEY")]
)
def test_without_a_key_the_variable_is_named(spec: str, variable: str) -> None:
    with pytest.raises(ConfigError, match=f"{variable} is not set"):
        choose_model(spec)


def test_the_default_address_written_out_still_needs_a_key() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY is not set"):
        choose_model("openai:m", base_url="https://api.openai.com/v1/")


@pytest.mark.parametrize(
    ("spec", "guess"),
    [
        ("gpt-4.1-mini", "openai:gpt-4.1-mini"),
        ("claude-x", "anthropic:claude-x"),
        ("opnai:m", "openai:NAME"),
        ("Offline", "offline"),
        ("offline:", "offline"),
        ("replay:", "replay:FILE"),
    ],
)
def test_a_mistyped_model_brings_a_guess(spec: str, guess: str) -> None:
    with pytest.raises(ConfigError, match="unknown model") as caught:
        choose_model(spec)
    assert f"did you mean {guess}?" in str(caught.value)


@pytest.mark.parametrize("spec", ["", "zzz", "zzz:1", "\x1b[31m"])
def test_an_unknown_model_brings_the_list(spec: str) -> None:
    with pytest.raises(
        ConfigError, match=r"there are offline, offline\+vectors, openai:NAME, anthropic:NAME, local:FILE"
    ) as caught:
        choose_model(spec)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("spec", ["openai:", "anthropic", "openai:a\nb", "openai:" + "x" * 999])
def test_a_provider_without_a_usable_name(spec: str) -> None:
    with pytest.raises(ConfigError, match="model name"):
        choose_model(spec, base_url="http://localhost/v1")


@pytest.mark.parametrize(
    ("spec", "ask", "how"),
    [
        ("offline", None, "rating"),
        ("offline+vectors:f.yaml", "rating", "rating"),
        ("openai:m", None, "rating"),
        ("openai:m", "yes-no", "yes-no"),
        ("replay:f", "yes-no", "yes-no"),
        ("local", None, "yes-no"),
        ("local:m.gguf", "rating", "rating"),
    ],
)
def test_every_kind_is_asked_in_the_way_that_suits_it(spec: str, ask: str | None, how: str) -> None:
    assert asked(spec, ask) == how


@pytest.mark.parametrize(
    ("spec", "why"),
    [("offline", "is no language model"), ("offline:f", "is no language"), ("anthropic:m", "a protocol that has none")],
)
def test_without_token_probabilities_no_question_can_be_asked(spec: str, why: str) -> None:
    with pytest.raises(ConfigError, match=f"{why}(.|\n)*use --ask rating"):
        asked(spec, "yes-no")


def test_another_way_to_ask_is_refused() -> None:
    with pytest.raises(ConfigError, match="--ask must be rating or yes-no, not 'maybe'"):
        asked("openai:m", "maybe")


@pytest.mark.parametrize("spec", ["offline", "replay:x.jsonl", "local:x.gguf"])
def test_an_option_that_means_nothing_is_refused(spec: str) -> None:
    with pytest.raises(ConfigError, match="--base-url means nothing"):
        choose_model(spec, base_url="http://localhost/v1")
    with pytest.raises(ConfigError, match="--api-key-env means nothing"):
        choose_model(spec, api_key_env="X")


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan"), float("inf")])
def test_a_time_out_is_a_number_above_zero(timeout_s: float) -> None:
    with pytest.raises(ConfigError, match="time-out"):
        choose_model("openai:m", base_url="http://localhost/v1", timeout_s=timeout_s)


def test_a_replay_of_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        choose_model(f"replay:{tmp_path}/none.jsonl")


def test_choosing_loads_no_http_client_until_one_is_needed() -> None:
    code = "import adjudge.models.choose, sys; sys.exit('adjudge.models.http' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_run_loads_no_embedded_judge_until_one_is_needed() -> None:
    code = "import adjudge.cli.run, sys; sys.exit('adjudge.models.offline.judge' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
