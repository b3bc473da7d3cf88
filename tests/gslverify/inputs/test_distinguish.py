"""Rules that are wrong for rare inputs only, and what is known of sound ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gsl import Subst, op, pat, rule
from gsl.kernel.meaning import apply, total
from gsl.operators import REGISTRY
from gsl.operators.declaration import operator
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Level, StageResult, Verdict
from gslverify.inputs.distinguish import Answers, distinguish
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC, ONLY_EXACT, SOLVED
from tests.gslverify.rules import SOUND, samplers_of
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt


def asked(write: Callable[[], Subst]) -> Answers:
    subst = write()
    return distinguish(subst, samplers_of(subst))


def clip_to_relu(most: float, *dtypes: str) -> Callable[[], Subst]:
    def written() -> Subst:
        x = pat.Wildcard()
        where = [x.dtype == dtype for dtype in dtypes]
        return Subst(op.Clip(x, min=0.0, max=most), op.Relu(x), where=where)

    return written


@pytest.mark.parametrize(
    ("most", "dtypes"),
    [
        (1e4, ()),
        (1e8, ()),
        (1e20, ()),
        (1e30, ()),
        (1e30, ("float64",)),
        (30000.0, ("float16",)),
        (60000.0, ("float16",)),
        (2e9, ("int32",)),
        (1e6, ("float32",)),
    ],
)
def test_finite_numbers_beyond_a_limit(most: float, dtypes: tuple[str, ...]) -> None:
    result = ask(NUMERIC, clip_to_relu(most, *dtypes))
    assert result.verdict is Verdict.FAIL
    assert only(result).details == (SOLVED,)
    assert only(result).counterexample is not None


def test_a_limit_that_no_number_exceeds_is_none() -> None:
    answers = asked(clip_to_relu(65504.0, "float16"))
    assert answers.failure is None
    assert not answers.only_exact


def test_a_difference_that_no_machine_has_is_said_to_be_one() -> None:
    def tiny() -> Subst:
        x = pat.Wildcard()
        large = op.Maximum(x, 1.0)
        return Subst(large + 1e-30, large, where=[x.dtype == "float32"])

    answers = asked(tiny)
    assert answers.failure is None
    assert answers.only_exact
    assert ONLY_EXACT in ask(NUMERIC, tiny, max_examples=10).notes


def attribute_that_is_rare() -> Subst:
    """Wrong where alpha is 37.25."""
    x = pat.Wildcard()
    leaky = op.LeakyRelu(x)
    right = op.LeakyRelu(x, alpha=leaky.alpha)
    return Subst(leaky, pat.Cond(leaky.alpha == 37.25, op.Relu(x), right))


def constants_that_are_rare() -> Subst:
    """Wrong where 3 * c + 5 * d is 1001."""
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    wrong = 3 * c.value + 5 * d.value == 1001
    right = (x + c) + d
    return Subst(right, pat.Cond(wrong, (x - c) + d, (x + c) + d), where=[x.dtype == "int32"])


def elements_of_a_constant_tensor() -> Subst:
    """Wrong where an element of c is more than 1000."""
    x, c = pat.Wildcard(), pat.Const(shape=(None,))
    return Subst(x + op.Minimum(c, 1000.0), x + c)


def narrowed_sum() -> Subst:
    """Wrong where a sum leaves 8 bits."""
    x, y = pat.Wildcard(), pat.Wildcard()
    wide = op.Cast(x, dtype="int32") + op.Cast(y, dtype="int32")
    return Subst(wide, op.Cast(x + y, dtype="int32"), where=[x.dtype == "int8"])


def only_for_sevens() -> Subst:
    """Wrong where x * x + y * y is 98 and x is y."""
    x, y = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    rare = op.Equal(x * x + y * y, 98.0)
    same = op.Equal(x, y)
    both = op.LogicalAnd(rare, same)
    return Subst(op.Where(both, x, x + y), x + y, where=[x.dtype == "float32"])


def narrowed_float() -> Subst:
    """Wrong where a number has many digits."""
    x = pat.Wildcard()
    half = op.Cast(x, dtype="float16")
    return Subst(op.Cast(half, dtype="float32"), x, where=[x.dtype == "float32"])


def bits(number: int) -> pat.Const:
    return pat.Const(number, dtype="uint32")


def hash_of_a_product() -> Subst:
    """Wrong for two numbers among 2^32."""
    x = pat.Variable(shape=(None,), dtype="uint32")
    mixed = op.BitwiseXor(x * bits(2654435761), op.RightShift(x, bits(16)))
    return Subst(op.Where(op.Equal(mixed, bits(123456789)), x + bits(1), x), x)


def hash_of_shifts() -> Subst:
    """Wrong for one number among 2^32."""
    x = pat.Variable(shape=(None,), dtype="uint32")
    one = op.BitwiseXor(x, op.LeftShift(x, bits(13)))
    two = op.BitwiseXor(one, op.RightShift(one, bits(17)))
    mixed = op.BitwiseXor(two, op.LeftShift(two, bits(5)))
    return Subst(op.Where(op.Equal(mixed, bits(123456)), x + bits(1), x), x)


@pytest.mark.parametrize(
    "write",
    [
        hash_of_a_product,
        hash_of_shifts,
        attribute_that_is_rare,
        constants_that_are_rare,
        elements_of_a_constant_tensor,
        narrowed_sum,
        only_for_sevens,
        narrowed_float,
    ],
)
def test_rare_inputs_are_found(write: Callable[[], Subst]) -> None:
    failure = asked(write).failure
    assert failure is not None
    assert failure.code is not None


@pytest.mark.parametrize("name", SOUND)
def test_sound_rules_are_not_refuted(name: str) -> None:
    assert asked(SOUND[name]).failure is None


def test_what_is_known_of_a_sound_rule_is_said() -> None:
    result = ask(NUMERIC, SOUND["common_factor"], max_examples=10)
    texts = [a.text for a in result.assurances if a.level is Level.IDENTITY]
    assert any(text.startswith("equal for all inputs, ") for text in texts)
    assert texts[0].endswith(" small graphs")


def test_answers_are_the_same_again() -> None:
    first, second = asked(only_for_sevens), asked(only_for_sevens)
    assert first.failure is not None
    assert second.failure is not None
    assert first.failure.network.model == second.failure.network.model
    for name, array in first.failure.inputs.items():
        assert np.array_equal(array, second.failure.inputs[name])


@pytest.fixture
def forgetful() -> Any:
    known = set(REGISTRY)
    yield
    for name in set(REGISTRY) - known:
        del REGISTRY[name]


@pytest.mark.usefixtures("forgetful")
def test_an_operator_without_a_kernel_is_left_to_others() -> None:
    @operator(traits={"unary"})
    def Unexplained(need: Any, data: Any) -> Any:
        """No kernel."""
        return data

    def rule() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Relu(op.Unexplained(x)), op.Unexplained(x))

    answers = asked(rule)
    assert (answers.failure, answers.equal, answers.only_exact) == (None, 0, False)
    assert answers.open


@pytest.mark.usefixtures("forgetful")
def test_a_loop_over_a_million_indices_is_left_to_others() -> None:
    @operator(traits={"unary"})
    def Endless(need: Any, data: Any) -> Any:
        """A long loop."""
        return data

    @Endless.kernel
    def _(index: Any, data: Any) -> Any:
        return total([10**6], lambda i: data[index] * apply("sin", i))

    def rule() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Endless(x), op.Endless(op.Relu(x)))

    answers = asked(rule)
    assert answers.failure is None
    assert not answers.equal


def flagged(write: Callable[[], Subst], seed: int = 0) -> StageResult:
    """Return what becomes of a rule about integers that do not wrap."""
    settings = Settings(use_tvm=False, seed=seed, explained=False)
    return NUMERIC.run(Question("tests::rule", rule(flags={"nowrap"})(write), settings))


def never(dtype: str, asked: Callable[..., Any]) -> Callable[[], Subst]:
    """What is asked of two integers is false."""

    def written() -> Subst:
        x, y = pat.Wildcard(dtype=dtype), pat.Wildcard(dtype=dtype)
        return Subst(asked(x, y), op.LogicalAnd(op.Less(x, y), op.Less(y, x)))

    return written


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "write",
    [
        never("int8", lambda x, y: op.Equal(x * y, 91)),
        never("int16", lambda x, y: op.Equal(x * x + y * y, 8450)),
        never("uint8", lambda x, y: op.Equal(x - y, 213)),
        never("int32", lambda x, y: op.Equal(x * x - y, 1234**2)),
    ],
)
def test_integers_that_do_not_wrap_are_solved_for(write: Callable[[], Subst], seed: int) -> None:
    assert only(flagged(write, seed)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize(
    "write",
    [
        never("int8", lambda x, y: op.LogicalAnd(op.Less(x + 1, x), op.Equal(x, y))),
        never("uint8", lambda x, y: op.LogicalAnd(op.Equal((x - y) + y, x - 1), op.Equal(x, 7))),
    ],
)
def test_what_holds_where_nothing_wraps_is_no_counterexample(write: Callable[[], Subst]) -> None:
    assert flagged(write).verdict is Verdict.PASS


def not_of_bytes() -> Subst:
    """What an element is made of wraps where the operator does not: ~x is -x - 1."""
    x, y = pat.Wildcard(dtype="uint8"), pat.Wildcard(dtype="uint8")
    made = op.BitwiseNot(x) + y
    asked = op.LogicalAnd(op.Equal(made, 203), op.Equal(x, 117))
    return Subst(asked, op.NotEqual(made, made), where=[x.shape == y.shape])


def sum_by_way_of_a_large_one() -> Subst:
    """So does a sum of which only a part is too large: 100 + 99 - 122 of int8."""
    x = pat.Wildcard(dtype="int8", shape=(3,))
    total = op.Sum(x, axis=(0,), keepdims=True)
    one, other = (op.StridedSlice(x, begin=(n,), end=(n + 1,), strides=(1,)) for n in (0, 1))
    parts = op.LogicalAnd(op.Equal(one, 100), op.Equal(other, 99))
    return Subst(op.LogicalAnd(op.Equal(total, 77), parts), op.NotEqual(total, total))


def cut_of_the_least() -> Subst:
    """A quotient is never larger than the dividend, the least integer included."""
    x, y = pat.Wildcard(dtype="int32"), pat.Wildcard(dtype="int32")
    made = op.TruncDivide(x, 7) + y
    asked = op.LogicalAnd(op.Equal(made, -5), op.Less(x, -(2**31) + 1))
    return Subst(asked, op.NotEqual(made, made), where=[x.shape == y.shape])


@pytest.mark.parametrize("write", [cut_of_the_least, not_of_bytes, sum_by_way_of_a_large_one])
def test_what_wraps_on_the_way_to_an_element_is_tried(write: Callable[[], Subst]) -> None:
    assert only(flagged(write)).code is OUTPUTS_DIFFER
