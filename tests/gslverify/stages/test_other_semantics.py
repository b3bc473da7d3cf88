"""Rules that have to be right where another system defines operators on more values."""

from __future__ import annotations

import pytest

from gsl import Subst, op, pat, rule
from gsl.errors import RuleError
from gslverify.codes.levels import DIFFERS_ELSEWHERE
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.stages.asking import Write, only

pytestmark = pytest.mark.smt


def zero() -> pat.Const:
    return pat.Const(0, dtype="int64")


def taken_twice() -> Subst:
    x, i, j = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    twice = op.Take(op.Take(x, i, axis=0), j, axis=0)
    once = op.Take(x, op.Take(i, j, axis=0), axis=0)
    return Subst(twice, once, where=[x.ndim == 1, i.ndim == 1, j.ndim == 1])


def taken_inside() -> Subst:
    x, i = pat.Wildcard(ndim=1), pat.Variable(dtype="int64")
    inside = op.Take(x, op.Maximum(i, zero()), axis=0)
    return Subst(op.Take(x, i, axis=0), inside, where=[i.ndim == 1])


def one_hot_inside() -> Subst:
    i = pat.Variable(dtype="int64")
    known = {"depth": 3, "axis": -1, "on_value": 1.0, "off_value": 0.0, "dtype": "float32"}
    return Subst(
        op.OneHot(i, **known), op.OneHot(op.Maximum(i, zero()), **known), where=[i.ndim == 1]
    )


def relu_of_relu() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


def asked(write: Write, semantics: str) -> StageResult:
    settings = Settings(use_tvm=False, max_examples=24, min_examples=5, max_variants=8)
    return NUMERIC.run(Question(f"t::{write.__name__}", rule(semantics=semantics)(write), settings))


def said(result: StageResult) -> list[str]:
    return [str(one) for one in result.assurances if "define" in str(one)]


@pytest.mark.parametrize("write", [taken_inside, one_hot_inside])
def test_a_rule_that_is_right_here_is_refuted_there(write: Write) -> None:
    assert asked(write, "").verdict is Verdict.PASS

    finding = only(asked(write, "onnx"))

    assert finding.code is DIFFERS_ELSEWHERE
    assert finding.message.startswith("as onnx defines it: ")
    assert finding.subject == "onnx"
    example = finding.counterexample
    assert example is not None
    assert example.case is None
    assert any(value < 0 for one in example.inputs if one.name == "i" for value in one.values)


def test_the_line_says_what_was_run_there() -> None:
    first, second = said(asked(taken_twice, "onnx"))

    assert first.startswith("as onnx defines it, ")
    assert int(first.split()[4]) > 5
    assert second == "all else where Take is defined"
    assert said(asked(taken_twice, "")) == ["where Take is defined"]


def test_operators_that_are_defined_everywhere_need_nothing() -> None:
    result = asked(relu_of_relu, "onnx")

    assert result.verdict is Verdict.PASS
    assert said(result) == []


def test_a_system_that_nothing_is_known_of_is_refused() -> None:
    with pytest.raises(RuleError, match="semantics='caffe' is not 'onnx'"):
        rule(semantics="caffe")(relu_of_relu)()


def taken_at_a_constant() -> Subst:
    x, i = pat.Wildcard(ndim=1), pat.Const(shape=(), dtype="int64")
    return Subst(op.Take(x, i, axis=0), op.Take(x, op.Abs(i), axis=0))


def last_taken(begin: int) -> Write:
    def write() -> Subst:
        x = pat.Wildcard(ndim=1)
        last = op.Take(x, pat.Const((-1,), dtype="int64"), axis=0)
        size = x.shape[0]
        first = size - 1 if begin else 0
        one = op.StridedSlice(x, begin=(first,), end=(first + 1,), strides=(1,))
        return Subst(last, one, where=[size >= 1])

    return write


def test_constants_are_what_only_the_system_allows() -> None:
    assert only(asked(taken_at_a_constant, "onnx")).code is DIFFERS_ELSEWHERE
    assert said(asked(taken_at_a_constant, "")) == ["where Take is defined"]


def test_a_rule_that_only_the_system_defines_is_examined() -> None:
    assert said(asked(last_taken(begin=1), "onnx"))[0].startswith("as onnx defines it, ")
    assert only(asked(last_taken(begin=0), "onnx")).code is DIFFERS_ELSEWHERE
    assert asked(last_taken(begin=1), "").verdict is Verdict.INCONCLUSIVE
