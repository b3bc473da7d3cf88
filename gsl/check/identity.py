"""The check that a rule changes something."""

from __future__ import annotations

from gsl.canonical import statement
from gsl.check.finding import Findings, target_only
from gsl.errors import RuleError
from gsl.operators import Operator
from gsl.pat import Call, Pattern, Variadic
from gsl.subst import Subst


def target_differs(subst: Subst) -> Findings:
    """GSL145 (warning): the target is not the source once more."""
    names = {pattern: f"p{number}" for number, pattern in enumerate(subst.source_patterns)}
    known = {statement(pattern, names): name for pattern, name in names.items()}
    for number, pattern in enumerate(target_only(subst)):
        text = statement(pattern, names) if _is_complete(pattern) else ""
        names[pattern] = known.get(text, f"t{number}")
    if subst.source and _outputs(subst.source, names) == _outputs(subst.target, names):
        cure = "correct one of the two sides"
        message = "source and target are the same: the rule changes nothing"
        yield RuleError("GSL145", message, subst.span, cure, warning=True)


def _is_complete(pattern: Pattern) -> bool:
    """Tell whether a pattern of the target builds what the same pattern in a source matches.

    An attribute that is left out is free in a source and has its default in a target.
    """
    if isinstance(pattern, Call) and isinstance(pattern.callee, Operator):
        return pattern.callee.attributes.keys() <= pattern.constraints.keys()
    return bool(pattern.operands) and not isinstance(pattern, Variadic)


def _outputs(patterns: tuple[Pattern, ...], names: dict[Pattern, str]) -> list[str]:
    return [names[pattern] for pattern in patterns]
