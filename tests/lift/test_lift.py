"""Rules lifted from instances: they match all of these, and say why where they cannot be lifted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import gsl
from gsl import Call, Const, Subst, Tuple, Var, Workload
from gsl.expr import Expr, Proj
from gsl.lift import CannotLiftError, Instance, lift, rule_file
from gsl.operators import lookup
from gsl.subst import Rule
from gsl.text.listing import listing

SIZES = ((2, 3, 5, 7), (11, 13, 17, 19))


def call(name: str, *operands: Expr, **attributes: Any) -> Expr:
    return Call(lookup(name), list(operands), attributes)


def loaded(text: str, name: str) -> Rule:
    namespace: dict[str, Any] = {}
    exec(compile(text, "lifted.py", "exec"), namespace)
    found = namespace[name]
    assert isinstance(found, Rule)
    return found


def lifted(instances: Sequence[Instance], **given: Any) -> tuple[str, Subst]:
    rule = lift("found", instances, **given)
    text = rule_file("Rules from elsewhere.", [rule])
    return text, loaded(text, "found")()


def assert_rewrites(subst: Subst, instance: Instance) -> None:
    rewritten = gsl.apply(instance.source, [subst], max_rewrites=1)
    assert listing(rewritten.outputs) == listing(instance.target.outputs)


def instances_of(make: Callable[..., tuple[Expr, Expr]]) -> list[Instance]:
    pairs = [make(*sizes) for sizes in SIZES]
    return [Instance(Workload(before), Workload(after)) for before, after in pairs]


def linear(n: int, m: int, k: int, _: int) -> tuple[Expr, Expr]:
    x, w, v = Var("x", (n, m)), Var("w", (m, k)), Var("v", (m, k))
    before = call("Add", call("Matmul", x, w), call("Matmul", x, v))
    return before, call("Matmul", x, call("Add", w, v))


def merged(n: int, m: int, k: int, _: int) -> tuple[Expr, Expr]:
    x = Var("x", (n, m, k))
    shaped = call("Reshape", x, shape=(n, m * k))
    return call("Reshape", shaped, shape=(n * m * k,)), call("Reshape", x, shape=(n * m * k,))


def scaled(n: int, m: int, _k: int, _: int) -> tuple[Expr, Expr]:
    x, y = Var("x", (n, m)), Var("y", (n, m))
    before = call("Divide", call("Multiply", x, y), Const(float(np.sqrt(m)), "float32"))
    factor = Const(float(1 / np.sqrt(m)), "float32")
    return before, call("Multiply", call("Multiply", x, y), factor)


@pytest.mark.parametrize("make", [linear, merged, scaled])
def test_a_lifted_rule_does_what_its_instances_do(make: Any) -> None:
    instances = instances_of(make)
    _, subst = lifted(instances)
    for instance in instances:
        assert_rewrites(subst, instance)


def test_equal_sizes_become_conditions_and_others_stay_free() -> None:
    text, _ = lifted(instances_of(linear))

    assert "w.shape[0] == x.shape[1]" in text
    assert "v.shape[1] == w.shape[1]" in text
    assert "x.shape[0] ==" not in text
    assert "w.dtype == x.dtype" in text


def test_sizes_of_attributes_are_written_with_sizes_of_inputs() -> None:
    text, _ = lifted(instances_of(merged))

    assert "shape=(x.shape[0] * x.shape[1] * x.shape[2],)" in text


def test_a_scale_is_a_function_of_a_size() -> None:
    text, _ = lifted(instances_of(scaled))

    assert ".value - attr.Sqrt(x.shape[1])) <= 1e-06 * abs(attr.Sqrt(x.shape[1]))" in text
    assert "1.0 / " in text
    assert ".value > 0" in text


def test_parameters_become_variables() -> None:
    pairs = [linear(*sizes) for sizes in SIZES]
    instances = [
        Instance(
            Workload(one, {"w": np.zeros(one.operands[0].operands[1].shape, "float32")}),
            Workload(other),
        )
        for one, other in pairs
    ]
    text, _ = lifted(instances)

    assert "w = pat.Variable()" in text
    assert "v = pat.Wildcard()" in text


def test_several_outputs_tuples_and_names_that_python_reserves() -> None:
    def make(n: int, m: int, k: int, _: int) -> Instance:
        x, y = Var("lambda", (n, m)), Var("op", (n, k))
        joined = call("Concatenate", Tuple([x, y]), axis=1)
        pieces = call("Split", joined, indices_or_sections=(m,), axis=1)
        before = [call("Relu", Proj(pieces, 0)), call("Relu", Proj(pieces, 1))]
        return Instance(Workload(before), Workload([call("Relu", x), call("Relu", y)]))

    instances = [make(*sizes) for sizes in SIZES]
    text, subst = lifted(instances, origin="library/rules.py:41")

    assert "input_lambda" in text
    assert "input_op" in text
    assert "'library/rules.py:41'" in text
    for instance in instances:
        assert_rewrites(subst, instance)


def test_dtypes_that_differ_from_instance_to_instance_stay_free_among_those_seen() -> None:
    def make(n: int, dtype: str) -> Instance:
        x = Var("x", (n,), dtype)
        back = call("Cast", call("Cast", x, dtype="float64"), dtype=dtype)
        return Instance(Workload(back), Workload(call("Relu", x)))

    text, _ = lifted([make(3, "float32"), make(5, "float16")])

    assert "attr.In(x.dtype, ('float32', 'float16'))" in text
    assert "dtype=x.dtype" in text
    assert "dtype='float64'" in text


def other_structure(n: int, m: int, _k: int, _: int) -> tuple[Expr, Expr]:
    x = Var("x", (n, m))
    return (call("Relu", x) if n == 2 else call("Abs", x)), x


def other_count(n: int, m: int, _k: int, _: int) -> tuple[Expr, Expr]:
    x = Var("x", (n, m))
    return (call("Relu", x) if n == 2 else call("Abs", call("Relu", x))), x


def other_input(n: int, m: int, _k: int, _: int) -> tuple[Expr, Expr]:
    return call("Relu", Var("x", (n, m))), Var("z", (n, m))


def unknown_number(n: int, m: int, _k: int, _: int) -> tuple[Expr, Expr]:
    x = Var("x", (n, m))
    return call("Relu", x), call("Multiply", x, Const(0.123 * n**3 + m, "float32"))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (other_structure, "at different sizes the graph has Relu or Abs"),
        (other_count, "the graph has 2 and 3 nodes at different sizes"),
        (other_input, "only the target has the input z"),
        (unknown_number, "no size or constant of the source gives"),
    ],
)
def test_what_cannot_be_lifted_says_why(make: Any, why: str) -> None:
    with pytest.raises(CannotLiftError, match=why):
        lift("found", instances_of(make))


def test_one_instance_says_nothing_about_sizes() -> None:
    with pytest.raises(CannotLiftError, match="1 instances are given, and at least 2 are needed"):
        lift("found", instances_of(linear)[:1])
