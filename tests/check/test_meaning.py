"""What can be written and means nothing: odd values, mixed kinds, half-bound alternatives."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsl import op, pat
from gsl.check.kind import kind_of_result
from tests.check.cases import XY, Case, X, fires_at_its_place, stays_silent
from tests.match.toys import p_halves
from tests.rule_text import findings

TWICE = "op.Relu(op.Relu(x)), op.Relu(x)"
SOUND = f"{X}rule = Subst({TWICE})"
ALT = XY + "a = pat.Alt(op.Add(x, y), op.Relu(x))\n"


def where(condition: str) -> str:
    return f"{X}rule = Subst({TWICE}, where=[{condition}])"


def meaningless(condition: str, message: str, good: str, underlined: str = "") -> Case:
    return Case("GSL144", where(condition), underlined or condition, message, where(good))


def malformed(written: str, message: str, good: str) -> Case:
    return Case(
        "GSL113",
        f"{X}w = {written}\nrule = Subst(op.Relu(x + w), x)",
        written,
        message,
        f"{X}w = {good}\nrule = Subst(op.Relu(x + w), x)",
    )


def no_condition(condition: str, value: str, good: str) -> Case:
    message = f"the condition is the value of `{value}`"
    return Case("GSL143", where(condition), condition, message, where(good))


def wrong_kind(written: str, message: str, good: str) -> Case:
    return Case(
        "GSL119",
        f"{X}rule = Subst({written}, x)",
        written,
        message,
        f"{X}rule = Subst({good}, x)",
    )


def half_bound(target: str, underlined: str, good: str) -> Case:
    return Case(
        "GSL124",
        f"{ALT}rule = Subst(op.Tanh(a), {target})",
        underlined,
        "is only in some alternatives of a pat.Alt",
        f"{ALT}rule = Subst(op.Tanh(a), {good})",
    )


def odd_variadic(keyword: str, message: str, good: str) -> Case:
    return Case(
        "GSL133",
        f"{X}rule = Subst(op.Concatenate(pat.Variadic(x, {keyword})), x)",
        f"pat.Variadic(x, {keyword})",
        message,
        f"{X}rule = Subst(op.Concatenate(pat.Variadic(x, {good})), x)",
    )


CASES = [
    meaningless("x.dtype + 1 == 3", "`+` has no meaning", "x.ndim + 1 == 3", "x.dtype + 1"),
    meaningless("x.dtype < 3", "`<` has no meaning for text", "x.ndim < 3"),
    meaningless("abs(x.dtype) == 3", "`abs` has no", "abs(x.ndim) == 3", "abs(x.dtype)"),
    meaningless("x.dtype == 3", "compares a text and a number", "x.dtype == 'int8'"),
    meaningless("x.shape == 3", "compares a tuple and a number", "x.shape == (3,)"),
    meaningless("x.dtype == 'float23'", "'float23' is not a dtype", "x.dtype == 'float32'"),
    meaningless("x.shape == (2, None)", "None has no value for `==`", "x.shape == (2, 3)"),
    meaningless("x.ndim != None", "None has no value for `!=`", "x.ndim != 2"),
    no_condition("x.ndim", "ndim", "x.ndim > 2"),
    no_condition("x.dtype", "dtype", "x.dtype == 'int8'"),
    malformed("pat.Const('one')", "'one' is not a number", "pat.Const(1)"),
    malformed("pat.Const(((1, 2), (3,)))", "is not a number", "pat.Const(((1, 2), (3, 4)))"),
    malformed("pat.Const(10**400)", "an integer of 1329 bits is not a number", "pat.Const(10**18)"),
    malformed("pat.Const(300, 'int8')", "300 is not a value of int8", "pat.Const(100, 'int8')"),
    malformed("pat.Const(1.5, 'int32')", "1.5 is not a value of int32", "pat.Const(1.0, 'int32')"),
    malformed("pat.Const(1e39, 'float32')", "not a value of float32", "pat.Const(1, 'float32')"),
    malformed("pat.Const(float('nan'))", "nan equals nothing", "pat.Const(float('inf'))"),
    malformed("pat.Variable(shape=(1.5,))", "1.5 is not a size", "pat.Variable(shape=(1,))"),
    malformed("pat.Variable(shape=(-1,))", "-1 is not a size", "pat.Variable(shape=(None,))"),
    malformed("pat.Variable(shape=(True,))", "True is not a size", "pat.Variable(shape=[4])"),
    malformed("pat.Variable(shape='abc')", "'abc' is not a shape", "pat.Variable(shape=x.shape)"),
    malformed("pat.Const(shape=3)", "3 is not a shape", "pat.Const(shape=(3,))"),
    wrong_kind("op.Relu([x])", "operand `data` of Relu is one tensor", "op.Relu(x)"),
    wrong_kind("op.Concatenate(op.Relu(x))", "is a tuple of tensors", "op.Concatenate((x, x))"),
    wrong_kind("op.Relu(op.Split(x))", "not the call of Split", "op.Relu(op.Split(x)[0])"),
    wrong_kind("op.Relu(x)[0]", "the call of Relu gives one tensor", "op.Split(x)[0]"),
    wrong_kind("pat.Variable()[0]", "the Variable pattern gives one tensor", "pat.Wildcard()[0]"),
    odd_variadic("templates=x", "templates=the Wildcard pattern is not a list", "templates=[x]"),
    odd_variadic("templates=['x']", "templates=['x'] is not a list", "templates=[x]"),
    odd_variadic("first=1", "first=1 is not a list", "first=[x]"),
    odd_variadic("min_len='2'", "min_len must be at least 1, not '2'", "min_len=2"),
    half_bound(
        "op.Maximum(x, pat.Const(0, like=y))",
        "pat.Const(0, like=y)",
        "op.Maximum(x, pat.Const(0, like=x))",
    ),
    half_bound("op.Tanh(y)", "op.Tanh(y)", "op.Tanh(x)"),
    half_bound("y", "Subst(op.Tanh(a), y)", "x"),
    half_bound("op.Cast(x, dtype=y.dtype)", "y.dtype", "op.Cast(x, dtype=x.dtype)"
    ),
    half_bound("op.Tanh(y)", "op.Tanh(y)", "pat.Cond(a.arm == 0, op.Tanh(y), x)"),
    Case("GSL145", f"{X}rule = Subst(op.Relu(x), op.Relu(x))", "Subst(op.Relu(x), op.Relu(x))",
         "the rule changes nothing", SOUND),
    Case("GSL145", f"{X}r = op.Relu(x)\nrule = Subst(r, r)", "Subst(r, r)",
         "the rule changes nothing", f"{X}r = op.Relu(x)\nrule = Subst(op.Relu(r), r)"),
    Case("GSL145", f"{XY}rule = Subst(x + y, x + y)", "Subst(x + y, x + y)",
         "the rule changes nothing", f"{XY}rule = Subst(x + y, y + x)"),
    Case("GSL145", f"{X}rule = Subst(op.Softmax(x, axis=1), op.Softmax(x, axis=1))",
         "Subst(op.Softmax(x, axis=1), op.Softmax(x, axis=1))", "the rule changes nothing",
         f"{X}rule = Subst(op.Softmax(x), op.Softmax(x))"),
    Case("GSL117", where("x.ndim == x"), "x.ndim == x", "the Wildcard pattern stands where",
         where("x.ndim == 2")),
    Case("GSL117", where("x.ndim ** 0.5 == 2"), "x.ndim ** 0.5", "the exponent 0.5",
         where("x.ndim ** 2 == 4")),
    Case("GSL118", f"{X}rule = Subst(op.Where(x > 0, x, 0), x)", "x > 0", "`>` does not build",
         f"{X}rule = Subst(op.Where(op.Greater(x, 0), x, 0), x)"),
    Case("GSL118", f"{X}rule = Subst(op.Relu(not x), x)", "not x", "`not` does not build",
         f"{X}rule = Subst(op.LogicalNot(x), x)"),
    Case("GSL116", f"{X}rule = Subst(op.LogicalNot(x == 0), x)", "op.LogicalNot(x == 0)",
         "False is not a pattern", f"{X}rule = Subst(op.LogicalNot(op.Equal(x, 0)), x)"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_bad_rule_is_found_at_its_place(case: Case, tmp_path: Path) -> None:
    assert fires_at_its_place(case, tmp_path)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_twin_does_not_have_the_code(case: Case, tmp_path: Path) -> None:
    assert stays_silent(case, tmp_path)


COMPARISONS = {"<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual"}
LOGIC = {"&": "LogicalAnd", "|": "LogicalOr"}


@pytest.mark.parametrize(("operator", "name"), [*COMPARISONS.items(), *LOGIC.items()])
def test_refused_operators_name_what_to_write(operator: str, name: str, tmp_path: Path) -> None:
    (found,) = findings(f"{XY}rule = Subst(op.Relu(x {operator} y), x)", tmp_path)

    assert found.code == "GSL118"
    assert f"`{operator}` does not build a pattern" in found.message
    assert f"op.{name}(x, y)" in found.cure


@pytest.mark.parametrize(
    "condition",
    [
        "where=None",
        "where='x'",
        "where=x",
        "where={'x': 2}",
        "where={x.ndim == 2}",
    ],
)
def test_conditions_that_are_no_list(condition: str, tmp_path: Path) -> None:
    (found,) = findings(f"{X}rule = Subst({TWICE}, {condition})", tmp_path)

    assert found.code == "GSL143"
    assert found.cure == "write where=[...]"


def test_one_condition_is_a_list_of_one(tmp_path: Path) -> None:
    assert findings(f"{X}rule = Subst({TWICE}, where=x.ndim == 2)", tmp_path) == []


def test_input_of_all_alternatives_is_bound(tmp_path: Path) -> None:
    text = ALT + "b = pat.Alt(a, x)\nrule = Subst(op.Tanh(b), x, where=[b.arm == 0])"

    assert findings(text, tmp_path) == []


def test_operators_whose_result_is_not_declared_may_give_a_tuple() -> None:
    x = pat.Wildcard()

    assert kind_of_result(p_halves(x)) == ""
    assert kind_of_result(op.Split(x)) == "tuple"
    assert kind_of_result(op.Relu(x)) == "tensor"
    assert kind_of_result(op.Elementwise(x)) == ""
