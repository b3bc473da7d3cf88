"""`gslverify explain`: the page of a code."""

from __future__ import annotations

import click

from gslverify.commands.writing import write
from gslverify.report.code_pages import UnknownCodeError, code_list, code_page


@click.command()
@click.argument("code", required=False)
@click.option("--list", "list_all", is_flag=True, help="All codes with their titles.")
def explain(code: str | None, list_all: bool) -> None:
    """Explain a code: what it means, a rule with it and one without."""
    if list_all:
        write(code_list())
        return
    if code is None:
        raise click.UsageError("name a code such as GSL401, or ask for --list")
    try:
        write(code_page(code))
    except UnknownCodeError as error:
        raise click.UsageError(str(error)) from error
