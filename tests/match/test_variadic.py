"""Matching variadic outputs and tuples: as many fields as possible, in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Expr, Proj, Subst, attr, op, pat
from gsl.attr.term import Symbol, Term
from gsl.graph import Graph
from gsl.match import Bindings, Mismatch, match_at, matches_at
from gsl.match.bindings import Scope
from gsl.match.conditions import fields_are_numbered, hopeless
from gsl.match.whole import output_nodes
from tests.match.asking import ask, every, fields, node_of
from tests.match.toys import (
    add,
    exp,
    half,
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

A, B, C = var("a"), var("b"), var("c")
W = [var(f"w{i}") for i in range(6)]


def fan(min_len: int = 1) -> pat.Variadic:
    """Return the pattern x + w_0, x + w_1, ..."""
    x, w = pat.Wildcard(), pat.Wildcard()
    field = x + w
    return pat.Variadic(field, templates=[field, w], min_len=min_len)


def shared_relu(min_len: int = 1) -> pat.Variadic:
    """Return the pattern relu(x) + w_0, relu(x) + w_1, ... with one relu for all."""
    x, w = pat.Wildcard(), pat.Wildcard()
    field = op.Relu(x) + w
    return pat.Variadic(field, templates=[field, w], min_len=min_len)


def test_all_fields_are_found_the_given_one_first() -> None:
    sums = [add(A, w) for w in W[:4]]
    many = fan()

    assert fields(ask(many, sums), many) == sums
    assert fields(ask(many, sums, sums[2]), many) == [sums[2], sums[0], sums[1], sums[3]]


def test_instances_have_their_own_templates_and_share_the_rest() -> None:
    sums = [add(A, w) for w in W[:3]]
    many = fan()
    x, w = many.field.operands

    found = ask(many, sums)

    assert found[x] is A
    assert [found[many(w, index)] for index in range(3)] == W[:3]
    with pytest.raises(KeyError):
        found[w]


def test_other_users_of_the_shared_input_do_not_disturb() -> None:
    sums = [add(A, W[0]), add(A, W[1])]
    many = fan()

    found = ask(many, [*sums, negative(A), multiply(A, B), add(W[2], A), add(B, W[3])], sums[0])

    assert fields(found, many) == sums


def test_too_few_fields_are_no_match() -> None:
    outputs = [add(A, W[0]), add(A, W[1])]

    assert ask(fan(min_len=2), outputs)
    declined = ask(fan(min_len=3), outputs)
    assert declined.reason == "fewer than 3 outputs can be matched"


def test_fields_cannot_share_a_template() -> None:
    first, second, third = add(A, B), add(A, B), add(A, C)
    many = fan()

    assert fields(ask(many, [first, second, third]), many) == [first, third]
    assert fields(ask(many, [first, second, third], second), many) == [second, third]


def test_greedy_choice_is_given_up_when_too_few_fields_would_remain() -> None:
    x, u, v = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    inner = x + u
    field = inner * v
    root, greedy, second, third = (
        multiply(add(A, W[i]), W[j]) for i, j in ((0, 1), (2, 3), (2, 4), (5, 3))
    )

    def found(min_len: int) -> list[Expr]:
        many = pat.Variadic(field, templates=[field, inner, u, v], min_len=min_len)
        return fields(ask(many, [root, greedy, second, third]), many)

    assert found(2) == [root, greedy]
    assert found(3) == [root, second, third]


def test_first_patterns_stand_for_the_templates_of_field_zero() -> None:
    x, w, v = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    head = p_tag(x * v, k=3)
    field = p_tag(x * w, k=head.k)
    many = pat.Variadic(field, templates=[field, *field.operands, w],
                        first=[head, *head.operands, v])  # fmt: skip
    tags = [tag(multiply(A, w), k) for w, k in zip(W, (3, 3, 4, 3), strict=False)]

    found = ask(many, tags)

    assert fields(found, many) == [tags[0], tags[1], tags[3]]
    assert found[v] is W[0]
    assert found[many(w, 0)] is W[0]
    assert not ask(many, tags, tags[2])


def test_index_is_the_number_of_the_field_in_any_order_of_candidates() -> None:
    x, i = pat.Wildcard(), attr.Symbol()
    field = p_halves(x)[i]
    many = pat.Variadic(field, templates=[field], index=i)
    second = half(A, 1)
    first = Proj(second.operands[0], 0)

    assert fields(ask(many, [second, first], first), many) == [first, second]
    assert not ask(many, [second, first], second)


def test_position_can_be_counted_over_gaps_in_the_order() -> None:
    x, i = pat.Wildcard(), attr.Symbol()
    field = p_tag(x, k=i)
    many = pat.Variadic(field, templates=[field], index=i)
    by_k = {k: tag(A, k) for k in (0, 3, 1, 2, 5)}

    assert fields(ask(many, list(by_k.values())), many) == [by_k[k] for k in range(4)]


def test_shared_interior_needs_all_its_users() -> None:
    inner = relu(A)
    sums = [add(inner, w) for w in W[:3]]
    many = shared_relu()

    assert fields(ask(many, sums), many) == sums
    for other in ([*sums, inner], [*sums, negative(inner)]):
        declined = ask(many, other)
        assert "used outside" in declined.reason
        assert declined.expr is inner


def test_conflict_of_users_of_a_shared_interior_is_seen_at_once() -> None:
    inner = relu(A)
    sums = [add(inner, var(f"v{i}")) for i in range(60)]
    twice = add(inner, sums[0].operands[1])

    assert not ask(shared_relu(), [*sums, twice])


def test_interior_of_a_field_must_not_escape_but_the_other_fields_match() -> None:
    x, w = pat.Wildcard(), pat.Wildcard()
    inner = x * w
    field = op.Exp(inner)
    many = pat.Variadic(field, templates=[field, inner, w])
    products = [multiply(A, w) for w in W[:3]]
    tops = [exp(p) for p in products]

    assert fields(ask(many, [*tops, products[1]]), many) == [tops[0], tops[2]]
    assert not ask(many, [*tops, products[1]], tops[1])


def test_field_whose_input_depends_on_another_is_left_out() -> None:
    first = add(A, B)
    second = add(A, exp(first))
    third = add(A, C)
    many = fan()

    assert fields(ask(many, [second, third, first], first), many) == [first, third]
    assert fields(ask(many, [second, third, first], second), many) == [second, third]


def test_first_interior_shared_with_later_fields_only_is_no_escape() -> None:
    x, w = pat.Wildcard(), pat.Wildcard()
    field = op.Relu(x) + w
    many = pat.Variadic(field, templates=[field, w], first=[op.Negative(x), pat.Wildcard()])
    inner = relu(A)
    outputs = [negative(A), add(inner, W[0]), add(inner, W[1])]

    assert fields(ask(many, outputs), many) == outputs


def test_every_largest_set_is_a_match_of_its_own() -> None:
    graph = Graph(outputs := [add(A, B), add(A, C), add(A, B), add(A, C)])
    many = fan()
    subst = Subst(many, many)

    matches = [
        [node.expr for node in output_nodes(subst, bindings)]
        for bindings in matches_at(subst, graph, node_of(graph, outputs[0]))
    ]

    assert matches == [[outputs[0], outputs[1]], [outputs[0], outputs[3]]]


@pytest.mark.parametrize("escapes", ["to another call", "to an output"])
def test_field_is_left_out_if_its_alternative_has_something_shared_that_escapes(
    escapes: str,
) -> None:
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    product, negated = op.Relu(x) * w, op.Negative(y)
    field = pat.Alt(product, negated)
    many = pat.Variadic(field, templates=[field, product, w, negated])
    shared = relu(B)
    outputs = [negative(A), multiply(shared, C), negative(A), negative(A), multiply(shared, W[0])]
    escaping = exp(shared) if escapes == "to another call" else shared

    assert fields(ask(many, outputs), many) == outputs
    assert fields(ask(many, [*outputs, escaping]), many) == [outputs[i] for i in (0, 2, 3)]


def test_what_fields_share_may_be_an_output_as_an_arm() -> None:
    """Then others may use it; the match is found at both of its outputs."""
    inner = op.Relu(pat.Wildcard())
    minus = -inner
    field = pat.Alt(minus, inner)
    source = pat.Variadic(field, templates=[field, minus])
    below = relu(A)
    above = negative(below)

    for root in (below, above):
        found = ask(source, [above, tanh(below)], root)
        assert set(fields(found, source)) == {above, below}


def test_field_is_left_out_if_what_only_further_ones_share_escapes() -> None:
    x, weight = pat.Wildcard(), pat.Wildcard()
    field = weight * op.Relu(x)
    source = pat.Variadic(field, templates=[field, weight], first=[op.Exp(x), pat.Wildcard()])
    below = relu(A)
    root, further = exp(A), multiply(B, below)

    def matched(*others: Expr) -> list[Expr]:
        found = ask(source, [root, further, *others], root)
        assert isinstance(found, Bindings)
        return [*output_nodes(Subst(source, source), found)]

    assert len(matched()) == 2
    assert len(matched(tanh(below))) == 1


def test_fields_are_left_out_if_what_they_share_cannot_be_matched_by_all() -> None:
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    product, negated = op.Relu(x) * w, op.Negative(y)
    field = pat.Alt(product, negated)
    many = pat.Variadic(field, templates=[field, product, w, negated])
    shared = relu(B)
    outputs = [negative(A), multiply(shared, C), negative(A), multiply(shared, C)]

    assert fields(ask(many, outputs), many) == [outputs[0], outputs[2]]


@pytest.mark.parametrize("count", [3, 200])
def test_too_few_fields_are_told_without_trying_all_sets(count: int) -> None:
    """The alternative that escapes is given up alone, the others not with it."""
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    product, negated = op.Relu(x) * w, op.Negative(y)
    field = pat.Alt(product, negated)
    shared = relu(B)
    outputs = [one for i in range(count) for one in (negative(A), multiply(shared, var(f"v{i}")))]
    templates = [field, product, w, negated]
    enough = pat.Variadic(field, templates=templates, min_len=count)
    too_many = pat.Variadic(field, templates=templates, min_len=count + 1)

    assert fields(ask(enough, [*outputs, exp(shared)]), enough) == outputs[::2]
    assert isinstance(ask(too_many, [*outputs, exp(shared)]), Mismatch)


def test_alternative_in_a_field_is_chosen_so_that_most_fields_match() -> None:
    x, w, v = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    either = pat.Alt(w, op.Relu(v))
    field = x + either
    many = pat.Variadic(field, templates=[field, either, w, *either.operands[1:], v])
    inner = relu(B)
    first, second = add(A, inner), add(A, B)

    found = ask(many, [first, second])

    assert fields(found, many) == [first, second]
    assert found.arms[either, ((many, 0),)] == 0


CONDITIONS: list[tuple[Any, list[int]]] = [
    (lambda m, w: m.length == 2, [0, 1]),
    (lambda m, w: m.length <= 3, [0, 1, 2]),
    (lambda m, w: 3 > m.length, [0, 1]),  # noqa: SIM300
    (lambda m, w: m.length - 1 < 2, [0, 1]),
    (lambda m, w: w.operands[0].ndim + 1 >= m.length, [0, 1]),
    (lambda m, w: w.operands[0].ndim + 4 == m.length, []),
    (lambda m, w: m.length >= 4, [0, 1, 2, 3]),
    (lambda m, w: 5 <= m.length, []),  # noqa: SIM300
    (lambda m, w: m.length % 2 == 1, [0, 1, 2]),
    (lambda m, w: m.length != 4, [0, 1, 2]),
    (lambda m, w: (m.length == 1) | (m.length == 3), [0, 1, 2]),
    (lambda m, w: (m.length <= 3) & (m.length >= 3), [0, 1, 2]),
    (lambda m, w: attr.All(lambda k: m(w, k).k != 1, length=m.length), [0, 2, 3]),
    (lambda m, w: attr.Exists(lambda k: m(w, k).k == 3, length=m.length), [0, 1, 2, 3]),
    (lambda m, w: attr.Sum(lambda k: m(w, k).k, length=m.length) == 3, [0, 1, 2]),
    (lambda m, w: attr.All(lambda k: m(w, k).k < m.length, length=m.length), [0, 1, 2, 3]),
    (lambda m, w: m(w, 1).k == 2, [0, 2, 3]),
    (lambda m, w: m.length == (1, 2), []),
    (lambda m, w: m.length < "4", []),
    (lambda m, w: m(w, 0).k == 7, []),
    (lambda m, w: m.field.operands[0].shape[0] == 3, []),
]


@pytest.mark.parametrize(("condition", "chosen"), CONDITIONS)
def test_largest_set_that_satisfies_the_condition_is_found(
    condition: Any, chosen: list[int]
) -> None:
    x = pat.Wildcard()
    field = p_tag(x)
    many = pat.Variadic(field, templates=[field])
    tags = [tag(A, k) for k in range(4)]

    found = ask(many, tags, where=[condition(many, field)])

    assert [tags[k] for k in chosen] == (fields(found, many) if found else [])


QUICK: list[tuple[Any, int]] = [
    (lambda m: m.length == 2, 2),
    (lambda m: m.length <= 5, 5),
    (lambda m: m.length % 2 == 1, 39),
    (lambda m: m.length >= 41, 0),
    (lambda m: (m.length >= 41) & (m.length % 2 == 1), 0),
    (lambda m: m.length == 41, 0),
]


@pytest.mark.parametrize(("condition", "length"), QUICK)
def test_conditions_on_the_length_do_not_make_the_search_try_all_subsets(
    condition: Any, length: int
) -> None:
    many = fan()

    found = ask(many, [add(A, var(f"v{i}")) for i in range(40)], where=[condition(many)])

    assert (found.lengths[many, ()] if found else 0) == length


def test_condition_with_hope_is_not_given_up() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    many, other = fan(), pat.Variadic(op.Relu(y))
    graph = Graph([add(A, B)])
    bindings = match_at(Subst(many, many), graph, graph.outputs[0])
    scope = Scope(bindings)

    def gives_up(term: Term, more: float = 10) -> bool:
        return hopeless(term, many, scope, more)

    assert gives_up(many.length >= 12)
    assert not gives_up(many.length >= 11)
    assert not gives_up(many.length * 2 == 7)
    assert not gives_up(other.length == 1)
    assert not gives_up(x.ndim == 3)
    assert not gives_up(attr.All(lambda k: many(many.field, 0).ndim == 9, length=many.length))


def of_all(many: pat.Variadic, body: Callable[[Symbol], object], less: int = 0) -> Term:
    return attr.All(body, length=many.length - less if less else many.length)


NUMBERED: dict[str, tuple[bool, Callable[[pat.Variadic, pat.Pattern], Term]]] = {
    "no condition": (False, lambda many, field: many.length >= 2),
    "of one field": (True, lambda many, field: many(field, 0).k == 1),
    "of all alike": (False, lambda many, field: of_all(many, lambda n: many(field, n).k == 1)),
    "of all but one": (True, lambda many, field: of_all(many, lambda n: many(field, n).k == 1, 1)),
    "of all by number": (True, lambda many, field: of_all(many, lambda n: many(field, n).k == n)),
    "of neighbours": (
        True, lambda many, field: of_all(many, lambda n: many(field, n).k < many(field, n + 1).k),
    ),
    "of all pairs": (
        False,
        lambda many, field: of_all(
            many, lambda n: of_all(many, lambda m: many(field, n).k == many(field, m).k)
        ),
    ),
    "of their sum": (
        False,
        lambda many, field: attr.Sum(lambda n: many(field, n).k, length=many.length) == 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERED)
def test_fields_are_numbered_when_a_condition_tells_them_apart(name: str) -> None:
    numbered, condition = NUMBERED[name]
    field = p_tag(pat.Wildcard())
    many = pat.Variadic(field, templates=[field])

    assert fields_are_numbered(Subst(many, many, where=[condition(many, field)]), many) == numbered


def test_condition_with_the_number_of_a_field_leaves_fields_in_their_order() -> None:
    """Unlike a constraint; only too many fields are left out."""
    field = p_tag(pat.Wildcard())
    many = pat.Variadic(field, templates=[field])
    counted = of_all(many, lambda n: many(field, n).k == n)
    zero, one, two = (tag(A, k) for k in range(3))

    assert fields(ask(many, [zero, one, two], where=[counted]), many) == [zero, one, two]
    assert fields(ask(many, [zero, two, one], where=[counted]), many) == [zero, one]


def test_tuple_has_one_field_for_every_operand() -> None:
    x, w = pat.Wildcard(), pat.Wildcard()
    field = x * w
    many = pat.Variadic(field, templates=[field, w], min_len=2)
    source = p_pack(many)

    found = ask(source, [pack(multiply(A, B), multiply(A, C))])

    assert found.lengths == {(many, ()): 2}
    assert [found[many(w, k)] for k in (0, 1)] == [B, C]
    assert not ask(source, [pack(multiply(A, B))])
    assert not ask(source, [pack(multiply(A, B), multiply(B, C))])


def test_nested_fields_are_told_apart_by_their_paths() -> None:
    x, w = pat.Wildcard(), pat.Wildcard()
    leaf = x * w
    inner = pat.Variadic(leaf, templates=[leaf, w])
    total = p_pack(inner)
    outer = pat.Variadic(total, templates=[total, inner, leaf, w])
    sums = [pack(multiply(A, W[0]), multiply(A, W[1])), pack(multiply(A, W[2]))]

    found = ask(outer, sums)

    assert fields(found, outer) == sums
    inner_lengths = {path[0][1]: n for (p, path), n in found.lengths.items() if p is inner}
    assert inner_lengths == {0: 2, 1: 1}
    leaves = [node.expr for (p, path), node in found.nodes.items() if p is w]
    assert leaves == W[:3]


def test_symbol_of_an_outer_field_has_its_value_inside_inner_ones() -> None:
    x, i, j = pat.Wildcard(), attr.Symbol("i"), attr.Symbol("j")
    leaf = p_tag(x, k=i * 10 + j)
    inner = pat.Variadic(leaf, templates=[leaf], index=j)
    total = p_pack(inner)
    outer = pat.Variadic(total, templates=[total, inner, leaf], index=i)

    sums = [pack(tag(A, 0), tag(A, 1)), pack(tag(A, 10), tag(A, 11), tag(A, 12))]

    assert fields(ask(outer, sums), outer) == sums
    assert fields(ask(outer, [sums[0], pack(tag(A, 20))]), outer) == sums[:1]


def test_instances_cannot_be_asked_for_beyond_their_number() -> None:
    many = fan()
    found = ask(many, [add(A, B)])

    for index in (1, -1):
        with pytest.raises(Exception, match=f"there is no field {index} in 1 fields"):
            found[many(many.field, index)]
    with pytest.raises(Exception, match="used before its variadic is matched"):
        found[(other := fan())(other.field, 0)]


def test_instance_of_a_tuple_may_be_used_beside_it() -> None:
    x, w = pat.Wildcard(), pat.Wildcard()
    field = x * w
    many = pat.Variadic(field, templates=[field, w])
    source = op.Add(p_pack(many), many(w, 1))

    assert ask(source, [add(pack(multiply(A, B), multiply(A, C)), C)])
    assert not ask(source, [add(pack(multiply(A, B), multiply(A, C)), B)])
    assert not ask(source, [add(pack(multiply(A, B)), B)])


def test_reason_of_the_root_is_reported_when_it_does_not_match() -> None:
    declined = ask(fan(), [negative(A)])

    assert isinstance(declined, Mismatch)
    assert "expected the call of Add, found Negative" in declined.reason


def test_thousand_fields_are_found() -> None:
    sums: list[Expr] = [add(A, var(f"v{i}")) for i in range(1_000)]
    many = fan(min_len=1_000)

    assert fields(ask(many, sums), many) == sums


def test_fixed_source_with_a_variadic_tuple_yields_every_match() -> None:
    x, w = pat.Wildcard(), pat.Wildcard()
    field = x * w
    source = [p_pack(pat.Variadic(field, templates=[field, w])), op.Exp(x)]
    root, one, two = pack(multiply(A, B)), exp(A), exp(A)

    assert every(source, [root, one, two]) == [[root, one], [root, two]]
