"""Rules that do something to each other; most are wrong, which is not what is asked here."""

from __future__ import annotations

from pathlib import Path

from gsl import Subst, op, pat
from gsl.subst import Rule, rule
from gslverify.corpus.collect import CollectedRule


@rule
def exp_of_negative() -> Subst:
    """exp(-x)  =>  -exp(x)"""
    x = pat.Wildcard()
    return Subst(op.Exp(op.Negative(x)), op.Negative(op.Exp(x)))


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
def exp_of_abs() -> Subst:
    """exp(|x|)  =>  exp(-x)"""
    x = pat.Wildcard()
    return Subst(op.Exp(op.Abs(x)), op.Exp(op.Negative(x)))


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
def swapped() -> Subst:
    """x - y  =>  -(y - x)"""
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x - y, -(y - x))


@rule
def never() -> Subst:
    """relu(relu(x))  =>  relu(x), for ranks below 0"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim < 0])


CYCLE = (exp_of_negative, negative_of_exp, abs_of_exp, sqrt_of_exp, exp_of_abs)


def collected(*rules: Rule) -> list[CollectedRule]:
    """Return rules as if they had been collected from one file."""
    return [CollectedRule(f"rules.py::{r.name}", Path(r.span.file), r) for r in rules]
