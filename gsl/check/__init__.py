"""Semantic checks of a rule before anything runs (thesis, section 4.3).

What a single expression can get wrong is refused when it is written; here follows what concerns a
rule as a whole: its structure, the scope of what it mentions, and the values it gives.
"""

from __future__ import annotations

from collections.abc import Callable

from gsl.check.arms import matched_in_every_arm
from gsl.check.finding import Findings
from gsl.check.identity import target_differs
from gsl.check.kind import kinds_fit
from gsl.check.scope import matched_before_used, symbols_bound
from gsl.check.sort import values_go_together
from gsl.check.structure import (
    kinds_allowed,
    numbers_instantiated,
    outputs_correspond,
    projections_in_range,
    source_computes,
    source_connected,
    target_inputs,
    templates_reached,
)
from gsl.check.value import (
    conditions_open,
    constants_equal_themselves,
    defaults_meant,
    none_meant,
    sizes_are_those_of_a_match,
    target_complete,
)
from gsl.errors import RuleError
from gsl.subst import Subst

__all__ = ["CHECKS", "check", "require_well_formed"]


def check(subst: Subst) -> list[RuleError]:
    """Return everything that is wrong or suspicious about a rule, check after check."""
    findings: list[RuleError] = []
    for one in CHECKS:
        findings.extend(one(subst))
    return findings


def require_well_formed(subst: Subst) -> None:
    """Raise the first RuleError of `check` that is not a warning."""
    for finding in check(subst):
        if not finding.warning:
            raise finding


CHECKS: tuple[Callable[[Subst], Findings], ...] = (
    outputs_correspond,
    source_computes,
    kinds_allowed,
    kinds_fit,
    source_connected,
    target_inputs,
    templates_reached,
    numbers_instantiated,
    symbols_bound,
    matched_before_used,
    target_complete,
    projections_in_range,
    conditions_open,
    values_go_together,
    constants_equal_themselves,
    sizes_are_those_of_a_match,
    matched_in_every_arm,
    target_differs,
    defaults_meant,
    none_meant,
)
