"""How commands write; loads nothing, so that the light ones stay so."""

from __future__ import annotations

from collections.abc import Iterable

import click


def write(lines: Iterable[str]) -> None:
    """Write lines to standard output."""
    for line in lines:
        click.echo(line)
