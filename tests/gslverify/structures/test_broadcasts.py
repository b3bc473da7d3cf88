"""Fewer axes are only left out where more axes of size 1 say the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat
from gsl.attr.term import Symbol
from gsl.operators import REGISTRY
from gsl.types import TensorType
from gslverify.structures.variants import enumerate_variants


def ranks(subst: Subst) -> set[tuple[int, ...]]:
    """Return the ranks of the inputs in every structure."""
    found = enumerate_variants(subst)
    assert found.complete
    every = [variant.instance(subst) for variant in found.variants]
    return {tuple(one.bindings.nodes[key].expr.type.ndim for key in one.inputs) for one in every}


def chain(count: int) -> Subst:
    inputs = [pat.Wildcard() for _ in range(count)]
    forwards, backwards = inputs[0], inputs[-1]
    for one in inputs[1:]:
        forwards = forwards + one
    for one in inputs[-2::-1]:
        backwards = backwards + one
    return Subst(forwards, backwards)


def test_a_sum_of_twelve_is_examined_with_all_ranks_alike() -> None:
    assert ranks(chain(12)) == {(rank,) * 12 for rank in range(5)}


def test_what_is_an_output_keeps_its_ranks() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    assert ranks(Subst(x + y, x)) >= {(a, b) for a in range(5) for b in range(5) if a <= b}


def reduced() -> Subst:
    """The sum is reduced before it meets z, so only x and y have the same rank."""
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    total = op.Sum(x + y, axis=(0,), keepdims=False)
    return Subst(total + z, z + op.Sum(y + x, axis=(0,), keepdims=False))


def test_the_operand_of_a_reduction_is_not_widened_by_what_comes_after_it() -> None:
    found = ranks(reduced())
    assert {(a, b) for a, b, _ in found} == {(r, r) for r in range(1, 5)}
    assert {(a, c) for a, _, c in found} >= {(2, 1), (2, 4), (4, 3)}


def only_in_the_target() -> Subst:
    """(x + y) + z => (x * y) + z would hide a rank that only the target reads."""
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst((x + y) + z, op.Sum(x + y, axis=(), keepdims=True) + z)


def read_by_a_condition() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x + y, y + x, where=[x.ndim < 2])


def read_by_the_target() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x + y, pat.Cond(x.ndim == 1, x + y, y + x))


def read_by_an_attribute() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    total = x + y
    return Subst(total, op.Reshape(y + x, shape=attr.Variadic(lambda i: x.shape[i], length=x.ndim)))


@pytest.mark.parametrize("write", [read_by_a_condition, read_by_the_target, read_by_an_attribute])
def test_what_is_read_keeps_its_ranks(write: Callable[[], Subst]) -> None:
    assert (1, 3) in ranks(write())


def test_what_only_the_target_reduces_keeps_its_ranks() -> None:
    assert (1, 1, 3) in ranks(only_in_the_target())


def test_equal_ranks_grow_together() -> None:
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    subst = Subst((x + y) + z, z + (y + x), where=[x.ndim == y.ndim])
    assert ranks(subst) == {(r, r, r) for r in range(5)}


def test_what_is_only_passed_on_has_one_rank() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    pair = pat.Tuple(x, y)
    assert ranks(Subst([pair[0], pair[1]], [x, y])) == {(1, 1)}


def joined() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Stack((x, y))
    return Subst(whole, op.Stack((x, y), axis=whole.axis))


def projected() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    pair = pat.Tuple(x, y)
    return Subst([op.Relu(pair[0]), pair[1]], [op.Relu(x), y])


def chosen_by_rank() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    pair = pat.Tuple(x, y)
    first = pair[0]
    return Subst([first, pair[1]], [x, y], where=[first.ndim != 9])


@pytest.mark.parametrize("write", [joined, projected, chosen_by_rank])
def test_fields_that_something_is_computed_of_have_all_ranks(write: Callable[[], Subst]) -> None:
    assert {first for first, _ in ranks(write())} == set(range(5))


@pytest.mark.parametrize("name", [n for n, o in REGISTRY.items() if "elementwise" in o.traits])
def test_operators_that_work_by_element_take_axes_of_size_one_in_front(name: str) -> None:
    operator = REGISTRY[name]
    shape = (Symbol("a", low=1), Symbol("b", low=1))
    attributes = operator.normalise({n: _value(a) for n, a in operator.attributes.items()}, ())
    dtype = operator.dtypes[0] if operator.dtypes else "float32"
    dtypes = ["bool" if name == "Where" and not n else dtype for n in range(len(operator.operands))]
    for number in range(len(dtypes) if len(dtypes) > 1 else 0):
        for size in ((), (1,)):
            types = [TensorType(shape, one) for one in dtypes]
            types[number] = types[number].with_shape((*size, *shape[1:]))
            assert operator.infer(tuple(types), attributes).ndim == 2


def _value(attribute: object) -> object:
    domain = attribute.domain  # type: ignore[attr-defined]

    def fresh(*_: object, sort: str = "int", **__: object) -> object:
        return {"int": 1, "real": 1.0, "text": "float32"}[sort]

    return next(iter(domain.instances((TensorType((1, 1), "float32"),), fresh)))
