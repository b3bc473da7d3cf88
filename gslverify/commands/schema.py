"""`gslverify schema`: the JSON Schema of what is written for programs."""

from __future__ import annotations

import json
from importlib import import_module

import click

from gslverify.commands.writing import write
from gslverify.report.schema import SCHEMAS


@click.command()
@click.argument("name", type=click.Choice(list(SCHEMAS)))
def schema(name: str) -> None:
    """Print the JSON Schema of a kind of file."""
    module, _, object_name = SCHEMAS[name].partition(":")
    found = getattr(import_module(module), object_name)
    write([json.dumps(found, indent=2, sort_keys=True)])
