"""An operation gives the same to the interpreter, to compiled code and to the solver.

The operands are the edge values of all dtypes, in all mixtures, sensible or not.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gsl import pat
from gsl.attr.code import Code, NotCompiledError
from gsl.attr.evaluate import equal, evaluate
from gsl.attr.term import Access, Symbol, Term, as_term, operation
from gsl.attr.values import PYTHON
from gsl.attr.writer import MISSING, UNDECIDED, TermWriter, Written, kind_of
from gsl.dtypes import DTYPES
from gsl.errors import EvaluationError
from gsl.types import FLOATING, INTEGER
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.semantics.terms import UntranslatableError
from gslverify.structures.models.concrete import ModelEnvironment
from tests.attr.environment import Known

pytestmark = pytest.mark.smt

PATTERN = pat.Wildcard()
NAMES = ("a", "b", "c")
CONTEXT = new_context()
LIMIT = 4_000_000
ABSENT = object()


LIMITS = [edge for n in INTEGER for edge in (DTYPES[n].lowest, DTYPES[n].largest)]
WHOLE = sorted(
    {int(edge) + d for edge in LIMITS for d in (-1, 0, 1)}
    | {2**53 + d for d in (-1, 0, 1)}
    | set(range(-3, 4))
)
EDGES = [edge for n in FLOATING for edge in (DTYPES[n].largest, DTYPES[n].smallest, DTYPES[n].unit)]
REAL = [
    *(sign * float(edge) for edge in EDGES for sign in (1, -1)),
    *(0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 0.1, 3.0, 2.0**53, 1e300, float("inf"), float("nan")),
]
TEXTS = ["float32", "bool", "NCHW", ""]
TUPLES = [(), (1, 2), (-1, 0), (1, 2, 0), (True, 0), (0.5,), ("a", 1), ((1,), (2,))]
VALUES = st.one_of(
    st.booleans(),
    st.sampled_from(WHOLE),
    st.sampled_from(REAL),
    st.sampled_from(TEXTS),
    st.sampled_from(TUPLES),
)
UNARY = ("neg", "abs", "floor", "ceil", "sqrt", "not", "length", "inverse")
ARITY = dict.fromkeys(UNARY, 1) | {"cond": 3}
CASES = st.sampled_from(sorted(PYTHON)).flatmap(
    lambda head: st.tuples(st.just(head), st.tuples(*[VALUES] * ARITY.get(head, 2)))
)


def interpreted(term: Term, values: tuple[Any, ...]) -> Any:
    try:
        return evaluate(term, Known({(PATTERN, n): v for n, v in zip(NAMES, values, strict=False)}))
    except EvaluationError:
        return ABSENT


def compiled(term: Term, values: tuple[Any, ...]) -> Any:
    """Return what compiled code computes, which may leave a question to the interpreter."""
    named = dict(zip(NAMES, values, strict=False))
    code = Code()
    kinds = {name: kind_of(value) for name, value in named.items()}
    try:
        writer = TermWriter(code, lambda t, _: Written(f"given[{t.name!r}]", kinds[t.name]))
        code.line(f"return {writer.write(term).text}")
        return code.function("(given)", "test")(named)
    except MISSING:
        return ABSENT
    except (NotCompiledError, *UNDECIDED):
        return interpreted(term, values)


def same(one: Any, other: Any) -> bool:
    if one is ABSENT or other is ABSENT:
        return one is other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    both_nan = one != one and other != other
    return type(one) is type(other) and (both_nan or equal(one, other) is True)


@settings(max_examples=600, deadline=None, derandomize=True, database=None)
@given(CASES)
@example(("==", (True, 1)))
@example(("<", (True, 2)))
@example(("+", (True, 1)))
@example(("==", (2**53 + 1, 2.0**53)))
@example(("cond", (1, 2, 3)))
@example(("axes_left", ((-1, 0), 4)))
@example(("axes_left", ((), 2**63)))
@example(("inverse", ((1, 2, 0),)))
@example(("inverse", ((1, 1),)))
def test_the_interpreter_and_compiled_code_agree(case: tuple[str, tuple[Any, ...]]) -> None:
    head, values = case
    term = operation(head, *(Access(PATTERN, name) for name in NAMES[: len(values)]))
    assert same(compiled(term, values), interpreted(term, values))


def sort_of(value: Any) -> str:
    return {bool: "bool", int: "int", float: "real", str: "text"}.get(type(value), "")


def is_exact(head: str, values: tuple[Any, ...], result: Any) -> bool:
    """Tell whether the result of a reals' operation is not rounded, and the solver knows it."""
    if head == "sqrt" or not isinstance(result, float):
        return head != "sqrt"
    if head not in ("+", "-", "*", "/", "//", "%"):
        return True
    whole = (Fraction(value) * 2**20 for value in (*values, result))
    return all(abs(n) <= 2**20 and n.denominator == 1 for n in whole)


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(CASES)
@example(("==", (True, 1)))
@example(("cond", (False, False, -1)))
@example(("cond", (True, 2, "bool")))
@example(("+", (1.0, 2.0**-60)))
@example(("*", (1e300, 1e300)))
@example(("/", (2**53 + 1, 1)))
@example(("-", (2**53 + 1, 1.0)))
@example(("//", (-2.5, 0.5)))
def test_the_solver_never_excludes_what_the_interpreter_says(
    case: tuple[str, tuple[Any, ...]],
) -> None:
    head, values = case
    if not all(map(sort_of, values)) or not all(isfinite(v) for v in values if type(v) is float):
        return  # tuples are taken apart before, infinities and NaN have no formula
    symbols = {Symbol(n, sort_of(v)): v for n, v in zip(NAMES, values, strict=False)}
    try:
        term = as_term(operation(head, *symbols))
        expected = evaluate(term, ModelEnvironment(symbols))
    except EvaluationError:
        expected = ABSENT
    if isinstance(expected, float) and not isfinite(expected):
        return
    asked = Solver([equal(s, v) for s, v in symbols.items()], LIMIT, CONTEXT)
    claim = term == (0 if expected is ABSENT else expected)
    try:
        possible = asked.check(claim).answer
        certain = asked.refutes(claim).answer
    except UntranslatableError:
        return  # which is no answer, and never counts as one
    if expected is ABSENT:
        assert possible is Answer.UNSAT
        return
    assert possible is not Answer.UNSAT
    if is_exact(head, values, expected):
        assert certain is Answer.UNSAT
