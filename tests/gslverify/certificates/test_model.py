"""What holds in the random model, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from gsl.attr.evaluate import choose, conjunction, negation
from gsl.attr.term import Symbol, operation
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gslverify.certificates.field import key_of
from gslverify.certificates.inputs import Inputs
from gslverify.certificates.model import Model, NoRootError

N, M, J, K, L = (Symbol(name, low=0) for name in "nmjkl")
ZERO = Number(0)
A, B = Read("a", ()), Read("b", ())
X, Y = Read("x", (J,)), Read("y", (J,))


def of(function: str, *arguments: Expression) -> Expression:
    return Apply(function, arguments)


def total(body: Expression, *variables: tuple[Symbol, Any]) -> Expression:
    return Reduction("sum", variables, body)


def largest(body: Expression, *variables: tuple[Symbol, Any]) -> Expression:
    return Reduction("max", variables, body)


def values(*sides: Expression, is_field: bool = True) -> list[Any]:
    for seed in range(100):
        model = Model(seed, is_field)
        try:
            return [key_of(model.value(side)) for side in sides]
        except NoRootError:
            continue
    raise AssertionError("there is always a root")


XK, YK, XL = Read("x", (K,)), Read("y", (K,)), Read("x", (L,))
AT = Select(K < M, XK, Number(0))

SAME = [
    (A * (A + B), A * A + B * A),
    ((A * A - B * B) / (A - B), A + B),
    (of("exp", A + B), of("exp", B + A)),
    (total(XK + YK, (K, N)), total(XK, (K, N)) + total(YK, (K, N))),
    (total(XK, (K, N)), total(XL, (L, N))),
    (total(XK * A, (K, N)), A * total(XK, (K, N))),
    (
        total(XK * Read("y", (L,)), (K, N), (L, M)),
        total(XK, (K, N)) * total(Read("y", (L,)), (L, M)),
    ),
    (total(total(XK * XL, (K, N)), (L, M)), total(total(XK * XL, (L, M)), (K, N))),
    (total(Number(1), (K, N)), Number(N)),
    (largest(largest(XK * XL, (K, N)), (L, M)), largest(largest(XK * XL, (L, M)), (K, N))),
    (of("max", A, of("max", B, A)), of("max", A, B)),
    (of("min", A, B), -of("max", -A, -B)),
    (of("sqrt", A) * of("sqrt", A), A),
    (of("abs", A) * of("abs", A), A * A),
    (of("sign", A) * of("sign", A) * of("abs", A), of("abs", A) - of("abs", A) * of("==", A, ZERO)),
    (AT * AT, Select(K < M, XK * XK, Number(0))),
    (of("exp", AT), Select(K < M, of("exp", XK), of("exp", Number(0)))),
    (Select(negation(K < M), Number(0), XK), AT),
]

OTHER = [
    (A * A, A),
    (of("exp", A + B), of("exp", A) * of("exp", B)),
    (total(XK * YK, (K, N)), total(XK, (K, N)) * total(YK, (K, N))),
    (total(XK, (K, N)), total(XK, (K, M))),
    (total(XK, (K, N)), Number(N) * XK),
    (largest(XK, (K, N)), XK),
    (of("sqrt", A * A), A),
    (of("abs", A), A),
    (of("sign", A) * of("sign", A), Number(1)),
    (AT, XK),
    (of("<", A, B), of("<=", A, B)),
    (Select(conjunction(K < M, K < N), XK, Number(0)), AT),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_what_laws_of_fields_and_sums_say_holds(left: Expression, right: Expression) -> None:
    one, other = values(left, right)
    assert one == other


@pytest.mark.parametrize(("left", "right"), OTHER)
def test_what_they_do_not_say_does_not_hold(left: Expression, right: Expression) -> None:
    one, other = values(left, right)
    assert one != other


def test_functions_see_integers_as_they_have_wrapped() -> None:
    next_one, far, small, minimum, turned = values(
        of("==", X + Number(1), X),
        of("==", X + Number(256), X),
        of("==", X + Number(1) - X, Number(2)),
        of("min", A, B),
        -of("max", -A, -B),
        is_field=False,
    )
    assert not {next_one, far} & {0, 1}
    assert small == 0
    assert minimum != turned


BYTES = Inputs({"x": "uint8", "y": "uint8", "a": "int8", "b": "int32"})
IN_INT32 = of("cast", A, Number("int8"), Number("int32"))


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (of("abs", X + Y), of("abs", Y + X), True),
        (of("abs", A + A), of("abs", IN_INT32 + IN_INT32), False),
        (of("abs", X + ZERO), of("abs", X), True),  # which is an element
        (of("abs", of("max", X, Y)), of("abs", of("max", Y, X)), True),
        (of("//", A + B, B), of("//", B + A, B), False),  # computed in int8 and in int32
        (of("sign", X * Y - Y * X), ZERO, True),
        (total(XK, (K, 1)), Read("x", (0,)), True),
        (of("abs", total(XK, (K, 1))), of("abs", Read("x", (0,))), True),
        (of("select", of("<", X, Y), X + Y, X), of("select", of("<", X, Y), Y + X, X), True),
    ],
)
def test_what_a_dtype_holds_of_an_integer(
    one: Expression, other: Expression, is_same: bool
) -> None:
    model = Model(0, is_field=False, inputs=BYTES)
    left, right = (key_of(model.stored(side)) for side in (one, other))
    assert (left == right) is is_same
    assert Model(0, is_field=True, inputs=BYTES).fits(one)


def test_conditions_are_their_opposites_turned_round() -> None:
    model = Model(0, is_field=False)
    holds, fails = model.condition(K < N), model.condition(K >= N)
    assert holds != fails
    assert model.times(holds, fails) == 0


def test_what_is_chosen_in_an_index_is_known_only_with_its_condition() -> None:
    model = Model(0, is_field=False)
    index = choose(operation("==", N, 1), 0, J)
    assert model.index(index) != model.index(J)
    (literal,) = next(iter(model.condition(operation("==", N, 1))))
    model.known[literal] = False
    model.forget()
    assert model.index(index) == model.index(J)
