"""Kinds of constants that no common dtype has are refused as soon as they meet."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import Subst, pat
from gsl.attr.term import Symbol, as_term, operation
from gsl.types import ANY_FLOAT, ANY_INTEGER
from gslverify.finding import Verdict
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.structures.sources.dtype_domains import DtypeDomains
from gslverify.structures.variants import Search
from tests.gslverify.stages.asking import ask

ONE, OTHER, THIRD = (Symbol(name, "text") for name in ("one", "other", "third"))
FLOAT, INTEGER, RANK = 1, 2, 4
"""Decisions, as bits."""


def one_of(symbol: Symbol, dtypes: tuple[str, ...]) -> Any:
    return operation("in", symbol, as_term(dtypes))


def domains() -> tuple[DtypeDomains, list[Any]]:
    undo: list[Any] = []
    return DtypeDomains(undo.append), undo


def test_the_decisions_are_named_that_leave_no_dtype() -> None:
    known, _ = domains()
    assert known.clash(one_of(ONE, ANY_FLOAT), FLOAT) is None
    assert known.clash(one_of(OTHER, ANY_INTEGER), INTEGER) is None
    assert known.clash(operation("==", ONE, OTHER), RANK) == FLOAT | INTEGER | RANK


def test_equal_dtypes_are_narrowed_together() -> None:
    known, _ = domains()
    assert known.clash(one_of(THIRD, (*ANY_FLOAT, *ANY_INTEGER)), 0) is None
    for same in (operation("==", ONE, THIRD), operation("==", OTHER, ONE)):
        assert known.clash(same, 0) is None
    assert known.clash(operation("==", OTHER, as_term("int8")), INTEGER) is None
    assert known.clash(one_of(THIRD, ANY_FLOAT), FLOAT) == FLOAT | INTEGER
    assert known.clash(one_of(ONE, ANY_INTEGER), FLOAT) is None


def test_what_is_taken_back_is_forgotten() -> None:
    known, undo = domains()
    assert known.clash(one_of(ONE, ANY_FLOAT), FLOAT) is None
    assert known.clash(one_of(OTHER, ANY_FLOAT), FLOAT) is None
    before = len(undo)
    assert known.clash(operation("==", ONE, OTHER), 0) is None
    assert known.clash(operation("==", ONE, as_term("float16")), RANK) is None
    assert known.clash(operation("==", OTHER, as_term("float32")), 0) == RANK | FLOAT
    while len(undo) > before:
        undo.pop()()
    assert known.clash(operation("==", OTHER, as_term("float32")), 0) is None
    assert known.clash(operation("==", ONE, as_term("float16")), 0) is None


def test_nothing_is_learned_of_a_clash_or_of_other_terms() -> None:
    known, _ = domains()
    size = Symbol("n", low=1)
    assert known.clash(operation("==", size, as_term(3)), 0) is None
    assert known.clash(operation("==", size, as_term(4)), 0) is None
    assert known.clash(one_of(ONE, ANY_FLOAT), FLOAT) is None
    assert known.clash(one_of(ONE, ANY_INTEGER), INTEGER) == FLOAT | INTEGER
    assert known.clash(one_of(ONE, ANY_FLOAT), 0) is None


def polynomial(terms: int) -> Subst:
    """Return Horner's rule for a polynomial with so many constants."""
    x, constants = pat.Wildcard(), [pat.Const(shape=()) for _ in range(terms)]
    nested = constants[0]
    for one in constants[1:]:
        nested = nested * x + one
    power, expanded = x, constants[-1]
    for one in reversed(constants[:-1]):
        expanded = expanded + one * power
        power = power * x
    return Subst(nested, expanded)


@pytest.mark.smt
@pytest.mark.parametrize("terms", [2, 12])
def test_structures_do_not_multiply_with_the_number_of_constants(terms: int) -> None:
    search = Search(polynomial(terms))
    assert not search.has_more_after(40 * terms)
    assert len(search.found) == 10  # five ranks, integers and floats


@pytest.mark.smt
def test_dtypes_of_constants_with_axes_do_not_multiply() -> None:
    x, rows = pat.Wildcard(), [pat.Const((1, n)) for n in (2, 3, 4)]
    search = Search(Subst(x + rows[0] + rows[1] + rows[2], x + pat.Const((3, 9), dtype=x.dtype)))
    assert not search.has_more_after(6000)


@pytest.mark.smt
@pytest.mark.parametrize("stated", [True, False])
def test_contradictions_that_are_written_are_still_explained(stated: bool) -> None:
    def clashing() -> Subst:
        x = pat.Wildcard()
        first, second = ("int32", "float32") if stated else (None, None)
        c, d = pat.Const(shape=(), dtype=first), pat.Const(shape=(), dtype=second)
        where = [] if stated else [c.dtype == "int32", d.dtype == "float32"]
        return Subst(x * c + d, d + x * c, where=where)

    result = ask(SATISFIABLE, clashing)
    assert result.verdict is Verdict.VACUOUS
    said = " ".join((result.findings[0].message, *result.findings[0].details))
    assert ("must have one dtype" if stated else "d.dtype == 'float32'") in said
