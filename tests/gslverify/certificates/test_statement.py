"""Structures that differ in the names of symbols only have one proof, and no others have."""

from __future__ import annotations

import json

import pytest

from gsl.attr.term import Symbol, TupleOf, operation
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gslverify.certificates.checker import Asked
from gslverify.certificates.checking import Case, Output, Proof
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.field import PRIME
from gslverify.certificates.inputs import Inputs
from gslverify.certificates.model import Model
from gslverify.certificates.statement import form_of
from gslverify.semantics.solver import new_context
from gslverify.stages.certified import check
from tests.gslverify.certificates.test_certificates import question, written

N, M, J, K = (Symbol(name, low=0) for name in "nmjk")
ANY = Symbol("any")
X, Y = Read("x", (J,)), Read("y", (J,))


def test_a_proof_of_another_structure_is_refused() -> None:
    right = json.loads(written("sum_of_sum"))
    shared = [n for n, one in enumerate(right["structures"]) if isinstance(one, int)]
    assert shared
    assert check(question("sum_of_sum"), right) == ""
    for other in range(shared[0]):
        is_same = other == right["structures"][shared[0]]
        wrong = {**right, "structures": [*right["structures"]]}
        wrong["structures"][shared[0]] = other
        assert (check(question("sum_of_sum"), wrong) == "") is is_same


@pytest.mark.parametrize("number", [0, 1, -1, 1000])
def test_no_structure_is_shown_by_itself_or_by_a_later_one(number: int) -> None:
    wrong = json.loads(written("sum_of_sum"))
    wrong["structures"] = [number for _ in wrong["structures"]]
    assert check(question("sum_of_sum"), wrong) != ""


ALIKE = [
    (operation("+", N, M), operation("+", J, K)),
    (Read("x", (N + 1,)), Read("x", (M + 1,))),
    (Reduction("sum", ((K, N),), Read("x", (K,))), Reduction("sum", ((J, M),), Read("x", (J,)))),
    ((X, X), (X, Read("x", (J,)))),
]

OTHER = [
    (operation("+", N, M), operation("+", N, N)),
    (operation("+", N, 1), operation("+", N, True)),
    (operation("<", N, M), operation("<=", N, M)),
    (operation("+", N, M), operation("+", ANY, M)),
    (X, Y),
    (X, Read("x", (J,), guarded=True)),
    (Apply("exp", (X,)), Apply("tanh", (X,))),
    (Number(1), 1),
    (Select(J < K, X, Y), Select(J < K, Y, X)),
    (Reduction("sum", ((K, N),), Read("x", (K,))), Reduction("sum", ((K, N),), Read("x", (J,)))),
    (Reduction("sum", ((K, N),), X), Reduction("max", ((K, N),), X)),
    ((N, M, N), (N, M, M)),
    ("float32", "float64"),
    (TupleOf((N, M)), TupleOf((N, M))),  # of which it knows no parts
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_of_symbols_are_no_part_of_a_form(one: object, other: object) -> None:
    assert form_of(one) == form_of(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_everything_else_is(one: object, other: object) -> None:
    assert form_of(one) != form_of(other)


def test_no_rule_is_made_for_the_numbers_that_are_drawn() -> None:
    """Whoever knows them could write a factor with which both sides are one value."""

    def accepted(left: Expression, right: Expression) -> bool:
        output = Output("output 0", left, right, {})
        case = Case(output, Asked([], new_context(), {}), frozenset(), True, Inputs({}))
        try:
            case.follow(Proof(), ())
        except RefusedError:
            return False
        return True

    for seed in range(3):
        model = Model(seed, is_field=True)
        factor = model.value(Y) * pow(model.value(X), -1, PRIME) % PRIME
        assert model.value(X * Number(factor)) == model.value(Y)
        assert not accepted(X * Number(factor), Y)
    assert accepted(X * Number(3), Number(3) * X)
