"""Wrong rules that only exact values of inexact functions refute: zeros, poles, ties.

Sound rules beside them show that nothing else is taken for exact.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

X, Y = pat.Wildcard(), pat.Wildcard()
SINGLE = [X.dtype == "float32"]
MATRIX = [*SINGLE, X.ndim == 2]

Write = Callable[[], Subst]


def there_and_back(norm: pat.Pattern, where: list[attr.Term] = SINGLE) -> Subst:
    """relu(x) => relu(x) / n * n, wrong where n is 0."""
    return Subst(op.Relu(X), op.Relu(X) / norm * norm, where=where)


def root_of_zero() -> Subst:
    return there_and_back(op.Sqrt(X * X))


def norm_of_zeros() -> Subst:
    return there_and_back(op.Sqrt(op.Sum(op.Square(X), axis=(0,), keepdims=True)), MATRIX)


def deviation_of_constants() -> Subst:
    """The epsilon is forgotten."""
    centred = X - op.Mean(X, axis=(0,), keepdims=True)
    spread = op.Sqrt(op.Mean(op.Square(centred), axis=(0,), keepdims=True))
    return Subst(op.Relu(centred), op.Relu(centred) / spread * spread, where=MATRIX)


def tangent_of_zero() -> Subst:
    return there_and_back(op.Tanh(X))


def exponential_of_zero() -> Subst:
    return there_and_back(op.Exp(X) - 1.0)


def positive_tangent() -> Subst:
    return Subst(op.Greater(op.Tanh(X), 0.0), op.GreaterEqual(X, 0.0), where=SINGLE)


def above_one() -> Subst:
    return Subst(op.Greater(op.Exp(X), 1.0), op.GreaterEqual(X, 0.0), where=SINGLE)


def next_whole_number() -> Subst:
    root = op.Sqrt(X * X)
    return Subst(op.Ceil(root), op.Floor(root) + 1.0, where=SINGLE)


def ties_of_exponentials() -> Subst:
    return Subst(op.GreaterEqual(op.Exp(X), op.Exp(Y)), op.Greater(X, Y), where=SINGLE)


def ties_of_products() -> Subst:
    return Subst(op.Greater(X * 0.1, Y * 0.1), op.GreaterEqual(X, Y), where=SINGLE)


def ties_of_functions_of_products() -> Subst:
    one, other = op.Tanh(X * 0.1), op.Tanh(Y * 0.1)
    return Subst(op.Less(one, other), op.LessEqual(X, Y), where=SINGLE)


def last_of_equal_products() -> Subst:
    """The place of the last of the largest, counted from the end as if it were the first."""
    scaled = X * 0.1
    last = pat.Const(X.shape[0] - 1, dtype="int64")
    turned = op.Argmax(op.Flip(scaled, axis=0), axis=0, keepdims=False)
    return Subst(turned, last - op.Argmax(scaled, axis=0, keepdims=False), where=MATRIX)


WRONG = (
    root_of_zero, norm_of_zeros, deviation_of_constants, tangent_of_zero, exponential_of_zero,
    positive_tangent, above_one, next_whole_number, ties_of_exponentials, ties_of_products,
    ties_of_functions_of_products, last_of_equal_products,
)  # fmt: skip


def positive_tangent_of_positive() -> Subst:
    return Subst(op.Greater(op.Tanh(X), 0.0), op.Greater(X, 0.0), where=SINGLE)


def order_of_exponentials() -> Subst:
    return Subst(op.GreaterEqual(op.Exp(X), op.Exp(Y)), op.GreaterEqual(X, Y), where=SINGLE)


def place_of_the_largest_product() -> Subst:
    scaled, plain = (op.Argmax(one, axis=0, keepdims=False) for one in (X * 0.1, X))
    return Subst(scaled, plain, where=MATRIX)


def sign_of_tangent() -> Subst:
    return Subst(op.Sign(op.Tanh(X)), op.Sign(X), where=SINGLE)


def numbers_of_one_hot() -> Subst:
    """Both numbers have more digits than the dtype."""
    small, large = ({"depth": 3, "axis": -1, "dtype": "float32"} for _ in range(2))
    source = op.OneHot(X, on_value=0.1, off_value=0.3, **small)
    return Subst(source, op.OneHot(X, on_value=1.0, off_value=3.0, **large) * 0.1)


def root_of_a_constant() -> Subst:
    """What one rewrite has made may be a constant of the next, which was rounded by then."""
    factor = pat.Const(shape=())
    root = pat.Const(attr.Sqrt(factor.value), dtype=X.dtype)
    return Subst(op.Sqrt(X * factor), op.Sqrt(X) * root, where=[*SINGLE, factor.value > 0])


SOUND = (
    positive_tangent_of_positive, order_of_exponentials, place_of_the_largest_product,
    sign_of_tangent, numbers_of_one_hot, root_of_a_constant,
)  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG)
def test_mistakes_at_exact_values_are_found(write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize("write", SOUND)
def test_sound_rules_beside_them_pass(write: Write) -> None:
    assert ask(NUMERIC, write).findings == ()
