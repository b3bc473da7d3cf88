"""The drawings of rules that need attention, for formats that leave the machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from gsl.drawing.show import mermaid
from gsl.drawing.vertices import drawings_of_rule
from gsl.subst import Subst
from gslverify.corpus.collect import Collected, CollectedRule
from gslverify.corpus.containment import contained
from gslverify.finding import RuleResult, Verdict

Sides = Mapping[str, list[str]]
"""Mermaid flowcharts of the source and of the target of a rule, as lines."""


def written_rule(collected: Iterable[Collected], result: RuleResult) -> Subst | None:
    """Return what a rule says; None for one that cannot be written down."""
    item = next((one for one in collected if one.rule_id == result.rule_id), None)
    if isinstance(item, CollectedRule) and result.verdict is not Verdict.ERROR:
        with suppress(Exception), contained():
            return item.rule()
    return None


def sides_of(subst: Subst) -> Sides:
    """Return both sides of a rule as flowcharts of their own."""
    source, target = drawings_of_rule(subst)
    return {
        title: ["flowchart TD", *mermaid(drawing, title[0])]
        for title, drawing in (("source", source), ("target", target))
    }
