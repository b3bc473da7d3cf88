"""Comparing what source and target compute."""

from __future__ import annotations

import numpy as np
import pytest

from gsl import Const, Tuple, Var
from gsl.expr import Call, Proj
from gsl.operators import lookup
from gslverify.comparison.bounded import AmbiguousError, Bounded
from gslverify.comparison.compare import MOST_ELEMENTS_SHOWN, compare, evaluate_bounded, lift
from gslverify.finding import Mismatch


def bounded(values, errors=0.0):
    return Bounded(np.array(values), np.full(np.shape(values), errors))


def test_equal_integers_are_compared_exactly():
    (comparison,) = compare("y", np.arange(6), np.arange(6))
    assert (comparison.exact, comparison.compared, comparison.total) == (True, 6, 6)
    assert comparison.difference is None


@pytest.mark.parametrize("scale", [1.0, -3.0])
def test_a_range_that_is_only_multiplied_has_the_error_of_rounding(scale):
    numbers = Call(lookup("Arange"), (), {"start": 2047, "end": 2051, "dtype": "float16"})
    factor = Const(scale, "float16")
    (kept,), _ = evaluate_bounded([numbers], {})
    assert kept.value.tolist() == [2047.0, 2048.0, 2048.0, 2050.0]
    (product,), _ = evaluate_bounded([Call(lookup("Multiply"), (numbers, factor))], {})
    exact = scale * np.arange(2047, 2051)
    assert (np.abs(product.value - exact) <= product.error).all()
    assert product.error[2] > 0


@pytest.mark.parametrize("through", ["", "Cast", "Transpose"])
def test_integers_that_are_only_added_and_multiplied_have_the_error_of_rounding(through):
    n = Var("n", (1,), "int32")
    x = Call(lookup("Cast"), (n,), {"dtype": "float32"})
    if through == "Cast":
        x = Call(lookup("Cast"), (x,), {"dtype": "float64"})
    elif through == "Transpose":
        x = Call(lookup("Transpose"), (x,), {"axes": (0,)})
    (product,), _ = evaluate_bounded(
        [Call(lookup("Multiply"), (x, x), {})], {"n": np.array([20397221], np.int32)}
    )
    exact = abs(product.value[0] - 20397221.0**2)
    assert (exact <= product.error[0]) == (through == "")
    (converted,), _ = evaluate_bounded([x], {"n": np.array([20397221], np.int32)})
    assert converted.value.tolist() == [20397220.0]
    assert converted.is_exact


def test_unequal_integers_are_listed_worst_first():
    source, target = np.array([[1, 2], [3, 4]]), np.array([[1, 5], [3, -4]])
    (comparison,) = compare("y", source, target)
    found = comparison.difference
    assert (found.mismatched, found.total, found.max_abs) == (2, 4, 8.0)
    assert found.worst == (Mismatch((1, 1), 4, -4), Mismatch((0, 1), 2, 5))
    assert found.summary == "y: 2 of 4 elements differ, by up to 8"


def test_large_integers_that_differ_by_one_differ_by_one():
    (comparison,) = compare("y", np.array([2**60]), np.array([2**60 + 1]))
    assert comparison.difference.max_abs == 1.0


def test_the_extremes_of_a_type_do_not_wrap():
    (comparison,) = compare("y", np.int8([-128]), np.int8([127]))
    assert comparison.difference.max_abs == 255.0


def test_truth_values_differ_by_one():
    (comparison,) = compare("y", np.array([True, False]), np.array([True, True]))
    assert comparison.difference.worst == (Mismatch((1,), False, True),)


def test_scalars():
    (comparison,) = compare("y", np.int32(1), np.int32(2))
    assert comparison.difference.worst == (Mismatch((), 1, 2),)
    (comparison,) = compare("y", bounded(1.0), bounded(2.0))
    assert comparison.difference.worst == (Mismatch((), 1.0, 2.0),)


def test_only_so_many_elements_are_shown():
    (comparison,) = compare("y", np.zeros(99, int), np.arange(99))
    assert len(comparison.difference.worst) == MOST_ELEMENTS_SHOWN
    assert comparison.difference.worst[0] == Mismatch((98,), 0, 98)


def test_floats_without_errors_are_compared_exactly():
    (comparison,) = compare("y", bounded([1.0, 2.0]), bounded([1.0, np.nextafter(2.0, 3.0)]))
    assert comparison.exact
    assert comparison.difference.mismatched == 1


def test_floats_agree_within_both_errors():
    (comparison,) = compare("y", bounded([1.0, 2.0], 0.25), bounded([1.5, 2.5], 0.25))
    assert (comparison.exact, comparison.compared, comparison.difference) == (False, 2, None)


def test_floats_beyond_both_errors_differ():
    (comparison,) = compare("y", bounded([1.0, 2.0], 0.125), bounded([1.5, 2.0], 0.125))
    assert comparison.difference.worst == (Mismatch((0,), 1.0, 1.5),)


def test_elements_of_which_nothing_is_known_are_left_out():
    (comparison,) = compare("y", Bounded([1.0, 2.0], [np.inf, 0.0]), bounded([9.0, 2.0]))
    assert (comparison.compared, comparison.total, comparison.difference) == (1, 2, None)


@pytest.mark.parametrize("missing", [np.nan, np.inf, -np.inf])
def test_elements_that_the_source_does_not_have_are_left_out(missing):
    (comparison,) = compare("y", bounded([missing, 2.0]), bounded([9.0, 2.0]))
    assert (comparison.compared, comparison.difference) == (1, None)


@pytest.mark.parametrize("missing", [np.nan, np.inf, -np.inf])
def test_a_target_without_a_value_where_the_source_has_one_differs(missing):
    (comparison,) = compare("y", bounded([1.0, 2.0]), bounded([missing, 2.0]))
    assert comparison.difference.max_abs == np.inf
    assert comparison.difference.mismatched == 1


def test_types_differ():
    for source, target in (
        (np.zeros(2, "int8"), np.zeros(2, "int32")),
        (np.zeros((2, 1), "int8"), np.zeros(2, "int8")),
        (Bounded(np.zeros(2, "float16")), Bounded(np.zeros(2, "float32"))),
        (Bounded(np.zeros(2)), Bounded(np.zeros(3))),
        (Bounded(np.zeros(2)), np.zeros(2, "int8")),
        (np.zeros(2, "int8"), Bounded(np.zeros(2))),
    ):
        (comparison,) = compare("y", source, target)
        assert comparison.difference.max_abs == np.inf
        assert "in the source" in comparison.difference.summary


def test_fields_of_tuples_are_compared_one_by_one():
    first, second = compare("y", (np.int8([1]), bounded([2.0])), (np.int8([1]), bounded([3.0])))
    assert first.difference is None
    assert second.difference.output == "y.1"


def test_empty_arrays_have_nothing_to_compare():
    for empty in (np.zeros((0, 2), "int32"), Bounded(np.zeros((0, 2)))):
        (comparison,) = compare("y", empty, empty)
        assert (comparison.compared, comparison.total, comparison.difference) == (0, 0, None)


def test_lifting_gives_bounds_to_floats_only():
    floats, integers = np.ones(2, np.float16), np.ones(2, np.int8)
    lifted = lift((floats, [integers, True]))
    assert isinstance(lifted[0], Bounded)
    assert lifted[1][0] is integers
    assert lifted[1][1] is True
    assert lift(lifted[0]) is lifted[0]


def test_a_network_is_evaluated_with_bounds():
    x, c = Var("x", (2,), "float32"), Const(np.float32([2.0, 4.0]))
    quotient = Call(lookup("Divide"), [x, c])
    pieces = Call(lookup("Split"), [quotient], {"indices_or_sections": 2})
    outputs, values = evaluate_bounded(
        [pieces, Proj(Tuple([quotient, c]), 0)], {"x": np.float32([1.0, 3.0])}
    )
    assert [piece.value.tolist() for piece in outputs[0]] == [[0.5], [0.75]]
    assert outputs[1].value.tolist() == [0.5, 0.75]
    assert values[c].is_exact
    assert values[x].dtype == "float32"


def test_known_values_are_not_computed_again():
    x = Var("x", (2,), "float32")
    double = Call(lookup("Add"), [x, x])
    inputs = {"x": np.float32([1.0, 3.0])}
    _, known = evaluate_bounded([double], inputs)
    (outputs,), values = evaluate_bounded([Call(lookup("Negative"), [double])], inputs, known)
    assert outputs.value.tolist() == [-2.0, -6.0]
    assert values[double] is known[double]


def test_a_network_that_decides_by_rounding_is_ambiguous():
    x = Var("x", (1,), "float32")
    root = Call(lookup("Sqrt"), [x])
    square = Call(lookup("Multiply"), [root, root])
    with pytest.raises(AmbiguousError):
        evaluate_bounded([Call(lookup("Less"), [square, x])], {"x": np.float32([2.0])})


def test_invalid_values_raise_no_warning(recwarn):
    x = Var("x", (1,), "float32")
    evaluate_bounded([Call(lookup("Divide"), [x, x])], {"x": np.zeros(1, np.float32)})
    assert not recwarn.list


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("number", [0.1, 1e-5, 0.5])
def test_tensors_of_a_number_are_as_exact_as_constants(number: float, dtype: str):
    x, nothing = Var("x", (), dtype), Var("nothing", (0,), dtype)
    filled = {"fill_value": number}
    made = [
        Const(number, dtype),
        Call(lookup("Full"), [], {"shape": (), "dtype": dtype, **filled}),
        Call(lookup("FullLike"), [x], filled),
        Call(lookup("Pad"), [nothing], {"pad_width": (0, 1), "pad_value": number}),
    ]
    inputs = {"x": np.zeros((), dtype), "nothing": np.zeros(0, dtype)}

    values, _ = evaluate_bounded(made, inputs)

    one = values[0]
    assert one.is_exact == (number == 0.5)
    for other in values[1:]:
        other = Bounded(other.value.reshape(()), other.error.reshape(()), other.dtype)
        assert other.is_exact == one.is_exact
        assert compare("output", one, other)[0].difference is None


def test_an_integer_that_a_dtype_rounds_has_an_error():
    """A mean of 281 numbers in bfloat16, of which the next numbers are 280 and 282."""
    x = Var("x", (281,), "bfloat16")
    inputs = {"x": np.ones(281, np.float32).astype("bfloat16")}
    mean = Call(lookup("Mean"), [x], {"axis": (0,)})
    total = Call(lookup("Sum"), [x], {"axis": (0,)})
    divided = Call(lookup("Divide"), [total, Const(281, "bfloat16")])
    (before,), _ = evaluate_bounded([mean], inputs)
    (after,), _ = evaluate_bounded([divided], inputs)
    (comparison,) = compare("output", before, after)
    assert comparison.difference is None
    wrong = Call(lookup("Divide"), [total, Const(250, "bfloat16")])
    (after,), _ = evaluate_bounded([wrong], inputs)
    assert compare("output", before, after)[0].difference is not None
