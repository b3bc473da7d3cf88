"""Models have numbers that constants of their dtypes can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Subst, pat
from gslverify.semantics.solver import Solver
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.symbols import is_constant
from gslverify.structures.variants import enumerate_variants

pytestmark = pytest.mark.smt


def samplers(subst: Subst) -> list[Sampler]:
    instances = [one.instance(subst) for one in enumerate_variants(subst).variants[:2]]
    solvers = [Solver([claim.term for claim in one.claims], 1_000_000) for one in instances]
    return [Sampler(*pair) for pair in zip(instances, solvers, strict=True)]


def scaled(dtype: str, low: float, high: float) -> Subst:
    x, c = pat.Wildcard("x"), pat.Const(shape=(), dtype=dtype)
    where = [c.value > low, c.value < high, x.dtype == dtype]
    return Subst(x * c, x, where=where)


def value(sampler: Sampler, wished: Any) -> Any:
    """Return the constant in a model near a wish for it."""
    model = sampler.model(lambda one, options: options[0] if options else wished)
    if model is None:
        return None
    (found,) = [model[one] for one in model if is_constant(one)]
    return found


@pytest.mark.parametrize("wished", [1.0, 2049.0, 2049.5, 2050.0, -7.0])
def test_a_number_in_a_narrow_interval_is_found(wished: float) -> None:
    for sampler in samplers(scaled("float16", 2048, 2051)):
        assert value(sampler, wished) == 2050.0


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [("float16", 65000, 70000), ("float32", 16777216, 16777219), ("float32", 0.0, 1e-44)],
)
def test_numbers_are_those_of_their_dtypes(dtype: str, low: float, high: float) -> None:
    for sampler in samplers(scaled(dtype, low, high)):
        found = value(sampler, 1.0)
        assert low < found < high
        assert float(np.array(found).astype(dtype)) == found


def test_where_a_dtype_has_no_number_there_is_no_model() -> None:
    for sampler in samplers(scaled("float16", 2050, 2051)):
        assert value(sampler, 2050.5) is None


def test_constants_that_are_equal_step_together() -> None:
    x = pat.Wildcard("x")
    c, d = pat.Const(shape=(), dtype="float16"), pat.Const(shape=(), dtype="float16")
    where = [c.value == d.value, c.value > 2048, c.value < 2051, x.dtype == "float16"]
    for sampler in samplers(Subst(x * c + d, x, where=where)):
        model = sampler.simple_model() or sampler.model(lambda one, options: (options or (1.0,))[0])
        assert model is not None
        assert {model[one] for one in model if is_constant(one)} == {2050.0}
