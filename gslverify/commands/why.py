"""`gslverify why`: what keeps a rule from matching in a graph."""

from __future__ import annotations

from typing import Any

import click

from gslverify.commands.parameters import acted, paths
from gslverify.why import FORMS


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
@acted
def why(**options: Any) -> None:
    """Tell why a rule does not match in a graph.

    Shows the best partial match, the first constraint that said no, and the values in it. A
    module, a rule file and a Relax script are executed, in processes of their own.
    """
