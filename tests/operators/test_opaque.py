"""Operators of other systems: known by name only, carried by calls that say their type."""

from __future__ import annotations

import json
import pickle

import pytest

from gsl import Subst, apply, op, pat
from gsl.errors import OperatorError, RuleError
from gsl.expr import Call, Proj, Var
from gsl.operators.declaration import REGISTRY, OpaqueOperator, lookup
from gsl.types import TensorType, TupleType
from gsl.workload import Workload

X = Var("x", (2, 3))


def sine(operand: Var | Call = X, result: object = ("float32", (2, 3))) -> Call:
    return Call(lookup("other.sine"), [operand], {"payload": "how", "result": result})


def test_there_is_one_operator_of_a_name():
    assert isinstance(lookup("other.sine"), OpaqueOperator)
    assert lookup("other.sine") is lookup("other.sine")
    assert lookup("other.sine") is not lookup("other.cosine")


def test_it_is_not_among_the_declared_ones():
    lookup("other.sine")
    assert "other.sine" not in REGISTRY


def test_a_name_without_a_dot_is_a_mistake():
    with pytest.raises(OperatorError, match="no operator `Sine`"):
        lookup("Sine")


RESULTS = [
    (("float32", (2, 3)), TensorType((2, 3), "float32")),
    (["int64", []], TensorType((), "int64")),
    ((), TupleType(())),
    (
        (("bool", (1,)), (("int8", ()),)),
        TupleType((TensorType((1,), "bool"), TupleType((TensorType((), "int8"),)))),
    ),
]


@pytest.mark.parametrize(("written", "expected"), RESULTS)
def test_a_call_has_the_type_that_it_says(written: object, expected: object):
    assert sine(result=written).type == expected


@pytest.mark.parametrize("written", [5, "float32", ("float32",), ("float32", 5), ("float32", "a")])
def test_what_is_no_type_is_refused(written: object):
    with pytest.raises(OperatorError, match=r"`result` of other\.sine is no type"):
        sine(result=written)


@pytest.mark.parametrize("given", [{}, {"payload": ""}, {"payload": "", "result": (), "axis": 1}])
def test_other_attributes_are_refused(given: dict[str, object]):
    with pytest.raises(OperatorError, match=r"other\.sine is unknown; its attributes are"):
        Call(lookup("other.sine"), [X], given)


def test_the_payload_is_not_shown():
    call = Call(lookup("other.sine"), [X], {"payload": "x" * 999, "result": ("bool", ())})
    assert "<999 characters>" in repr(call)
    assert "xxx" not in repr(call)


def test_attributes_can_be_sent_and_saved():
    attributes = dict(sine().attributes)
    assert pickle.loads(pickle.dumps(attributes)) == attributes
    again = json.loads(json.dumps(attributes))
    assert Call(lookup("other.sine"), [X], again).type == sine().type


def relu_relu() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


def test_rewriting_leaves_it_alone():
    below = op_call("Relu", op_call("Relu", X))
    middle = sine(below)
    above = op_call("Relu", op_call("Relu", middle))
    (result,) = apply(Workload(above), [relu_relu()]).outputs
    (kept,) = result.operands
    assert isinstance(kept, Call)
    assert kept.operator is middle.operator
    assert kept.attributes is middle.attributes
    assert kept.operands[0].operands == (X,)


def test_a_graph_without_a_match_stays_the_same_object():
    workload = Workload(sine(sine()))
    assert apply(workload, [relu_relu()]) is workload


def test_fields_of_its_result_can_be_used():
    pair = sine(result=(("float32", (2,)), ("int32", (2,))))
    assert Proj(pair, 1).dtype == "int32"


def test_a_rule_cannot_name_it():
    with pytest.raises(RuleError):
        getattr(op, "other.sine")(pat.Wildcard())


def op_call(name: str, operand: Var | Call) -> Call:
    return Call(lookup(name), [operand])
