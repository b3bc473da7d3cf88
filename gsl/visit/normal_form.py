"""A-normal form: a network as a list of bindings, each one operator over variables.

That is what the bindings of a Relax dataflow block are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from gsl.errors import GraphError, GslError
from gsl.expr import Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.text.listing import text_over
from gsl.types import Type
from gsl.visit.rebuild import rebuild
from gsl.visit.traverse import Network, outputs_of


class BoundVar(Var):
    """A variable that stands for the value of a binding; other than inputs it may be a tuple."""

    __slots__ = ()

    def __init__(self, name: str, known: Type) -> None:
        self.name = name
        Expr.__init__(self, (), known)

    def __repr__(self) -> str:
        return f"BoundVar({self.name!r}, {self.type})"


@dataclass(frozen=True, slots=True)
class Binding:
    """A variable and its value: one operator, tuple or projection over variables and constants."""

    variable: BoundVar
    value: Expr

    def __str__(self) -> str:
        names = [_atom_text(operand) for operand in self.value.operands]
        return f"{self.variable.name} = {text_over(self.value, names)}"


@dataclass(frozen=True, slots=True)
class NormalForm:
    """Bindings, each using only variables bound before it, and the variables of the outputs."""

    bindings: tuple[Binding, ...]
    outputs: tuple[Expr, ...]

    def __str__(self) -> str:
        outputs = ", ".join(map(_atom_text, self.outputs))
        return "\n".join([*map(str, self.bindings), f"return {outputs}"])


def to_a_normal_form(network: Network) -> NormalForm:
    """Return the bindings of a network in reverse post-order, one for each expression.

    Constants and variables of the network are not bound; they occur as the very same objects.
    The new variables are called %0, %1, ..., leaving out what the network uses itself.
    """
    outputs = outputs_of(network)
    order = reverse_post_order(outputs)
    names = _fresh_names({expr.name for expr in order if isinstance(expr, Var)})
    atoms: dict[Expr, Expr] = {}
    bindings = []
    for expr in order:
        if isinstance(expr, Const | Var):
            atoms[expr] = expr
            continue
        variable = BoundVar(next(names), expr.type)
        value = rebuild(expr, tuple([atoms[operand] for operand in expr.operands]))
        bindings.append(Binding(variable, value))
        atoms[expr] = variable
    return NormalForm(tuple(bindings), tuple([atoms[output] for output in outputs]))


def from_a_normal_form(form: NormalForm) -> tuple[Expr, ...]:
    """Return the outputs of a normal form as expressions in which values replace variables.

    A value may also be a variable or a constant (an alias), and a binding that no output needs is
    dropped. Types are inferred anew where the value of an operand has another type than its
    variable.

    Raises GraphError for a variable that is bound twice, for one that is used but not bound
    before, for an operand that is neither variable nor constant, and for one of a type that the
    operator refuses.
    """
    values: dict[Expr, Expr] = {}
    for binding in form.bindings:
        if binding.variable in values:
            raise GraphError(f"{binding.variable.name} is bound twice")
        values[binding.variable] = _value(binding, values)
    return tuple([_value_of_atom(output, values, "an output") for output in form.outputs])


def _value(binding: Binding, values: Mapping[Expr, Expr]) -> Expr:
    place, value = f"the binding of {binding.variable.name}", binding.value
    if not isinstance(value, Expr):
        raise GraphError(f"{place} is {value!r}, not an expression")
    if isinstance(value, Const | Var):
        return _value_of_atom(value, values, place)
    operands = [_value_of_atom(operand, values, place) for operand in value.operands]
    try:
        return rebuild(value, tuple(operands))
    except GslError as error:
        raise GraphError(f"{place}: {error}") from error


def _value_of_atom(atom: Expr, values: Mapping[Expr, Expr], place: str) -> Expr:
    if isinstance(atom, BoundVar):
        if atom not in values:
            raise GraphError(f"{place} uses {atom.name}, which is not bound before")
        return values[atom]
    if isinstance(atom, Const | Var):
        return atom
    raise GraphError(f"{place} uses {atom!r}, which is neither a variable nor a constant")


def _fresh_names(taken: set[str]) -> Iterator[str]:
    return (name for name in map("%{}".format, count()) if name not in taken)


def _atom_text(atom: Expr) -> str:
    return text_over(atom, [])
