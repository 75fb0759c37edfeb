"""Bad input: one clear message with file, row, field and what to do; exit 2; nothing called, nothing left behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.cli import run_command

GOOD = {"id": "a", "content": "A story. It ends.", "text": "A story."}


def jsonl(*rows: object) -> bytes:
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()


CASES = {
    "missing field": (
        jsonl(GOOD, {"id": "b", "content": "x", "note": 1}),
        ["line 2", "`text`", "the row has: ", "note", "--map text="],
    ),
    "wrong type": (jsonl({**GOOD, "text": 5}), ["line 1", "`text` must be a text"]),
    "repeated id": (jsonl(GOOD, {**GOOD, "id": "b"}, GOOD), ["line 3", "`a` stands twice", "line 1"]),
    "empty file": (b"", ["there are no rows"]),
    "only blanks": (b"\n \n", ["there are no rows"]),
    "broken line 17": (
        jsonl(*({**GOOD, "id": f"i{n}"} for n in range(16)), '{"id": "x", "content": "a" "text": "b"}'),
        ["line 17", "broken JSON"],
    ),
    "not UTF-8": (jsonl(GOOD) + b'\n{"id": "b", "content": "\xcf\xf0\xe8", "text": "x"}', ["line 2", "not UTF-8"]),
    "a list row": (jsonl(GOOD, [1, 2]), ["line 2", "must be an object"]),
    "bad id": (jsonl({**GOOD, "id": {"a": 1}}), ["line 1", "`id` must be"]),
    "NaN": (jsonl('{"id": "a", "content": "x", "text": "y", "p": NaN}'), ["line 1", "NaN"]),
    "nested too deeply": (b'{"id":"a","content":"x","text":"y","z":' + b"[" * 100_000 + b"}", ["line 1"]),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_rows(case, fake_server, capsys):
    data, wanted = CASES[case]
    Path("d.jsonl").write_bytes(data)
    code = run_command(["run", "summary", "d.jsonl", "--model", "openai:m", "--base-url", fake_server.url])
    said = capsys.readouterr().err
    assert code == 2, said
    for part in ("d.jsonl", *wanted):
        assert part in said
    assert "Traceback" not in said
    assert fake_server.calls == 0
    assert not Path("adjudge.db").exists(), "no run is left behind"


@pytest.mark.parametrize("command", [["run", "summary", "d.jsonl"], ["check", "summary", "--data", "d.jsonl"]])
def test_a_missing_field_is_looked_for_among_the_columns_of_the_file(capsys, command):
    Path("d.jsonl").write_bytes(jsonl({"key": "a", "story": "x", "note": 1}))
    assert run_command([*command, "--map", "id=key", "--map", "content=story"]) == 2
    assert "the row has: key, story, note;" in capsys.readouterr().err


def test_a_column_that_is_nearly_a_field_is_not_passed_over_in_silence(capsys):
    Path("d.csv").write_text("ID,Content,Text,System\na,A story. It ends.,A story.,s\n,,,\n", encoding="utf-8")
    command = ["run", "summary", "d.csv", "--map", "content=Content", "--map", "text=Text"]
    for _ in range(2):  # also when the file is known already
        assert run_command(command) == 0
        said = capsys.readouterr().err
        assert "adjudge: the column `ID` is not read as `id`; it is with --map id=ID\n" in said
        assert "the column `System` is not read as `system`; it is with --map system=System\n" in said
    assert run_command([*command, "--map", "id=ID", "--map", "system=System", "--json"]) == 0
    assert "is not read as" not in capsys.readouterr().err


SERVED = ("--model", "openai:m", "--base-url", "http://127.0.0.1:1/v1")


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (["run", "sumary", "d.jsonl"], ["no judge `sumary`", "did you mean `summary`"]),
        (["run", "summary", "nowhere.jsonl"], ["nowhere.jsonl", "does not exist"]),
        (["run", "summary", "."], ["folder"]),
        (["run", "summary", "d.jsonl", "--model", "gpt-4"], ["unknown model", "openai:gpt-4"]),
        (["run", "summary", "d.jsonl", "--model", "openai:gpt-4.1-mini"], ["OPENAI_API_KEY"]),
        (["run", "summary", "d.jsonl", "--model", "anthropic:claude"], ["ANTHROPIC_API_KEY"]),
        (["run", "summary", "d.jsonl", "--model", "openai:m", "--base-url", "ftp://x"], ["--base-url", "ftp"]),
        (["run", "summary", "d.jsonl", "--lang", "fr"], ["no language `fr`", "en, ru"]),
        (["run", "summary", "d.jsonl", "--orders", "3"], ["--orders", "compare"]),
        (["run", "summary", "d.jsonl", "--orders", "balanced"], ["--orders", "compare"]),
        (["run", "rag-answers", "d.jsonl", "--orders", "both"], ["'both'", "`balanced`", "`all`"]),
        (["run", "summary", "d.jsonl", "--batch-size", "3"], ["--batch-size", "batch"]),
        (["run", "summary", "d.jsonl", "--concurrency", "0"], ["--concurrency", "at least 1"]),
        (["run", "summary", "d.jsonl", "--repeat", "0"], ["--repeat", "at least 1"]),
        (["run", "summary", "d.jsonl", "--map", "text"], ["--map text", "field=column"]),
        (["run", "summary", "d.jsonl", "--map", "txt=a"], ["no field `txt`", "content"]),
        (["run", "summary", "d.jsonl", "--map", "text=summ"], ["no column `summ`", "content"]),
        (["run", "summary", "d.jsonl", "--store", "mysql://x"], ["mysql"]),
        (["run", "summary", "d.jsonl", "--store", "sqlite:///no/such/folder/a.db"], ["no/such/folder"]),
        (["run", "summary", "d.jsonl", "--temperature", "9"], ["--temperature"]),
        (["run", "summary", "d.xlsx"], ["d.xlsx"]),
        (["run", "summary"], ["DATA"]),
        (["rnu", "summary", "d.jsonl"], ["no command `rnu`", "did you mean `run`"]),
        (["show", "latest"], ["adjudge.db"]),
        (["resume", "latest"], ["adjudge.db"]),
        (["runs", "--store", "sqlite:///other.db"], ["other.db"]),
        (["check", "summary", "--data", "d.jsonl", "--row", "9"], ["no row 9"]),
        (["check", "summary", "--data", "d.jsonl", "--row", "0"], ["--row must be at least 1, not 0", "from 1"]),
        (["check", "summary", "--data", "d.jsonl", "--row", "-1"], ["--row must be at least 1, not -1"]),
        (["check", "summary", "--row", "1"], ["--row is for --data"]),
        (["check", "summary", "--map", "text=a"], ["--map is for --data"]),
        (["check", "summary", "--one-call"], ["--one-call is for claims and questions", "hint: leave it out"]),
        (["run", "summary", "d.jsonl", *SERVED, "--one-call"], ["--one-call is for claims and questions", "hint:"]),
        (["run", "search-summary", "d.jsonl", "--staged"], ["--staged: the embedded judge has no stages", "--model"]),
        (["run", "search-summary", "d.jsonl", "--one-call"], ["--one-call: the embedded judge has no stages"]),
        (["run", "summary", "d.jsonl", "--window", "900"], ["--window: the embedded judge reads any source whole"]),
        (
            ["run", "search-summary", "d.jsonl", *SERVED, "--ask", "yes-no", "--staged"],
            ["--staged means nothing", "hint:"],
        ),
        (
            ["run", "summary", "d.jsonl", *SERVED, "--ask", "yes-no", "--window", "900"],
            ["--window means nothing", "hint:"],
        ),
        (
            ["run", "summary", "d.jsonl", "--candidate-timeout", "5"],
            ["--candidate-timeout is for", "--candidate NAME="],
        ),
        (
            ["run", "rag-answers", "d.jsonl", "--candidate", "a=column:id", "--candidate-timeout", "5"],
            ["--candidate-timeout is for candidates that are asked"],
        ),
    ],
)
def test_bad_options(args, wanted, capsys):
    Path("d.jsonl").write_bytes(jsonl(GOOD))
    code = run_command(args)
    said = capsys.readouterr().err
    assert code == 2, said
    for part in wanted:
        assert part in said, said
    assert "Traceback" not in said
    assert not Path("adjudge.db").exists()


def test_an_error_under_json_is_one_object_too(capsys):
    assert run_command(["run", "summary", "nowhere.jsonl", "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["error"]["kind"] == "data_error"
    assert found["error"]["where"] == "nowhere.jsonl"


def test_a_fault_of_its_own_is_exit_4_without_a_traceback(monkeypatch, capsys):
    from adjudge import api

    def broken(**_):
        raise RuntimeError("boom")

    monkeypatch.setattr(api, "list_runs", broken)
    assert run_command(["runs"]) == 4
    said = capsys.readouterr().err
    assert "boom" in said and "Traceback" not in said
