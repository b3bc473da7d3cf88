"""Exceptions that come from what users declare of their operators, told from defects of ours."""

from __future__ import annotations

import traceback

from gsl.errors import described
from gsl.operators import REGISTRY, Operator
from gsl.span import Span
from gslverify.codes.declaration import OPERATOR_RAISES
from gslverify.finding import Finding, StageResult

CURES = {
    "rule": "a shape rule runs on symbols, too: say need(condition, why) instead of branching",
    "meaning": "the kernel has to be one for all types that the shape rule allows",
    "lowering": "the lowering has to take all types that the shape rule allows",
}
"""What to do about each part of a declaration that may raise."""


def by_operator(stage: str, error: Exception) -> StageResult | None:
    """Return the result of a stage that failed in the declaration of an operator of a user."""
    codes = {frame.f_code: line for frame, line in traceback.walk_tb(error.__traceback__)}
    for operator in REGISTRY.values():
        for part, cure in CURES.items() if not operator.is_built_in else ():
            code = getattr(getattr(operator, part), "__code__", None)
            if code in codes:
                place = Span(code.co_filename, codes[code], 1, codes[code], 1)
                message = f"{_named(part, operator)} raises {described(error)}"
                finding = Finding(OPERATOR_RAISES, message, place, cure, subject=operator.name)
                return StageResult(stage, finding.code.verdict, (finding,))
    return None


def _named(part: str, operator: Operator) -> str:
    name = {"rule": "shape rule", "meaning": "kernel"}.get(part, part)
    return f"the {name} of {operator}"
