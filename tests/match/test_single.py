"""Matching from one output: kinds, sharing, attributes, alternatives, and reasons for a no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Call, Const, Expr, Proj, Tuple, Var, attr, op, pat
from gsl.match import Bindings, Mismatch
from gsl.match.search.single import Search
from gsl.operators import REGISTRY
from tests.match.asking import ask, every
from tests.match.toys import (
    Halves,
    add,
    const,
    exp,
    half,
    mark,
    multiply,
    negative,
    p_halves,
    p_mark,
    p_pack,
    p_tag,
    pack,
    relu,
    tag,
    var,
)
from tests.rule_text import underlined

A, B = var("a"), var("b")
X, Y = pat.Wildcard(), pat.Wildcard()


def with_cast(x: Expr) -> Call:
    return Call(REGISTRY["Cast"], [x], {"dtype": "int8"})


Case = tuple[Callable[[], Any], Callable[[], Expr]]

MATCHES: dict[str, Case] = {
    "a call": (lambda: op.Relu(X), lambda: relu(A)),
    "a wildcard over anything": (lambda: op.Relu(X), lambda: relu(exp(A))),
    "a variable": (lambda: op.Relu(pat.Variable()), lambda: relu(A)),
    "a variable of a shape": (lambda: op.Relu(pat.Variable(shape=(2,))), lambda: relu(A)),
    "a variable of a rank": (lambda: op.Relu(pat.Variable(shape=(None,))), lambda: relu(A)),
    "a constant": (lambda: X + pat.Const(), lambda: add(A, const(1))),
    "a constant of a value": (lambda: X + pat.Const((2.0, 2.0)), lambda: add(A, const(2))),
    "a scalar": (lambda: X + 2, lambda: Call(REGISTRY["Add"], [A, Const(2.0)])),
    "a rounded scalar": (lambda: X + 0.1, lambda: Call(REGISTRY["Add"], [A, Const(0.1)])),
    "a rounded tensor": (lambda: X + pat.Const((0.1, 0.1)), lambda: add(A, const(0.1))),
    "a tensor partly rounded": (lambda: X + pat.Const((0.1, None)), lambda: add(A, const(0.1))),
    "a scalar on the left": (lambda: 1 - X, lambda: Call(REGISTRY["Subtract"], [Const(1.0), A])),
    "a wildcard as a constant": (lambda: X + Y, lambda: add(A, const(1))),
    "the same operand twice": (lambda: X + X, lambda: add(A, A)),
    "a shared operand": (lambda: op.Exp(X) + X, lambda: add(exp(A), A)),
    "a shared interior": (lambda: (e := op.Exp(X)) + e, lambda: add(e := exp(A), e)),
    "operands in order": (lambda: op.Exp(X) + op.Relu(Y), lambda: add(exp(A), relu(B))),
    "a tuple": (lambda: p_pack((X, Y)), lambda: pack(A, B)),
    "a projection": (lambda: p_halves(X)[1], lambda: half(A, 1)),
    "any projection": (lambda: pat.GetItem(p_halves(X)), lambda: half(A, 0)),
    "a variadic tuple": (
        lambda: p_pack(pat.Variadic(r := op.Relu(w := pat.Wildcard()), templates=[r, w])),
        lambda: pack(relu(A), relu(B)),
    ),
    "an attribute": (lambda: p_tag(X, k=2), lambda: tag(A, 2)),
    "a free attribute": (lambda: p_tag(X), lambda: tag(A, 7)),
    "any attribute": (lambda: p_tag(X, k=None), lambda: tag(A, 7)),
    "an earlier attribute": (lambda: p_tag(t := p_tag(X), k=t.k + 1), lambda: tag(tag(A, 3), 4)),
    "a dtype": (lambda: op.Cast(X, dtype="int8"), lambda: with_cast(A)),
    "a trait": (lambda: op.Elementwise(X), lambda: relu(A)),
    "the same operator": (lambda: op.same(e := op.Elementwise(X))(e), lambda: relu(relu(A))),
    "the same operator aside": (
        lambda: (e := op.Elementwise(X)) + op.same(e)(Y),
        lambda: add(relu(A), relu(B)),
    ),
    "the same attributes": (
        lambda: op.same(e := op.Elementwise(X))(e, **pat.same_attr(e)),
        lambda: with_cast(with_cast(A)),
    ),
    "the first alternative": (lambda: pat.Alt(op.Relu(X), op.Exp(X)), lambda: relu(A)),
    "the second alternative": (lambda: pat.Alt(op.Relu(X), op.Exp(X)), lambda: exp(A)),
    "an absent part": (lambda: op.Exp(pat.Alt(op.Relu(X), X)), lambda: exp(A)),
    "a shared alternative": (lambda: (o := pat.Alt(X, Y)) + o, lambda: add(A, A)),
}
MISMATCHES: dict[str, tuple[Callable[[], Any], Callable[[], Expr], str]] = {
    "another operator": (
        lambda: op.Relu(X),
        lambda: exp(A),
        "expected the call of Relu, found Exp",
    ),
    "no call": (lambda: op.Exp(op.Relu(X)), lambda: exp(A), "expected the call of Relu, found Var"),
    "no variable": (lambda: op.Exp(pat.Variable()), lambda: exp(exp(A)), "expected a Var, found"),
    "another shape": (
        lambda: op.Relu(pat.Variable(shape=(3,))),
        lambda: relu(A),
        "attribute `shape` is (2,), which the rule does not allow",
    ),
    "another rank": (
        lambda: op.Relu(pat.Variable(shape=(None, None))),
        lambda: relu(A),
        "attribute `shape` is (2,)",
    ),
    "another dtype": (
        lambda: op.Relu(pat.Variable(dtype="int8")),
        lambda: relu(A),
        "attribute `dtype` is 'float32'",
    ),
    "no constant": (lambda: X + pat.Const(), lambda: add(A, B), "expected a Const, found Var"),
    "another constant": (
        lambda: X + 2,
        lambda: add(A, const(2)),
        "attribute `value` is (2.0, 2.0)",
    ),
    "a number beside the constant": (
        lambda: X + pat.Const((0.1001, None)),
        lambda: add(A, const(0.1)),
        "attribute `value` is (0.10000000149",
    ),
    "two wildcards for one": (lambda: X + Y, lambda: add(A, A), "another pattern already stands"),
    "one wildcard for two": (lambda: X + X, lambda: add(A, B), "the pattern already stands for"),
    "two calls for one": (
        lambda: op.Exp(X) + op.Exp(Y),
        lambda: add(e := exp(A), e),
        "another pattern already stands for this",
    ),
    "operands exchanged": (
        lambda: op.Exp(X) + op.Relu(Y),
        lambda: add(relu(A), exp(B)),
        "expected the call of Exp, found Relu",
    ),
    "another number of fields": (
        lambda: p_pack((X, Y)),
        lambda: pack(A),
        "expected 2 fields, found 1",
    ),
    "no tuple": (lambda: p_halves(X)[1] + Y, lambda: add(relu(A), B), "expected a Proj, found"),
    "another field": (lambda: p_halves(X)[1], lambda: half(A, 0), "attribute `index` is 0"),
    "too few fields": (
        lambda: p_pack(pat.Variadic(pat.Wildcard(), min_len=2)),
        lambda: pack(A),
        "1 fields are fewer than 2",
    ),
    "a field that differs": (
        lambda: p_pack(pat.Variadic(r := op.Relu(w := pat.Wildcard()), templates=[r, w])),
        lambda: pack(relu(A), exp(B)),
        "expected the call of Relu, found Exp",
    ),
    "another attribute": (lambda: p_tag(X, k=2), lambda: tag(A, 3), "attribute `k` is 3"),
    "an attribute without a value": (
        lambda: p_tag(X, k=X.shape[5]),
        lambda: tag(A),
        "attribute `k` cannot be compared: index 5 is out of range",
    ),
    "an attribute that is not there": (
        lambda: op.Elementwise(X, alpha=1.0),
        lambda: relu(A),
        "has no attribute `alpha`",
    ),
    "no such trait": (
        lambda: op.Elementwise(X),
        lambda: pack(A),
        "expected the call of elementwise",
    ),
    "another number of operands": (
        lambda: op.Elementwise(X),
        lambda: add(A, B),
        "another number of operands",
    ),
    "not the same operator": (
        lambda: op.same(e := op.Elementwise(X))(e),
        lambda: relu(exp(A)),
        "attribute `operator` is Relu",
    ),
    "not the same operator aside": (
        lambda: (e := op.Elementwise(X)) + op.same(e)(Y),
        lambda: add(relu(A), exp(B)),
        "found Exp",
    ),
    "not the same attributes": (
        lambda: op.same(e := op.Elementwise(X))(e, **pat.same_attr(e)),
        lambda: Call(REGISTRY["Cast"], [with_cast(A)], {"dtype": "float32"}),
        "attribute `dtype` is 'float32'",
    ),
    "no alternative": (
        lambda: pat.Alt(op.Relu(X), op.Exp(X)),
        lambda: negative(A),
        "found Negative",
    ),
}


@pytest.mark.parametrize("name", MATCHES)
def test_pattern_matches(name: str) -> None:
    source, expr = (build() for build in MATCHES[name])

    found = ask(source, [expr])

    assert isinstance(found, Bindings), found
    assert found[source] is expr


@pytest.mark.parametrize("name", MISMATCHES)
def test_pattern_does_not_match_and_says_why(name: str) -> None:
    pattern, expr, reason = MISMATCHES[name]

    found = ask(pattern(), [expr()])

    assert isinstance(found, Mismatch)
    assert not found
    assert reason in found.reason


ESCAPES: dict[str, tuple[Callable[[Expr, Expr], list[Expr]], bool]] = {
    "not at all": (lambda inner, root: [root], True),
    "not by users of the root": (lambda inner, root: [multiply(root, B), root], True),
    "by another user": (lambda inner, root: [root, negative(inner)], False),
    "as an output": (lambda inner, root: [root, inner], False),
}


@pytest.mark.parametrize("name", ESCAPES)
def test_interior_must_not_escape(name: str) -> None:
    build, matches = ESCAPES[name]
    inner = relu(A)
    root = exp(inner)

    found = ask(op.Exp(op.Relu(X)), build(inner, root), root)

    assert bool(found) is matches
    if isinstance(found, Mismatch):
        assert "used outside" in found.reason
        assert found.expr is inner
        assert underlined(found.span) == "op.Relu(X)"


def test_inputs_and_the_output_may_be_used_elsewhere() -> None:
    shared = relu(A)
    root = exp(shared)

    assert ask(op.Exp(X), [root, negative(shared), negative(root), shared], root)


def test_interior_used_by_what_only_an_input_matches_escapes() -> None:
    inner = relu(A)
    outside = negative(inner)

    assert not ask(op.Relu(X) + Y, [add(inner, outside)])


def test_alternative_remembers_which_arm_it_took() -> None:
    either = pat.Alt(op.Relu(X), op.Exp(X))
    root = op.Negative(either)

    assert ask(root, [negative(relu(A))]).arms == {(either, ()): 0}
    found = ask(root, [negative(exp(A))])
    assert found.arms == {(either, ()): 1}
    assert found[either].operands == (A,)
    assert found[X] is A


def test_arms_are_tried_in_order_and_all_of_them() -> None:
    either = pat.Alt(X, op.Relu(Y))
    source = op.Exp(either)
    inner = relu(A)
    root = exp(inner)

    assert ask(source, [root]).arms[either, ()] == 0
    assert len(every(source, [root])) == 2


def test_wrong_arm_is_taken_back() -> None:
    either = pat.Alt(X, op.Relu(X))
    root = add(relu(A), A)

    found = ask(either + X, [root])

    assert found.arms[either, ()] == 1
    assert found[X] is A


def test_constraint_may_depend_on_the_arm() -> None:
    either = pat.Alt(op.Relu(X), op.Exp(X))
    source = p_tag(either, k=attr.Cond(either.arm == 0, 5, 6))

    assert ask(source, [tag(relu(A), 5)])
    assert ask(source, [tag(exp(A), 6)])
    assert not ask(source, [tag(exp(A), 5)])


def test_pattern_in_an_arm_not_taken_has_no_attributes() -> None:
    inner = p_tag(X)
    source = p_tag(pat.Alt(inner, op.Exp(X)), k=inner.k)

    assert ask(source, [tag(tag(A, 2), 2)])
    missing = ask(source, [tag(exp(A), 2)])
    assert "has not matched anything yet" in missing.reason


def test_tuple_has_no_shape_to_compare_with() -> None:
    whole = pat.Wildcard()

    declined = ask(p_tag(whole[0], k=whole.ndim), [tag(half(A, 0), 1)])

    assert "has no attribute `ndim`" in declined.reason


def test_conditions_are_checked_last() -> None:
    t = p_tag(X)

    assert ask(op.Relu(t), [relu(tag(A, 2))], where=[t.k == 2, X.ndim == 1])
    declined = ask(op.Relu(t), [relu(tag(A, 2))], where=[X.ndim == 1, t.k == 3])
    assert declined.reason == "a condition of the rule does not hold"
    assert underlined(declined.span) == "t.k == 3"


def test_condition_without_a_value_does_not_hold() -> None:
    declined = ask(op.Relu(X), [relu(A)], where=[X.shape[7] == 2])

    assert "a condition of the rule has no value: index 7 is out of range" in declined.reason


def test_condition_must_be_true_not_just_truthy() -> None:
    assert not ask(op.Relu(X), [relu(A)], where=[X.ndim])


def test_bindings_know_only_what_was_matched() -> None:
    found = ask(op.Relu(X), [relu(A)])

    assert found[X] is A
    with pytest.raises(KeyError):
        found[Y]


def test_mismatch_names_place_reason_and_expression() -> None:
    leaf = pat.Variable(dtype="int8")
    declined = ask(op.Relu(leaf), [relu(A)])

    assert (declined.pattern, declined.expr) == (leaf, A)
    assert underlined(declined.span) == 'pat.Variable(dtype="int8")'
    assert str(declined) == f"{declined.span}: {declined.reason}"
    assert str(Mismatch("no pattern was tried")) == "no pattern was tried"


def test_mismatch_of_a_term_points_at_the_term() -> None:
    t = p_tag(X)
    declined = ask(p_mark(t, k=t.k * 2), [mark(tag(A, 1), 3)])

    assert underlined(declined.span) == "t.k * 2"


def test_closest_mismatch_is_reported() -> None:
    source = op.Exp(pat.Alt(op.Relu(p_tag(X, k=1)), op.Negative(X)))

    declined = ask(source, [exp(relu(tag(A, 2)))])

    assert "attribute `k` is 2" in declined.reason


def test_tuple_valued_call_is_matched_below_projections() -> None:
    halves = p_halves(X)
    split = Call(Halves, [A])
    root = add(Proj(split, 0), Proj(split, 1))

    assert ask(halves[0] + halves[1], [root])
    assert not ask(halves[0] + p_halves(X)[1], [root])


def test_whole_tuple_may_be_an_output() -> None:
    both = Tuple([relu(A), exp(A)])

    assert ask(pat.Tuple(op.Relu(X), op.Exp(X)), [both])


def test_condition_in_a_source_is_no_match() -> None:
    declined = ask(op.Relu(pat.Cond(True, X, Y)), [relu(A)])

    assert declined.reason == "the Cond pattern cannot be matched"


def test_agenda_holds_known_items_only() -> None:
    with pytest.raises(TypeError, match="not an agenda item"):
        list(Search().solutions(("what is this", None)))


def test_deep_pattern_is_matched_without_recursion() -> None:
    source: pat.Pattern = X
    expr: Expr = Var("deep", (2,))
    for _ in range(5_000):
        source, expr = op.Relu(source), relu(expr)

    found = ask(source, [expr])

    assert found[X].name == "deep"
    assert len(found.nodes) == 5_001
