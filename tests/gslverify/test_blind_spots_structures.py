"""Wrong rules that only one of many structures refutes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.shape import ILLEGAL_TARGET
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.shape import SHAPE
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, is_refuted, only, question

pytestmark = pytest.mark.smt


def is_cube(x: pat.Pattern) -> Any:
    return attr.All(lambda i: x.shape[i] == x.shape[0], length=x.ndim)


def transposed(wrong: tuple[int, ...]) -> Subst:
    """Wrong where the permutation is one of all."""
    x = pat.Wildcard()
    moved = op.Transpose(x)
    order = attr.Variadic(lambda i: attr.Cond(moved.axes == wrong, i, moved.axes[i]), length=x.ndim)
    target = op.Transpose(op.Relu(x), axes=order)
    return Subst(op.Relu(moved), target, where=[is_cube(x)])


def three_flips() -> Subst:
    """Wrong where two axes of four are as here, in a few of 512 structures."""
    x = pat.Wildcard()
    first = op.Flip(x)
    second = op.Flip(first)
    third = op.Flip(second)
    wrong = (third.axis == -3) & (second.axis == 1)
    inner = op.Flip(op.Flip(op.Relu(x), axis=first.axis), axis=second.axis)
    target = op.Flip(inner, axis=attr.Cond(wrong, 2, third.axis))
    return Subst(op.Relu(third), target, where=[x.ndim == 4])


PERMUTATIONS = [(1, 2, 0), (2, 0, 3, 1), (1, 0, 3, 2)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("wrong", PERMUTATIONS)
def test_a_mistake_with_one_permutation_is_found(wrong: tuple[int, ...], seed: int) -> None:
    assert is_refuted(lambda: transposed(wrong), NUMERIC, seed=seed)


def leaves_three_axes() -> Subst:
    """A transpose that leaves the first three axes is no transpose: of three or four axes."""
    x = pat.Wildcard()
    moved = op.Transpose(x)
    left = [moved.axes[i] % x.ndim == i for i in range(3)]
    where = [x.ndim >= 3, moved.shape == x.shape, *left]
    return Subst(op.Relu(moved), op.Relu(x), where=where)


def cycle_of_three() -> Subst:
    """Twice the same transpose is none if it leaves two axes: of four axes, not of five."""
    x = pat.Wildcard()
    first = op.Transpose(x)
    second = op.Transpose(first, axes=first.axes)
    back = [first.axes[first.axes[i] % x.ndim] % x.ndim == i for i in range(2)]
    return Subst(second, x, where=[x.ndim >= 4, second.shape == x.shape, *back])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", [leaves_three_axes, cycle_of_three])
def test_permutations_of_five_axes_are_tried(write: Callable[[], Subst], seed: int) -> None:
    assert is_refuted(write, NUMERIC, seed=seed)


def test_what_only_more_axes_could_decide_is_no_pass() -> None:
    assert ask(NUMERIC, lambda: transposed((0, 0))).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("write", [three_flips])
def test_structures_that_decide_otherwise_are_examined(write: Callable[[], Subst]) -> None:
    assert is_refuted(write, NUMERIC)


def swapped_where_square() -> Subst:
    """Wrong where x has as many rows as columns: the second field is the first."""
    x = pat.Variable(shape=(None, None))
    pieces = op.Split(x, indices_or_sections=2)
    others = op.Split(x, indices_or_sections=2, axis=pieces.axis)
    second = others[attr.Cond(x.shape[0] == x.shape[1], 0, 1)]
    return Subst((op.Relu(pieces[0]), op.Abs(pieces[1])), (op.Relu(others[0]), op.Abs(second)))


def field_that_is_not_there() -> Subst:
    """Wrong where x has 14 rows or more: there is no third field."""
    x = pat.Variable(shape=(None, None))
    pieces = op.Split(x, indices_or_sections=2, axis=0)
    return Subst(op.Relu(pieces[0]), op.Relu(pieces[x.shape[0] // 7]), where=[x.shape[0] < 22])


def negative_of_sum(axes: Any, keepdims: bool, *where: Any) -> Subst:
    """-sum(x) => sum(-x), but over other axes if they are written in one of the ways."""
    x = pat.Wildcard() if axes is None else pat.Variable(shape=(None,) * 4)
    given = {} if axes is None else {"axis": (None,) * len(axes)}
    total = op.Sum(x, keepdims=keepdims, **given)
    wrong = axes or (-3, 0)
    other = attr.Cond(total.axis == wrong, (*wrong[:-1], 2), total.axis)
    target = op.Sum(op.Negative(x), axis=other, keepdims=keepdims)
    return Subst(op.Negative(total), target, where=[x.ndim == 4, is_cube(x)])


def two_axes_in_one_form() -> Subst:
    return negative_of_sum((-3, 0), True)


def three_axes_in_one_form() -> Subst:
    return negative_of_sum((3, -4, 1), False)


def axes_in_one_form() -> Subst:
    return negative_of_sum(None, False)


def new_axes_in_one_form() -> Subst:
    """Wrong where the new axes are written in one of 60 ways."""
    x = pat.Variable(shape=(None, None))
    wide = op.ExpandDims(x, axis=(None, None))
    axes = attr.Cond(wide.axis == (2, -4), (1, 2), wide.axis)
    return Subst(op.Abs(wide), op.ExpandDims(op.Abs(x), axis=axes))


RARELY_WRITTEN = [
    two_axes_in_one_form,
    three_axes_in_one_form,
    axes_in_one_form,
    new_axes_in_one_form,
    swapped_where_square,
    field_that_is_not_there,
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", RARELY_WRITTEN, ids=lambda write: write.__name__)
def test_targets_that_decide_otherwise_for_few_graphs_are_refuted(
    write: Callable[[], Subst], seed: int
) -> None:
    asked = question(write, seed=seed, explained=False)
    results = [stage.run(asked) for stage in (SHAPE, NUMERIC)]
    assert Verdict.FAIL in {result.verdict for result in results}
    assert Verdict.ERROR not in {result.verdict for result in results}


def test_all_ways_to_write_two_axes_are_examined() -> None:
    def negative_sum() -> Subst:
        x = pat.Variable(shape=(None,) * 4)
        total = op.Sum(x, axis=(None, None), keepdims=True)
        return Subst(op.Negative(total), op.Sum(op.Negative(x), axis=total.axis, keepdims=True))

    (assurance,) = ask(SHAPE, negative_sum).assurances
    assert assurance.text == "proved, rank 4"


def test_a_field_that_sizes_decide_is_allowed() -> None:
    def same_field() -> Subst:
        x = pat.Variable(shape=(None, None))
        pieces = op.Split(x, indices_or_sections=2, axis=0)
        return Subst(op.Abs(op.Relu(pieces[0])), op.Relu(pieces[x.shape[0] % 2]))

    assert ask(SHAPE, same_field).verdict is Verdict.PASS
    assert ask(NUMERIC, same_field, use_tvm=False).verdict is Verdict.PASS


def test_half_a_field_is_no_field() -> None:
    def half() -> Subst:
        x = pat.Variable(shape=(None, None))
        pieces = op.Split(x, indices_or_sections=2)
        return Subst(op.Relu(pieces[0]), op.Relu(pieces[attr.Const(0.5)]))

    assert only(ask(SHAPE, half)).code is ILLEGAL_TARGET


def softmax_of_long_axis() -> Subst:
    """Sizes decide in all structures, and the wrong way is open in one of them."""
    x = pat.Wildcard()
    source = op.Softmax(x)
    right = op.Softmax(x, **pat.same_attr(source))
    wrong = pat.Cond((source.axis == 2) & (x.ndim == 4), right + right, right)
    return Subst(source, pat.Cond(x.shape[source.axis] == 11, wrong, right))


def one_of_two_values() -> Subst:
    """Right for the first value that makes the condition true, wrong for the second."""
    x, c = pat.Wildcard(), pat.Const(dtype="int32", shape=())
    nothing = (c.value == 0) | ((c.value == 77) & (x.ndim == 2))
    return Subst(x * c, pat.Cond(nothing, op.ZerosLike(x), x * c), where=[x.dtype == "int32"])


def small_value_among_many_structures() -> Subst:
    """The constant is a whole number in half of the structures, where this cannot be."""
    x, c = pat.Wildcard(), pat.Const(shape=())
    source = op.Flip(op.Flip(x * c))
    first, second = source.operands[0].axis, source.axis
    right = op.Flip(op.Flip(x * c, axis=first), axis=second)
    return Subst(source, pat.Cond(c.value == 2.0**-24, op.Negative(right), right))


def second_question() -> Subst:
    """Wrong in the second arm of a chain, which is asked where the first condition is false."""
    x = pat.Variable(shape=(None, None))
    later = pat.Cond(x.shape[1] == 19, op.Abs(x), op.Relu(x))
    return Subst(op.Relu(x), pat.Cond(x.shape[0] == 5, op.Relu(x), later))


def fourth_question() -> Subst:
    """Wrong where three conditions hold and the fourth does not."""
    x = pat.Variable(shape=(None,) * 4)
    target: pat.Pattern = op.Abs(x)
    for axis, size in enumerate((9, 8, 7, 6)):
        right = op.Relu(x)
        target = pat.Cond(
            x.shape[axis] == size, *((right, target) if axis == 0 else (target, right))
        )
    return Subst(op.Relu(x), target)


def number_of_choices() -> Subst:
    """The same in the attribute of one call."""
    x = pat.Variable(shape=(None,) * 4, dtype="float32")
    value: attr.Term = attr.Const(1.0)
    for axis, size in enumerate((9, 8, 7, 6)):
        sides = (0.0, value) if axis == 0 else (value, 0.0)
        value = attr.Cond(x.shape[axis] == size, *sides)
    least = op.Full(shape=(), dtype="float32", fill_value=value)
    return Subst(op.Relu(x), op.Maximum(op.Relu(x), least))


def two_of_six_at_once() -> Subst:
    """Right where either of the last conditions holds, wrong where both do."""
    x = pat.Variable(shape=(None,) * 6, dtype="float32")
    halves = [attr.Cond(x.shape[axis] == 7, 0.5, 0.0) for axis in (4, 5)]
    none = sum((attr.Cond(x.shape[axis] == 7, 0.0, 0.0) for axis in range(4)), attr.Const(0.0))
    least = op.Full(shape=(), dtype="float32", fill_value=none + attr.Floor(halves[0] + halves[1]))
    return Subst(op.Relu(x), op.Maximum(op.Relu(x), least))


@pytest.mark.parametrize(
    "write",
    [
        softmax_of_long_axis,
        one_of_two_values,
        small_value_among_many_structures,
        second_question,
        fourth_question,
        number_of_choices,
        two_of_six_at_once,
    ],
)
def test_what_sizes_decide_is_tried_wherever_it_is_open(write: Callable[[], Subst]) -> None:
    assert is_refuted(write, NUMERIC)


def wrong_of_four_axes(least: int) -> Subst:
    """Wrong with four axes, of which graphs may be too large to be run."""
    x = pat.Wildcard()
    source = op.Softmax(x)
    where = [source.axis >= 0, x.ndim <= 4, (x.ndim != 4) | (x.shape[0] >= least)]
    return Subst(source, op.Softmax(x, axis=source.axis % 3), where=where)


def test_a_structure_that_is_neither_run_nor_proved_is_no_pass() -> None:
    assert is_refuted(lambda: wrong_of_four_axes(3), NUMERIC)
    result = ask(NUMERIC, lambda: wrong_of_four_axes(30_000))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert any("x has 4 axes" in finding.message for finding in result.findings)


def test_a_structure_that_is_proved_need_not_be_run() -> None:
    x = pat.Wildcard()
    where = [(x.ndim != 4) | (x.shape[0] >= 30_000)]
    rule = Subst(op.Relu(op.Relu(x)), op.Relu(x), where=where)

    assert ask(NUMERIC, lambda: rule).verdict is Verdict.PASS


def sum_along_nothing() -> Subst:
    """Wrong where there is nothing to add, in one of many structures."""
    x = pat.Wildcard()
    source = op.Sum(x)
    right = op.Sum(x, **pat.same_attr(source))
    one_axis = (x.ndim == 2) & (attr.Length(source.axis) == 1)
    nothing = pat.Cond(x.shape[source.axis[0]] == 0, right + 1, right)
    return Subst(source, pat.Cond(one_axis, nothing, right))


def test_what_sizes_of_0_decide_is_tried_wherever_it_is_open() -> None:
    assert is_refuted(sum_along_nothing, NUMERIC)
