"""References of others that raise for some inputs cost these inputs, and not the rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Subst, op, pat
from gsl.errors import GraphError
from gsl.evaluate import evaluate
from gsl.expr import Call, Expr, Var
from gsl.operators.declaration import Need, Operator, Tensor, operator
from gsl.types import FLOATING, TensorType
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.stages.asking import question


@operator(dtypes=FLOATING)
def ReluOfNumbers(need: Need, data: Tensor) -> TensorType:
    """relu, which NaN has none of."""
    return data


@ReluOfNumbers.numpy
def relu_of_numbers(data: Any) -> Any:
    if np.isnan(data).any():
        raise ValueError("NaN has no relu")
    return np.maximum(data, 0)


@operator(dtypes=FLOATING)
def ReluOfSmall(need: Need, data: Tensor) -> TensorType:
    """relu of numbers up to 3."""
    return data


@ReluOfSmall.numpy
def relu_of_small(data: Any) -> Any:
    if (data > 3).any():
        raise ArithmeticError("too large")
    return np.maximum(data, 0)


@operator(dtypes=FLOATING, traits={"elementwise"})
def ReluOfMatrix(need: Need, data: Tensor) -> TensorType:
    """relu of matrices, whose reference counts axes."""
    need(len(data.shape) == 2, "a matrix is needed")
    return data


@ReluOfMatrix.numpy
def relu_of_matrix(data: Any) -> Any:
    _rows, _columns = data.shape
    return np.maximum(data, 0)


@pytest.mark.smt
@pytest.mark.parametrize("declared", [ReluOfNumbers, ReluOfSmall, ReluOfMatrix], ids=str)
def test_inputs_for_which_a_reference_raises_are_left_out(declared: Operator) -> None:
    def right() -> Subst:
        x = pat.Wildcard()
        return Subst(_call(declared, x), op.Relu(x), where=[x.ndim == 2])

    def wrong() -> Subst:
        x = pat.Wildcard()
        return Subst(_call(declared, x), op.Relu(x + 1.0), where=[x.ndim == 2])

    assert NUMERIC.run(question(right, use_tvm=False)).verdict is Verdict.PASS
    assert NUMERIC.run(question(wrong, use_tvm=False)).verdict is Verdict.FAIL


def _call(declared: Operator, x: Any) -> Any:
    return getattr(op, declared.name)(x)


def test_evaluating_says_what_a_reference_raises() -> None:
    x: Expr = Var("x", (2,))
    output = Call(ReluOfNumbers, [x], {})
    with pytest.raises(GraphError, match="ReluOfNumbers raises ValueError: NaN has no relu"):
        evaluate([output], {"x": np.array([np.nan, 1.0], np.float32)})
    (value,) = evaluate([output], {"x": np.array([-1.0, 1.0], np.float32)})
    assert value.tolist() == [0.0, 1.0]
