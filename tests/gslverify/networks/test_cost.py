"""What operators compute is read off their kernels, and bounds what is drawn."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from gsl import Subst, Tuple, Var, op, pat
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.operators import REGISTRY, lookup
from gslverify.networks.choices import NothingDrawnError, Tape
from gslverify.networks.cost import cost_of, costs_at_most
from gslverify.networks.generation import MOST_COST, most_cost, network_from
from tests.gslverify.rules import samplers_of

Shape = tuple[int, ...]

COUNTED: list[tuple[str, list[Shape], dict[str, Any], int]] = [
    ("Relu", [(3, 4)], {}, 12),
    ("Transpose", [(3, 4)], {"axes": (1, 0)}, 12),
    ("Matmul", [(2, 3, 4), (4, 5)], {}, 2 * 3 * 4 * 5),
    ("Dense", [(3, 4), (5, 4)], {}, 3 * 4 * 5),
    ("Conv2D", [(2, 4, 9, 9), (6, 4, 3, 3)], {}, 2 * 6 * 7 * 7 * 4 * 9),
    ("Conv2D", [(2, 4, 9, 9), (6, 2, 3, 3)], {"groups": 2}, 2 * 6 * 7 * 7 * 2 * 9),
    ("Conv1DTranspose", [(2, 4, 9), (4, 3, 5)], {}, 2 * 3 * 13 * 4 * 5),
    ("MaxPool1D", [(1, 3, 20)], {"pool_size": (5,)}, 3 * 16 * 5),
    ("AvgPool2D", [(1, 3, 20, 20)], {"pool_size": (5, 7)}, 3 * 16 * 14 * 5 * 7),
    ("Sum", [(3, 4, 5)], {"axis": (0, 2)}, 3 * 4 * 5),
    ("Variance", [(3, 4)], {"axis": (1,)}, 3 * 4),
    ("Softmax", [(40, 50)], {}, 40 * 50),
    ("Argmax", [(40, 50)], {"axis": 0}, 40 * 50),
    ("Cumsum", [(4500,)], {"axis": 0}, 4500),
    ("Split", [(6, 4)], {"indices_or_sections": 2, "axis": 0}, 24),
    ("Matmul", [(0, 4), (4, 5)], {}, 0),
]
"""Operators, the shapes of their operands, attributes, and how many values they compute."""


def called(name: str, shapes: list[Shape], attributes: dict[str, Any]) -> Call:
    operands = [Var(f"x{number}", shape) for number, shape in enumerate(shapes)]
    return Call(lookup(name), operands, attributes)


@pytest.mark.parametrize(("name", "shapes", "attributes", "expected"), COUNTED)
def test_values_are_counted_once(
    name: str, shapes: list[Shape], attributes: dict[str, Any], expected: int
) -> None:
    assert cost_of(called(name, shapes, attributes)) == expected


@pytest.mark.parametrize(("name", "shapes", "attributes", "expected"), COUNTED)
def test_a_limit_holds_from_the_work_on(
    name: str, shapes: list[Shape], attributes: dict[str, Any], expected: int
) -> None:
    call = called(name, shapes, attributes)

    assert costs_at_most(call, expected)
    assert costs_at_most(call, 10**12)
    assert not expected or not costs_at_most(call, expected - 1)


def test_tuples_are_taken_apart() -> None:
    joined = Call(lookup("Concatenate"), [Tuple([Var("x", (3, 4)), Var("y", (5, 4))])], {"axis": 0})

    assert cost_of(joined) == 32


def test_every_operator_says_what_it_computes() -> None:
    """What has no kernel would be taken for cheap."""
    of_package = [o for o in REGISTRY.values() if o.rule.__module__.startswith("gsl.operators.")]
    assert [one.name for one in of_package if one.meaning is None] == []


def pooled(rows: int) -> Subst:
    """Windows half as high as the images, of which the height is given."""
    x = pat.Variable(shape=(None, None, rows, None))
    pool = op.AvgPool2D(x, strides=(1, 1), dilation=(1, 1), layout="NCHW", ceil_mode=False)
    where = [pool.pool_size[0] == rows // 2, pool.padding[0] == 0, pool.padding[2] == 0]
    return Subst(op.Relu(op.Relu(pool)), op.Relu(pool), where=where)


def weighted(rows: int) -> Subst:
    dense = op.Dense(pat.Wildcard(), pat.Variable(shape=(rows, 512)))
    return Subst(op.Relu(op.Relu(dense)), op.Relu(dense))


def calls_of(outputs: tuple[Expr, ...]) -> list[Call]:
    return [expr for expr in reverse_post_order(outputs) if isinstance(expr, Call)]


@pytest.mark.smt
@pytest.mark.parametrize(
    ("subst", "refusal"), [(pooled(800), "AvgPool2D"), (weighted(1000), "Dense")]
)
def test_what_takes_too_long_is_not_drawn(subst: Subst, refusal: str) -> None:
    samplers = samplers_of(subst)
    refused: Counter[str] = Counter()
    drawn = 0
    for start in range(120):
        try:
            network = network_from(Tape(random=Random(start)), samplers, ("alone",))
        except NothingDrawnError as error:
            refused[str(error)] += 1
        else:
            drawn += 1
            limit = most_cost(network.sampler)
            assert all(cost_of(call) <= limit for call in calls_of(network.outputs))
    assert drawn
    assert any(reason.startswith(f"{refusal} computes more than") for reason in refused)


@pytest.mark.smt
def test_a_structure_may_work_as_much_as_it_has_to() -> None:
    (usual, *_), (heavy, *_) = samplers_of(weighted(10)), samplers_of(weighted(4000))
    sizes = heavy.simple_model()

    assert sizes is not None
    assert most_cost(usual) == MOST_COST
    assert most_cost(heavy) >= 2 * 4000 * 512
