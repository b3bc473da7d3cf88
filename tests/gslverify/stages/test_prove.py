"""Proofs for all sizes: sound rules of many kinds are proved, wrong ones never are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.satisfiable import NOT_PROVED
from gslverify.finding import Level, Verdict
from gslverify.stages.prove import PROVE
from tests.gslverify.rules import SOUND
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

FLOATS = ("float32", "float64", "float16")


def note_of(write: Callable[[], Subst], **settings: object) -> str:
    """Return what the stage says is open; the empty string for a proof."""
    result = ask(PROVE, write, **{"max_variants": 6, **settings})
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    if result.assurances:
        (assurance,) = result.assurances
        assert assurance.level is Level.PROVED
        assert result.counts["variants"] > 0
        assert result.status == "pass"
        return ""
    assert result.status == "open"
    return result.open


def padded_often() -> Subst:
    x = pat.Variable(shape=(None,))
    padded = x
    for _ in range(150):
        padded = op.Pad(padded, pad_width=(1, 0), pad_value=0.0)
    return Subst(padded, op.Pad(x, pad_width=(150, 0), pad_value=0.0))


@pytest.fixture
def usual_depth() -> Iterator[None]:
    """PyTorch, where a test before had it compile, has raised how deep calls may be nested."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("usual_depth")
def test_what_is_nested_too_deeply_stays_open() -> None:
    assert "nested more deeply" in note_of(padded_often)


@pytest.mark.parametrize("name", SOUND)
def test_sound_rules_are_proved(name: str) -> None:
    assert note_of(SOUND[name]) == ""


@pytest.mark.usefixtures("usual_depth")
def test_a_proof_may_be_required() -> None:
    finding = only(ask(PROVE, padded_often, require="proved"))
    assert finding.code is NOT_PROVED
    assert "nested more deeply" in finding.details[0]
    assert not ask(PROVE, SOUND["common_factor"], require="proved").findings


def test_the_assurance_says_how_far_it_goes() -> None:
    (assurance,) = ask(PROVE, SOUND["common_factor"]).assurances
    assert str(assurance) == "prove proved, all ranks"
    (assurance,) = ask(PROVE, SOUND["common_factor"], max_variants=2).assurances
    assert "for 2 of 5 structures" in assurance.text


def split_at(shift: int) -> Subst:
    x = pat.Variable(shape=(None,))
    part = op.StridedSlice(op.Concatenate((x, x), axis=0), strides=(1,))
    begins = [part.begin[0] == x.shape[0] - shift, part.end[0] == 2 * x.shape[0] - shift]
    return Subst(part, x, where=[x.shape[0] >= 2, *begins])


def shifted_slice(shift: int) -> Subst:
    x = pat.Wildcard()
    part = op.StridedSlice(x, begin=(2 + shift,), end=(4 + shift,), strides=(1,))
    target = op.StridedSlice(x, begin=(2,), end=(4,), strides=(1,))
    return Subst(part, target, where=[x.ndim == 1, x.shape[0] >= 6])


def padded_convolution(value: float) -> Subst:
    x, w = pat.Wildcard(), pat.Variable()
    padded = op.Pad(x, pad_width=(0, 0, 0, 0, 1, 1), pad_value=value)
    conv = op.Conv1D(padded, w, padding=0, data_layout="NCW", kernel_layout="OIW")
    target = op.Conv1D(x, w, **{**pat.same_attr(conv), "padding": 1})
    return Subst(conv, target)


def reordered(axes: tuple[int, ...]) -> Subst:
    x = pat.Wildcard()
    back = op.Transpose(op.Transpose(x, axes=(1, 2, 0)), axes=axes)
    target = x if axes == (2, 0, 1) else op.Transpose(x, axes=(0, 1, 2))
    return Subst(back, target, where=[back.shape == x.shape])


def sum_then_cast(dtype: str) -> Subst:
    x, y = pat.Variable(dtype=dtype), pat.Variable(dtype=dtype)
    wide = {"int8": "int32", "float16": "float32"}[dtype]
    sums = op.Cast(x, dtype=wide) + op.Cast(y, dtype=wide)
    return Subst(op.Cast(x + y, dtype=wide), sums)


def absolute_square(dtypes: tuple[str, ...]) -> Subst:
    x = pat.Wildcard()
    return Subst(op.Abs(x * x), x * x, where=[attr.In(x.dtype, dtypes)])


def quotient(defined: bool) -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    alike = [x.shape == y.shape, attr.In(x.dtype, FLOATS)]
    if defined:
        return Subst(x / y + x / y, (x + x) / y, where=alike)
    product = x * y
    return Subst(product, product * y / y, where=alike)


def clipped(low: float) -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Clip(x, min=-1.0, max=2.0)), op.Clip(x, min=low, max=2.0))


def doubled_sum(factor: float) -> Subst:
    x = pat.Variable(dtype="float32")
    twice = op.Concatenate((x, x), axis=0)
    total = op.Sum(twice, axis=(0,), keepdims=False)
    return Subst(total, op.Sum(x, axis=(0,), keepdims=False) * factor)


def divided_by_constant(as_number: bool) -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="float32")
    target = x / (c * 1.0) if as_number else x * pat.Const(1.0 / c.value, dtype="float32")
    return Subst(x / c, target, where=[c.value != 0.0])


def product_and_quotient(by_other: bool) -> Subst:
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    product = x * y
    where = [product.shape == x.shape, attr.In(x.dtype, FLOATS)]
    if by_other:
        return Subst(product / z, x, where=[*where, z.shape == y.shape])
    return Subst(product / y, x, where=where)


def limited() -> Subst:
    """Limits that no float64 has stay what they are."""
    x, a, b = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    where = [a.value <= b.value]
    return Subst(op.Maximum(op.Minimum(x, b), a), op.Clip(x, min=a.value, max=b.value), where=where)


def test_integers_beyond_floats_are_proved_as_attributes() -> None:
    assert note_of(limited) == ""


def flipped_where_alone(first: int) -> Subst:
    """Which axis is flipped first is decided twice, by conditions that are written twice."""
    x = pat.Wildcard()
    once = op.Flip(x, axis=attr.Cond(x.shape[0] == 1, first, 0))
    twice = op.Flip(once, axis=attr.Cond(x.shape[0] == 1, 0, 1))
    return Subst(op.Flip(op.Flip(x, axis=0), axis=1), twice, where=[x.ndim == 2])


def softmax_where_alone(size: int) -> Subst:
    x = pat.Wildcard()
    axis = attr.Cond((x.shape[0] == 1) & (x.shape[1] == size), 1, 0)
    return Subst(op.Softmax(x, axis=0), op.Softmax(x, axis=axis), where=[x.ndim == 2])


def flipped_by_parity() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Flip(x, axis=0), op.Flip(x, axis=x.shape[0] % 2), where=[x.ndim == 2])


def summed_by_parity() -> Subst:
    x = pat.Wildcard()
    target = op.Cumsum(x, axis=x.shape[0] % 2, exclusive=False)
    return Subst(op.Cumsum(x, axis=0, exclusive=False), target, where=[x.ndim == 2])


@pytest.mark.parametrize("write", [flipped_by_parity, summed_by_parity])
def test_an_axis_that_sizes_compute_stays_open(write: Callable[[], Subst]) -> None:
    assert "could not be shown to be equal" in note_of(write)


PAIRS: dict[str, tuple[Callable[[], Subst], Callable[[], Subst]]] = {
    "split of concat": (lambda: split_at(0), lambda: split_at(1)),
    "slice": (lambda: shifted_slice(0), lambda: shifted_slice(1)),
    "padding of a convolution": (lambda: padded_convolution(0.0), lambda: padded_convolution(1.0)),
    "transposes": (lambda: reordered((2, 0, 1)), lambda: reordered((1, 2, 0))),
    "sum in a wider dtype": (lambda: sum_then_cast("float16"), lambda: sum_then_cast("int8")),
    "squares": (lambda: absolute_square(FLOATS), lambda: absolute_square(("int8", "float32"))),
    "definedness": (lambda: quotient(defined=True), lambda: quotient(defined=False)),
    "constants": (lambda: divided_by_constant(True), lambda: divided_by_constant(False)),
    "limits": (lambda: clipped(0.0), lambda: clipped(0.5)),
    "cancelling": (lambda: product_and_quotient(False), lambda: product_and_quotient(True)),
    "axis by size": (lambda: flipped_where_alone(1), lambda: flipped_where_alone(0)),
    "axis by sizes": (lambda: softmax_where_alone(1), lambda: softmax_where_alone(2)),
    "sum in two parts": (lambda: doubled_sum(2.0), lambda: doubled_sum(3.0)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_sound_rule_is_proved_and_its_neighbour_is_not(name: str) -> None:
    sound, wrong = PAIRS[name]
    assert note_of(sound) == ""
    assert note_of(wrong).startswith("not proved for all sizes: ")


def test_the_note_names_the_operator_that_may_be_undefined() -> None:
    assert "`rhs` of Divide in the target may have no value" in note_of(PAIRS["definedness"][1])


def test_a_rule_with_other_shapes_is_not_examined() -> None:
    def untransposed() -> Subst:
        x = pat.Wildcard()
        moved = op.Transpose(x)
        return Subst(moved, x)

    result = ask(PROVE, untransposed, max_variants=6)
    assert (result.assurances, result.open) == ((), "")


def test_the_answer_is_the_same_every_time() -> None:
    said = {note_of(PAIRS["padding of a convolution"][1]) for _ in range(3)}
    assert len(said) == 1


def test_functions_of_as_many_values_but_not_places_are_not_the_same() -> None:
    def smallest_and_largest() -> Subst:
        ordered = op.Sort(pat.Wildcard(ndim=1, dtype="int32"), axis=-1, descending=False)
        both = ordered + op.Flip(ordered, axis=0)
        return Subst(both, op.Where(op.Equal(both, 1001), both * 0, both))

    assert note_of(smallest_and_largest)
