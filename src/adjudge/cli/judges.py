"""adjudge judges"""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.output import emit_json, ignored_store_option, json_option
from adjudge.core.judge import Judge
from adjudge.spec.load import bundled_judges, load_judge


@click.command("judges", epilog="Example: adjudge judges --lang ru")
@click.option("--lang", help="Language of titles and descriptions [default: each judge's own].")
@ignored_store_option
@json_option
def command(lang: str | None, as_json: bool) -> None:
    """List the judges that come with adjudge, with their criteria, scales and languages.

    A folder with a judge of your own is used by its path: adjudge run ./my-judge data.jsonl
    """
    judges = [load_judge(name, lang) for name in bundled_judges()]
    if as_json:
        emit_json({"judges": [_described(judge) for judge in judges]})
        return
    for number, judge in enumerate(judges):
        if number:
            click.echo()
        _print(judge)


def _described(judge: Judge) -> dict[str, Any]:
    return {
        "judge": judge.name,
        "title": judge.title,
        "about": judge.about,
        "layout": judge.layout,
        "languages": list(judge.langs),
        "fields": [
            {"name": f.name, "type": f.type, "required": f.required, "also": list(f.aliases)} for f in judge.fields
        ],
        "criteria": [
            {
                "name": c.name,
                "title": c.title,
                "kind": c.kind,
                **({"min": c.scale.min, "max": c.scale.max, "better": c.scale.better} if c.scale else {}),
                **({"labels": {str(k): v for k, v in c.scale.labels.items()}} if c.scale and c.scale.labels else {}),
                **({"checks": {one.name: one.weight for one in c.checks}} if c.checks else {}),
                **({"penalties": dict(c.penalties), "categories": dict(c.categories)} if c.penalties else {}),
            }
            for c in judge.criteria
        ],
        "derived": [{"name": d.name, "operation": d.operation, "of": list(d.of)} for d in judge.derived],
    }


def _print(judge: Judge) -> None:
    click.secho(f"{judge.name}", bold=True, nl=False)
    click.echo(f"  {judge.about}" if judge.about else f"  {judge.title}")
    required = ", ".join(field.name for field in judge.fields if field.required)
    optional = ", ".join(field.name for field in judge.fields if not field.required)
    click.echo(f"  layout {judge.layout} · languages {', '.join(judge.langs)}")
    click.echo(f"  fields {required}" + (f" · optional {optional}" if optional else ""))
    width = max(len(criterion.name) for criterion in judge.criteria)
    for criterion in judge.criteria:
        scale = criterion.scale
        span = f"{scale.min}-{scale.max}{scale.unit}, {scale.best}{scale.unit} is best" if scale else criterion.kind
        click.echo(f"    {criterion.name:<{width}}  {span:<20}  {criterion.title}")
    for derived in judge.derived:
        click.echo(f"    {derived.name:<{width}}  {derived.operation} of {', '.join(derived.of)}")
