from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, op, pat
from gslverify.mutation.normal import normal_form


def added(swap: bool) -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Relu(x) + y, y + op.Relu(x) if swap else op.Relu(x) + y)


def subtracted(swap: bool) -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Relu(x - y), y - x if swap else x - y)


def from_second(other: bool) -> Subst:
    x = pat.Wildcard()
    one = op.Softmax(x)
    two = op.Softmax(one, axis=one.axis)
    return Subst(two, op.Softmax(x, axis=(two if other else one).axis))


def from_unrelated(other: bool) -> Subst:
    x = pat.Wildcard()
    one = op.Softmax(x)
    two = op.Softmax(one)
    return Subst(two, op.Softmax(x, axis=(two if other else one).axis))


def with_default(written: bool) -> Subst:
    x = pat.Wildcard()
    target = op.Softmax(x, axis=-1) if written else op.Softmax(x)
    return Subst(op.Softmax(op.Relu(x), axis=-1), target)


def pinned(copied: bool) -> Subst:
    x = pat.Wildcard()
    source = op.Sum(op.Relu(x), axis=1)
    return Subst(source, op.Sum(x, axis=source.axis if copied else 1))


def shared_node(shared: bool) -> Subst:
    x = pat.Wildcard()
    once = op.Relu(x)
    return Subst(op.Relu(op.Relu(x)) * 2.0, once + (once if shared else op.Relu(x)))


def source_node(taken: bool) -> Subst:
    x = pat.Wildcard()
    inner = op.Softmax(x)
    again = op.Softmax(x, **pat.same_attr(inner))
    return Subst(op.Relu(inner), inner if taken else again)


def source_node_without_attributes(taken: bool) -> Subst:
    x = pat.Wildcard()
    inner = op.Softmax(x)
    return Subst(op.Relu(inner), inner if taken else op.Softmax(x))


def under_equation(turned: bool) -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    same = y.shape == x.shape if turned else x.shape == y.shape
    return Subst(op.Relu(x) + y, y + op.Relu(x), where=[same])


def under_order(turned: bool) -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    fewer = y.ndim < x.ndim if turned else x.ndim < y.ndim
    return Subst(op.Relu(x) + y, y + op.Relu(x), where=[fewer])


def with_aliases(allowed: bool) -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Relu(x) + y, y + op.Relu(x), aliases=allowed)


@pytest.mark.parametrize(
    "write",
    [added, from_second, with_default, pinned, shared_node, source_node, under_equation],
    ids=lambda f: f.__name__,
)
def test_same_meaning_has_one_form(write: Callable[[bool], Subst]) -> None:
    assert normal_form(write(True)) == normal_form(write(False))


@pytest.mark.parametrize(
    "write",
    [subtracted, from_unrelated, source_node_without_attributes, under_order, with_aliases],
    ids=lambda f: f.__name__,
)
def test_another_meaning_has_another_form(write: Callable[[bool], Subst]) -> None:
    assert normal_form(write(True)) != normal_form(write(False))
