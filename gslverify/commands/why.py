"""`gslverify why`: what keeps a rule from matching in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import click

from gsl.errors import RuleError
from gsl.rule_files.guard import Loss
from gslverify.commands.parameters import DEFAULTS, paths
from gslverify.commands.reading import collected_rules, failure, require_written, write
from gslverify.corpus.declaration import Loaded, LoadedRule, Unusable
from gslverify.corpus.guarded import asked
from gslverify.engine.writing import write_down
from gslverify.finding import Finding
from gslverify.mutation.collect import find_item
from gslverify.stages.static import finding_of
from gslverify.why.explanation import why as explanation
from gslverify.why.graph_source import FORMS, graph_problem, read_graph


def sizes(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, tuple[int, ...]]:
    """Read INPUT=1,3,224,224."""
    found = {}
    for text in texts:
        name, separator, numbers = text.partition("=")
        try:
            found[name] = tuple(int(number) for number in numbers.split(",") if separator)
        except ValueError as error:
            raise click.BadParameter(f"`{text}` is not like x=1,3,224,224") from error
        if not name or not found[name]:
            raise click.BadParameter(f"`{text}` is not like x=1,3,224,224")
    return found


@click.command("why")
@click.argument("rule_id", callback=paths, metavar="PATH::RULE")
@click.option("--graph", required=True, metavar="GRAPH", help=f"{FORMS}.")
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    callback=sizes,
    metavar="INPUT=1,3,224,224",
    help="The shape of an input of an ONNX model that leaves sizes open; may be given again.",
)
@click.option(
    "--load-timeout",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for reading the graph.",
)
def why(rule_id: str, graph: str, shapes: dict[str, tuple[int, ...]], load_timeout: float) -> None:
    """Tell why a rule does not match in a graph.

    Shows the best partial match, the first constraint that said no, and the values in it. A
    module, a rule file and a Relax script are executed, in processes of their own.
    """
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
