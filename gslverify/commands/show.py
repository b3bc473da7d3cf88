"""`gslverify show`: the drawing of a rule."""

from __future__ import annotations

import click

from gslverify.commands.parameters import DEFAULTS, paths
from gslverify.commands.reading import collected_rules, failure, write
from gslverify.corpus.collect import Unusable, writable
from gslverify.finding import Finding
from gslverify.report.pages import show_rule
from gslverify.stage import Question
from gslverify.stages.static import write_down


@click.command()
@click.argument("rule_id", callback=paths, metavar="PATH::RULE")
@click.option("--tree", "form", flag_value="tree", help="As two trees.")
@click.option("--mermaid", "form", flag_value="mermaid", help="As a Mermaid flowchart.")
@click.option("--dot", "form", flag_value="dot", help="As a Graphviz digraph.")
def show(rule_id: str, form: str | None) -> None:
    """Show the source and the target of a rule."""
    for item in writable(collected_rules((rule_id,)), DEFAULTS.load_timeout):
        if isinstance(item, Unusable):
            raise failure(item.finding)
        written = write_down(Question(item.rule_id, item.rule, DEFAULTS))
        if isinstance(written, Finding):
            raise failure(written)
        write(show_rule(item, written, form or "text"))
