"""Which values are what their dtype holds of them, and which are integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from gsl.dtypes import DTYPES
from gsl.types import ANY_FLOAT, ANY_INTEGER
from gslverify.prove.indices.facts import Facts
from gslverify.prove.values.algebra import Algebra
from gslverify.prove.values.selecting import selection
from gslverify.prove.values.signs import where_bits
from gslverify.prove.values.values import NUMBER, Factor, Family, Value

MOST_BITS = 6

WIDER: Mapping[str, tuple[str, ...]] = {
    name: tuple(other for other, one in DTYPES.items() if name != other and one.holds_all_of(dtype))
    for name, dtype in DTYPES.items()
}
"""For a dtype those that hold all its values, integers in floats included."""

WIDER_FLOATS = {dtype: wider for dtype, wider in WIDER.items() if dtype in ANY_FLOAT}
"""The same where sums count as real numbers, which do not wrap."""


class Exactness:
    """Tells of the values of one scenario whether they may have wrapped."""

    def __init__(
        self, facts: Facts, algebra: Algebra, is_field: bool, dtypes: Mapping[str, Any]
    ) -> None:
        self.facts = facts
        self.algebra = algebra
        self.is_field = is_field
        self.dtypes = dtypes

    def is_exact(self, value: Value) -> bool:
        """Tell whether a value is one element or constant, or an extremum or a choice of such."""
        rows = list(where_bits(value))
        if len(rows) > 1:
            return all(map(self.is_exact, rows))
        if value.constant is not None or self.is_bit(value):
            return True
        if len(value.families) != 1:
            return False
        only = value.families[0]
        if selection(value, self.algebra) is not None:
            return self._is_chosen(only)
        if only.number != 1 or not only.region.is_point or len(only.powers) != 1:
            return False
        factor, power = only.powers[0]
        if factor.items:
            return factor.head != "product" and all(self.is_exact(i.value) for i in factor.items)
        if factor.head in ("//", ">>") and not self.is_field:
            return power == 1 and all(map(self.is_exact, factor.arguments))
        return power == 1 and factor.head in ("read", NUMBER)

    def _is_chosen(self, family: Family) -> bool:
        """Tell whether at most one term counts, which is an element."""
        others = [(factor, power) for factor, power in family.powers if not factor.is_bit]
        return len(others) <= 1 and all(f.head == "read" and power == 1 for f, power in others)

    def is_bit(self, value: Value) -> bool:
        """Tell whether a value is made of few truth values and always is one, too."""
        bits = {f.key: f for family in value.families for f, _ in family.powers}
        if len(bits) > MOST_BITS or not all(factor.is_bit for factor in bits.values()):
            return False
        if not all(family.region.is_point for family in value.families):
            return False
        return all(
            _sum_where(value, dict(zip(bits, row, strict=True))) in (0, 1)
            for row in product((0, 1), repeat=len(bits))
        )

    def are_integers(self, values: Sequence[Value], dtype: Any) -> bool:
        """Tell whether values are integers, be it that their dtype is one of integers."""
        if dtype is not None and self.facts.is_one_of(dtype, ANY_INTEGER):
            return True
        return all(map(self.is_integer, values))

    def is_integer(self, value: Value) -> bool:
        """Tell whether everything that a value is made of is an integer."""
        factors = [pair for family in value.families for pair in family.powers]
        return all(power > 0 and self._is_integer_factor(factor) for factor, power in factors)

    def _is_integer_factor(self, factor: Factor) -> bool:
        if factor.head == NUMBER:
            return bool(self.facts.forms.is_integer(factor.places[0]))
        if factor.head == "read":
            return self.facts.is_one_of(self.dtypes.get(factor.name), ANY_INTEGER)
        return factor.is_bit


def _sum_where(value: Value, bits: Mapping[Any, int]) -> Any:
    return sum(
        family.number * prod(bits[factor.key] for factor, _ in family.powers)
        for family in value.families
    )
