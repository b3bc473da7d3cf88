"""Preferences that violate conditions are mended one symbol at a time, and kept otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gsl.attr.evaluate import conjunction, contains, disjunction, equal
from gsl.attr.term import Symbol, Term, operation
from gslverify.semantics.solver import Solver
from gslverify.structures.models.repair import BOUND, Model, Repair
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.variants import enumerate_variants

A, B, C = (Symbol(name, "int", low=1) for name in "abc")
BEGIN, END = (Symbol(name, "int", low=0) for name in ("begin", "end"))
DTYPE, OTHER = Symbol("dtype", "text"), Symbol("other", "text")
FLAG, REAL = Symbol("flag", "bool"), Symbol("real", "real")

FLOATS, INTEGERS = ("float32", "float64"), ("int32", "int8")


def broadcast(one: Term, other: Term) -> Any:
    return disjunction(equal(one, other), equal(one, 1), equal(other, 1))


def same_kind(one: Term, other: Term) -> Any:
    kinds = (conjunction(contains(one, kind), contains(other, kind)) for kind in (FLOATS, INTEGERS))
    return disjunction(*kinds)


CASES: dict[str, tuple[list[Any], Model, int]] = {
    "sizes that broadcast": ([broadcast(A, B)], {A: 3, B: 4, C: 5}, 1),
    "three that broadcast": ([broadcast(A, B), broadcast(B, C)], {A: 3, B: 4, C: 5}, 2),
    "an end behind its begin": ([BEGIN <= END], {BEGIN: 3, END: 2}, 1),
    "a product": ([equal(A * B, C)], {A: 3, B: 4, C: 5}, 1),
    "a large sum": ([equal(A + B, C)], {A: 11, B: 9, C: 5}, 1),
    "dtypes of a kind": ([same_kind(DTYPE, OTHER)], {DTYPE: "float32", OTHER: "int8"}, 1),
    "a flag": ([FLAG], {FLAG: False, A: 2}, 1),
    "a number between": ([REAL >= 0.5], {REAL: 0.25}, 1),
    "nothing": ([A >= 1], {A: 3}, 0),
}
"""Conditions, preferences, and how many preferences have to be dropped."""


def repaired(
    conditions: Sequence[Any],
    preferences: Model,
    demands: Sequence[Any] = (),
    definitions: Mapping[Symbol, Term] | None = None,
    options: Mapping[Symbol, tuple[Any, ...]] | None = None,
) -> Model | None:
    repair = Repair(conditions, definitions or {}, options or {})
    return repair.near(preferences, lambda model: dict(model), demands)


@pytest.mark.parametrize("name", CASES)
def test_as_many_preferences_are_dropped_as_have_to_be(name: str) -> None:
    conditions, preferences, dropped = CASES[name]
    found = repaired(conditions, preferences)

    assert found is not None
    assert sum(found[symbol] != preferred for symbol, preferred in preferences.items()) == dropped
    assert repaired(conditions, found) == found


def test_demands_are_met_like_conditions() -> None:
    found = repaired([broadcast(A, B)], {A: 3, B: 3}, [equal(A, 7)])

    assert found is not None
    assert found[A] == 7
    assert found[B] in (1, 7)


@pytest.mark.parametrize(
    "conditions", [[A < B, B < A], [equal(A, 1000 * B + 1)], [operation("==", A / B, "x")]]
)
def test_what_is_not_met_is_not_claimed(conditions: list[Any]) -> None:
    assert repaired(conditions, {A: 3, B: 4}) is None


def test_values_come_from_the_options() -> None:
    found = repaired([A >= 3], {A: 1}, options={A: (1, 2, 4)})

    assert found == {A: 4}


def test_numbers_that_grew_too_large_are_not_tried() -> None:
    assert repaired([A >= BOUND + 1], {A: 3}) is None
    assert repaired([A >= BOUND], {A: 3}) == {A: BOUND}


def test_numbers_become_as_large_as_they_may() -> None:
    far = equal(A + B, 600)
    assert repaired([], {A: 3, B: 4}, [far]) is None
    repair = Repair([], {}, {})
    assert repair.near({A: 3, B: 4}, dict, [equal(A, 600)], 4096) == {A: 600, B: 4}
    assert repair.near({A: 3, B: 4}, dict, [equal(A, 600)], 320) is None


def test_definitions_that_fail_are_not_mended() -> None:
    assert Repair([A >= 1], {}, {}).near({A: 3}, lambda model: None) is None


def test_conditions_depend_on_what_symbols_are_defined_by() -> None:
    def complete(model: Model) -> Model:
        return {**model, C: model[A] + model[B]}

    repair = Repair([equal(C, 9)], {C: A + B}, {})
    found = repair.near({A: 3, B: 4}, complete)

    assert found is not None
    assert found[A] + found[B] == found[C] == 9


def samplers_of(subst: Subst) -> list[Sampler]:
    found = [variant.instance(subst) for variant in enumerate_variants(subst).variants]
    return [Sampler(one, Solver([c.term for c in one.claims], 1_000_000)) for one in found]


def slices() -> Subst:
    x = pat.Wildcard()
    part = op.StridedSlice(x, strides=(1,))
    return Subst(op.Relu(part), part, where=[x.ndim == 1, part.end[0] <= x.shape[0]])


def sums() -> Subst:
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(x + (y + z), (x + y) + z, where=[x.ndim == 2, attr.In(y.ndim, (1, 2))])


@pytest.mark.smt
@pytest.mark.parametrize("write", [slices, sums])
def test_models_of_instances_need_no_solver(write: Any) -> None:
    def preference(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        if options:
            return options[0]
        return {"int": 2 + len(symbol.name) % 3, "text": "float32", "bool": False}[symbol.sort]

    for sampler in samplers_of(write()):
        sampler.solver.near = None  # type: ignore[method-assign, assignment]
        model = sampler.model(preference, may_be_empty=False)
        assert model is not None
        assert sampler.satisfies(model)
