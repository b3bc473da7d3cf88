"""The hash of a rule says what it means: names do not matter, everything else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsl.canonical import canonical_lines, rule_hash
from tests.rule_text import run

RULE = """
x, w = pat.Wildcard(), pat.Variable(dtype="float32")
c = pat.Const(2.0, like=x)
conv = op.Conv2D(x, w, strides=(1, 1))
rule = Subst(op.Relu(conv * c), op.Relu(conv) * c, where=[x.shape[0] == 1])
"""

VARIADIC = """
x, w0, w = pat.Wildcard(), pat.Variable(), pat.Variable()
first = op.Dense(x, w0)
dense = op.Dense(x, w, **pat.same_attr(first))
src = pat.Variadic(dense, templates=[dense, w], first=[first, w0], min_len=2)
i = attr.Symbol("i")
weight = src(w, i)
weights = pat.Variadic(weight, templates=[weight], index=i, length=src.length)
both = op.Concatenate(weights, axis=0)
any_op = op.Elementwise(both)
rule = Subst(src, pat.Cond(src.length > 3, op.same(any_op)(both, **pat.same_attr(any_op)), both))
"""


def digest(text: str, folder: Path) -> str:
    return rule_hash(run(text, folder)["rule"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("conv", "convolution"),
        ("\nrule", "\n# a comment\n\nrule"),
        ("(1, 1)", "[1, 1]"),
        ("x, w =", "y = x, w ="),
    ],
)
def test_names_and_comments_do_not_matter(old: str, new: str, tmp_path: Path) -> None:
    assert digest(RULE.replace(old, new), tmp_path) == digest(RULE, tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(1, 1)", "(2, 2)"),
        ('"float32"', '"float16"'),
        ("2.0", "3.0"),
        (", like=x", ""),
        ("Relu(conv * c)", "Relu(c * conv)"),
        ("op.Relu(conv) * c", "op.Relu(conv * c)"),
        ("== 1]", "== 2]"),
        (", where=[x.shape[0] == 1]", ""),
        ("pat.Wildcard()", "pat.Variable()"),
        ("Relu(conv)", "Exp(conv)"),
    ],
)
def test_whatever_a_rule_says_matters(old: str, new: str, tmp_path: Path) -> None:
    assert old in RULE
    assert digest(RULE.replace(old, new), tmp_path) != digest(RULE, tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("min_len=2", "min_len=3"),
        ("templates=[dense, w], first=[first, w0]", "templates=[dense, w]"),
        ("length=src.length", "length=src.length - 1"),
        ("> 3", "> 4"),
        (", **pat.same_attr(any_op)", ""),
        ("op.same(any_op)(both, **pat.same_attr(any_op))", "any_op"),
        ("src(w, i)", "src(w, i + 1)"),
    ],
)
def test_every_form_counts(old: str, new: str, tmp_path: Path) -> None:
    assert old in VARIADIC
    assert digest(VARIADIC.replace(old, new), tmp_path) != digest(VARIADIC, tmp_path)


def test_two_places_that_share_differ_from_one_that_does_not(tmp_path: Path) -> None:
    shared = "x = pat.Wildcard()\nr = op.Relu(x)\nrule = Subst(r + r, r)"
    apart = "x = pat.Wildcard()\nr = op.Relu(x)\nrule = Subst(r + op.Relu(x), r)"

    assert digest(shared, tmp_path) != digest(apart, tmp_path)


def test_lines_name_patterns_by_number(tmp_path: Path) -> None:
    text = "y = pat.Wildcard()\nrule = Subst(op.Relu(op.Relu(y)), op.Relu(y), where=[y.ndim == 2])"

    assert list(canonical_lines(run(text, tmp_path)["rule"])) == [
        "p0 = Wildcard()",
        "p1 = Relu(p0)",
        "p2 = Relu(p1)",
        "p3 = Relu(p0)",
        "p2",
        "p3",
        "p0.ndim == 2",
    ]
