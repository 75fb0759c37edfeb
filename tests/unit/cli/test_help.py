"""What --help says is what can be typed."""

from __future__ import annotations

import importlib
import re

import click
import pytest

from adjudge.cli import COMMANDS, run_command


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example_on_a_line_and_the_usage_says_what_may_be_left_out(name, capsys):
    assert run_command([name, "--help"]) == 0
    said = capsys.readouterr().out
    assert max(line.count("Example: ") for line in said.splitlines()) == 1
    usage = " ".join(said.partition("\n\n")[0].split())
    command: click.Command = importlib.import_module(f"adjudge.cli.{name}").command
    optional = [one for one in command.params if isinstance(one, click.Argument) and not one.required]
    assert len(re.findall(r"\[(?!OPTIONS)[A-Z]+\]", usage)) == len(optional)
