"""Laws that are rows, applied to values: matched, their conditions discharged, their result made.

Conditions are about whole numbers as they are, not as they wrap: elements are within the range of
their dtype, and what is computed is shown to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from gsl.attr.evaluate import conjunction
from gsl.attr.term import Symbol, Term, bottom_up
from gsl.kernel.expression import Apply, Expression, Number, Read
from gsl.operators.ranges import in_range
from gslverify.prove.indices.facts import Facts
from gslverify.prove.laws.division import DIVISION
from gslverify.prove.laws.elementary import ELEMENTARY
from gslverify.prove.laws.law import Bound, Law, matches
from gslverify.prove.values.unknowns import WHOLE, Arithmetic, Unknowns
from gslverify.prove.values.values import CAST, HELD, READ, Factor, Family, Value, constant

LAWS = (*DIVISION, *ELEMENTARY)

ROWS: Mapping[str, tuple[Law, ...]] = {
    head: tuple(law for law in LAWS if law.left.function == head)
    for head in dict.fromkeys(law.left.function for law in LAWS)
}
"""All rows by the function on the left."""


STORED = (READ, CAST, HELD)
"""What is an element of a dtype: it was read, converted, or is what the dtype holds."""
LESS = (">>", "%", "&", "|", "^", "sign")
"""Functions that are within the range of a dtype where what they are made of is."""


class Functions(Arithmetic, Protocol):
    """What makes the results of laws."""

    facts: Facts

    def made(self, name: str, arguments: Sequence[Value], dtype: Any) -> Value:
        """Return a function of numbers of a dtype."""


class Rows:
    """Applies the rows to the values of one scenario."""

    def __init__(self, laws: Functions) -> None:
        self.laws = laws

    def applied(self, name: str, arguments: Sequence[Value], dtype: Any) -> Value | None:
        """Return what the first row says that a function of values is; None where none does."""
        for law in ROWS.get(name, ()):
            for bound in matches(law, tuple(arguments)):
                if self._holds(law, bound, dtype):
                    return self._value(law.right, bound, dtype)
        return None

    def fits(self, values: Iterable[Value], dtype: Any, own: Any = None) -> bool:
        """Tell whether whole numbers are shown to be within the range of a dtype.

        They are computed from elements of that dtype, or of their `own`.
        """
        of = dtype if own is None else own
        return self.follow(of, lambda term: [in_range(term(v), dtype) for v in values])

    def _holds(self, law: Law, bound: Bound, dtype: Any) -> bool:
        if law.fits and dtype is None:
            return False

        def conditions(term: Any) -> list[Any]:
            terms = {name: term(value) for name, value in bound.items()}
            found = [_term(one, terms) for one in law.where]
            return [*found, *(in_range(_term(one, terms), dtype) for one in law.fits)]

        return self.follow(dtype, conditions)

    def follow(self, dtype: Any, conditions: Any, facts: Facts | None = None) -> bool:
        """Tell whether conditions on the terms of values follow from what elements can be.

        `conditions` are made with the function that writes values as terms.
        """
        laws = self.laws
        unknowns = Unknowns(laws, lambda one, other: one.key == other.key)
        wanted = conditions(unknowns.term)
        if not wanted:
            return True
        known = [*unknowns.known_ranges(), *self._extents(wanted)]
        if dtype is not None:
            stored = (symbol for factor, symbol in unknowns.known if self._is_stored(factor))
            known += [in_range(symbol, dtype) for symbol in stored]
        return (facts or laws.facts).assuming(*known).entails(conjunction(*wanted))

    def _is_stored(self, factor: Factor) -> bool:
        """Tell whether a factor is what a dtype holds, and not a whole number that may wrap."""
        if factor.head in LESS:
            return all(map(self.laws.is_exact, factor.arguments))
        return factor.head in STORED or (
            factor.head not in WHOLE and self.laws.is_exact(Value((Family(1, ((factor, 1),)),)))
        )

    def _extents(self, terms: Iterable[Any]) -> list[Any]:
        """Return that indices are less than their extents."""
        forms = self.laws.facts.forms
        parts = (part for term in terms if isinstance(term, Term) for part in bottom_up(term))
        found = []
        for symbol in {part for part in parts if isinstance(part, Symbol)}:
            atom = forms.atom_of(forms.poly(symbol))
            extent = None if atom is None else forms.ranges.extents.get(atom)
            if extent is not None:
                found.append(symbol < forms.term(extent))
        return sorted(found, key=repr)

    def _value(self, expression: Expression, bound: Bound, dtype: Any) -> Value:
        match expression:
            case Read(tensor=name):
                return bound[name]
            case Number(value=number):
                return constant(number)
            case Apply(function=function, arguments=arguments):
                values = [self._value(argument, bound, dtype) for argument in arguments]
                return self.laws.made(function, values, dtype)
        raise TypeError(f"a law is no {type(expression).__name__}")


def _term(expression: Expression, terms: Mapping[str, Any]) -> Any:
    """Return an expression as a term over those of its unknowns."""
    match expression:
        case Read(tensor=name):
            return terms[name]
        case Number(value=number):
            return number
        case Apply(function=function, arguments=arguments):
            found = [_term(argument, terms) for argument in arguments]
            return _COMPUTED[function](*found)
    raise TypeError(f"a law is no {type(expression).__name__}")


_COMPUTED: Mapping[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "neg": lambda a: -a,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
