"""`--probe-batch`: a sample of the items is judged singly too, and the report says whether batches change verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import adjudge
from adjudge import api
from adjudge.cli import run_command
from adjudge.core import limits
from adjudge.core.records import Verdict
from tests.e2e.batches import judging, rows, shown, tiring, worth
from tests.e2e.test_run_http import run_json
from tests.fakes.server import Answer


def steady(item, place, ids):
    return worth(item)


def swayed(item, place, ids):
    """Judged beside others, an item gets what its neighbour deserves."""
    return worth(ids[place - 1])


def probed(serve, points, n=100, **options):
    server = serve(judging(points))
    options = {"probe_batch": 50, **options}
    return server, adjudge.evaluate("translation", rows(n), model="openai:m", base_url=server.url, **options)


def test_a_judge_that_tires_in_a_batch_is_found(serve):
    server, run = probed(serve, tiring)
    report = run.report()
    beside = report.as_json()["beside"]["probe"]
    assert (beside["asked"], beside["judged"]) == (50, 50)
    found = beside["criteria"]["adequacy"]
    assert found["n"] == 50 and found["changes_verdicts"]
    assert found["difference"] > 0 and found["ci95"][0] > 0
    assert found["difference"] == pytest.approx(found["single_mean"] - found["batch_mean"])
    single = {v.item: v.probe for v in run.outcomes() if v.probe}
    assert len(single) == 50
    assert all(scores["adequacy"] == worth(item) for item, scores in single.items())
    assert sum(v.scores["adequacy"] <= worth(v.item) - 1 for v in run.outcomes() if v.probe) == found["changed"]
    assert sum("batches change the verdicts" in warning for warning in report.warnings) == 5
    assert server.calls == 10 + 50 + 1 == report.as_json()["calls"]


def test_a_judge_that_looks_at_the_neighbours_is_found_though_the_mean_stands(serve):
    _, run = probed(serve, swayed)
    found = run.report().as_json()["beside"]["probe"]["criteria"]["fluency"]
    assert found["rank_correlation"] < 0.7 and found["changed"] >= 5
    assert found["changes_verdicts"]
    assert any("rank correlation" in warning for warning in run.report().warnings)


def test_a_steady_judge_is_not_warned_of(serve):
    _, run = probed(serve, steady)
    report = run.report()
    for found in report.as_json()["beside"]["probe"]["criteria"].values():
        assert (found["difference"], found["rank_correlation"], found["changed"]) == (0.0, 1.0, 0)
        assert not found["changes_verdicts"]
    assert not any("batches change" in warning for warning in report.warnings)


def test_a_noisy_judge_is_not_warned_of(serve):
    """A point up or down in a tenth of the verdicts, in batches and singly alike, is noise and not the batch."""

    def noisy(item, place, ids):
        off = {3: 1, 7: -1}.get(worth(f"{item}/{len(ids)}") * 2 + worth(f"{item}-{len(ids)}") % 2, 0)
        return min(5, max(1, worth(item) + off))

    _, run = probed(serve, noisy, n=200, probe_batch=100)
    found = run.report().as_json()["beside"]["probe"]["criteria"]["adequacy"]
    assert found["changed"] > 0
    assert not any("batches change" in warning for warning in run.report().warnings)


def test_the_sample_is_the_seed_s_and_of_items_in_batches(serve):
    def sampled(seed):
        _, run = probed(serve, steady, n=21, probe_batch=20, seed=seed)
        return [verdict.item for verdict in run.outcomes() if verdict.probe]

    assert sampled(1) == [f"t{n}" for n in range(20)], "the 21st is alone in its batch as it is"

    def few(seed):
        _, run = probed(serve, steady, n=40, probe_batch=5, seed=seed)
        return [verdict.item for verdict in run.outcomes() if verdict.probe]

    assert len(few(1)) == 5 and few(1) == few(1) != few(2)


def test_every_repeat_of_a_batch_has_its_probe(serve):
    server, run = probed(serve, steady, n=20, probe_batch=4, repeat=3)
    assert server.calls == 2 * 3 + 4 * 3 + 1
    assert run.report().as_json()["beside"]["probe"]["judged"] == 4


def test_a_probe_that_fails_leaves_the_verdict_and_the_status_and_a_new_run_asks_for_it_alone(serve, monkeypatch):
    monkeypatch.setattr(limits, "BACKOFF_FIRST_S", 0.001)
    broken = [True]
    good = judging(steady)

    def script(request, n):
        ids = shown(request)
        return Answer(status=500) if broken[0] and len(ids) == 1 and ids[0] in ("t1", "t2") else good(request, n)

    server = serve(script)
    args = {"model": "openai:m", "base_url": server.url, "probe_batch": 20}
    run = adjudge.evaluate("translation", rows(20), **args)
    state, report = run.state, run.report()
    assert (state.status, state.judged, state.failed) == ("complete", 20, 0)
    assert report.as_json()["beside"]["probe"]["judged"] == 18
    (section,) = [one for one in report.sections if one.name == "probe"]
    assert "2 of the 20 sampled items" in " ".join(section.notes)
    broken[0], before = False, server.calls
    again = adjudge.evaluate("translation", rows(20), **args)
    assert again.report().as_json()["beside"]["probe"]["judged"] == 20
    assert server.calls - before == 2


def test_a_resume_gives_what_an_undisturbed_run_gives(serve):
    _, whole = probed(serve, tiring, n=30, probe_batch=10)
    good, dead = judging(tiring), [True]

    def script(request, n):
        return Answer(status=401) if dead[0] and n > 9 else good(request, n)

    server = serve(script)
    args = {"model": "openai:m", "base_url": server.url, "probe_batch": 10, "concurrency": 1, "store": "sqlite:///b.db"}
    run = adjudge.evaluate("translation", rows(30), **args)
    assert run.state.status == "partial"
    dead[0] = False
    again = api.resume("latest", store="sqlite:///b.db")
    assert again.state.status == "complete"
    assert again.scores() == whole.scores()
    assert again.state.summary == whole.state.summary


def test_a_dry_run_counts_the_probes(serve, capsys):
    Path("t.jsonl").write_text("\n".join(map(json.dumps, rows(40))))
    args = ("run", "translation", "t.jsonl", "--model", "openai:m", "--base-url", "http://127.0.0.1:9", "--dry-run")
    _, without = run_json(capsys, *args)
    _, found = run_json(capsys, *args, "--probe-batch", "12")
    assert (without["calls"], found["calls"]) == (4 + 1, 4 + 12 + 1), "with the call that merges the summaries"
    assert found["tokens"]["in"] > without["tokens"]["in"] and found["tokens"]["out"] > without["tokens"]["out"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--model", "offline"], "embedded judge looks at every item by itself"),
        (["--model", "openai:m", "--ask", "yes-no"], "--probe-batch means nothing with --ask yes-no"),
        (["--model", "openai:m", "--batch-size", "1"], "--batch-size 1 makes no batch"),
        (["--model", "openai:m", "--probe-batch", "0"], "--probe-batch must be at least 1"),
    ],
)
def test_what_can_not_be_probed_is_said_before_anything_is_called(options, told, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    Path("t.jsonl").write_text("\n".join(map(json.dumps, rows(4))))
    assert run_command(["run", "translation", "t.jsonl", "--probe-batch", "2", *options]) == 2
    assert told in capsys.readouterr().err


def test_a_probe_is_for_batches_only(capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    Path("s.jsonl").write_text('{"content": "c", "text": "t"}\n')
    assert run_command(["run", "summary", "s.jsonl", "--model", "openai:m", "--probe-batch", "2"]) == 2
    assert "--probe-batch is for the batch layout" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_every_report_shows_the_table(form, lang, serve, capsys):
    probed(serve, tiring, n=30, probe_batch=10, lang=lang)
    assert run_command(["show", "latest", "--format", form]) == 0
    out = capsys.readouterr().out
    assert {"en": "Batches against single items", "ru": "Пакеты и отдельные записи"}[lang] in out
    assert {"en": "batches change the verdicts", "ru": "пакеты меняют оценки"}[lang] in " ".join(out.split())


def test_the_order_in_a_batch_is_the_seed_s(serve):
    """A fixed order would give every item the same neighbours whatever the seed."""

    def orders(seed):
        server = serve(judging(steady))
        adjudge.evaluate("translation", rows(20), model="openai:m", base_url=server.url, seed=seed, fresh=True)
        return sorted(tuple(shown(request.data)) for request in server.requests if shown(request.data))

    first = orders(1)
    assert first == orders(1) != orders(2)
    parts = [{f"t{n}" for n in part} for part in (range(10), range(10, 20))]
    assert sorted(map(sorted, first)) == sorted(map(sorted, parts))
    assert all(list(one) != sorted(one, key=lambda item: int(item[1:])) for one in first)


def test_a_score_that_depends_on_the_place_is_found_with_no_call_more(serve):
    server, run = probed(serve, tiring, n=200, probe_batch=None)
    found = run.report().as_json()["beside"]["places"]
    assert server.calls == 20 + 1
    assert all(one["n"] == 200 and one["ci95"][1] < 0 and one["warned"] for one in found.values())
    assert sum("depends on the place in the batch" in warning for warning in run.report().warnings) == 5
    _, other = probed(serve, steady, n=200, probe_batch=None)
    assert not any(one["warned"] for one in other.report().as_json()["beside"]["places"].values())


def test_an_item_that_was_asked_again_has_no_place(serve):
    good = judging(steady)

    def script(request, n):
        answer = good(request, n)
        if len(shown(request)) == 10:
            found = json.loads(answer.text or "")
            del found["scores"][list(found["scores"])[4]]
            return Answer(text=json.dumps(found))
        return answer

    server = serve(script)
    run = adjudge.evaluate("translation", rows(11), model="openai:m", base_url=server.url)
    first = next(ids for request in server.requests if len(ids := shown(request.data)) == 10)
    places = {verdict.item: verdict.place for verdict in run.outcomes() if isinstance(verdict, Verdict)}
    assert places == {item: n for n, item in enumerate(first, 1)} | {first[4]: None, "t10": None}


def test_a_probed_run_is_replayed_with_no_server(serve):
    _, run = probed(serve, tiring, n=40, probe_batch=10)
    Path("replies.jsonl").write_text("".join(map(str, run.export("replies"))))
    again = adjudge.evaluate("translation", rows(40), model="replay:replies.jsonl", probe_batch=10)
    assert again.report().as_json()["beside"] == run.report().as_json()["beside"]
    assert again.state.summary == run.state.summary


def test_show_of_an_item_has_the_reply_of_its_probe(serve, capsys):
    _, run = probed(serve, steady, n=20, probe_batch=1)
    (item,) = [verdict.item for verdict in run.outcomes() if verdict.probe]
    _, replies = run.item_record(item)
    assert [(call.stage, len(call.items)) for call, _ in replies] == [("judge", 10), ("probe", 1)]
