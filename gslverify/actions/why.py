"""`gslverify why`: what keeps a rule from matching in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import click

from gsl.errors import RuleError
from gsl.rule_files.guard import Loss
from gslverify.actions.reading import collected_rules, failure, require_written, write
from gslverify.commands.parameters import DEFAULTS
from gslverify.corpus.declaration import Loaded, LoadedRule, Unusable
from gslverify.corpus.guarded import asked
from gslverify.engine.writing import write_down
from gslverify.finding import Finding
from gslverify.mutation.collect import find_item
from gslverify.stages.static import finding_of
from gslverify.why.explanation import why as explanation
from gslverify.why.graph_source import graph_problem, read_graph


def why(rule_id: str, graph: str, shapes: dict[str, tuple[int, ...]], load_timeout: float) -> None:
    """Tell why a rule does not match in a graph."""
    items = collected_rules((rule_id,), write=write_down)
    problem = graph_problem(graph, shapes, load_timeout)
    if problem:
        raise click.BadParameter(problem, param_hint="--graph")
    for number, item in enumerate(items):
        write([""] if number else [])
        if isinstance(item, Unusable):
            raise failure(item.finding)
        require_written(item)
        ask = partial(_explained, item.rule_id, graph, shapes)
        found = asked(item.path, ask, load_timeout + DEFAULTS.stage_timeout)
        if isinstance(found, Loss):
            raise click.UsageError(f"{item.rule_id} cannot be explained: it {found.how}")
        if isinstance(found, Finding):
            raise failure(found)
        write(found)


def _explained(
    rule_id: str, graph: str, shapes: dict[str, tuple[int, ...]], loaded: Sequence[Loaded]
) -> list[str] | Finding:
    """Return the explanation; for the process that has imported the file of the rule."""
    item = find_item(loaded, rule_id)
    if not isinstance(item, LoadedRule):
        raise LookupError(f"{rule_id} is there no more")
    try:
        return list(explanation(rule_id, item.rule(), read_graph(graph, shapes)))
    except RuleError as error:
        return finding_of(error, item.rule)
