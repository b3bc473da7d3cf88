"""How commands write; loads nothing, so that the light ones stay so."""

from __future__ import annotations

from collections.abc import Iterable

import click

from gsl.errors import printable


def write(lines: Iterable[str]) -> None:
    """Write lines to standard output, without what a terminal would obey."""
    for line in lines:
        click.echo(printable(line))
