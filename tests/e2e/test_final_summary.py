"""The final summary: a tree that fits the window, and sentences that lead to the items behind them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge import api
from adjudge.cli import run_command
from adjudge.run.plan import CHARACTERS_PER_TOKEN
from tests.e2e.batches import CRITERIA, judging, rows, shown
from tests.e2e.test_run_http import sample
from tests.fakes.server import Answer


def heads(request: dict[str, Any]) -> list[tuple[int, int]]:
    """The batches of a request to merge: the first and the last of each summary that is shown."""
    user = request["messages"][-1]["content"]
    found = re.findall(r"^<<<[0-9a-f]{12} (?:Batch(?:es)?|Пакет(?:ы)?) (\d+)(?:–(\d+))?$", user, flags=re.MULTILINE)
    return [(int(first), int(last or first)) for first, last in found]


def size(request: dict[str, Any]) -> float:
    return sum(len(message["content"]) for message in request["messages"]) / CHARACTERS_PER_TOKEN


def merges(server) -> list[dict[str, Any]]:
    return [request.data for request in server.requests if not shown(request.data)]


def evaluated(server, n, **options):
    return adjudge.evaluate("translation", rows(n), model="openai:m", base_url=server.url, **options)


def low(item, place, ids):
    """t3 is the worst, t12 and t17 are middling, all else is perfect."""
    return {"t3": 1, "t12": 3, "t17": 3}.get(item, 5)


def test_a_sentence_names_the_worst_items_of_its_batches_and_code_counts(serve):
    said = "Names are lost [2]. Numbers are wrong [1, 2]. Nothing else [9]. The rest is good."
    run = evaluated(serve(judging(low, said)), 20)
    prose = "Names are lost [t12, t17, t10]. Numbers are wrong [t3, t12, t17]. Nothing else. The rest is good."
    line = "Items worse than 5: 3 of 20 judged (score 1: 1, score 3: 2). The worst: [t3] 1, [t12] 3, [t17] 3."
    assert run.state.summary == dict.fromkeys(CRITERIA, f"{prose} {line}")


def test_the_summary_is_text_in_every_contract_and_in_the_language_of_the_run(serve, capsys):
    evaluated(serve(judging(low, "Имена потеряны [1].")), 20, lang="ru")
    capsys.readouterr()
    assert run_command(["export", "latest", "--format", "native"]) == 0
    native = json.loads(capsys.readouterr().out)["summary"]
    assert run_command(["show", "latest", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["summary"] == native
    line = "Записей хуже 5: 3 из 20 оценённых (балл 1: 1, балл 3: 2). Худшие: [t3] 1, [t12] 3, [t17] 3."
    assert native == dict.fromkeys(CRITERIA, f"Имена потеряны [t3, t0, t1]. {line}")


def test_prose_without_numbers_stands_and_the_line_follows(serve):
    run = evaluated(serve(judging(low, "All is well.")), 20)
    assert run.state.summary["adequacy"].startswith("All is well. Items worse than 5: 3 of 20 judged")


def test_one_batch_has_nothing_to_merge_and_its_line_all_the_same(serve):
    server = serve(judging(low))
    run = evaluated(server, 10)
    assert not merges(server)
    assert re.fullmatch(
        r"Of t\d\. Items worse than 5: 1 of 10 judged \(score 1: 1\)\. The worst: \[t3\] 1\.",
        run.state.summary["fluency"],
    )


def test_a_number_that_a_batch_quotes_does_not_pass_for_a_batch(serve):
    def script(request, n):
        answer = judging(low)(request, n)
        if shown(request):
            found = json.loads(answer.text or "")
            found["summary"] = dict.fromkeys(CRITERIA, "The footnote [12] is lost.")
            return Answer(text=json.dumps(found))
        return answer

    server = serve(script)
    evaluated(server, 20)
    (merge,) = merges(server)
    assert merge["messages"][-1]["content"].count("The footnote (12) is lost.") == 2 * len(CRITERIA)


def echoing(request, n):
    """Merges as a truthful model would: every sentence keeps the numbers of the batches that it rests on."""
    if shown(request):
        return judging(low)(request, n)
    user = request["messages"][-1]["content"]
    kept = re.findall(r"^adequacy: .*\[(\d+)", user, flags=re.MULTILINE) or [str(first) for first, _ in heads(request)]
    return Answer(text=json.dumps(dict.fromkeys(CRITERIA, f"It recurs [{kept[0]}, {kept[-1]}].")))


def test_a_thousand_batches_are_merged_in_a_tree_and_the_numbers_stay_those_of_the_first_level(serve):
    server = serve(echoing)
    run = evaluated(server, 2000, batch_size=2, window=4000)
    asked = merges(server)
    assert run.state.status == "complete"
    assert all(size(request) <= 4000 for request in asked)
    first = sorted(pair for request in asked for pair in heads(request) if pair[0] == pair[1])
    assert [number for number, _ in first] == list(range(1, 1001)), "every batch once, at the first level"
    later = [request for request in asked if any(one < other for one, other in heads(request))]
    assert later and all(re.search(r"\[\d+, \d+\]", request["messages"][-1]["content"]) for request in later)
    last = max(later, key=lambda request: heads(request)[-1][1] - heads(request)[0][0])
    assert (heads(last)[0][0], heads(last)[-1][1]) == (1, 1000)
    assert run.state.summary["adequacy"].startswith("It recurs [t0, t1, t1")
    assert (
        "Items worse than 5: 3 of 2,000 judged (score 1: 1, score 3: 2). The worst: [t3] 1,"
        in run.state.summary["adequacy"]
    )


def test_a_batch_summary_longer_than_the_window_is_a_stated_failure_and_never_cut(serve, capsys):
    def script(request, n):
        answer = judging(low)(request, n)
        if shown(request):
            found = json.loads(answer.text or "")
            found["summary"] = dict.fromkeys(CRITERIA, "word " * 2000)
            return Answer(text=json.dumps(found))
        return answer

    server = serve(script)
    run = evaluated(server, 20, window=8000)
    assert not merges(server)
    assert (run.state.status, run.state.judged, run.state.summary) == ("partial", 20, {})
    (warning,) = [one for one in run.report().warnings if "summary of all batches" in one]
    assert re.search(r"the summary of batch 1 makes a prompt of about 1\d,\d{3} tokens", warning)
    assert run_command(["resume", "latest"]) == 3, "nothing has changed, and nothing was asked"
    assert not merges(server)


def test_a_server_whose_window_is_smaller_than_thought_gets_half_at_a_time(serve):
    def script(request, n):
        if not shown(request) and len(heads(request)) > 3:
            error = {"error": {"message": "maximum context length is 4096 tokens", "code": "context_length_exceeded"}}
            return Answer(status=400, data=error)
        return echoing(request, n)

    server = serve(script)
    run = evaluated(server, 20, batch_size=2)
    assert run.state.status == "complete"
    assert run.state.summary["adequacy"].startswith("It recurs [t0, t1, t10].")
    assert max(len(heads(request)) for request in merges(server)) == 10


def test_a_resume_makes_the_same_summary_byte_for_byte(serve):
    whole = evaluated(serve(echoing), 200, batch_size=2, window=4000, store="sqlite:///whole.db").state.summary
    broken = [True]

    def script(request, n):
        return Answer(status=401) if broken[0] and len(merges(server)) > 2 else echoing(request, n)

    server = serve(script)
    run = evaluated(server, 200, batch_size=2, window=4000)
    assert (run.state.status, run.state.summary) == ("partial", {})
    asked = len(merges(server))
    broken[0] = False
    assert api.resume("latest").state.summary == whole
    assert 2 < asked < len(merges(server))


def test_the_embedded_judge_has_the_same_line():
    run = adjudge.evaluate("translation", sample("translation"))
    scores = {row["item"]: row["score"] for row in run.scores() if row["criterion"] == "adequacy"}
    worst = min(scores, key=scores.__getitem__)
    worse = sum(score < 4.5 for score in scores.values())
    ones = sum(score < 1.5 for score in scores.values())
    said = rf"Items worse than 5: {worse} of {len(scores)} judged \(score 1: {ones}, .*\)\. The worst: \[{worst}\] "
    assert re.search(said, run.state.summary["adequacy"])


def test_ids_on_the_page_lead_to_their_items(serve, capsys):
    server = serve(judging(lambda item, place, ids: 1 if item.startswith("item-") else 5, "Lost [1]."))
    given = [{**row, "id": "<x>"} if row["id"] == "t3" else row for row in rows(20)]
    adjudge.evaluate("translation", given, model="openai:m", base_url=server.url)
    assert run_command(["show", "latest", "--format", "html", "-o", "r.html"]) == 0
    page = Path("r.html").read_text()
    ((place, name), *_) = re.findall(r'<a href="#(item-[0-9a-f]{16})">([^<]*)</a>', page)
    assert name == "&lt;x&gt;"
    assert re.search(rf'<details [^>]*id="{place}"[^>]*><summary><span class="name">&lt;x&gt;</span>', page)
    assert len(set(re.findall(r'id="(item-[0-9a-f]+)"', page))) == 20


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_other_reports_show_ids_as_they_are(form, serve, capsys):
    evaluated(serve(judging(low, "Lost [2].")), 20)
    assert run_command(["show", "latest", "--format", form]) == 0
    out = " ".join(capsys.readouterr().out.replace("\\", "").split())
    assert "Lost [t12, t17, t10]." in out
