"""`gslverify show`: the drawing of a rule."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

import click

from gsl.errors import GslError
from gsl.rule_files.guard import Loss
from gsl.subst import Subst
from gslverify.actions.reading import collected_rules, failure, require_written, write
from gslverify.atomic import reason_of
from gslverify.case import case_of
from gslverify.commands.parameters import DEFAULTS
from gslverify.corpus.declaration import CollectedRule, Loaded, LoadedRule, Unusable
from gslverify.corpus.guarded import asked
from gslverify.engine.writing import write_down
from gslverify.extras import cure_of
from gslverify.mutation.collect import find_item
from gslverify.report.delivery import write_report
from gslverify.report.formats import lacking
from gslverify.report.pages import show_rule


def show(rule_id: str, form: str | None, svg: Path | None, html: Path | None) -> None:
    """Show the source and the target of a rule."""
    pictures = {kind: file for kind, file in (("svg", svg), ("html", html)) if file is not None}
    if html is not None and (message := lacking("html")):
        raise click.UsageError(message)
    found = collected_rules((rule_id,), write=write_down)
    if len(found) != 1 and (pictures or form in ("relax", "proof")):
        raise click.UsageError(f"`{rule_id}` is {len(found)} rules; name one, as FILE::RULE")
    for item in found:
        if isinstance(item, Unusable):
            raise failure(item.finding)
        require_written(item)
        for kind, file in pictures.items():
            _draw(item, kind, file)
        if form or not pictures:
            write(_shown(item, form or "text"))


def _shown(item: CollectedRule, form: str) -> list[str]:
    """Return a rule in a form, as the process says that has imported its file."""
    found = asked(item.path, partial(_lines, item.rule_id, form), DEFAULTS.stage_timeout)
    if isinstance(found, Loss):
        raise click.UsageError(f"{item.rule_id} cannot be shown: it {found.how}")
    lines, problem = found
    if problem:
        raise click.UsageError(problem)
    return lines


def _lines(rule_id: str, form: str, loaded: Sequence[Loaded]) -> tuple[list[str], str]:
    """Return the lines to print, or what is wrong."""
    item = find_item(loaded, rule_id)
    if not isinstance(item, LoadedRule):
        return [], f"{rule_id} is there no more"
    try:
        subst = item.rule()
        if form == "relax":
            lines = _relax(rule_id, subst)
        elif form == "proof":
            lines = import_module("gslverify.stages.certified").derivation(rule_id, item.rule)
        else:
            lines = list(show_rule(item, subst, form))
    except click.UsageError as error:
        return [], str(error)
    except ModuleNotFoundError as error:
        return [], cure_of(error) or str(error)
    return lines, ""


def _draw(item: CollectedRule, kind: str, file: Path) -> None:
    if kind == "html":
        text = import_module("gslverify.report.html.page").drawing_page(item)
    else:
        sketch = import_module("gslverify.report.html.sketch").sketch_of(item)
        text = import_module("gslverify.report.html.pair").rule_svg(sketch)
    if text is None:
        raise click.UsageError(f"{item.rule_id} has nothing to draw")
    try:
        write_report(file, text)
    except OSError as error:
        message = f"{file} cannot be written: {reason_of(error)}; name another file"
        raise click.UsageError(message) from error


def _relax(rule_id: str, subst: Subst) -> list[str]:
    """Return the smallest graph that was found for the rule, before and after, as TVM prints it."""
    samples = import_module("gslverify.library.samples").samples_of(subst)
    if not samples:
        raise click.UsageError(
            f"{rule_id}: no graph was found that the rule rewrites; verify it to learn why: "
            f"gslverify check {rule_id}"
        )
    case = case_of(samples[0].source, samples[0].source, samples[0].target)
    try:
        text: str = import_module("gslverify.repro.script").relax_text(case)
    except GslError as error:
        raise click.UsageError(f"{rule_id} cannot be written for TVM: {error}") from error
    return text.splitlines()
