"""Attribute expressions as Python source: what is written computes what `evaluate` does."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gsl import attr
from gsl.attr.code import Code, NotCompiledError
from gsl.attr.evaluate import equal, evaluate
from gsl.attr.term import Access, Constant, Reduce, Symbol, Term, VariadicTuple, as_term
from gsl.attr.writer import MISSING, UNDECIDED, Kind, TermWriter, Written, kind_of
from gsl.errors import EvaluationError
from tests.attr.environment import Known
from tests.attr.random_terms import CONDITIONS, KINDS, PATTERN, TERMS, VALUES, WHOLE

ABSENT, OPEN = object(), object()


def attribute(term: Access, writer: TermWriter) -> Written:
    return Written(f"given[{term.name!r}]", KINDS[term.name])


def computed(term: Term, values: dict[str, Any], times: int = 1) -> Any:
    """Return what the source of `term` computes: a value, ABSENT without one, OPEN if undecided."""
    code = Code()
    writer = TermWriter(code, attribute, [term] * times)
    texts = [writer.write(term).text for _ in range(times)]
    code.line(f"return {texts[-1]}")
    try:
        return code.function("(given)", "test")(values)
    except MISSING:
        return ABSENT
    except UNDECIDED:
        return OPEN


def evaluated(term: Term, values: dict[str, Any]) -> Any:
    known = Known({(PATTERN, name): value for name, value in values.items()})
    try:
        return evaluate(term, known)
    except EvaluationError:
        return ABSENT


def same(one: Any, other: Any) -> bool:
    """Tell whether two results are interchangeable, down to the types of numbers."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if one is ABSENT or other is ABSENT:
        return one is other
    if isinstance(one, Term) or isinstance(other, Term):
        return type(one) is type(other)
    both_nan = one != one and other != other
    return type(one) is type(other) and (both_nan or equal(one, other) is True)


def check(term: Term, values: dict[str, Any]) -> None:
    for times in (1, 2):
        try:
            found = computed(term, values, times)
        except NotCompiledError:
            return
        assert found is OPEN or same(found, evaluated(term, values)), (term, values)


@settings(max_examples=300, deadline=None)
@given(TERMS, VALUES)
@example(attr.Cond(Access(PATTERN, "any"), 1, 2), dict.fromkeys(KINDS, 1))
@example(attr.Cond(Access(PATTERN, "real") == 1.0, 1, 2), dict.fromkeys(KINDS, 1.0))
def test_any_term_has_the_value_that_evaluate_gives_or_is_left_to_it(
    term: Term, values: dict[str, Any]
) -> None:
    check(term, values)


@settings(max_examples=300, deadline=None)
@given(st.one_of(WHOLE, CONDITIONS), VALUES)
@example(attr.Cond(Access(PATTERN, "flag"), 1, 2), dict.fromkeys(KINDS, True))
def test_terms_of_numbers_are_written_and_decided(term: Term, values: dict[str, Any]) -> None:
    found = computed(term, values)

    assert found is not OPEN
    assert same(found, evaluated(term, values))


@pytest.mark.parametrize("truth", [True, False])
def test_choices_by_any_truth_value_are_written(truth: bool) -> None:
    term = attr.Cond(Access(PATTERN, "any"), 1, 2)

    assert computed(term, {"any": truth}) == 2 - truth
    assert computed(term, {"any": 1}) is OPEN


WRITTEN: list[tuple[Any, str, Kind]] = [
    (Access(PATTERN, "whole") + 1, "(given['whole'] + 1)", Kind.INTEGER),
    (Access(PATTERN, "whole") - -1, "(given['whole'] - (-1))", Kind.INTEGER),
    (Access(PATTERN, "sizes")[0], "given['sizes'][0]", Kind.INTEGER),
    (Access(PATTERN, "sizes")[1:], "given['sizes'][1::]", Kind.INTEGERS),
    (Access(PATTERN, "text") == "NCHW", "(given['text'] == 'NCHW')", Kind.FLAG),
    (Access(PATTERN, "any") == 1, "k0(given['any'], 1)", Kind.ANY),
    (Access(PATTERN, "real") == 1.0, "k1(given['real'], k0)", Kind.ANY),
    (~(Access(PATTERN, "whole") < 2), "(not (given['whole'] < 2))", Kind.FLAG),
    (attr.Tuple(Access(PATTERN, "whole")), "(given['whole'], )", Kind.INTEGERS),
]


@pytest.mark.parametrize(("term", "text", "kind"), WRITTEN)
def test_operations_of_known_kinds_are_written_out(term: Term, text: str, kind: Kind) -> None:
    assert TermWriter(Code(), attribute).write(term) == Written(text, kind)


def test_repeated_term_is_computed_once_before_its_first_use() -> None:
    code = Code()
    product = Access(PATTERN, "whole") * 7
    writer = TermWriter(code, attribute, [product + 1, product + 2])

    first, second = writer.write(product + 1), writer.write(product + 2)

    assert first.text == "(t1 + 1)"
    assert second.text == "(t1 + 2)"


def test_term_in_a_branch_that_may_not_be_taken_is_not_computed_before() -> None:
    whole = Access(PATTERN, "whole")
    risky = 1 // whole
    term = attr.Cond(whole == 0, 0, risky + risky)

    assert computed(term, {"whole": 0}) == 0
    assert computed(term, {"whole": 1}) == 2


SIZES = Access(PATTERN, "sizes")


@pytest.mark.parametrize("head", ["and", "or"])
def test_flags_that_are_known_come_last_so_that_the_others_are_computed(head: str) -> None:
    known, open_one = Access(PATTERN, "whole") == 1, SIZES[9] == 1
    term = known & open_one if head == "and" else known | open_one
    code = Code()
    writer = TermWriter(code, attribute)
    writer.hoist(known)

    assert writer.write(term).text == f"((given['sizes'][9] == 1) {head} t1)"
    for whole in (1, 2):
        values = {"whole": whole, "sizes": (1,)}
        assert computed(attr.Tuple(known, term), values) is computed(open_one, values)


RUNNING: dict[str, Any] = {
    "sums": lambda: attr.Variadic(lambda j: attr.Sum(lambda k: SIZES[k], length=j + 1), length=3),
    "too many": lambda: attr.Variadic(
        lambda j: attr.Sum(lambda k: SIZES[k], length=j + 1), length=4
    ),
    "none": lambda: attr.Variadic(lambda j: attr.Sum(lambda k: SIZES[k], length=j + 1), length=0),
    "from none on": lambda: attr.Variadic(
        lambda j: attr.Sum(lambda k: SIZES[k], length=j), length=4
    ),
    "summands that depend on the place": lambda: attr.Variadic(
        lambda j: attr.Sum(lambda k: SIZES[k] * j, length=j + 1), length=3
    ),
    "products": lambda: attr.Variadic(
        lambda j: attr.Product(lambda k: SIZES[k], length=j + 1), length=3
    ),
    "of what may be no numbers": lambda: attr.Variadic(
        lambda j: attr.Sum(lambda k: Access(PATTERN, "any"), length=j + 1), length=3
    ),
}


@pytest.mark.parametrize("name", RUNNING)
def test_running_sums_are_sums(name: str) -> None:
    values = {"sizes": (5, 7, 11), "any": 2}
    term = RUNNING[name]()
    code = Code()

    assert same(computed(term, values), evaluated(term, values))
    TermWriter(code, attribute).write(term)
    assert (accumulate in code.constants.values()) is (name in ("sums", "too many", "none"))


def test_an_inner_index_hides_an_outer_one_of_the_same_name() -> None:
    index = Symbol("i")
    inner = Reduce("+", SIZES[index], index, Constant(3))
    term = VariadicTuple(inner * 10 + index, index, Constant(2))

    assert same(computed(term, {"sizes": (5, 7, 11)}, 1), (230, 231))


def test_names_are_forgotten_when_their_block_ends() -> None:
    code = Code()
    product = Access(PATTERN, "whole") * 7
    writer = TermWriter(code, attribute, [product, product])
    known = writer.known()

    assert writer.write(product).text == "t1"
    writer.forget(known)
    assert writer.write(product).text == "t2"


NOT_WRITTEN = {
    "any": as_term(None),
    "a symbol that is not bound": Symbol("i") + 1,
    "a slice of something else": Access(PATTERN, "any")[1:],
}


@pytest.mark.parametrize("name", NOT_WRITTEN)
def test_what_is_not_written_is_said_so(name: str) -> None:
    with pytest.raises(NotCompiledError):
        TermWriter(Code(), attribute).write(NOT_WRITTEN[name])


class Sly(str):
    """A text whose representation would be code."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "__import__('sys').exit(1)"


class Pair(tuple[int, ...]):
    """A tuple whose representation would be code."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "__import__('sys').exit(1)"


HOSTILE = ["'", '"', "\\", "\n", "'''", '"""', "{0}", "');import os;('", "\0", Sly("x"), Pair((1,))]


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_values_of_users_never_become_code(value: Any) -> None:
    values = {"any": value, "text": str(value)}

    assert computed(Access(PATTERN, "any") == value, values) is True
    assert computed(Constant(value), {}) == value
    assert computed(as_term((Constant(value), 1)), {}) == (value, 1)


KINDS_OF: list[tuple[Any, Kind]] = [
    (1, Kind.INTEGER), (True, Kind.FLAG), (1.0, Kind.REAL), ("x", Kind.TEXT), ((), Kind.INTEGERS),
    ((1, 2), Kind.INTEGERS), ((1, True), Kind.ANY), ((1.0,), Kind.ANY), (Sly("x"), Kind.ANY),
    (Pair((1,)), Kind.ANY), (None, Kind.ANY), (Symbol("n"), Kind.ANY),
    ((1, Symbol("n")), Kind.ANY),
]  # fmt: skip


@pytest.mark.parametrize(("value", "kind"), KINDS_OF)
def test_kind_of_a_value(value: Any, kind: Kind) -> None:
    assert kind_of(value) is kind


@pytest.mark.parametrize("condition", [
    lambda whole: whole == 3,
    lambda whole: (whole == 3) & (whole < 5),
    lambda whole: ~(whole == 3),
    lambda whole: attr.Cond(whole == 3, True, False),
])  # fmt: skip
def test_condition_on_an_unknown_value_is_never_true_or_false(condition: Any) -> None:
    term = condition(Access(PATTERN, "whole"))

    assert not isinstance(computed(term, {"whole": Symbol("n")}), bool)
