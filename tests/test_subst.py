"""Rules: what a Subst keeps, and what `@rule` knows about the function that writes it."""

from __future__ import annotations

import pytest

from gsl import Call, Rule, Subst, Tuple, Workload, attr, op, pat, rule
from gsl.engine.fixpoint import matches
from gsl.errors import RuleError
from gsl.graph import reverse_post_order
from gsl.operators import lookup
from gsl.rule_collector import collecting
from tests.match.toys import exp, relu, var
from tests.rule_text import underlined


def test_outputs_may_be_one_pattern_or_several() -> None:
    x = pat.Wildcard()
    relu, exp = op.Relu(x), op.Exp(x)

    assert ((relu,), (exp,)) == (Subst(relu, exp).source, Subst(relu, exp).target)
    assert (relu, exp) == Subst([relu, exp], (exp, relu)).source
    assert (exp, relu) == Subst([relu, exp], (exp, relu)).target


@pytest.mark.parametrize("count", [2, 3, 4])
def test_length_of_a_tuple_in_the_source_is_a_condition(count: int) -> None:
    x = pat.Wildcard()
    limited = op.Relu(x)
    fields = pat.Variadic(limited, templates=[limited, x], length=3)
    joined = op.Concatenate(fields, axis=0)
    three = Subst(joined, op.Relu(joined))
    parts = [relu(var(f"x{number}")) for number in range(count)]
    workload = Workload(Call(lookup("Concatenate"), [Tuple(parts)], {"axis": 0}))

    assert len(three.where) == 1
    assert any(True for _ in matches(three, workload)) is (count == 3)


def test_numbers_as_targets_become_constants() -> None:
    subst = Subst(op.Relu(pat.Wildcard()), 0)

    assert isinstance(subst.target[0], pat.Const)


def test_what_is_no_pattern_is_refused() -> None:
    with pytest.raises(RuleError, match="GSL116 'relu' is not a pattern"):
        Subst("relu", pat.Wildcard())


def test_conditions_become_terms() -> None:
    x = pat.Wildcard()
    condition = x.ndim == 2

    subst = Subst(op.Relu(x), x, where=[condition, True])

    assert condition is subst.where[0]
    assert isinstance(subst.where[1], attr.Const)


def test_patterns_are_listed_operands_first() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    relu = op.Relu(x)
    total = relu + y
    exp = op.Exp(relu)

    subst = Subst([total, exp], [y, op.Negative(relu)])

    assert (x, relu, y, total, exp) == subst.source_patterns
    assert (y, x, relu, subst.target[1]) == subst.target_patterns
    assert frozenset((total, exp)) == subst.outputs


def test_only_a_single_variadic_makes_a_source_variadic() -> None:
    field = op.Relu(pat.Wildcard())
    many = pat.Variadic(field)

    assert many is Subst(many, many).variadic
    assert Subst([many, field], [many, field]).variadic is None
    assert Subst(field, field).variadic is None


def test_span_is_where_the_subst_was_written() -> None:
    x = pat.Wildcard()

    subst = Subst(op.Relu(x), x)

    assert underlined(subst.span) == "Subst(op.Relu(x), x)"


def test_calling_a_subst_rewrites_until_nothing_matches() -> None:
    x = pat.Wildcard()
    idempotent = Subst(op.Relu(op.Relu(x)), op.Relu(x))

    result = idempotent(Workload(relu(relu(relu(var("x"))))))

    assert [type(e).__name__ for e in reverse_post_order(result.outputs)] == ["Var", "Call"]


def test_subst_that_matches_nowhere_returns_the_very_workload() -> None:
    x = pat.Wildcard()
    workload = Workload(exp(var("x")))

    assert workload is Subst(op.Relu(x), x)(workload)


@rule(tags={"toy", "relu"}, origin="a test", expect="GSL401", twin="other")
def example() -> Subst:
    """relu(x)  =>  x

    Wrong on purpose,
    for negative x.
    """
    x = pat.Wildcard()
    return Subst(op.Relu(x), x)


def test_rule_knows_its_name_equation_and_reason() -> None:
    assert isinstance(example, Rule)
    assert example.name == "example"
    assert example.equation == "relu(x)  =>  x"
    assert example.reason == "Wrong on purpose,\nfor negative x."


def test_rule_knows_what_it_was_declared_with() -> None:
    assert frozenset({"toy", "relu"}) == example.tags
    assert (example.origin, example.expect, example.twin) == ("a test", "GSL401", "other")


def test_rule_without_words_has_empty_ones() -> None:
    @rule()
    def silent() -> Subst:
        return Subst(op.Relu(pat.Wildcard()), 0)

    assert ("", "", frozenset()) == (silent.equation, silent.reason, silent.tags)
    assert (silent.origin, silent.expect, silent.twin) == ("", "", "")


def test_rule_span_is_its_first_line() -> None:
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()

    assert (__file__, "@rule") == (example.span.file, lines[example.span.line - 1][:5])


def test_calling_a_rule_writes_it_down_anew() -> None:
    first, second = example(), example()

    assert first is not second
    assert repr(first.source[0].callee) == "Relu"


def test_rule_that_returns_no_subst_is_refused() -> None:
    @rule()
    def forgotten() -> Subst:
        """relu(x)  =>  x"""

    with pytest.raises(RuleError, match="GSL104 rule `forgotten` returns None instead of a Subst"):
        forgotten()


def test_rules_declared_meanwhile_are_collected() -> None:
    with collecting() as outer:
        first = rule()(example.write)
        with collecting() as inner:
            second = rule()(example.write)
        third = rule()(example.write)
    rule()(example.write)

    assert [first, third] == outer
    assert [second] == inner


def test_rule_needs_no_arguments() -> None:
    @rule
    def relu_relu() -> Subst:
        """relu(relu(x)) => relu(x)"""
        x = pat.Wildcard()
        return Subst(op.Relu(op.Relu(x)), op.Relu(x))

    assert relu_relu.name == "relu_relu"
    assert relu_relu.tags == frozenset()
    assert isinstance(relu_relu(), Subst)


def test_what_a_rule_says_about_nan() -> None:
    @rule
    def usual() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Relu(x), x)

    @rule(nan="same", tags={"a"}, origin="somewhere")
    def promising() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Relu(x), x)

    assert (usual.nan, promising.nan) == ("may-change", "same")
    assert (promising.tags, promising.origin) == (frozenset({"a"}), "somewhere")


def test_rule_that_is_a_coroutine_says_so() -> None:
    @rule  # type: ignore[arg-type]
    async def later() -> Subst:
        return Subst(pat.Wildcard(), pat.Wildcard())

    with pytest.raises(RuleError, match="instead of `async def`"):
        later()


def test_what_is_shown_of_a_wrong_result_is_the_same_in_every_process() -> None:
    @rule
    def one_by_one() -> Subst:  # type: ignore[misc]
        yield Subst(op.Relu(pat.Wildcard()), pat.Wildcard())

    with pytest.raises(RuleError, match="returns a generator instead of a Subst"):
        one_by_one()
