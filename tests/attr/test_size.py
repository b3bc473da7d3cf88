"""Terms of any size can be walked; those that are too large for their meanings are refused."""

from __future__ import annotations

import pytest

from gsl import Subst, Var, Workload, op, pat
from gsl.attr.size import MOST_BITS, MOST_LEVELS, MOST_PARTS, oversize
from gsl.attr.term import Reduce, Symbol, Term, as_term, bottom_up, free_symbols, subterms
from gsl.errors import RuleError
from gsl.graph import reverse_post_order
from tests.match.toys import relu
from tests.rule_text import underlined

MANY = 3000
a, b = Symbol("a"), Symbol("b")


def sum_of(term: Term, count: int) -> Term:
    total = term
    for _ in range(count - 1):
        total = total + term
    return total


def doubled(term: Term, times: int) -> Term:
    for _ in range(times):
        term = term + term
    return term


def test_walks_over_terms_do_not_depend_on_depth() -> None:
    deep = Reduce("+", sum_of(a, MANY) + b, a, sum_of(b, MANY))

    assert free_symbols(deep) == {b}
    assert set(bottom_up(deep)) == set(subterms(deep))


def test_parts_come_before_wholes_and_once() -> None:
    product = a * b
    term = product + product

    assert list(bottom_up(term))[2:] == [product, term]
    assert set(list(bottom_up(term))[:2]) == {a, b}


@pytest.mark.parametrize(
    ("term", "excess"),
    [
        (a, ""),
        (sum_of(a, MOST_LEVELS), ""),
        (sum_of(a, MOST_LEVELS + 1), f"{MOST_LEVELS + 1} levels deep, more than {MOST_LEVELS}"),
        (doubled(a, 15), ""),
        (doubled(a, 100), f"made of more than {MOST_PARTS} parts when it is written out"),
        (a * (2**MOST_BITS - 1), ""),
        (a * -(10**5000), f"written with a number of 16610 bits, more than {MOST_BITS}"),
        (as_term((1, 10**5000)), f"written with a number of 16610 bits, more than {MOST_BITS}"),
    ],
    ids=[
        *["leaf", "deepest", "too deep", "shared", "too often shared"],
        *["longest number", "number too long", "number too long in a tuple"],
    ],
)
def test_what_is_too_large(term: Term, excess: str) -> None:
    assert oversize(term) == excess


@pytest.mark.parametrize(("count", "calls"), [(2, 1), (3, 2)], ids=["holds", "does not"])
def test_the_deepest_conditions_can_be_decided(count: int, calls: int) -> None:
    x = pat.Wildcard()
    total = sum_of(x.shape[0], MOST_LEVELS - 2)
    rule = Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[total == 2 * (MOST_LEVELS - 2)])

    rewritten = rule(Workload([relu(relu(Var("v", (count,))))]))

    assert len(reverse_post_order(rewritten.outputs)) == 1 + calls


def test_a_condition_that_is_too_large_is_refused_where_it_is() -> None:
    x = pat.Wildcard()

    with pytest.raises(RuleError) as caught:
        Subst(op.Relu(x), op.Abs(x), where=[sum_of(x.ndim, MANY) > 3])

    assert caught.value.code == "GSL146"
    assert underlined(caught.value.span) == "sum_of(x.ndim, MANY) > 3"


def test_an_attribute_that_is_too_large_is_refused_at_its_pattern() -> None:
    x = pat.Wildcard()

    with pytest.raises(RuleError, match="GSL146"):
        Subst(op.Relu(x), op.Sum(x, axis=(sum_of(x.ndim, MANY),)))
