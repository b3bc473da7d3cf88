"""Steps about sums: indices that have one value only, and regions that are in bijection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gsl.attr.term import Symbol
from gsl.kernel.expression import Expression, Number, Reduction
from gslverify.certificates.expressions import of_powers, of_region, of_value
from gslverify.certificates.laws import Step
from gslverify.prove.equality import Equality
from gslverify.prove.failure import UnprovableError
from gslverify.prove.indices.facts import Facts
from gslverify.prove.normal import Normaliser
from gslverify.prove.values.flattening import Summed
from gslverify.prove.values.values import Factor, Family, Region, Value

Part = tuple[Expression, Step]
"""A step about sums, and a factor of both of its sides."""

NOWHERE = Region(((Symbol("none", low=0), 0),))
"""A region without indices."""


def substitution(
    head: str,
    own: Region,
    body: Expression,
    other: Region,
    there: Mapping[Symbol, Any],
    back: Mapping[Symbol, Any],
) -> Step:
    """Return the step from a region to another one, with indices in terms of each other."""
    ways = (
        tuple(way.get(symbol, symbol) for symbol, _ in region.extents)
        for way, region in ((there, other), (back, own))
    )
    regions = ((region.extents, region.guards) for region in (own, other))
    first, second = regions
    return Step("substitution", (head, first, body, second, *ways))


def simplified(whole: Reduction, normaliser: Normaliser) -> tuple[Expression, list[Part]] | None:
    """Return a sum without indices that can have one value only, and why it is that."""
    parts: list[Part] = []
    found: list[Expression] = []
    try:
        families = list(normaliser.families(whole))
    except UnprovableError:  # what has no normal form has no simpler one
        return None
    for guards, family in families:
        region = Region(
            (*whole.variables, *family.region.extents), (*guards, *family.region.guards)
        )
        body = of_powers(family.powers)
        simple = normaliser.regions.simplified(region)
        number = Number(family.number)
        if simple is None:
            parts.append(
                (number, substitution("sum", region, body, NOWHERE, {NOWHERE.extents[0][0]: 0}, {}))
            )
            continue
        other, back = simple
        if not back:
            found.append(_times(number, of_region("sum", region, body)))
            continue
        parts.append((number, substitution("sum", region, body, other, {}, back)))
        value = normaliser.algebra.replaced(Value((Family(1, family.powers),)), back)
        whole_sum = of_region("sum", other, of_value(value))
        found.append(_times(number, whole_sum))
    if not parts:
        return None
    total: Expression = Number(0)
    for one in found:
        total = total + one
    return total, parts


def _times(number: Number, value: Expression) -> Expression:
    return value if number.value == 1 else number * value


class Recorder(Equality):
    """Compares values, and notes which families cancel each other, and how."""

    def __init__(self, normaliser: Normaliser) -> None:
        super().__init__(normaliser)
        self.parts: list[tuple[Any, Region, Value, Region, Value, Any, Any]] = []
        self.places: list[tuple[Any, Any, tuple[Any, ...]]] = []
        self._last: Any = None

    def same_factor(self, one: Factor, other: Factor, facts: Facts) -> bool:
        """Note which indices are the same."""
        found = super().same_factor(one, other, facts)
        if found and one.key != other.key:
            pairs = zip(one.places, other.places, strict=False)
            self.places += ((*pair, facts.terms) for pair in pairs)
        return found

    def _alike(self, one: Family, other: Family, facts: Facts) -> bool:
        self._last = None
        found = super()._alike(one, other, facts)
        if found and self.depth == 1 and self._last is not None and not one.region.is_point:
            self.parts.append((one.number, *self._last))
        return found

    def _is_empty(self, family: Family, facts: Facts) -> bool:
        found = super()._is_empty(family, facts)
        if found and self.depth == 1:
            body = Value((Family(1, family.powers),))
            self.parts.append(
                (family.number, family.region, body, NOWHERE, body, {NOWHERE.extents[0][0]: 0}, {})
            )
        return found

    def _is_bijection(
        self,
        one: Summed,
        other: Summed,
        there: Mapping[Symbol, Any],
        back: Mapping[Symbol, Any],
        facts: Facts,
    ) -> bool:
        found = super()._is_bijection(one, other, there, back, facts)
        if found and self.depth == 1:
            # `there` says what the indices of the other region are
            self._last = (*one, *other, there, back)
        return found
