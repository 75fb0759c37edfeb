"""Which items were chosen to be labelled, and what to do with them, as a sheet."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.core.runs import RunState
from adjudge.report.sheet import Sheet
from adjudge.report.tables import Section
from adjudge.report.words import words
from adjudge.store.url import with_store


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """The choice: of each stratum its name, its items, how many were chosen, and how good the judge finds them."""

    state: RunState
    seed: int
    chosen: int
    asked: int
    failed: int
    strata: tuple[tuple[str, int, int, float], ...]
    criteria: tuple[str, ...]


def sampled_sheet(drawn: Drawn) -> Sheet:
    """The answer for people, in the language of the run."""
    run = drawn.state.run
    say = words(run.lang)
    judged = sum(size for _, size, _, _ in drawn.strata)
    command = with_store(f"adjudge correct {run.id} --labels FILE", drawn.state.store)
    told = (
        say("sample_answer", n=say.number(drawn.chosen, 0), of=say.number(judged, 0)),
        say("sample_next", criteria=", ".join(drawn.criteria), command=command),
    )
    warned = []
    if drawn.failed:
        warned.append(say("sample_warn_failed", n=say.number(drawn.failed, 0)))
    if drawn.chosen < drawn.asked:
        warned.append(say("sample_warn_all", n=say.number(drawn.asked, 0), all=say.number(judged, 0)))
    strata = [
        {"name": name, "items": size, "chosen": count, "quality": quality}
        for name, size, count, quality in drawn.strata
    ]
    section = Section(
        name="strata",
        title=say("sample_strata"),
        columns=(say("sample_stratum"), say("sample_quality"), say("sample_items"), say("sample_chosen")),
        rows=tuple(
            (name, f"{say.number(100 * quality, 0)} %", say.number(size, 0), say.number(count, 0))
            for name, size, count, quality in drawn.strata
        ),
        notes=(say("sample_note"),),
        data={"strata": strata},
    )
    return Sheet(
        title=say("sample_title"),
        lang=say.lang,
        facts=(run.shown, f"{say('model')} {run.settings.model}", say("sample_seed", n=drawn.seed)),
        answers=told,
        sections=(section,),
        warnings=tuple(warned),
        signatures=(run.signature,),
        data={
            "run": run.id,
            "judge": run.judge,
            "model": run.settings.model,
            "seed": drawn.seed,
            "items": run.items,
            "judged": judged,
            "failed": drawn.failed,
            "chosen": drawn.chosen,
            "answers": list(told),
            "strata": strata,
            "warnings": warned,
            "signature": run.signature,
        },
    )
