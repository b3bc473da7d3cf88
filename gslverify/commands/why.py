"""`gslverify why`: what keeps a rule from matching in a graph."""

from __future__ import annotations

import click

from gsl.errors import ModelError, RuleError
from gslverify.commands.parameters import DEFAULTS, paths
from gslverify.commands.reading import collected_rules, failure, write
from gslverify.corpus.collect import Unusable, writable
from gslverify.finding import Finding
from gslverify.stage import Question
from gslverify.stages.static import finding_of, write_down
from gslverify.why.explanation import why as explanation
from gslverify.why.graph_source import FORMS, read_graph


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
    module, a rule file and a Relax script are executed, in a child process first.
    """
    items = writable(collected_rules((rule_id,)), DEFAULTS.load_timeout)
    try:
        workload = read_graph(graph, shapes, load_timeout)
    except ModelError as error:
        raise click.BadParameter(str(error), param_hint="--graph") from error
    for number, item in enumerate(items):
        write([""] if number else [])
        if isinstance(item, Unusable):
            raise failure(item.finding)
        written = write_down(Question(item.rule_id, item.rule, DEFAULTS))
        if isinstance(written, Finding):
            raise failure(written)
        try:
            write(explanation(item.rule_id, written, workload))
        except RuleError as error:
            raise failure(finding_of(error, item.rule)) from error
