"""`gslverify list`: rules or operators."""

from __future__ import annotations

import json
import sys

import click

from gsl.errors import one_line
from gslverify.actions.reading import collected_rules, write
from gslverify.commands.parameters import resolved_settings
from gslverify.corpus.declaration import Unusable
from gslverify.documents import plain
from gslverify.endings import Exit
from gslverify.report.pages import list_document, operator_list, rule_list


def list_command(paths: tuple[str, ...], operators: bool, form: str) -> None:
    """List rules with their equations, tags, expectations and pinned counterexamples."""
    if operators:
        if form == "json":
            raise click.UsageError("operators are listed as text only; leave out --format json")
        write(operator_list())
        return
    settings = resolved_settings({}).settings
    selectors = paths or settings.rules
    if not selectors:
        raise click.UsageError(
            "name a file or folder, set `rules` in [tool.gslverify], or ask for --operators"
        )
    collected = collected_rules(selectors, settings.files)
    if form == "json":
        click.echo(json.dumps(plain(list_document(collected)), indent=2))
    else:
        write(map(one_line, rule_list(collected)))
    if any(isinstance(item, Unusable) for item in collected):
        sys.exit(Exit.FINDINGS)
