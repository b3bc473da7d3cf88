"""Questions to z3 whether two computations differ."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from gslverify.semantics.arithmetic import Arithmetic
from gslverify.semantics.difference import Difference, Examiner, Reply
from gslverify.semantics.formulas import ALL_DIGITS
from gslverify.semantics.scalars import REAL, Scalar, Scalars, kind_of
from gslverify.semantics.sides import Sides
from gslverify.semantics.solver import new_context

pytestmark = pytest.mark.smt

LIMIT = 200_000


class Play:
    """Scalars with short names."""

    def __init__(self, dtype: str = "float32") -> None:
        self.scalars = Scalars(1000)
        self.apply = Arithmetic(self.scalars)
        self.x, self.y, self.z = (self.element(name, dtype) for name in "xyz")
        self.examiner = Examiner(new_context(), LIMIT)

    def element(self, name: str, dtype: str) -> Scalar:
        return self.scalars.unknown(kind_of(dtype), (name, ()))

    def number(self, value: Any) -> Scalar:
        return self.scalars.literal(value)

    def reply(self, *pairs: tuple[Scalar, Scalar], assumed: Iterable[Scalar] = ()) -> Reply:
        return self.examiner.reply(Sides(list(pairs), list(assumed)))

    def models(self, *pairs: tuple[Scalar, Scalar]) -> list[dict[Scalar, Any]]:
        limits = {one: 10**9 for one in (self.x, self.y, self.z) if one.kind == REAL}
        return Difference(self.examiner, Sides(list(pairs), limits=limits), ALL_DIGITS).models()


def test_the_distributive_law() -> None:
    for dtype in ("float32", "int32", "uint8"):
        play = Play(dtype)
        left = play.apply("*", play.x, play.apply("+", play.y, play.z))
        xy, xz = play.apply("*", play.x, play.y), play.apply("*", play.x, play.z)
        assert play.reply((left, play.apply("+", xy, xz))) is Reply.EQUAL
        assert play.reply((left, play.apply("-", xy, xz))) is Reply.DIFFERENT


def test_a_number_that_is_rare_is_found() -> None:
    play = Play()
    total = play.apply("+", play.apply("*", play.x, play.x), play.apply("*", play.y, play.y))
    rare = play.apply("==", total, play.number(1369.0 + 25))
    left = play.apply("select", rare, play.number(1.0), play.x)
    assert play.reply((left, play.x)) is Reply.DIFFERENT
    found = play.models((left, play.x))
    sums = [one[play.x] ** 2 + one[play.y] ** 2 for one in found]
    assert 1394 in sums
    assert all(abs(total - 1394) < 1e-9 for total in sums)


def test_whole_numbers_come_first_and_clear_differences() -> None:
    play = Play()
    most = play.apply("min", play.x, play.number(1e8))
    first, *_ = play.models((most, play.x))
    assert first[play.x] > Fraction(10**8) * 33 / 32
    small = play.apply("min", play.x, play.number(2.5))
    first, *_ = play.models((small, play.x))
    assert first[play.x] == int(first[play.x]) >= 3


def test_integers_wrap() -> None:
    play = Play("int8")
    more = play.apply("<", play.x, play.apply("+", play.x, play.number(1)))
    yes = play.number(True)
    assert play.reply((yes, more)) is Reply.DIFFERENT
    assert {one[play.x] for one in play.models((yes, more))} == {127}


def test_what_only_the_target_leaves_undefined() -> None:
    play = Play()
    one = play.apply("/", play.x, play.x)
    assert play.reply((play.number(1.0), one)) is Reply.DIFFERENT
    assert play.reply((one, play.scalars.converted(play.number(1), REAL))) is Reply.EQUAL


def test_what_is_assumed_counts() -> None:
    play = Play()
    positive = play.apply(">=", play.x, play.number(0.0))
    largest = play.apply("max", play.x, play.number(0.0))
    assert play.reply((largest, play.x)) is Reply.DIFFERENT
    assert play.reply((largest, play.x), assumed=[positive]) is Reply.EQUAL


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (("exp", "log"), (), Reply.DIFFERENT),  # a logarithm of a negative number
        (("log", "exp"), (), Reply.EQUAL),
        (("exp", "sqrt"), ("sqrt", "exp"), Reply.DIFFERENT),
    ],
)
def test_open_functions_have_laws(source: Any, target: Any, expected: Reply) -> None:
    play = Play()
    left = right = play.x
    for function in reversed(source):
        left = play.apply(function, left)
    for function in reversed(target):
        right = play.apply(function, right)
    assert play.reply((right, left)) is expected


def test_exponentials_of_sums_are_products() -> None:
    play = Play()
    both = play.apply("*", play.apply("exp", play.x), play.apply("exp", play.y))
    assert play.reply((both, play.apply("exp", play.apply("+", play.x, play.y)))) is Reply.EQUAL
    assert play.reply((both, play.apply("exp", play.x))) is Reply.DIFFERENT


def test_what_is_alike_is_asked_once() -> None:
    play = Play()
    elements = [play.element(f"x{n}", "float32") for n in range(50)]
    pairs = [(play.apply("abs", play.apply("abs", x)), play.apply("abs", x)) for x in elements]
    assert play.reply(*pairs[:1]) is Reply.EQUAL
    used = play.examiner.used
    assert play.reply(*pairs) is Reply.EQUAL
    assert play.examiner.used == used


def test_small_integers_are_tried_where_all_are_too_many() -> None:
    play = Play("int64")
    apply = play.apply
    twice = apply("//", apply("//", play.x, play.y), play.z)
    once = apply("//", play.x, apply("*", play.y, play.z))
    sides = Sides([(twice, once)])
    assert play.examiner.reply(sides) is Reply.DIFFERENT
    for difference in play.examiner.differences(sides):
        for model in difference.models():
            x, y, z = (model[one] for one in (play.x, play.y, play.z))
            assert not y * z or x // y // z != x // (y * z)


def test_large_integers_are_tried_where_all_are_too_many() -> None:
    play = Play("int32")
    x, y = (play.apply.cast(one, "int32", "int64") for one in (play.x, play.y))
    narrow = play.apply.cast(play.apply("*", play.x, play.y), "int32", "int64")
    sides = Sides([(play.apply("*", x, y), narrow)])
    assert play.examiner.reply(sides) is Reply.DIFFERENT
    for difference in play.examiner.differences(sides):
        for model in difference.models():
            assert abs(model[play.x] * model[play.y]) >= 2**31


def test_the_limit_makes_a_question_open() -> None:
    play = Play("int64")
    play.examiner.limit = 2_000
    square = play.apply("*", play.x, play.x)
    quotient = play.apply("//", play.apply("*", square, play.y), play.y)
    assert play.reply((square, quotient)) is not Reply.EQUAL


def test_what_was_given_up_is_open() -> None:
    play = Play()
    sides = Sides([(play.x, play.apply("max", play.x, play.number(0.0)))])
    assert play.examiner.reply(sides) is Reply.DIFFERENT
    play.examiner.give_up(sides)
    assert play.examiner.reply(sides) is Reply.OPEN


def test_nothing_is_asked_beyond_the_budget() -> None:
    play = Play("int32")
    play.examiner.budget = 0
    assert play.reply((play.x, play.y)) is Reply.OPEN
    assert play.reply((play.x, play.x)) is Reply.EQUAL
    play.examiner.budget = LIMIT
    assert play.reply((play.x, play.y)) is Reply.DIFFERENT
