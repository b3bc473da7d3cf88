"""What is refused before attributes or further fields are known is refused with all of them."""

from __future__ import annotations

from itertools import islice, product
from typing import Any

import pytest

from gsl.attr.term import Symbol
from gsl.errors import GslError, OperatorError
from gsl.operators import REGISTRY, Operator
from gsl.operators.declaration import Need
from gsl.types import TensorType, TupleType
from gslverify.structures.sources.early_refusal import refuse_anyway

RANKS = range(5)
MOST_CALLS = 400


def tensor(name: str, rank: int) -> TensorType:
    return TensorType(tuple(Symbol(f"{name}[{i}]", low=1) for i in range(rank)), "float32")


def operands(operator: Operator, most: int = 2) -> Any:
    """Yield types of operands of all ranks; tuples have up to `most` fields."""
    for ranks in product(RANKS, repeat=len(operator.operands)):
        types: list[Any] = []
        for number, (one, rank) in enumerate(zip(operator.operands, ranks, strict=True)):
            fields = tuple(tensor(f"x{number}.{i}", rank) for i in range(most))
            types.append(TupleType(fields) if one.is_tuple else fields[0])
        yield tuple(types)


def is_accepted(operator: Operator, types: Any, attributes: Any) -> bool:
    try:
        operator.infer(types, attributes, Need())
    except GslError:
        return False
    return True


def choices(operator: Operator, types: Any) -> Any:
    def fresh(suffix: str, low: Any = None, high: Any = None, sort: str = "int") -> Symbol:
        return Symbol(suffix, sort, low, high)

    options = [
        [*islice(one.domain.instances(types, fresh), 40)] for one in operator.attributes.values()
    ]
    for chosen in islice(product(*options), MOST_CALLS):
        yield dict(zip(operator.attributes, chosen, strict=True))


def is_refused(operator: Operator, types: Any, known: Any) -> bool:
    try:
        refuse_anyway(operator, types, known)
    except OperatorError:
        return True
    return False


WITH_ATTRIBUTES = [name for name, operator in REGISTRY.items() if operator.attributes]


@pytest.mark.parametrize("name", WITH_ATTRIBUTES)
def test_operands_refused_at_once_are_refused_with_all_attributes(name: str) -> None:
    operator = REGISTRY[name]
    for types in operands(operator):
        if is_refused(operator, types, {}):
            assert not any(is_accepted(operator, types, a) for a in choices(operator, types))


@pytest.mark.parametrize("name", WITH_ATTRIBUTES)
def test_attributes_refused_at_once_are_refused_with_all_others(name: str) -> None:
    operator = REGISTRY[name]
    for types in operands(operator):
        for attributes in choices(operator, types):
            if is_accepted(operator, types, attributes):
                for count in range(len(attributes)):
                    known = dict(islice(attributes.items(), count))
                    assert not is_refused(operator, types, known)


def test_most_operators_refuse_ranks_without_attributes() -> None:
    refused = {
        name: sum(is_refused(REGISTRY[name], types, {}) for types in operands(REGISTRY[name]))
        for name in ("LayerNorm", "InstanceNorm", "BatchNorm", "GroupNorm", "Dense")
    }
    assert all(refused.values()), refused


@pytest.mark.parametrize(
    "name", [n for n, o in REGISTRY.items() if o.operands and o.operands[0].is_tuple]
)
def test_first_fields_that_are_refused_are_refused_with_others_after_them(name: str) -> None:
    operator = REGISTRY[name]
    for ranks in product(RANKS, repeat=3):
        fields = tuple(tensor(f"x{i}", rank) for i, rank in enumerate(ranks))
        whole = (TupleType(fields),)
        if any(is_accepted(operator, whole, a) for a in choices(operator, whole)):
            for count in (1, 2, 3):
                assert not is_refused(operator, (TupleType(fields[:count]),), {})
