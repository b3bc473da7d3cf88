"""Matching several outputs: candidates, backtracking, borders and cycles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Expr, Proj, Subst, op, pat
from gsl.expr import Call
from gsl.graph import Graph
from gsl.match import Bindings, Mismatch
from gsl.match.search.candidates import candidates
from gsl.match.search.multi import RuleSearch
from tests.match.asking import ask, every, node_of
from tests.match.toys import (
    Halves,
    add,
    exp,
    multiply,
    negative,
    p_halves,
    p_pack,
    p_tag,
    pack,
    relu,
    tag,
    tanh,
    var,
)

A, B = var("a"), var("b")


def found_outputs(source: list[Any], outputs: list[Expr], root: Expr | None = None) -> list[Expr]:
    found = ask(source, outputs, root)
    assert isinstance(found, Bindings), found
    return [found[pattern] for pattern in source]


def test_outputs_are_found_through_a_shared_input() -> None:
    x = pat.Wildcard()
    r, e = relu(A), exp(A)

    assert found_outputs([op.Relu(x), op.Exp(x)], [r, e]) == [r, e]
    assert found_outputs([op.Exp(x), op.Relu(x)], [r, e], e) == [e, r]


def test_outputs_are_found_through_a_shared_interior() -> None:
    shared = op.Relu(pat.Wildcard())
    inner = relu(A)
    outputs = [exp(inner), negative(inner)]

    assert found_outputs([op.Exp(shared), op.Negative(shared)], outputs) == outputs


def test_output_may_lie_far_above_what_is_shared() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    near, far = relu(A), multiply(exp(negative(A)), B)

    source = [op.Relu(x), op.Exp(op.Negative(x)) * y]

    assert found_outputs(source, [near, far]) == [near, far]


def test_output_may_be_the_operand_of_another_in_either_order() -> None:
    x = pat.Wildcard()
    below = op.Exp(x)
    above = x * below
    e = exp(A)
    m = multiply(A, e)

    assert found_outputs([above, below], [m], m) == [m, e]
    assert found_outputs([below, above], [m, tanh(e)], e) == [e, m]


def test_outputs_may_be_used_by_anything() -> None:
    x = pat.Wildcard()
    r, e = relu(A), exp(A)

    outputs = [add(r, e), negative(r), r]

    assert found_outputs([op.Relu(x), op.Exp(x)], outputs, r) == [r, e]


def test_wrong_candidate_is_taken_back() -> None:
    x = pat.Wildcard()
    middle = op.Relu(x)
    right = relu(A)
    outputs = [exp(A), relu(A), negative(right)]

    found = found_outputs([op.Exp(x), middle, op.Negative(middle)], outputs)

    assert found == [outputs[0], right, outputs[2]]


def test_candidate_with_an_escaping_interior_is_taken_back() -> None:
    x = pat.Wildcard()
    bad, good = relu(A), relu(A)
    outputs = [exp(A), negative(bad), bad, negative(good)]

    found = found_outputs([op.Exp(x), op.Negative(op.Relu(x))], outputs)

    assert found[1] is outputs[3]


def test_every_choice_of_outputs_is_a_match() -> None:
    x = pat.Wildcard()
    first, second, third = relu(A), relu(A), relu(A)

    matches = every([op.Relu(x), op.Relu(x)], [first, second, third], second)

    assert matches == [[second, first], [second, third]]


def test_two_outputs_cannot_be_one_node() -> None:
    x = pat.Wildcard()

    assert not ask([op.Relu(x), op.Relu(x)], [relu(A)])


def test_attribute_of_a_later_output_may_refer_to_an_earlier_one() -> None:
    x = pat.Wildcard()
    first = p_tag(x)
    second = p_tag(x, k=first.k + 1)
    outputs = [tag(A, 1), tag(A, 3), tag(A, 2)]

    assert found_outputs([first, second], outputs) == [outputs[0], outputs[2]]


def test_output_is_found_through_an_alternative() -> None:
    x = pat.Wildcard()
    source = [op.Relu(x), pat.Alt(op.Exp(x), op.Negative(x))]
    r, n = relu(A), negative(A)

    assert found_outputs(source, [r, n]) == [r, n]


def test_output_is_found_when_only_the_other_arm_leads_back() -> None:
    x, y = pat.Wildcard(), pat.Variable()
    either = pat.Alt(op.Exp(x), op.Negative(y))
    r, t = relu(A), tanh(negative(B))

    assert found_outputs([op.Relu(x), op.Tanh(either)], [r, t]) == [r, t]


def test_output_is_found_in_a_tuple() -> None:
    x = pat.Wildcard()
    source = [op.Relu(x), p_pack(pat.Tuple(pat.Wildcard(), op.Exp(x)))]
    r, p = relu(A), pack(B, exp(A))

    assert found_outputs(source, [r, p]) == [r, p]


def test_output_is_found_over_a_variadic_tuple() -> None:
    x, w = pat.Wildcard(), pat.Wildcard()
    field = x * w
    source = [op.Relu(x), p_pack(pat.Variadic(field, templates=[field, w]))]
    r, p = relu(A), pack(multiply(A, B), multiply(A, var("c")))

    assert found_outputs(source, [r, p]) == [r, p]


def test_output_is_found_over_a_tuple_whose_first_field_is_another_pattern() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    field, head = op.Exp(y), op.Negative(x)
    many = pat.Variadic(field, templates=[field], first=[head])
    source = [op.Relu(x), op.Tanh(y), p_pack(many)]
    r, t = relu(A), tanh(B)

    only_head, both = pack(negative(A)), pack(negative(A), exp(B))

    assert not ask([op.Relu(y), p_pack(many)], [relu(B), pack(exp(B))])
    assert found_outputs([op.Relu(y), p_pack(many)], [relu(B), only_head])[1] is only_head
    assert found_outputs(source, [r, t, both]) == [r, t, both]


def test_output_is_found_over_fields_whose_pattern_is_an_output_itself() -> None:
    """What stands for a template beside the tuple says nothing about the fields."""
    x, weight = pat.Wildcard(), pat.Wildcard()
    field = x + weight
    source = [field, p_pack(pat.Variadic(field, templates=[field, weight]))]
    beside, fields = add(A, B), pack(add(A, var("c")), add(A, var("d")))

    assert found_outputs(source, [beside, fields]) == [beside, fields]


def test_output_is_found_over_a_projection() -> None:
    x = pat.Wildcard()
    halves = p_halves(x)
    split = Call(Halves, [A])
    r, p = relu(A), Proj(split, 1)

    assert found_outputs([op.Relu(x), halves[1]], [r, p]) == [r, p]
    assert not ask([op.Relu(x), halves[1]], [r, p, Proj(split, 0)])


def test_output_of_an_operator_that_is_not_known_yet_is_found() -> None:
    x = pat.Wildcard()
    any_call = op.Elementwise(x)
    source = [op.Relu(x), op.same(any_call)(any_call)]
    r, e = relu(A), exp(exp(A))

    assert found_outputs(source, [r, e]) == [r, e]
    assert not ask(source, [relu(A), exp(tanh(A))])


def test_unconnected_outputs_are_looked_for_everywhere() -> None:
    r, e = relu(A), exp(B)

    assert found_outputs([op.Relu(pat.Wildcard()), op.Exp(pat.Wildcard())], [r, e]) == [r, e]


CYCLES: dict[str, tuple[Callable[[], Expr], bool]] = {
    "the input lies above an output": (lambda: add(relu(exp(B)), B), False),
    "the input is an output": (lambda: add(exp(B), B), False),
    "the input lies aside": (lambda: add(relu(A), B), True),
    "the input lies far above": (lambda: add(tanh(tanh(relu(exp(B)))), B), False),
}


@pytest.mark.parametrize("name", CYCLES)
def test_no_input_may_depend_on_an_output(name: str) -> None:
    build, matches = CYCLES[name]
    x, y = pat.Wildcard(), pat.Wildcard()
    root = build()
    outputs = [root, exp(B)] if name == "the input lies aside" else [root]

    found = ask([x + y, op.Exp(y)], outputs, root)

    assert bool(found) is matches
    if isinstance(found, Mismatch) and name != "the input is an output":
        assert found.reason == "an input depends on an output of the match"


def test_single_output_needs_no_search_for_cycles() -> None:
    assert ask(pat.Wildcard() + pat.Wildcard(), [add(relu(A), A)])


def test_candidates_come_from_the_pattern_with_the_fewest_users() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    root, wanted = multiply(A, B), add(A, B)
    crowd = [negative(A) for _ in range(50)]
    graph = Graph([root, wanted, *crowd, add(A, var("c"))])
    subst = Subst([x * y, x + y], [x, x])
    search = RuleSearch(subst, graph)
    bindings = next(search.matches(node_of(graph, root)))

    assert bindings[subst.source[1]] is wanted
    del search.bindings.nodes[subst.source[1], ()]
    found = candidates(search, graph, subst.source[1], None)
    assert [node.expr for node in found] == [wanted]


def test_mismatch_of_the_whole_outranks_those_of_its_parts() -> None:
    x = pat.Wildcard()
    inner = relu(A)
    root = exp(A)

    declined = ask([op.Exp(x), op.Negative(op.Relu(x))], [root, negative(inner), inner])

    assert "used outside" in declined.reason
    assert declined.expr is inner
