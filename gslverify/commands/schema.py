"""`gslverify schema`: the JSON Schema of what is written for programs."""

from __future__ import annotations

import json
from importlib import import_module

import click

from gslverify.commands.writing import write

SCHEMAS = {
    "json": "gslverify.report.schema:REPORT",
    "baseline": "gslverify.gate.schema:BASELINE",
    "repro": "gslverify.repro.document:REPRO",
}
"""Schemas by the names under which `gslverify schema` prints them, as "module:OBJECT"."""


@click.command()
@click.argument("name", type=click.Choice(list(SCHEMAS)))
def schema(name: str) -> None:
    """Print the JSON Schema of a kind of file."""
    module, _, object_name = SCHEMAS[name].partition(":")
    found = getattr(import_module(module), object_name)
    write([json.dumps(found, indent=2, sort_keys=True)])
