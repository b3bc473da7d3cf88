"""`gslverify list`: rules or operators."""

from __future__ import annotations

import click

from gslverify.commands.parameters import PATHS
from gslverify.commands.parameters import paths as checked_paths
from gslverify.commands.reading import collected_rules, write
from gslverify.report.pages import operator_list, rule_list


@click.command("list")
@click.argument("paths", nargs=-1, callback=checked_paths, metavar=PATHS)
@click.option("--operators", is_flag=True, help="The declared operators instead of rules.")
def list_command(paths: tuple[str, ...], operators: bool) -> None:
    """List rules with their equations, tags and expectations."""
    if operators:
        write(operator_list())
        return
    if not paths:
        raise click.UsageError("name a file or folder, or ask for --operators")
    write(rule_list(collected_rules(paths)))
