"""Rewriting where the surroundings of a match matter: shared, aliased, escaping, overlapping.

Here are also the defects that other systems are known to have, each with a test that would show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from gsl import Const, Expr, Subst, Workload, apply, op, pat
from gsl.canonical import rule_hash
from gsl.drawing.show import rule_text
from gsl.engine.record import Record
from gsl.evaluate import run
from gsl.graph import Graph, reverse_post_order
from gsl.match import match_at
from gsl.visit import to_a_normal_form
from tests.match.toys import add, exp, multiply, negative, relu, tanh, var
from tests.rewriting import shape_of
from tests.work_graph import invariants

A, B, C = var("a"), var("b"), var("c")
X, Y, Z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
VALUES = {
    name: np.array(value, "float32")
    for name, value in (("a", [1, -2]), ("b", [0.5, 1]), ("c", [0, -0.25]))
}


def applied(outputs: Expr | Sequence[Expr], *rules: Subst) -> tuple[list[Expr], int]:
    """Return the outputs after the rules, which compute what they did, and how many rewrites."""
    before, record = Workload(outputs), Record()
    after = apply(before, rules, record=record, max_rewrites=50)
    values = {variable.name: VALUES[variable.name] for variable in before.inputs}
    for expected, value in zip(run(before, values), run(after, values), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5)
    invariants(Graph(after.outputs))
    assert record.refused == []
    return list(after.outputs), record.total


def shapes(outputs: Sequence[Expr]) -> list[object]:
    return [shape_of(output) for output in outputs]


def products(aliases: bool = False) -> Subst:
    """x * y, x * z  =>  y * x, z * x, taken out of a tuple, so that each depends on both."""
    both = pat.Tuple(Y * X, Z * X)
    return Subst([X * Y, X * Z], [both[0], both[1]], aliases=aliases)


EXPONENTS = Subst(op.Exp(X) * op.Exp(Y), op.Exp(X + Y))
ALIASED_EXPONENTS = Subst(op.Exp(X) * op.Exp(Y), op.Exp(X + Y), aliases=True)


class TestSharedWeights:
    def test_one_weight_at_two_places_stays_one(self) -> None:
        rule = Subst(op.Relu(X * Y), op.Relu(Y * X))
        weight = exp(C)
        before = Workload([relu(multiply(A, weight)), relu(multiply(B, weight))])

        first, second = apply(before, [once(rule)]).outputs

        assert shapes([first, second]) == [
            ("Tanh", ("Multiply", ("Exp", "c"), name)) for name in ("a", "b")
        ]
        assert first.operands[0].operands[0] is second.operands[0].operands[0] is weight

    def test_what_only_the_match_has_used_goes_and_what_others_use_stays(self) -> None:
        rule = Subst(op.Exp(X) * Y, Y)
        aside = tanh(C)

        after = apply(Workload([multiply(exp(A), C), aside]), [rule])

        assert after.outputs == (C, aside)

    def test_parameters_and_inputs_keep_names_and_order(self) -> None:
        rule = Subst(op.Relu(op.Relu(X)), op.Relu(X))
        w, v = var("w"), var("v")
        network = [add(relu(relu(multiply(v, A))), multiply(w, v)), multiply(w, A)]
        before = Workload(network, {"w": VALUES["b"], "v": VALUES["c"]}, inputs=[A])

        after = apply(before, [rule])

        assert after is not before
        assert after.variables == before.variables
        assert list(after.parameters) == list(before.parameters)
        assert after.inputs == (A,)


def once(rule: Subst) -> Subst:
    """Return a rule with a tanh for the relu at the top of its target, so that it ends."""
    return Subst(rule.source, [op.Tanh(target.operands[0]) for target in rule.target])


class TestAliases:
    def test_two_inputs_are_two_tensors_by_default(self) -> None:
        assert applied(multiply(exp(A), exp(A)), EXPONENTS)[1] == 0
        assert applied(multiply(exp(A), exp(B)), EXPONENTS)[1] == 1

    def test_they_may_be_one_if_the_rule_says_so(self) -> None:
        outputs, count = applied(multiply(exp(A), exp(A)), ALIASED_EXPONENTS)

        assert shapes(outputs) == [("Exp", ("Add", "a", "a"))]
        assert count == 1

    @pytest.mark.parametrize("aliases", [False, True])
    def test_two_calls_are_never_one(self, aliases: bool) -> None:
        rule = ALIASED_EXPONENTS if aliases else EXPONENTS

        assert applied(multiply(e := exp(A), e), rule)[1] == 0

    def test_an_input_is_never_what_a_call_stands_for(self) -> None:
        rule = Subst(X * op.Exp(Y), op.Exp(Y), aliases=True)
        network = Workload(multiply(e := exp(A), e))

        assert apply(network, [rule]) is network

    def test_two_outputs_are_never_one(self) -> None:
        rule = products(aliases=True)

        assert applied(multiply(A, B), rule)[1] == 0
        assert applied([multiply(A, B), multiply(A, B)], products())[1] == 0
        graph = Graph([multiply(A, B), multiply(A, B)])
        assert match_at(rule, graph, graph.outputs[0])

    def test_fields_may_share_a_weight_if_the_rule_says_so(self) -> None:
        weight = pat.Wildcard()
        field = X * weight
        many = pat.Variadic(field, templates=[field, weight], min_len=2)
        graph = Graph([multiply(A, B), multiply(A, B), multiply(A, C)])

        found = [
            match_at(Subst(many, many, aliases=aliases), graph, graph.outputs[0])
            for aliases in (False, True)
        ]

        assert [one.lengths[many, ()] for one in found] == [2, 3]

    def test_one_pattern_needs_one_tensor_even_then(self) -> None:
        rule = Subst(X * op.Exp(X), op.Exp(X), aliases=True)

        assert applied(multiply(A, exp(B)), rule)[1] == 0

    @pytest.mark.parametrize("shared", [False, True])
    def test_numbers_match_constants_that_are_shared_or_not(self, shared: bool) -> None:
        rule = Subst(X * 2.0 + Y * 2.0, (X + Y) * 2.0)
        two = Const(2.0)
        factors = [two, two] if shared else [two, Const(2.0)]

        outputs, count = applied(add(multiply(A, factors[0]), multiply(B, factors[1])), rule)

        assert shapes(outputs) == [("Multiply", ("Add", "a", "b"), 2.0)]
        assert count == 1

    def test_one_constant_pattern_used_twice_is_one_node(self) -> None:
        two = pat.Const(2.0)
        rule = Subst(X * two + Y * two, (X + Y) * two)
        one = Const(2.0)

        assert applied(add(multiply(A, one), multiply(B, one)), rule)[1] == 1
        assert applied(add(multiply(A, one), multiply(B, Const(2.0))), rule)[1] == 0

    def test_numbers_in_fields_match_constants_that_are_shared_or_not(self) -> None:
        weight = pat.Wildcard()
        inner = X * 2.0
        field = inner * weight
        many = pat.Variadic(field, templates=[field, inner, inner.operands[1], weight], min_len=2)
        two = Const(2.0)
        graph = Graph([multiply(multiply(A, c), v) for c, v in ((two, B), (two, C))])

        found = match_at(Subst(many, many), graph, graph.outputs[0])

        assert found.lengths[many, ()] == 2

    def test_the_switch_is_part_of_what_a_rule_means(self) -> None:
        assert rule_hash(products()) == rule_hash(products())
        assert rule_hash(products()) != rule_hash(products(aliases=True))
        assert "inputs may be one tensor" in rule_text(products(aliases=True))
        assert "inputs may be one tensor" not in rule_text(products())


class TestInteriorEscape:
    RULE = Subst(op.Negative(op.Negative(X)), X)

    @pytest.mark.parametrize("name", ["another consumer", "an output", "its own root twice"])
    def test_a_value_that_is_needed_elsewhere_is_kept(self, name: str) -> None:
        inner = negative(A)
        root = negative(inner)
        outputs = {
            "another consumer": [root, exp(inner)],
            "an output": [root, inner],
            "its own root twice": [add(root, inner)],
        }[name]
        before = Workload(outputs)

        assert apply(before, [self.RULE]) is before

    def test_it_matches_as_soon_as_nothing_else_needs_the_value(self) -> None:
        inner = negative(A)
        unneeded = Subst(X * op.Exp(Y), X)
        before = Workload(multiply(negative(inner), exp(inner)))

        assert apply(before, [self.RULE, unneeded]).outputs == (A,)


class TestCycles:
    def test_roots_that_depend_on_one_another_are_left_alone(self) -> None:
        first = multiply(A, B)
        for between in (first, exp(first), add(C, tanh(exp(first)))):
            second = multiply(A, between)
            for outputs in ([second], [first, second], [second, first]):
                assert applied(outputs, products())[1] == 0

    def test_two_matches_that_close_a_cycle_only_together(self) -> None:
        """p1, p2 and q1, q2 are apart, but q1 is computed from p1 and p2 from q2."""
        p1, q2 = multiply(A, exp(B)), multiply(C, exp(B))
        q1, p2 = multiply(C, tanh(p1)), multiply(A, tanh(q2))

        for outputs in permutations([p1, p2, q1, q2]):
            assert applied(outputs, products())[1] == 1

    def test_a_match_becomes_possible_when_the_dependency_goes(self) -> None:
        first = multiply(A, B)
        second = multiply(A, add(relu(relu(C)), negative(negative(exp(first)))))
        cut = Subst(X + op.Negative(op.Negative(op.Exp(Y))), X)

        after, count = Workload([first, second]), Record()
        result = apply(after, [products(), cut], record=count, max_rewrites=50)

        assert count.counts[cut] == 1
        assert sum(count.counts.values()) == 2
        invariants(Graph(result.outputs))


class TestOverlaps:
    CHAIN = Subst(op.Exp(op.Relu(op.Exp(X))), op.Tanh(X))

    def test_of_overlapping_matches_the_lower_one_is_taken(self) -> None:
        before = Workload(exp(relu(exp(relu(exp(A))))))

        assert shapes(apply(before, [self.CHAIN]).outputs) == [("Exp", ("Relu", ("Tanh", "a")))]

    def test_of_two_rules_at_one_root_the_first_is_taken(self) -> None:
        short = Subst(op.Exp(op.Relu(X)), op.Tanh(op.Tanh(X)))
        before = Workload(exp(relu(exp(A))))

        long_first = apply(before, [self.CHAIN, short]).outputs
        short_first = apply(before, [short, self.CHAIN]).outputs

        assert shapes(long_first) == [("Tanh", "a")]
        assert shapes(short_first) == [("Tanh", ("Tanh", ("Exp", "a")))]

    def test_outputs_that_pair_up_in_several_ways_do_so_in_their_order(self) -> None:
        made = [multiply(A, exp(B)), multiply(A, tanh(B)), multiply(A, relu(B))]

        for outputs in permutations(made):
            results, count = applied(outputs, products())

            assert count == 1
            assert [type(e).__name__ for e in results] == ["Proj", "Proj", "Call"]
            assert results[2] is outputs[2]

    def test_the_same_network_always_gives_the_same_result(self) -> None:
        def network() -> list[Expr]:
            pairs = [multiply(A, exp(v)) for v in (B, C, A)] + [multiply(A, B)]
            return [*pairs, exp(relu(exp(relu(exp(pairs[0])))))]

        results = [shapes(applied(network(), products(), EXPONENTS)[0]) for _ in range(5)]

        assert all(result == results[0] for result in results)


class TestDefectsOfOthers:
    def test_three_outputs_over_a_shared_interior_in_every_order(self) -> None:
        """Only one order of four was matched by the first GSL."""
        inner, other = op.Relu(X), op.Maximum(X, 0.0)
        makers = [(op.Exp, exp), (op.Negative, negative), (op.Tanh, tanh)]
        for written in permutations(makers):
            rule = Subst([make(inner) for make, _ in written], [make(other) for make, _ in written])
            for order in permutations(makers):
                node = relu(A)
                results, count = applied([make(node) for _, make in order], rule)

                assert count == 1
                assert {shape_of(e)[1] for e in results} == {("Maximum", "a", 0.0)}
                assert len({e.operands[0] for e in results}) == 1

    def test_one_node_is_not_bound_to_both_outputs(self) -> None:
        """Merging siblings would go on for ever with a node and itself."""
        one, other = op.Relu(X), op.Relu(X)
        merge = Subst([one, other], [one, one])
        alone = Workload(relu(A))

        assert apply(alone, [merge]) is alone
        results, count = applied([relu(A), relu(A)], merge)
        assert count == 1
        assert results[0] is results[1]

    @pytest.mark.parametrize("siblings", [3, 4, 7])
    def test_three_and_more_identical_siblings_are_merged(self, siblings: int) -> None:
        one, other = op.Relu(X), op.Relu(X)
        results, count = applied(
            [relu(A) for _ in range(siblings)], Subst([one, other], [one, one])
        )

        assert count == siblings - 1
        assert len(set(results)) == 1

    def test_three_identical_siblings_are_three_outputs(self) -> None:
        three = Subst([op.Relu(X) for _ in range(3)], [op.Maximum(X, 0.0)] * 3)

        assert applied([relu(A), relu(A)], three)[1] == 0
        assert applied([relu(A), relu(A), relu(A)], three)[1] == 1

    def test_interleaved_branches_are_merged_and_stay_in_topological_order(self) -> None:
        """Between the branches, in any order of the outputs, lies what only one of them needs."""
        first = multiply(A, B)
        after_first = exp(first)
        before_second = tanh(negative(C))
        second = multiply(A, before_second)
        after_both = add(second, after_first)

        for outputs in permutations([first, after_first, before_second, second, after_both]):
            results, count = applied(outputs, products())
            bound = to_a_normal_form(results).bindings

            assert count == 1
            known = {A, B, C}
            for binding in bound:
                assert known.issuperset(binding.value.operands)
                known.add(binding.variable)
            assert reverse_post_order(results)
