"""What is asked again and what is not: keys follow everything that decides an answer, and nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import adjudge
from adjudge.cli import run_command
from adjudge.spec.load import BUNDLED, load_judge
from tests.e2e.test_run_http import exported, run_json, sample, valid
from tests.fakes.server import Answer


def written(name: str, rows: list[dict[str, str]]) -> str:
    Path(name).write_text("\n".join(map(json.dumps, rows)))
    return name


def test_a_changed_replay_file_is_read_again(fake_server, capsys):
    args = ["run", "summary", sample("summary"), "--limit", "2"]
    run_command([*args, "--model", "openai:m", "--base-url", fake_server.url])
    run_command(["export", "latest", "--format", "replies", "-o", "r.jsonl"])
    assert run_command([*args, "--model", "replay:r.jsonl"]) == 0
    verdict = {c: {"justification": "x", "score": 5} for c in exported(capsys)[0]["scores"]}
    lines = [{**json.loads(line), "text": json.dumps(verdict)} for line in Path("r.jsonl").read_text().splitlines()]
    written("r.jsonl", lines)
    _, found = run_json(capsys, *args, "--model", "replay:r.jsonl")
    assert (found["criteria"]["coverage"]["mean"], found["cached"]) == (5.0, 0)


def test_a_repair_belongs_to_the_reply_it_mends(serve, capsys):
    """A first reply that did not end well is never shared; nor may its repair pass for that of another reply."""
    opinions = iter(["opinion one", "opinion two"])

    def script(request, n):
        if len(request["messages"]) == 2:
            return Answer(text=next(opinions), finish="other")
        score = 2 if "one" in request["messages"][2]["content"] else 5
        found = valid(request)
        for part in found.values():
            if "score" in part:
                part["score"] = score
        return Answer(text=json.dumps(found))

    server = serve(script)
    args = ("run", "summary", sample("summary"), "--limit", "1", "--model", "openai:m", "--base-url", server.url)
    _, first = run_json(capsys, *args)
    _, second = run_json(capsys, *args)
    assert (first["criteria"]["coverage"]["mean"], second["criteria"]["coverage"]["mean"]) == (2.0, 5.0)


def test_two_languages_with_one_text_are_two_judges(tmp_path):
    folder = tmp_path / "mine"
    shutil.copytree(BUNDLED / "summary", folder)
    for lang in ("de", "fr"):
        shutil.copy(folder / "en.yaml", folder / f"{lang}.yaml")
    text = (folder / "judge.yaml").read_text()
    (folder / "judge.yaml").write_text(text.replace("languages: [en, ru]", "languages: [de, fr]"))
    assert load_judge(folder, "de").digest != load_judge(folder, "fr").digest


def test_a_resume_with_another_embedded_judge_is_refused(capsys, monkeypatch):
    def stop(progress):
        if progress.judged:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        adjudge.evaluate("summary", sample("summary"), concurrency=1, listener=stop)
    monkeypatch.setattr("adjudge.api.options.revision", lambda **_: "another")
    assert run_command(["resume", "latest"]) == 2
    assert "no longer what the run began with" in capsys.readouterr().err


def test_a_last_slash_in_the_address_changes_nothing(fake_server, capsys):
    args = ("run", "summary", sample("summary"), "--model", "openai:m", "--base-url")
    run_json(capsys, *args, fake_server.url)
    _, again = run_json(capsys, *args, fake_server.url + "/")
    assert (again["calls"], again["cached"]) == (0, 5)


def test_a_replay_that_lacks_its_first_items_goes_on(fake_server, capsys):
    rows = [{"id": f"i{n}", "content": f"Story {n}.", "text": f"S{n}."} for n in range(60)]
    data = written("d.jsonl", rows)
    run_command(["run", "summary", data, "--model", "openai:m", "--base-url", fake_server.url])
    run_command(["export", "latest", "--format", "replies", "-o", "r.jsonl"])
    Path("r.jsonl").write_text("\n".join(Path("r.jsonl").read_text().splitlines()[40:]))
    capsys.readouterr()
    _, found = run_json(capsys, "run", "summary", data, "--model", "replay:r.jsonl", "--concurrency", "1")
    assert (found["judged"], found["failed"]) == (20, 40)


def test_candidates_in_another_order_are_another_dataset():
    def judged(names: list[str]) -> list[str]:
        row = {"id": "q", "question": "Why?", "sources": ["s"], "answers": dict.fromkeys(names, "s")}
        (outcome,) = adjudge.evaluate("rag-answers", [row]).outcomes()
        assert isinstance(outcome, adjudge.Verdict)
        return list(outcome.native["totals"])

    assert judged(["zeta", "alpha"]) == ["zeta", "alpha"]
    assert judged(["alpha", "zeta"]) == ["alpha", "zeta"]


def test_zero_is_refused_and_not_taken_for_the_default():
    assert run_command(["run", "translation", sample("translation"), "--batch-size", "0"]) == 2
    assert run_command(["run", "rag-answers", sample("rag-answers"), "--orders", "0"]) == 2


@pytest.mark.parametrize("url", ["http://a..b/v1", f"http://{'x' * 70}.example/v1"])
def test_an_impossible_host_is_refused_before_a_run_is_made(url):
    assert run_command(["run", "summary", sample("summary"), "--model", "openai:m", "--base-url", url]) == 2
    assert not Path("adjudge.db").exists()


def test_a_proxy_s_password_is_never_repeated(capsys, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://user:hunter2secret@proxy.example:99999")
    args = ["run", "summary", sample("summary"), "--model", "openai:m", "--base-url", "http://model.example/v1"]
    assert run_command(args) == 2
    said = capsys.readouterr()
    assert "hunter2secret" not in said.err + said.out


def test_a_placeholder_key_does_not_mangle_replies(fake_server, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "local")
    data = written("t.jsonl", [{"id": f"local-{n}", "src": "Hello", "trg": "Привет"} for n in range(3)])
    _, found = run_json(capsys, "run", "translation", data, "--model", "openai:m", "--base-url", fake_server.url)
    assert found["judged"] == 3


def test_a_fault_in_the_reader_costs_one_item_and_not_the_run(fake_server, capsys, monkeypatch):
    from adjudge.reply.read import read as real

    def broken(judge, text, expected, *, finish):
        if any("A story" in judged for judged in expected.judged):
            raise OverflowError("int too large")
        return real(judge, text, expected, finish=finish)

    monkeypatch.setattr("adjudge.run.reading.read", broken)
    rows = [{"id": "a", "content": "A story.", "text": "x"}, {"id": "b", "content": "Another.", "text": "y"}]
    args = ("run", "summary", written("d.jsonl", rows), "--model", "openai:m", "--base-url", fake_server.url)
    code, found = run_json(capsys, *args)
    assert (code, found["judged"], found["failed"]) == (3, 1, 1)
    assert found["health"]["failures"] == {"malformed": 1}


@pytest.mark.parametrize("cell", ['["a", NaN]', '{"A": "x", "B": "y", "A": "z"}'])
def test_cells_are_as_strict_as_files(cell, capsys):
    quoted = cell.replace('"', '""')
    Path("q.csv").write_text(f'question,sources,answers\nWhy?,"[""s""]","{quoted}"\n')
    assert run_command(["run", "rag-answers", "q.csv"]) == 2
    assert "line 2" in capsys.readouterr().err
