"""adjudge label"""

from __future__ import annotations

from typing import Any

import click

from adjudge.api.label_files import count_labels, export_labels, exported_rows, import_labels
from adjudge.api.stored import StoredRun, open_run
from adjudge.cli.output import RowsForm, emit_json, json_option, rows_form, safe, store_option, write, wrote
from adjudge.cli.web import serve, web_options
from adjudge.store.url import with_store
from adjudge.web.site import Site


@click.command(
    "label",
    epilog="Example: adjudge label latest --annotator anna --n 50 --open\n\n"
    "Then: adjudge agree latest. To a file: adjudge label latest --export labels.csv",
)
@click.argument("run", metavar="[RUN]", default="latest")
@click.option("--annotator", default="", metavar="NAME", help="Who labels [default: the page asks].")
@click.option(
    "--n",
    "items",
    type=click.IntRange(min=1),
    metavar="N",
    help="Label so many items, chosen by chance; the same ones for everybody [default: all].",
)
@click.option("--import", "source", metavar="FILE", help="Add the labels of a file to the run, and end.")
@click.option(
    "--map", "columns", multiple=True, metavar="NAME=COLUMN", help="With --import: as in `adjudge agree`; repeatable."
)
@click.option("--export", "target", metavar="FILE", help="Write the labels of the run to a file, and end; `-` prints.")
@click.option("--format", "form", type=click.Choice(["csv", "jsonl"]), help="With --export [default: by the name].")
@click.option("--history", is_flag=True, help="With --export: all that was ever said, with what was taken back.")
@click.option("--raw", is_flag=True, help="CSV: cells that a spreadsheet would run as formulas are left as they are.")
@web_options
@store_option
@json_option
def command(
    run: str,
    annotator: str,
    items: int | None,
    source: str | None,
    columns: tuple[str, ...],
    target: str | None,
    form: RowsForm | None,
    history: bool,
    raw: bool,
    store: str | None,
    as_json: bool,
    **served: Any,
) -> None:
    """Let people score the items of a run blind, in a browser, until you press Ctrl+C.

    RUN is an id, the start of one, a name, or latest (the default). The judge's verdict on an item is shown when
    the person has answered, and the agreement when all items are done. Labels are kept in the store; --import and
    --export take them in and out as CSV or JSONL.
    """
    _check(source, target, columns, form, history, raw, as_json)
    kind = rows_form(target, form, option="--export")
    if (annotator or items) and (source is not None or target is not None):
        raise click.UsageError(
            f"{'--annotator' if annotator else '--n'} is for the page, not for --import and --export"
        )
    found = open_run(run, store=store)
    if source is not None:
        _import(found, source, columns, raw, store, as_json=as_json)
    elif target is not None:
        _export(found, target, kind, history, raw, as_json=as_json)
    else:
        _serve(found, annotator, items or 0, store, as_json=as_json, **served)


def _check(
    source: str | None,
    target: str | None,
    columns: tuple[str, ...],
    form: str | None,
    history: bool,
    raw: bool,
    as_json: bool,
) -> None:
    if source is not None and target is not None:
        raise click.UsageError("--import and --export: one at a time")
    if columns and source is None:
        raise click.UsageError("--map is for --import")
    if (form or history) and target is None:
        raise click.UsageError(f"{'--format' if form else '--history'} is for --export")
    if form and target == "-" and as_json:
        raise click.UsageError("--json prints the labels as one object; with --format give a file to --export")
    if raw and source is None and target is None:
        raise click.UsageError("--raw is for --import and --export")


def _import(
    run: StoredRun, source: str, columns: tuple[str, ...], raw: bool, store: str | None, *, as_json: bool
) -> None:
    done = import_labels(run, source, columns=columns, raw=raw)
    if as_json:
        emit_json({"run": run.id, **done.as_json()})
        return
    for line in done.lines():
        click.echo(safe(line))
    _say_next(run, store)


def _say_next(run: StoredRun, store: str | None) -> None:
    click.echo(f"next: {with_store(f'adjudge agree {run.id}', store)}", err=True)


def _export(run: StoredRun, target: str, kind: RowsForm, history: bool, raw: bool, *, as_json: bool) -> None:
    if as_json and target == "-":
        emit_json({"run": run.id, "labels": exported_rows(run, history=history)})
        return
    labels = count_labels(run, history=history)
    write(export_labels(run, kind, raw=raw, history=history), target, option="--export", kept=[run.state.run.data])
    if target != "-":
        wrote(run.id, kind, target, as_json=as_json, labels=labels)
    elif not labels:
        click.echo(f"adjudge: run {run.id} has no labels yet", err=True)


def _serve(
    run: StoredRun, annotator: str, items: int, store: str | None, *, lang: str | None, as_json: bool, **served: Any
) -> None:
    from adjudge.api.labelling import Desk

    # whatever is wrong with the store, the name or the number of items is said here, and not on a page
    run.check_writable()
    Desk.open(run, annotator or "anybody", items=items)
    site = Site(store=run.store, labelling=run.id, lang=lang or "", items=items, annotator=annotator)
    serve(site, as_json=as_json, path=f"/runs/{run.id}/label", **served)
    if not as_json:
        _say_next(run, store)
