"""Rewriting expression by expression: identity, sharing, types, substitution and errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from gsl import Call, Const, Expr, Tuple, Var, Workload
from gsl.attr.term import Symbol
from gsl.errors import GraphError, RewriteError
from gsl.evaluate import evaluate
from gsl.graph import reverse_post_order
from gsl.operators import REGISTRY
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import TensorType
from gsl.visit import ExprMutator, ExprRewriter, handles, post_order_rewrite
from tests.match.toys import (
    ADD,
    EXP,
    NEGATIVE,
    RELU,
    add,
    const,
    exp,
    half,
    multiply,
    negative,
    pack,
    relu,
    tag,
    unregistered,
    var,
)
from tests.networks import VALUES, chain, networks, structure
from tests.own_kinds import Block, Twice

DEEP = 100_000
CAST = REGISTRY["Cast"]


class ReluToExp(ExprMutator):
    @handles(RELU)
    def visit_relu(self, pre: Call, post: Expr) -> Expr:
        return Call(EXP, post.operands)


class Doubled(ExprRewriter):
    """x => x + x, for variables."""

    def visit_var(self, pre: Var, post: Expr) -> Expr:
        return add(pre, pre)


def with_copies(outputs: Sequence[Expr]) -> list[Expr]:
    return [expr.with_operands(expr.operands) for expr in reverse_post_order(outputs)]


@given(networks)
def test_identity_returns_the_very_same_objects(outputs: tuple[Expr, ...]) -> None:
    results = [
        *post_order_rewrite(outputs, ExprRewriter()),
        *post_order_rewrite(outputs, lambda pre, post: post),
        *ExprMutator().mutate(outputs),
        *(post_order_rewrite(output, ExprRewriter()) for output in outputs),
    ]

    assert all(a is b for a, b in zip(results, outputs * 4, strict=True))


@given(networks)
def test_identity_returns_the_very_same_workload(outputs: tuple[Expr, ...]) -> None:
    workload = Workload(outputs)

    assert post_order_rewrite(workload, ExprRewriter()) is workload
    assert ExprMutator().mutate(workload) is workload


@given(networks)
def test_copying_every_expression_keeps_structure_and_sharing(outputs: tuple[Expr, ...]) -> None:
    def copy(pre: Expr, post: Expr) -> Expr:
        return post.with_operands(post.operands)

    copies = post_order_rewrite(outputs, copy)

    assert structure(outputs) == structure(copies)
    assert set(reverse_post_order(outputs)).isdisjoint(reverse_post_order(copies))


@given(networks)
def test_only_what_lies_above_a_change_is_made_anew(outputs: tuple[Expr, ...]) -> None:
    mutator = ReluToExp()

    mutator.mutate(outputs)

    for expr in reverse_post_order(outputs):
        below = reverse_post_order([expr])
        changed = any(isinstance(e, Call) and e.operator is RELU for e in below)
        assert (mutator.memo[expr] is expr) != changed


@given(networks)
def test_rewritten_network_computes_what_the_rewrite_says(outputs: tuple[Expr, ...]) -> None:
    halved = {name: value / 2 for name, value in VALUES.items()}

    rewritten = post_order_rewrite(outputs, Doubled())

    for a, b in zip(evaluate(outputs, VALUES), evaluate(rewritten, halved), strict=True):
        np.testing.assert_array_equal(a, b)


@given(networks)
def test_each_expression_is_rewritten_once_in_reverse_post_order(
    outputs: tuple[Expr, ...],
) -> None:
    pres: list[Expr] = []

    def record(pre: Expr, post: Expr) -> Expr:
        pres.append(pre)
        return post

    post_order_rewrite([*outputs, *outputs], record)

    assert reverse_post_order(outputs) == pres


def test_post_has_rewritten_operands_and_pre_the_old_ones() -> None:
    r = relu(var("x"))
    top = negative(r)
    pairs: dict[Expr, Expr] = {}

    class Both(ReluToExp):
        @handles(NEGATIVE)
        def visit_negative(self, pre: Call, post: Expr) -> Expr:
            pairs[pre] = post
            return post

    Both().mutate(top)

    assert r is top.operands[0]
    assert [e.operator for e in pairs[top].operands if isinstance(e, Call)] == [EXP]
    assert pairs[top].type is top.type


def test_result_of_a_rewrite_is_not_rewritten_again() -> None:
    result = post_order_rewrite(relu(var("x")), Doubled())

    assert structure([result]) == structure([relu(add(x := var("x"), x))])


def test_rewriter_may_override_the_whole_rewrite() -> None:
    class DropRelu(ExprRewriter):
        def rewrite(self, pre: Expr, post: Expr) -> Expr:
            return post.operands[0] if isinstance(pre, Call) else post

    x = var("x")

    assert post_order_rewrite(negative(relu(x)), DropRelu()) is x


def test_networks_rewritten_by_one_mutator_share() -> None:
    r = relu(var("x"))
    mutator = ReluToExp()

    first = mutator.mutate(negative(r))
    second = mutator.mutate(add(r, r))

    assert first.operands[0] is second.operands[0] is second.operands[1]


def test_memo_is_a_substitution_that_is_not_entered() -> None:
    x, y = var("x"), var("y")
    below = relu(x)
    e = exp(below)
    mutator = ReluToExp()
    mutator.memo[e] = y

    result = mutator.mutate(add(e, relu(y)))

    assert result.operands[0] is y
    assert below not in mutator.memo
    assert structure([result]) == structure([add(z := var("y"), exp(z))])


def test_workload_keeps_its_inputs_and_drops_unused_parameters() -> None:
    x, w = var("x"), var("w")
    workload = Workload([add(x, w)], {"w": VALUES["y"]})

    result = post_order_rewrite(
        workload, lambda pre, post: relu(x) if isinstance(pre, Call) else post
    )

    assert (x,) == result.inputs
    assert dict(result.parameters) == {}


def counted_inferences() -> tuple[Any, list[TensorType]]:
    runs: list[TensorType] = []

    @unregistered
    @operator()
    def Watched(need: Need, data: Tensor) -> TensorType:
        runs.append(data)
        return data

    return Watched, runs


def test_types_are_inferred_only_where_those_of_operands_change() -> None:
    watched, runs = counted_inferences()
    x, y = var("x"), var("y")
    kept, above = Call(watched, [y]), Call(watched, [relu(x)])
    network = [kept, above]
    runs.clear()

    post_order_rewrite(network, ExprRewriter(), keep_types=False)
    assert runs == []

    ReluToExp(keep_types=False).mutate(network)
    assert runs == []

    wide = Var("wide", (3,))
    changed = post_order_rewrite(
        network, lambda pre, post: wide if pre is x else post, keep_types=False
    )
    assert [wide.type] == runs
    assert changed[0] is kept
    assert wide.type == changed[1].type


class ToHalf(ExprMutator):
    """Reads the inputs as float16."""

    def visit_var(self, pre: Var, post: Expr) -> Expr:
        return Call(CAST, [pre], {"dtype": "float16"})


RETYPED: list[tuple[Expr, str]] = [
    (negative(var("x")), "float16[2]"),
    (tag(var("x"), 3), "float16[2]"),
    (Tuple([var("x"), const(1)]), "(float16[2], float32[2])"),
    (half(var("x"), 1), "float16[2]"),
    (pack(var("x"), var("y")), "float16[2]"),
    (Twice(var("x")), "float16[2]"),
    (Call(CAST, [var("x")], {"dtype": "int8"}), "int8[2]"),
]


@pytest.mark.parametrize(("expr", "expected"), RETYPED, ids=lambda part: repr(part))
def test_changed_types_are_passed_on_when_allowed(expr: Expr, expected: str) -> None:
    result = ToHalf(keep_types=False).mutate(expr)

    assert str(result.type) == expected
    assert type(result) is type(expr)
    assert repr(result).replace("float16", "float32") == repr(expr)


WRONG: list[tuple[Any, str]] = [
    (lambda pre, post: None, "the rewrite returned None instead of an expression"),
    (lambda pre, post: 3, "the rewrite returned 3 instead of an expression"),
    (lambda pre, post: [post], r"the rewrite returned \[.*\] instead of an expression"),
    (
        lambda pre, post: Var("w", (3,)) if pre.operands else post,
        r"Var\('w', .*changes the type from float32\[2\] to float32\[3\]; .*keep_types=False",
    ),
    (
        lambda pre, post: Tuple([post]),
        r"changes the type from float32\[2\] to \(float32\[2\]\)",
    ),
    (
        lambda pre, post: Call(RELU, post.operands * 2) if pre.operands else post,
        "Relu takes 1 operand, not 2",
    ),
]


@pytest.mark.parametrize(("rewrite", "message"), WRONG)
def test_wrong_rewrite_is_an_error_that_says_what_it_returned(rewrite: Any, message: str) -> None:
    with pytest.raises(RewriteError, match=message):
        post_order_rewrite(relu(var("x")), rewrite)


def test_error_names_the_expression_and_its_place() -> None:
    x, y = var("x"), var("y")
    network = [multiply(x, y), negative(relu(y))]

    def fail(pre: Expr, post: Expr) -> Any:
        return 3 if pre is network[1] else post

    with pytest.raises(RewriteError) as info:
        post_order_rewrite(network, fail)

    place = "at Call(Negative, 1 operands, {}), number 4 in reverse post-order: "
    assert str(info.value).startswith(place)
    assert network[1] is reverse_post_order(network)[4]


def test_user_that_refuses_a_new_type_is_named() -> None:
    network = add(relu(var("x")), var("y"))

    def widen(pre: Expr, post: Expr) -> Expr:
        return Var("w", (3,)) if isinstance(pre, Call) and pre.operator is RELU else post

    with pytest.raises(RewriteError, match=r"at Call\(Add.*number 3 .*must broadcast"):
        post_order_rewrite(network, widen, keep_types=False)


def test_mistake_inside_a_rewrite_is_not_disguised() -> None:
    def divide(pre: Expr, post: Expr) -> Expr:
        return Const(1 // 0)

    with pytest.raises(ZeroDivisionError):
        post_order_rewrite(var("x"), divide)


def test_substitute_that_is_no_expression_is_an_error() -> None:
    x = var("x")

    with pytest.raises(RewriteError, match=r"at Call\(Relu.*an operand is an expression, not 3"):
        post_order_rewrite(relu(x), ExprRewriter(), memo={x: 3})  # type: ignore[dict-item]


@pytest.mark.parametrize("thing", [5, [3], None])
def test_what_is_no_network_is_an_error(thing: Any) -> None:
    with pytest.raises(GraphError, match="a sequence of them or a workload, not "):
        post_order_rewrite(thing, ExprRewriter())


def test_input_is_untouched_by_a_failed_rewrite() -> None:
    network = negative(relu(var("x")))
    before = structure([network])

    def fail_late(pre: Expr, post: Expr) -> Any:
        return None if pre is network else exp(post)

    with pytest.raises(RewriteError):
        post_order_rewrite(network, fail_late)

    assert before == structure([network])


X, Y = var("x"), var("y")


def test_own_kind_is_rewritten_over_operands_of_the_same_type() -> None:
    block = Block([relu(X)], Y)

    result = ReluToExp().mutate(block)

    assert isinstance(result, Block)
    assert result.body is Y
    assert structure([result])[1][0] == "Call(Exp, 1 operands, {})"


class InsideBlocks(ReluToExp):
    """Rewrites the bodies of an own kind, too."""

    @handles(Block)
    def visit_block(self, pre: Block, post: Expr) -> Expr:
        return Block(post.operands, self.mutate(pre.body))


def test_handler_may_rewrite_a_nested_network() -> None:
    shared = relu(X)

    result = InsideBlocks().mutate(Block([shared], negative(shared)))

    assert isinstance(result, Block)
    assert result.body.operands[0] is result.operands[0]
    assert result.operands[0] is not shared


def test_symbolic_types_are_compared_without_asking_for_truth() -> None:
    n, m = Symbol("n"), Symbol("m")
    x, y, z = Var("x", (n,)), Var("y", (n,)), Var("z", (m,))
    network = Call(RELU, [x])

    same = post_order_rewrite(network, lambda pre, post: y if pre is x else post)
    assert same.operands[0] is y

    with pytest.raises(RewriteError, match="changes the type"):
        post_order_rewrite(network, lambda pre, post: z if pre is x else post)


def test_deep_chain_is_rewritten_without_recursion() -> None:
    top = chain(DEEP)

    assert post_order_rewrite(top, ExprRewriter()) is top
    result = ReluToExp().mutate(top)

    calls = [e for e in reverse_post_order([result]) if isinstance(e, Call)]
    assert len(calls) == DEEP
    assert {call.operator for call in calls} == {EXP}


def test_deeply_nested_tuples_are_rewritten_without_recursion() -> None:
    x, y = var("x"), var("y")
    network: Expr = x
    for _ in range(20_000):
        network = Tuple([network])

    result = post_order_rewrite(network, lambda pre, post: y if pre is x else post)

    assert reverse_post_order([result])[0] is y
    assert result.type is network.type


def test_add_is_found_by_operator_and_constants_by_kind() -> None:
    class AddZero(ExprRewriter):
        @handles(ADD)
        def visit_add(self, pre: Call, post: Expr) -> Expr:
            left, right = post.operands
            is_zero = isinstance(right, Const) and not right.value.any()
            return left if is_zero else post

    x = var("x")

    assert post_order_rewrite(add(add(x, const(0)), const(0)), AddZero()) is x
