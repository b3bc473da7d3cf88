"""`gslverify list`: rules or operators."""

from __future__ import annotations

from typing import Any

import click

from gslverify.commands.parameters import PATHS, acted
from gslverify.commands.parameters import paths as checked_paths


@click.command("list")
@click.argument("paths", nargs=-1, callback=checked_paths, metavar=PATHS)
@click.option("--operators", is_flag=True, help="The declared operators instead of rules.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people, or a list of objects for programs.",
)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@acted
def list_command(**options: Any) -> None:
    """List rules with their equations, tags, expectations and pinned counterexamples.

    Without a path these are the rules that the settings name. The exit code is 1 if a file or an
    object could not be read as a rule.
    """
