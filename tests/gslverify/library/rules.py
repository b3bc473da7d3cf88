"""Rules that do something to each other; most are wrong, which is not what is asked here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gsl import Subst, op, pat
from gsl.pat import Pattern
from gsl.subst import Rule, rule
from gslverify.corpus.declaration import CollectedRule


@rule
def negative_of_exp() -> Subst:
    """-exp(x)  =>  |exp(x)|"""
    x = pat.Wildcard()
    return Subst(op.Negative(op.Exp(x)), op.Abs(op.Exp(x)))


@rule
def abs_of_exp() -> Subst:
    """|exp(x)|  =>  sqrt(exp(x))"""
    x = pat.Wildcard()
    return Subst(op.Abs(op.Exp(x)), op.Sqrt(op.Exp(x)))


@rule
def sqrt_of_exp() -> Subst:
    """sqrt(exp(x))  =>  exp(|x|)"""
    x = pat.Wildcard()
    return Subst(op.Sqrt(op.Exp(x)), op.Exp(op.Abs(x)))


@rule
def doubled() -> Subst:
    """2 x  =>  x + x"""
    x = pat.Wildcard()
    return Subst(x * 2.0, x + x)


@rule
def relu_of_sum() -> Subst:
    """relu(x + x)  =>  relu(2 x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(x + x), op.Relu(x * 2.0))


@rule
def growing() -> Subst:
    """tanh(x)  =>  tanh(sigmoid(x))"""
    x = pat.Wildcard()
    return Subst(op.Tanh(x), op.Tanh(op.Sigmoid(x)))


@rule
def relu_twice() -> Subst:
    """relu(relu(x))  =>  relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


@rule
def relu_twice_again() -> Subst:
    """relu(relu(y))  =>  relu(y)"""
    y = pat.Wildcard()
    inner = op.Relu(y)
    return Subst(op.Relu(inner), inner)


@rule
def relu_thrice() -> Subst:
    """relu(relu(relu(x)))  =>  relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(op.Relu(x))), op.Relu(x))


@rule
def relu_of_matrix() -> Subst:
    """relu(x)  =>  max(x, 0), matrices only"""
    x = pat.Wildcard()
    return Subst(op.Relu(x), op.Maximum(x, 0.0), where=[x.ndim == 2])


@rule
def relu_of_anything() -> Subst:
    """relu(x)  =>  max(x, 0)"""
    x = pat.Wildcard()
    return Subst(op.Relu(x), op.Maximum(x, 0.0))


@rule
def relu_of_no_matrix() -> Subst:
    """relu(x)  =>  max(x, 0), but not for matrices"""
    x = pat.Wildcard()
    return Subst(op.Relu(x), op.Maximum(x, 0.0), where=[x.ndim != 2])


@rule
def swapped() -> Subst:
    """x - y  =>  -(y - x)"""
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x - y, -(y - x))


@rule
def never() -> Subst:
    """relu(relu(x))  =>  relu(x), for ranks below 0"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim < 0])


@rule
def sigmoid_and_erf() -> Subst:
    """sigmoid(x), erf(x)  =>  -exp(x), |exp(x)|"""
    x = pat.Wildcard()
    power = op.Exp(x)
    return Subst([op.Sigmoid(x), op.Erf(x)], [op.Negative(power), op.Abs(power)])


@rule
def negative_and_abs() -> Subst:
    """-exp(x), |exp(x)|  =>  sigmoid(x), erf(x)"""
    x = pat.Wildcard()
    power = op.Exp(x)
    return Subst([op.Negative(power), op.Abs(power)], [op.Sigmoid(x), op.Erf(x)])


@rule
def relu_of_halves() -> Subst:
    """relu(split(x).0), relu(split(x).1)  =>  split(relu(x))"""
    x = pat.Wildcard()
    halves = op.Split(x, indices_or_sections=2, axis=0)
    after = op.Split(op.Relu(x), indices_or_sections=2, axis=0)
    return Subst([op.Relu(halves[0]), op.Relu(halves[1])], [after[0], after[1]])


@rule
def halves_of_relu() -> Subst:
    """split(relu(x))  =>  relu(split(x).0), relu(split(x).1)"""
    x = pat.Wildcard()
    halves = op.Split(x, indices_or_sections=2, axis=0)
    after = op.Split(op.Relu(x), indices_or_sections=2, axis=0)
    return Subst([after[0], after[1]], [op.Relu(halves[0]), op.Relu(halves[1])])


@rule
def larger_stride() -> Subst:
    """x[b:e:s]  =>  x[b:e:s + 1] for vectors of one element"""
    x = pat.Wildcard()
    part = op.StridedSlice(x)
    target = op.StridedSlice(x, begin=part.begin, end=part.end, strides=(part.strides[0] + 1,))
    return Subst(part, target, where=[x.ndim == 1, x.shape[0] == 1])


@rule
def pad_of_nothing() -> Subst:
    """pad{0}(x)  =>  x"""
    x = pat.Wildcard()
    padded = op.Pad(x)
    return Subst(padded, x, where=[padded.shape == x.shape])


@rule
def slice_of_everything() -> Subst:
    """x[all]  =>  x"""
    x = pat.Wildcard()
    part = op.StridedSlice(x)
    return Subst(part, x, where=[part.shape == x.shape, x.ndim == 1])


@rule
def slice_of_spread() -> Subst:
    """pad and reshape, then a slice of every step-th element  =>  x"""
    x = pat.Wildcard()
    rows = op.Pad(op.ExpandDims(x, axis=(1,)))
    part = op.StridedSlice(op.Reshape(rows))
    step = part.strides[0] == rows.shape[1]
    only_behind = [rows.pad_width[i] == 0 for i in range(3)]
    start = [part.ndim == 1, part.begin[0] == 0, part.shape[0] == x.shape[0]]
    return Subst(part, x, where=[x.ndim == 1, *only_behind, *start, step])


def transposed(before: tuple[int, ...], after: tuple[int, ...]) -> Rule:
    """Return a rule from one permutation of the axes to another."""

    def write() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Transpose(x, axes=before), op.Transpose(x, axes=after))

    return made(f"axes_{'_'.join(map(str, before))}", write)


NAMES = "Relu Exp Negative Abs Sigmoid Tanh Sqrt Floor Ceil Round Erf Log"
LETTERS = dict(zip("abcdefghijkl", NAMES.split(), strict=True))


def spelled(word: str, pattern: Pattern) -> Pattern:
    """Return the unary operators of a word applied to a pattern, the last letter first."""
    for letter in reversed(word):
        pattern = getattr(op, LETTERS[letter])(pattern)
    return pattern


def words(before: str, after: str) -> Rule:
    """Return a rule from one word to another; both are words of the same input."""

    def write() -> Subst:
        x = pat.Wildcard()
        return Subst(spelled(before, x), spelled(after, x))

    return made(f"{before}_to_{after}", write)


def made(name: str, write: Callable[[], Subst]) -> Rule:
    """Return a rule that no file has."""
    write.__name__, write.__doc__ = name, f"{name}  =>  something"
    return rule(write)


CYCLE = (
    words("ab", "cd"),
    words("cd", "ef"),
    words("ef", "gh"),
    words("gh", "ij"),
    words("ij", "ab"),
)


def collected(*rules: Rule) -> list[CollectedRule]:
    """Return rules as if they had been collected from one file."""
    return [CollectedRule(f"rules.py::{r.name}", Path(r.span.file), r) for r in rules]
