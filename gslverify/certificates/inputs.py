"""What a checker knows of inputs, and in which dtype an element is computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gsl.attr.evaluate import contains
from gsl.attr.term import Constant, Operation, Symbol
from gsl.attr.values import ORDER
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select, parts
from gsl.types import ANY_INTEGER
from gslverify.certificates.gathered import Limits
from gslverify.certificates.subjects import Within
from gslverify.prove.indices.integers import is_integer

COMPARED = ORDER | {"==", "!="}
TRUTHS = COMPARED | {"and", "or", "not"}
WHOLE = frozenset({"+", "-", "*", "neg"})
EXTREMA = frozenset({"max", "min"})
OF_INTEGERS = WHOLE | EXTREMA | {"//", "%", ">>", "&", "|", "^", "abs", "sign", "select", "held"}
"""Functions of integers that are integers."""

Results = Mapping[int, tuple[Expression, Any]]
"""The elements that operators compute, by their ids, with their dtypes."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The dtypes of inputs, the limits of those that are indices, and the results of operators."""

    dtypes: Mapping[str, Any]
    limits: Mapping[str, Limits] = field(default_factory=dict)
    results: Results = field(default_factory=dict)

    def with_results(self, results: Results) -> Inputs:
        """Return the same with the results of operators, those that read constants included."""
        reads = {one.tensor: dtype for one, dtype in results.values() if isinstance(one, Read)}
        return replace(self, dtypes={**reads, **self.dtypes}, results=results)

    def dtype_of(self, expression: Expression) -> Any:
        """Return the dtype that an element is computed in, None for positions and truth values.

        An input of which nothing is known has a dtype of its own.
        """
        known = self.results.get(id(expression))
        if known is not None:
            return known[1]
        match expression:
            case Read(tensor=name):
                return self.dtypes.get(name, name)
            case Apply(function="cast", arguments=(_, _, Number(value=new))):
                return new
            case Apply(function=head) if head in TRUTHS:
                return None
            case Apply(function="select", arguments=(_, *inner)):
                pass
            case Apply() | Select() | Reduction():
                inner = [*parts(expression)]
            case Within(body=body):
                inner = [body]
            case _:
                return None
        return next((one for one in map(self.dtype_of, inner) if one is not None), None)

    def are_integers(self, expression: Expression, facts: Iterable[Any]) -> bool:
        """Tell whether facts say of all that an element is computed from that it is an integer."""
        match expression:
            case Number(value=value):
                return is_integer(value)
            case Read(tensor=name):
                return is_seen(contains(self.dtypes.get(name), ANY_INTEGER), facts)
            case Apply(function="cast", arguments=(_, _, Number(value=new))):
                return is_seen(contains(new, ANY_INTEGER), facts)
            case Apply(function=head) if head not in OF_INTEGERS:
                return False
            case Apply(function="select", arguments=(_, *inner)):
                pass
            case _:
                inner = [*parts(expression)]
        return all(self.are_integers(one, facts) for one in inner)


def is_seen(goal: Any, facts: Iterable[Any]) -> bool:
    """Tell whether facts say of a symbol what a goal asks for, or of one that is equal to it.

    They are equalities of symbols, and limits of a symbol to some values. Such are most questions
    about dtypes, and for them alone z3 need not be started.
    """
    roots: dict[Symbol, Symbol] = {}
    limits: list[tuple[Symbol, tuple[Any, ...]]] = []
    for fact in facts:
        match fact:
            case Operation(head="==", operands=(Symbol() as one, Symbol() as other)):
                old, new = roots.get(one, one), roots.get(other, other)
                roots |= {one: old, other: new}
                roots = {symbol: new if root is old else root for symbol, root in roots.items()}
            case Operation(operands=(Symbol() as one, Constant(value=value))):
                if fact.head in ("in", "=="):
                    limits.append((one, value if fact.head == "in" else (value,)))

    def holds(one: Any) -> bool:
        match one:
            case Operation(head="or", operands=sides):
                return any(map(holds, sides))
            case Operation(head="==", operands=(Symbol() as a, Symbol() as b)):
                return roots.get(a, a) is roots.get(b, b)
            case Operation(head="in" | "==" as head, operands=(Symbol() as a, Constant(value=v))):
                wanted = [(type(x), x) for x in (v if head == "in" else (v,))]
                inside = (vs for b, vs in limits if roots.get(a, a) is roots.get(b, b))
                return any(all((type(x), x) in wanted for x in values) for values in inside)
        return one is True

    return holds(goal)
