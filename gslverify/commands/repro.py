"""`gslverify repro`: run a stored counterexample again, write it as a program, or pin it."""

from __future__ import annotations

from typing import Any

import click

from gslverify.commands.parameters import acted


@click.command()
@click.argument("file", metavar="FILE|ID")
@click.option(
    "--emit",
    type=click.Choice(["py", "relax", "pytest"]),
    help="Print a program instead: one that needs NumPy and TVM only, a Relax module, or a test.",
)
@click.option(
    "--trust", is_flag=True, help="Import the file of the rule although it is outside the project."
)
@click.option(
    "--pin", "keep", is_flag=True, help="Move it beside the rule, where every run tries it first."
)
@acted
def repro(**options: Any) -> None:
    """Run a stored counterexample again.

    That imports the file of its rule. One outside of the project is imported only after you have
    said so.

    ID is the start of its hash, or a rule that has only one. Exit codes: 1 while the rule still
    fails on it, 0 when it is mended, 2 for a file that holds none.
    """
