"""adjudge judges"""

from __future__ import annotations

import click

from adjudge.api.described import described_judge
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
        emit_json({"judges": [described_judge(judge) for judge in judges]})
        return
    for number, judge in enumerate(judges):
        if number:
            click.echo()
        _print(judge)


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
