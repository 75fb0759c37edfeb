"""The command line: each command parses, makes one call into `api`, and renders the result."""

from __future__ import annotations

import errno
import importlib
import io
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import click

from adjudge.report.nearest import NEAREST

#: Command → one line for `adjudge --help`. A command's module is imported when it is used, so that help is quick.
COMMANDS = {
    "judges": "list judges, with criteria, scales and languages",
    "check": "validate a judge's files; show the exact prompt for a row",
    "run": "judge a dataset",
    "resume": "go on where a run stopped",
    "runs": "list runs",
    "show": "the report of a run: text, markdown, html or json",
    "export": "verdicts, tables or raw replies of a run",
    "compare": "which is better, by how much, how sure",
    "agree": "can this judge be trusted: its agreement with people, a second run or itself",
    "correct": "what people would have said of all items, from a small labelled slice",
    "sample": "which items to label",
    "calibrate": "fit the embedded judge to your own labels",
    "gate": "exit 1 when a bound on a run's figures is missed",
    "label": "web page for human labels; labels in from a file, and out to one",
    "serve": "web page for runs, items, comparisons, judges and labels",
}
EXIT_MISSED, EXIT_CHANGE_SOMETHING, EXIT_SOME_FAILED, EXIT_OWN_FAULT, EXIT_INTERRUPTED = 1, 2, 3, 4, 130


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"adjudge.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from adjudge.spec.strict import suggestion

            raise click.UsageError(f"there is no command `{args[0]}`; {suggestion(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: adjudge run summary my-summaries.jsonl",
)
@click.version_option(package_name="adjudge")
def cli() -> None:
    """Judge summaries, RAG answers, search summaries and translations, and know how sure the numbers are."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the code that the contract gives to what happened."""
    sys.exit(run_command(list(sys.argv[1:] if args is None else args)))


def run_command(args: list[str]) -> int:
    """One command; the exit code. Errors are said on standard error, as people and scripts expect."""
    from adjudge.core.errors import AdjudgeError, GateFailed

    as_json = "--json" in args
    try:
        _speak_utf8()
        # not cli.main: it ends with code 1 where a pipe is closed, and 1 means that a gate was missed
        with cli.make_context("adjudge", list(args)) as context:
            try:
                code = int(cli.invoke(context) or 0)
            except GateFailed:  # which bound it was stands in what the command has printed
                code = EXIT_MISSED
        sys.stdout.flush()
        return code
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        _say_json({"kind": "usage", "message": error.format_message()}, as_json)
        _tell(_shown(error))
        return EXIT_CHANGE_SOMETHING
    except (click.Abort, KeyboardInterrupt):
        _tell("interrupted")
        return EXIT_INTERRUPTED
    except AdjudgeError as error:
        return _explain(error, as_json=as_json)
    except BrokenPipeError:
        # the reader of our output has gone (`| head`): nothing is wrong, and nothing more can be said
        _silence(sys.stdout)
        return 0
    except Exception as error:
        return _own_fault(error, as_json=as_json)


def _speak_utf8() -> None:
    """Files and pipes get UTF-8 whatever the locale; a terminal of another encoding gets what it can show."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller (`>&-`): nobody wants to hear, and nothing is wrong
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (open to the end)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors=NEAREST)
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _own_fault(error: Exception, *, as_json: bool) -> int:
    if os.environ.get("ADJUDGE_DEBUG"):
        raise error
    if isinstance(error, FileNotFoundError) and _folder_is_gone():
        said = "the current folder was deleted; change to another one and try again"
        _say_json({"kind": "config_error", "message": said}, as_json)
        _tell(f"adjudge: {said}")
        return EXIT_CHANGE_SOMETHING
    if isinstance(error, OSError) and _output_is_shut():
        _tell(f"adjudge: standard output cannot be written: {error.strerror}")
        return EXIT_CHANGE_SOMETHING
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        _tell(f"adjudge: {error.strerror}: what was stored before is safe; make room and try again")
        return EXIT_CHANGE_SOMETHING
    _say_json({"kind": "own_fault", "message": f"{type(error).__name__}: {error}"}, as_json)
    _tell(f"adjudge: a fault of its own: {type(error).__name__}: {error}")
    _tell("  hint: what was stored is safe; ADJUDGE_DEBUG=1 shows where it happened")
    return EXIT_OWN_FAULT


def _output_is_shut() -> bool:
    """Whether standard output takes nothing more; what could not be written is tried again here."""
    try:
        sys.stdout.flush()
        if stat.S_ISCHR(os.fstat(sys.stdout.fileno()).st_mode) and not sys.stdout.isatty():
            os.write(sys.stdout.fileno(), b"\n")  # Python may hold nothing back, and no device minds an empty line
    except ValueError:  # it is no file, or closed
        return False
    except OSError:
        _silence(sys.stdout)
        return True
    return False


def _silence(stream: TextIO) -> None:
    """What a stream still holds goes nowhere: Python would try to write it at the end, and end with another code."""
    with suppress(OSError, ValueError):  # ValueError: a stream that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _tell(text: str) -> None:
    """Say it on standard error; where that takes nothing more, the exit code is left to say it."""
    from adjudge.cli.output import safe

    try:
        click.echo(safe(text), err=True)
    except OSError:
        _silence(sys.stderr)


def _shown(error: click.ClickException) -> str:
    """What click says of an error, which quotes the command line."""
    said = io.StringIO()
    error.show(file=said)
    return said.getvalue().rstrip("\n")


def _folder_is_gone() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 (which asks the system, and keeps nothing)
    except FileNotFoundError:
        return True
    return False


def _say_json(error: dict[str, Any], as_json: bool) -> None:
    if as_json:
        from adjudge.cli.output import emit_json

        try:
            emit_json({"error": error})
            sys.stdout.flush()
        except OSError:
            _silence(sys.stdout)


def _explain(error: Exception, *, as_json: bool) -> int:
    from adjudge.core.errors import AdjudgeError, UserError

    assert isinstance(error, AdjudgeError)
    message, _, hint = str(error).partition("\n  hint: ")
    where = None
    if isinstance(error, UserError):
        message, where = error.what, error.where
    _say_json({"kind": error.kind, "message": message, "where": where, "hint": hint or None}, as_json)
    _tell(f"adjudge: {error}")
    return EXIT_CHANGE_SOMETHING
