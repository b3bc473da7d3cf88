"""`gslverify cache`: how much is kept of earlier runs, and how to be rid of it."""

from __future__ import annotations

from typing import Any

import click

from gslverify.commands.parameters import acted


@click.group()
def cache() -> None:
    """Look at what is kept of earlier runs, or remove it."""


@cache.command()
@acted
def info(**options: Any) -> None:
    """Say where results are kept, how many, and how much room they take."""


@cache.command()
@acted
def clear(**options: Any) -> None:
    """Remove all results, and all failures; the next run finds out everything anew."""
