"""Graphs as flat records, and back."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings

from gsl import Call, Const, Expr, Proj, Tuple, Var, Workload
from gsl.errors import GraphError, OperatorError
from gsl.records import decode, encode
from tests.random_workloads import call, description, workloads

X = Var("x", (2, 3))


def test_operands_come_first_and_are_positions() -> None:
    pieces = call("Split", X, indices_or_sections=3, axis=1)
    last = Proj(pieces, 2)

    records, outputs = encode([last, X, Tuple([last, last])])

    assert records == [
        ("var", (), "x", (2, 3), "float32"),
        ("call", (0,), "Split", {"indices_or_sections": 3, "axis": 1}),
        ("proj", (1,), 2),
        ("tuple", (2, 2)),
    ]
    assert outputs == [2, 0, 3]


def test_constants_keep_their_array() -> None:
    constant = Const([1.0, 2.0], "float16")

    ((kind, operands, value),), _ = encode([constant])

    assert (kind, operands) == ("const", ())
    assert value is constant.value
    (decoded,) = decode([("const", (), value)])
    assert decoded.dtype == "float16"


def test_what_is_shared_stays_shared() -> None:
    shared = call("Exp", X)

    records, (position,) = encode([call("Add", shared, shared)])
    total = decode(records)[position]

    assert isinstance(total, Call)
    assert total.operands[0] is total.operands[1]


@settings(max_examples=100, deadline=None)
@given(workloads())
def test_decoding_restores_the_structure(workload: Workload) -> None:
    records, positions = pickle.loads(pickle.dumps(encode(workload.outputs)))
    exprs = decode(records)

    restored = Workload([exprs[position] for position in positions])

    assert description(restored) == description(Workload(workload.outputs))


def test_depth_is_no_limit() -> None:
    chain: Expr = X
    for _ in range(20_000):
        chain = call("Exp", chain)

    records, (position,) = encode([chain])

    assert position == 20_000
    assert encode([decode(records)[position]]) == (records, [position])


def test_what_is_not_an_expression_is_refused() -> None:
    with pytest.raises(GraphError, match="not a computation expression"):
        encode([Expr((), X.type)])
    with pytest.raises(GraphError, match="not a record of an expression"):
        decode([("other", ())])


def test_operator_that_is_not_declared_is_refused() -> None:
    with pytest.raises(OperatorError, match="no operator `Rellu`; did you mean `Relu`"):
        decode([("var", (), "x", (2,), "float32"), ("call", (0,), "Rellu", {})])
