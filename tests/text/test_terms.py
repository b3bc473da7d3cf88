"""Terms as Python make the same terms again."""

from __future__ import annotations

import pytest

from gsl import attr, pat
from gsl.attr.term import Term
from gsl.text.terms import python_text, term_text

X, Y = pat.Variable(), pat.Variable()
NAMES = {X: "x", Y: "y"}

TERMS = [
    X.ndim == 2,
    (X.shape[0] + 1) * Y.shape[-1] <= 7,
    attr.In(X.dtype, ("float32", "int8")),
    ~((X.ndim == 1) | (Y.ndim == 1)) & (X.dtype != "bool"),
    attr.Cond(X.ndim > 1, attr.Max(X.ndim, 2), attr.Min(Y.ndim, -Y.ndim)) == 3,
    attr.All(lambda k: X.shape[k] == Y.shape[k], length=X.ndim),
    attr.Exists(lambda k: attr.All(lambda i: X.shape[k] == Y.shape[i], length=2), length=X.ndim),
    attr.Sum(lambda k: X.shape[k], length=X.ndim) == attr.Product(lambda k: k + 1, length=Y.ndim),
    attr.ReduceIndexed(attr.BinaryOp.MAX, lambda k: X.shape[k], length=X.ndim) == 4,
    attr.Variadic(lambda i: X.shape[i], length=X.ndim) == Y.shape[1:],
    attr.Length(X.shape) == attr.Abs(attr.Floor(attr.Sqrt(Y.ndim))),
    X.shape == (Y.shape[0], 1),
]


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term_text(term, NAMES))
def test_python_makes_the_same_term(term: Term) -> None:
    text = python_text(term, NAMES)
    made = eval(text, {"attr": attr, "x": X, "y": Y})
    assert term_text(made, NAMES) == term_text(term, NAMES)


def test_indices_take_no_name_of_a_pattern() -> None:
    term = attr.All(lambda k: X.shape[k] == 1, length=X.ndim)
    assert python_text(term, {X: "i"}) == "attr.All(lambda j: i.shape[j] == 1, length=i.ndim)"
