"""Money: a known cost, an estimate before the run, a ceiling over the whole run, and no guess without a price."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from adjudge.cli import run_command
from adjudge.core.errors import ConfigError
from adjudge.core.records import Settings
from adjudge.run.prices import price_of
from tests.e2e.test_run_http import run_json, valid
from tests.fakes.server import Answer

PRICES = 'prices: {"openai:m": {input: 10, output: 100, seen: "2026-01-31"}}'


@pytest.fixture(autouse=True)
def _files():
    rows = [{"id": f"i{n}", "content": f"Story {n}.", "text": f"S{n}."} for n in range(20)]
    Path("d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    Path("prices.yaml").write_text(PRICES)


def priced(request, _):
    """Every call uses 1,000 tokens in and 100 out: two cents at these prices."""
    data = {
        "choices": [{"message": {"content": json.dumps(valid(request))}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100},
    }
    return Answer(data=data)


def run(capsys, server, *options: str):
    args = ("run", "summary", "d.jsonl", "--model", "openai:m", "--base-url", server.url, "--prices", "prices.yaml")
    return run_json(capsys, *args, *options)


def test_every_call_has_its_cost(serve, capsys):
    code, found = run(capsys, serve(priced))
    assert (code, found["cost_usd"]) == (0, pytest.approx(20 * 0.02))
    assert found["tokens"] == {"in": 20_000, "out": 2_000}


def test_the_ceiling_holds_and_what_was_judged_stays_usable(serve, capsys):
    server = serve(priced)
    code, found = run(capsys, server, "--max-cost", "0.1", "--concurrency", "2")
    assert (code, found["status"]) == (3, "partial")
    assert 5 <= server.calls <= 5 + 2, "the ceiling, and what was in flight"
    assert found["judged"] == server.calls and found["failed"] == 0
    assert found["criteria"]["coverage"]["n"] == server.calls
    before = server.calls
    code, _ = run_json(capsys, "resume", "latest")
    assert (code, server.calls) == (3, before), "a resume does not begin a new purse"
    code, done = run_json(capsys, "resume", "latest", "--max-cost", "10")
    assert (code, done["status"], done["judged"], server.calls) == (0, "complete", 20, 20)
    assert done["cost_usd"] == pytest.approx(20 * 0.02)


def test_one_output_states_one_sum_and_its_command_can_go_on(serve, capsys):
    server = serve(priced)
    args = ["run", "summary", "d.jsonl", "--model", "openai:m", "--base-url", server.url, "--prices", "prices.yaml"]
    assert run_command([*args, "--max-cost", "0.05", "--concurrency", "3"]) == 3
    said = capsys.readouterr()
    sum_of = f"${0.02 * server.calls:.4f}"
    assert sum_of in said.out
    assert f"the ceiling of $0.0500 is reached: {sum_of} is spent\n" in said.err
    assert set(re.findall(r"\$\d\.\d+", said.out + said.err)) == {"$0.0500", sum_of}
    (command,) = re.findall(r"adjudge (resume .*)", said.out)
    assert command.endswith(" --max-cost USD"), "with the old ceiling nothing more would be judged"
    assert run_command(command.replace("USD", "9").split()) == 0
    assert "Go on" not in capsys.readouterr().out


def test_the_ceiling_holds_where_one_item_has_many_calls(serve, capsys):
    server = serve(priced)
    code, _ = run(capsys, server, "--limit", "1", "--repeat", "50", "--max-cost", "0.1", "--concurrency", "2")
    assert code == 3
    assert server.calls <= 5 + 2


def uncounted(usage):
    def script(request, _):
        message = {"message": {"content": json.dumps(valid(request))}, "finish_reason": "stop"}
        return Answer(data={"choices": [message], **usage})

    return script


def test_a_ceiling_can_t_be_kept_where_the_server_counts_no_tokens(serve, capsys):
    server = serve(uncounted({}))
    code, found = run(capsys, server, "--max-cost", "5", "--concurrency", "2")
    assert (code, found["status"], found["cost_usd"]) == (3, "partial", None)
    assert server.calls <= 2
    code, _ = run_json(capsys, "resume", "latest")
    assert (code, server.calls <= 2) == (3, True)


def test_an_absurd_count_of_tokens_is_no_count(serve, capsys):
    server = serve(uncounted({"usage": {"prompt_tokens": 10**30, "completion_tokens": -1}}))
    code, found = run(capsys, server, "--limit", "2")
    assert (code, found["judged"], found["cost_usd"]) == (0, 2, None)


def test_a_ceiling_without_a_price_is_refused_before_any_call(serve, capsys):
    server = serve(priced)
    code = run_command(
        ["run", "summary", "d.jsonl", "--model", "openai:other", "--base-url", server.url, "--max-cost", "1"]
    )
    assert (code, server.calls) == (2, 0)
    assert "price of openai:other is not known" in capsys.readouterr().err


def test_dry_run_prints_items_calls_tokens_and_cost_and_calls_nothing(serve, capsys):
    server = serve(priced)
    code, plan = run(capsys, server, "--dry-run", "--repeat", "3")
    assert (code, server.calls) == (0, 0)
    assert (plan["items"], plan["calls"]) == (20, 60)
    assert plan["cost_usd"] == pytest.approx((plan["tokens"]["in"] * 10 + plan["tokens"]["out"] * 100) / 1e6)
    assert not Path("adjudge.db").exists()
    assert run_command(["run", "summary", "d.jsonl", "--dry-run"]) == 0
    assert "20 items, 20 calls to offline" in capsys.readouterr().out


def test_known_and_dated_and_unknown_names():
    mini = price_of(Settings(model="openai:gpt-4.1-mini"))
    assert mini is not None and mini.seen
    assert price_of(Settings(model="openai:gpt-4.1-mini-2025-04-14")) == mini
    assert price_of(Settings(model="openai:gpt-4.1-mini", base_url="http://localhost:1/v1")) is None
    assert price_of(Settings(model="openai:nobody")) is None


@pytest.mark.parametrize(
    "text", ["", "[]", "prices: 3", 'prices: {"m": {input: -1, output: 1}}', 'prices: {"m": {input: 1}}', ":", "\x00"]
)
def test_a_broken_price_file_is_an_error_with_the_shape(text):
    Path("p.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"p\.yaml"):
        price_of(Settings(model="openai:m"), "p.yaml")


def test_an_answer_that_was_paid_for_and_cannot_be_read_is_not_free(serve, capsys):
    server = serve(lambda request, _: Answer(body=b'{"choices": [{"message": {"content": "' + b"x" * 4000))
    code, found = run(capsys, server, "--limit", "2")
    assert (code, found["judged"], server.calls) == (3, 0, 4)
    assert 4 * 0.05 < found["cost_usd"] < 4 * 0.25, "about a thousand tokens out, and the prompt"
    unpriced = ("run", "summary", "d.jsonl", "--model", "openai:m", "--base-url", server.url, "--limit", "2", "--fresh")
    assert run_json(capsys, *unpriced)[1]["cost_usd"] is None
