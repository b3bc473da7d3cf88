"""The text of a kernel, which the parser reads back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from gsl.attr.term import Constant, Operation, Symbol, Term
from gsl.kernel.domain import NoDomainError, Shapes, domains, free_variables
from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
)
from gsl.kernel.grammar import POWERS
from gsl.kernel.naming import name_symbols
from gsl.kernel.statement import Kernel, Statement
from gsl.kernel.terms import Extents, alike
from gsl.types import Int

TIGHT = 7
SIGN = 6
SIGNS = {"and": "&&", "or": "||"}


def print_kernel(kernel: Kernel) -> str:
    """Return the statements of a kernel, one a line; sums are left out where they are implied."""
    return "".join(f"{print_statement(kernel, one)}\n" for one in kernel.statements)


def print_statement(kernel: Kernel, statement: Statement) -> str:
    """Return one statement with its dimensions."""
    writer = Writer(name_symbols(kernel, statement), kernel.shapes)
    around = dict(statement.indices)
    left = writer.reference(statement.tensor, [symbol for symbol, _ in statement.indices])
    return f"{left} = {writer.sum_of_terms(statement.value, around, kernel.sizes)};"


@dataclass(frozen=True, slots=True)
class Writer:
    """What symbols are called, and which dimensions tensors have."""

    names: Mapping[Symbol, str]
    shapes: Shapes

    def reference(self, tensor: str, indices: Sequence[Int]) -> str:
        """Return an element with the dimensions of its tensor."""
        dims = ",".join(map(self.term, self.shapes[tensor]))
        return f"{tensor}<{dims}>[{', '.join(map(self.term, indices))}]"

    def term(self, term: Int, least: int = 0) -> str:
        """Return an index, size or condition, in parentheses if it binds less than `least`."""
        match term:
            case Symbol():
                return self.names[term]
            case Constant(value=value):
                return self.term(value, least)
            case Operation(head="neg", operands=(operand,)):
                return _wrapped(f"-{self.term(operand, SIGN)}", SIGN, least)
            case Operation(head="not", operands=(operand,)):
                return _wrapped(f"!{self.term(operand, SIGN)}", SIGN, least)
            case Operation(head=head, operands=(left, right)) if SIGNS.get(head, head) in POWERS:
                sign = SIGNS.get(head, head)
                power = POWERS[sign]
                text = f"{self.term(left, power)} {sign} {self.term(right, power + 1)}"
                return _wrapped(text, power, least)
            case Operation(head=head, operands=operands):
                return f"{head}({', '.join(map(self.term, operands))})"
            case Term():
                return f"({term!r})"
            case _:
                return _wrapped(repr(term), SIGN if term < 0 else TIGHT, least)

    def sum_of_terms(
        self, value: Expression, around: Extents, sizes: Sequence[Symbol], least: int = 0
    ) -> str:
        """Return a right side, in which sums over additive terms are implied."""
        match value:
            case Apply(function="+" | "-" as sign, arguments=(left, right)):
                power = POWERS[sign]
                first = self.sum_of_terms(left, around, sizes, power)
                second = self.sum_of_terms(right, around, sizes, power + 1)
                return _wrapped(f"{first} {sign} {second}", power, least)
            case Apply(function="neg", arguments=(operand,)):
                inner = self.sum_of_terms(operand, around, sizes, SIGN)
                return _wrapped(f"-{inner}", SIGN, least)
            case Reduction() if self._is_implied(value, around, sizes):
                return self.value(value.body, least)
            case _:
                return self.value(value, least)

    def _is_implied(self, value: Reduction, around: Extents, sizes: Sequence[Symbol]) -> bool:
        """Tell whether the parser finds these variables and extents for the body alone."""
        body = value.body
        if value.function != "sum" or (isinstance(body, Apply) and body.function in "+-neg"):
            return False
        summed = free_variables(body, {*around, *sizes})
        if len(summed) != len(value.variables):
            return False
        try:
            found = domains(body, summed, self.shapes, around)
        except NoDomainError:
            return False
        written = zip(value.variables, found.items(), strict=True)
        return all(a is b and alike(m, n) for (a, m), (b, n) in written)

    def value(self, expression: Expression, least: int = 0) -> str:
        """Return an expression with all its reductions written out."""
        whole: AnyExpression = expression  # type: ignore[assignment]
        match whole:
            case Number(value=value):
                return self.term(value, TIGHT if isinstance(value, Operation) else least)
            case Read(tensor=tensor, indices=indices):
                return self.reference(tensor, indices)
            case Apply():
                return self._apply(whole, least)
            case Select(condition=condition, then=then, otherwise=otherwise):
                sides = f"{self.value(then)}, {self.value(otherwise)}"
                return f"select({self.term(condition)}, {sides})"
            case Reduction(function=function, variables=variables, body=body):
                bound = ", ".join(f"{self.names[s]}:{self.term(n)}" for s, n in variables)
                return f"{function}<{bound}>({self.value(body)})"
            case _:
                assert_never(whole)

    def _apply(self, call: Apply, least: int) -> str:
        sign = SIGNS.get(call.function, call.function)
        if sign in POWERS:
            power = POWERS[sign]
            left, right = call.arguments
            text = f"{self.value(left, power)} {sign} {self.value(right, power + 1)}"
            return _wrapped(text, power, least)
        if sign in ("neg", "not"):
            operand = self.value(call.arguments[0], SIGN)
            return _wrapped(f"{'-' if sign == 'neg' else '!'}{operand}", SIGN, least)
        return f"{sign}({', '.join(map(self.value, call.arguments))})"


def _wrapped(text: str, power: int, least: int) -> str:
    return f"({text})" if power < least else text
