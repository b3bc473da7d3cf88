"""Where the published algorithms go wrong: minimal counterexamples, see explanation/matching.md."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest

from gsl import Const, Expr, Subst, op, pat
from gsl.graph import Graph
from gsl.match import match_at
from tests.match.cutting import Cutter, random_outputs
from tests.match.published import Published, successor_sequences
from tests.match.reference import fixed_matches
from tests.match.toys import add, exp, multiply, negative, relu, tanh, var


class Example(NamedTuple):
    """A source, and a graph with the node at which its first output is looked for."""

    name: str
    source: Callable[[], list[pat.Pattern]]
    graph: Callable[[], tuple[list[Expr], Expr]]
    matches: bool


def wrong_candidate() -> list[pat.Pattern]:
    x = pat.Wildcard()
    first = op.Relu(x)
    return [op.Exp(x), first, op.Negative(first)]


def two_relus() -> tuple[list[Expr], Expr]:
    x = var("x")
    root = exp(x)
    return [root, relu(x), negative(relu(x))], root


def escaping_candidate() -> list[pat.Pattern]:
    x = pat.Wildcard()
    return [op.Exp(x), op.Negative(op.Relu(x))]


def two_paths() -> tuple[list[Expr], Expr]:
    x = var("x")
    root, escaping = exp(x), relu(x)
    return [root, negative(escaping), escaping, negative(relu(x))], root


def used_output() -> list[pat.Pattern]:
    first = op.Exp(pat.Wildcard())
    return [first, op.Relu(first)]


def output_with_another_user() -> tuple[list[Expr], Expr]:
    root = exp(var("x"))
    return [negative(root), relu(root)], root


def feeding_output() -> list[pat.Pattern]:
    x = pat.Wildcard()
    below = op.Exp(x)
    return [x * below, below]


def product() -> tuple[list[Expr], Expr]:
    x = var("x")
    root = multiply(x, exp(x))
    return [root], root


def three_users() -> list[pat.Pattern]:
    shared = op.Relu(pat.Wildcard())
    return [op.Exp(shared), op.Negative(shared), op.Tanh(shared)]


def users_in_another_order() -> tuple[list[Expr], Expr]:
    shared = relu(var("x"))
    root = exp(shared)
    return [tanh(shared), negative(shared), root], root


def sum_and_exp() -> list[pat.Pattern]:
    x, y = pat.Wildcard(), pat.Wildcard()
    return [x + y, op.Exp(y)]


def input_above_output() -> tuple[list[Expr], Expr]:
    y = var("y")
    root = add(relu(exp(y)), y)
    return [root], root


def number_twice() -> list[pat.Pattern]:
    x, y = pat.Wildcard(), pat.Wildcard()
    return [x * 2.0 + y * 2.0]


def number_once() -> tuple[list[Expr], Expr]:
    two = Const(2.0)
    root = add(multiply(var("x"), two), multiply(var("y"), two))
    return [root], root


EXAMPLES = [
    Example("a wrong candidate is not taken back", wrong_candidate, two_relus, True),
    Example("an escaping candidate is not taken back", escaping_candidate, two_paths, True),
    Example("users of an output", used_output, output_with_another_user, True),
    Example("an output below another", feeding_output, product, True),
    Example("successors in another order", three_users, users_in_another_order, True),
    Example("a number that occurs twice", number_twice, number_once, True),
    Example("an input depends on an output", sum_and_exp, input_above_output, False),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_published_algorithm_and_engine_disagree(example: Example) -> None:
    source = example.source()
    subst = Subst(source, source)
    outputs, root = example.graph()
    graph = Graph(outputs)
    node = next(node for node in graph if node.expr is root)

    published = Published(subst, graph).match(node)
    found = match_at(subst, graph, node)

    assert (published is not None) is not example.matches
    assert bool(found) is example.matches


def test_published_successors_repeat_who_uses_an_operand_twice() -> None:
    x = var("x")
    double = add(x, x)

    assert successor_sequences([x, double])[x] == [double, double]


def test_published_algorithm_is_right_about_single_outputs() -> None:
    compared = 0
    for seed in range(300):
        rng = Random(seed)
        graph = Graph(random_outputs(rng, rng.randint(3, 8)))
        problem = Cutter(rng, 0.1).problem(graph, 1, conditions=False)
        plain = (pat.Wildcard, pat.Variable, pat.Const, pat.Tuple, pat.GetItem)
        if all(isinstance(p, plain) or is_plain_call(p) for p in problem.subst.source_patterns):
            published = Published(problem.subst, graph)
            for root in graph:
                assert (published.match(root) is not None) is bool(fixed_matches(problem, root))
                compared += 1

    assert compared > 500


def is_plain_call(pattern: pat.Pattern) -> bool:
    special = pat.Trait | pat.SameOperator
    return (
        isinstance(pattern, pat.Call)
        and not isinstance(pattern.callee, special)
        and pattern.attributes_of is None
    )
