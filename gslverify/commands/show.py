"""`gslverify show`: the drawing of a rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gslverify.commands.parameters import acted, output_file, paths

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("rule_id", callback=paths, metavar="PATH::RULE")
@click.option("--tree", "form", flag_value="tree", help="As two trees.")
@click.option("--mermaid", "form", flag_value="mermaid", help="As a Mermaid flowchart.")
@click.option("--dot", "form", flag_value="dot", help="As a Graphviz digraph.")
@click.option(
    "--relax",
    "form",
    flag_value="relax",
    help="As a Relax module of one graph that the rule matches; needs TVM.",
)
@click.option("--proof", "form", flag_value="proof", help="As the derivation that a proof leaves.")
@click.option(
    "--svg", type=FILE, callback=output_file, metavar="FILE", help="Write a picture to FILE."
)
@click.option(
    "--html", type=FILE, callback=output_file, metavar="FILE", help="Write a page to FILE."
)
@acted
def show(**options: Any) -> None:
    """Show the source and the target of a rule.

    The text goes to standard output, unless pictures are written and no other form is named.
    """
