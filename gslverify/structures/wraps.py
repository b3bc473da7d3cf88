"""Where sums and products of constants leave their dtype, which few draws do by chance.

Each constant may be within the bounds that a rule gives it while a product of two is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gsl.attr.evaluate import conjunction, disjunction, evaluate
from gsl.attr.term import Term, operation
from gsl.dtypes import DTYPES
from gsl.errors import GslError
from gsl.expr import Const as ConstExpr
from gsl.match.bindings import Scope, instance_of
from gsl.operators import Operator
from gsl.pat import Call, Const, Pattern
from gsl.types import INTEGER, TensorType
from gslverify.structures.instance import Instance

ARITHMETIC = {"Add": "+", "Subtract": "-", "Multiply": "*"}


def wraps(instance: Instance) -> Iterator[Term]:
    """Yield for all arithmetic on constants alone the condition that its result wraps."""
    subst = instance.subst
    values: dict[Pattern, Any] = {}
    for pattern in dict.fromkeys((*subst.source_patterns, *subst.target_patterns)):
        if isinstance(pattern, Const):
            values.update(_constant(pattern, instance))
        elif isinstance(pattern, Call) and (head := _head(pattern)) is not None:
            left, right = pattern.operands
            if left in values and right in values:
                values[pattern] = operation(head, values[left], values[right])
    dtypes = _dtypes(values, instance)
    for pattern, value in values.items():
        if isinstance(pattern, Call) and isinstance(value, Term):
            demand = disjunction(*(_outside(value, dtype) for dtype in dtypes))
            if isinstance(demand, Term):
                yield demand


def _head(pattern: Call) -> str | None:
    return ARITHMETIC.get(pattern.callee.name) if isinstance(pattern.callee, Operator) else None


def _constant(pattern: Const, instance: Instance) -> Mapping[Pattern, Any]:
    """Return the value of a constant that is a single number, matched or made."""
    node = instance.bindings.nodes.get(instance_of(pattern, None))
    if node is None:
        try:
            value = evaluate(pattern.constraints["value"], Scope(instance.bindings))
        except (GslError, KeyError):
            return {}
    else:
        value = node.expr.value if isinstance(node.expr, ConstExpr) else None
    is_number = isinstance(value, Term) or type(value) is int
    return {pattern: value} if is_number else {}


def _dtypes(values: Mapping[Pattern, Any], instance: Instance) -> list[Any]:
    """Return the dtypes of the constants, as terms or names, each once."""
    nodes = [instance.bindings.nodes.get(instance_of(pattern, None)) for pattern in values]
    types = [node.expr.type for node in nodes if node is not None]
    return list(dict.fromkeys(one.dtype for one in types if isinstance(one, TensorType)))


def _outside(value: Term, dtype: Any) -> Any:
    """Return the condition that an integer dtype, known or not, does not hold a value."""
    cases = []
    for name in INTEGER:
        too_large = operation(">", value, DTYPES[name].largest)
        too_small = operation("<", value, DTYPES[name].lowest)
        is_it = operation("==", dtype, name) if isinstance(dtype, Term) else dtype == name
        cases.append(conjunction(is_it, disjunction(too_large, too_small)))
    return disjunction(*cases)
