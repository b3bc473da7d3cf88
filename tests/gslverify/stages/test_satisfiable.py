"""Can any graph match? VACUOUS names the lines that clash; what is not decided is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.codes.satisfiable import (
    OPEN_STRUCTURES,
    UNDECIDED_SATISFIABILITY,
    VACUOUS,
)
from gslverify.finding import Verdict
from gslverify.project import in_project
from gslverify.stages.examination import examination_order, scenarios_of
from gslverify.stages.larger_structures import MANY_FIELDS
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.structures.variants import Variant
from tests.gslverify.rules import SOUND
from tests.gslverify.stages.asking import ask, line_of, only, question

pytestmark = pytest.mark.smt


@pytest.mark.parametrize("name", SOUND)
def test_rules_that_match_something_pass(name: str) -> None:
    result = ask(SATISFIABLE, SOUND[name])
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert result.counts["variants"] > 0


def contradiction() -> Subst:
    x = pat.Wildcard()
    root = op.Sqrt(x)
    where = [
        x.ndim == 2,
        x.shape[0] > 5,  # too large
        x.shape[1] >= 1,
        x.shape[0] < 4,  # too small
    ]
    return Subst(root, x, where=where)


def against_operator() -> Subst:
    x = pat.Variable(shape=(None, None))
    w = pat.Variable(shape=(None, None))
    where = [x.shape[1] != w.shape[1]]
    dense = op.Dense(x, w)
    return Subst(dense, dense, where=where)


def against_dtypes() -> Subst:
    x = pat.Variable(shape=(None,), dtype="int8")
    root = op.Sqrt(x)
    return Subst(root, x)


def against_pattern() -> Subst:
    x = pat.Wildcard()
    y = pat.Variable(shape=(3, None))
    sums = x + y
    short = op.Concatenate((sums, sums), axis=1)
    return Subst(short, short, where=[short.shape[1] == 3])


@pytest.mark.parametrize(
    ("write", "lines"),
    [
        (contradiction, ["# too large", "# too small"]),
        (against_operator, ["where = [x.shape[1]", "op.Dense(x, w)"]),
        (against_dtypes, []),
        (against_pattern, ["where=[short.shape"]),
    ],
)
def test_the_core_names_the_lines_that_clash(write: Any, lines: list[str]) -> None:
    finding = only(ask(SATISFIABLE, write))
    assert finding.code is VACUOUS
    named = [detail.split(":")[1] for detail in finding.details]
    assert {detail.split(":")[0] for detail in finding.details} <= {in_project(Path(__file__))}
    assert {str(line_of(write, text)) for text in lines} <= set(named)
    assert finding.span is not None
    if write is contradiction:
        assert sorted(named) == sorted(str(line_of(write, text)) for text in lines)
        assert finding.span.line in [line_of(write, text) for text in lines]


def no_such_axis() -> Subst:
    x = pat.Wildcard()
    whole = op.Concatenate((x, x), axis=8)
    return Subst(op.Relu(whole), whole)


def no_such_rank() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(x), x, where=[x.ndim < 0])


def no_such_field() -> Subst:
    x = pat.Wildcard()
    pieces = op.Split(x, indices_or_sections=2)
    return Subst(op.Relu(pieces[2]), pieces[2])


def one_group_and_more() -> Subst:
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w, groups=1)
    return Subst(conv, conv, where=[(conv.strides[0] == 1) & (conv.groups >= 2)])


def test_what_a_condition_contradicts_is_named_with_it() -> None:
    finding = only(ask(SATISFIABLE, one_group_and_more))

    here = in_project(Path(__file__))
    where, pinned = (line_of(one_group_and_more, text) for text in ("where=", "groups=1"))
    assert [detail.rpartition(":")[0].rpartition(":")[0] for detail in finding.details] == [
        f"{here}:{where}",
        f"{here}:{pinned}",
    ]
    assert "conv.groups >= 2" in finding.details[0]
    assert finding.details[1].endswith("conv has `groups=1`")
    assert finding.cure == "remove or weaken the condition: without it graphs match"


@pytest.mark.parametrize("write", [no_such_axis, no_such_rank, no_such_field])
def test_a_source_without_structures_is_vacuous(write: Any) -> None:
    result = ask(SATISFIABLE, write)
    assert result.verdict is Verdict.VACUOUS
    assert only(result).subject == "structure"
    assert only(result).span is not None
    assert result.counts == {"variants": 0}


def power_of_bytes() -> Subst:
    x, y = pat.Wildcard(dtype="uint8"), pat.Wildcard(dtype="uint8")
    power = op.Power(x, y)
    return Subst(power, power * op.OnesLike(x))


def test_a_structure_that_another_one_stands_for_is_no_reason() -> None:
    (reason,) = only(ask(SATISFIABLE, power_of_bytes)).details
    assert reason.endswith("Power is not defined for this dtype")


def no_columns() -> Subst:
    x, y = pat.Variable(shape=(None, 0)), pat.Wildcard()
    product = op.Matmul(x, y)
    return Subst(product, op.ZerosLike(product))


def fewer_than_one_row() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(x), x, where=[x.ndim == 1, x.shape[0] < 1])


def fewer_than_no_rows() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(x), x, where=[x.ndim == 1, x.shape[0] < 0])


@pytest.mark.parametrize(
    ("write", "code"),
    [(no_columns, None), (fewer_than_one_row, None), (fewer_than_no_rows, VACUOUS)],
)
def test_a_rule_for_empty_tensors_is_not_called_vacuous(write: Any, code: Any) -> None:
    found = [finding.code for finding in ask(SATISFIABLE, write).findings]
    assert found == ([] if code is None else [code])


def cubes() -> Subst:
    x = pat.Variable(shape=(None, None, None))
    a, b, c = (x.shape[i] + 1 for i in range(3))
    return Subst(op.Relu(x), x, where=[a * a * a + b * b * b == c * c * c])


def unknown_length() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    order = attr.Variadic(lambda i: i, length=x.shape[0])
    moved = op.Transpose(y, axes=order)
    return Subst(op.Relu(x) + moved, x)


def infinite() -> Subst:
    x = pat.Wildcard()
    clip = op.Clip(x)
    return Subst(clip, x, where=[clip.max < float("inf")])


@pytest.mark.parametrize(
    ("write", "limit", "reason"),
    [
        (cubes, 20_000, "gave up"),
        (unknown_length, 4_000_000, "length"),
        (infinite, 4_000_000, "inf"),
    ],
)
def test_what_is_not_decided_is_said(write: Any, limit: int, reason: str) -> None:
    result = ask(SATISFIABLE, write, solver_limit=limit)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert only(result).code is UNDECIDED_SATISFIABILITY
    assert any(reason in detail for detail in only(result).details)


def test_a_structure_that_is_open_is_not_forgotten() -> None:
    def partly() -> Subst:
        x = pat.Wildcard()
        clip = op.Clip(x)
        return Subst(clip, x, where=[attr.Cond(x.ndim == 2, clip.max < float("inf"), x.ndim == 1)])

    asked = question(partly)
    finding = only(SATISFIABLE.run(asked))
    assert finding.code is OPEN_STRUCTURES
    assert not scenarios_of(asked).complete
    assert ask(SATISFIABLE, partly, require="tested").verdict is Verdict.PASS


def test_only_so_many_structures_are_examined() -> None:
    asked = question(SOUND["common_factor"], max_variants=3)
    assert SATISFIABLE.run(asked).counts == {"variants": 3}
    found = scenarios_of(asked)
    assert (len(found.feasible), found.structures, found.complete) == (3, 5, False)


def test_scenarios_are_worked_out_when_they_are_needed() -> None:
    asked = question(SOUND["times_one"])
    found = scenarios_of(asked)
    assert found.complete
    assert scenarios_of(asked) is found


def test_the_simplest_structures_come_first_and_the_rest_is_shuffled_by_seed() -> None:
    every = [Variant((a, b, c)) for a in range(4) for b in range(4) for c in range(2)]
    first, again, other = (examination_order(every, seed) for seed in (1, 1, 2))
    assert first == again
    assert first[:8] == other[:8]
    assert first != other
    assert sorted(sum(v.choices) for v in first[:8]) == [0, 1, 1, 1, 2, 2, 2, 2]
    assert {v.choices for v in first} == {v.choices for v in every}


def relu_of_each() -> Subst:
    x, i = pat.Wildcard(), attr.Symbol("i")
    relu = op.Relu(x)
    relus = pat.Variadic(relu, templates=[relu, x], min_len=2)
    concat = op.Concatenate(relus)
    field = relus(x, attr.Min(i, 4))
    joined = pat.Variadic(field, templates=[field], length=relus.length, index=i)
    first = relus(x, 0).shape
    alike = attr.All(lambda k: relus(x, k).shape == first, length=relus.length)
    return Subst(concat, op.Relu(op.Concatenate(joined, axis=concat.axis)), where=[alike])


def test_tuples_of_many_fields_are_tried_though_ranks_are_unknown() -> None:
    large = scenarios_of(question(relu_of_each)).large
    most = [max(one.instance.bindings.lengths.values()) for one in large]
    assert most.count(MANY_FIELDS) == 2
    assert {5, 6} <= set(most)  # the rule tells the first five fields from the sixth


@pytest.mark.parametrize("seed", range(3))
def test_a_mistake_in_the_sixth_field_is_found(seed: int) -> None:
    result = ask(NUMERIC, relu_of_each, seed=seed)
    assert only(result).code is OUTPUTS_DIFFER


@pytest.mark.parametrize(
    "read",
    [lambda c: c.value[0] == 1, lambda c: c.value[0][-1] == 1, lambda c: c.value[1:] == (2,)],
    ids=["an element", "an element of a row", "a slice"],
)
def test_elements_of_a_constant_are_symbols(read: Callable[[Any], Any]) -> None:
    def reads() -> Subst:
        x, c = pat.Wildcard(), pat.Const()
        return Subst(x + c, x + 1, where=[read(c)])

    result = ask(SATISFIABLE, reads)
    assert not result.findings
    assert result.counts["variants"] > 0


def reads_a_scalar() -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=())
    return Subst(x + c, x + 1, where=[c.value[0] == 1])


def test_constants_without_axes_have_no_elements_to_read() -> None:
    assert only(ask(SATISFIABLE, reads_a_scalar)).code is VACUOUS


def of_many_axes() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim > 12])


def of_many_fields() -> Subst:
    field = op.Relu(pat.Wildcard())
    several = pat.Variadic(field, templates=[field])
    concat = op.Concatenate(several)
    return Subst(concat, concat, where=[several.length > 60])


@pytest.mark.parametrize(
    ("rule", "what"), [(of_many_axes, "axes in a tensor"), (of_many_fields, "fields in a tuple")]
)
def test_what_is_larger_than_anything_tried_is_not_called_a_contradiction(
    rule: Callable[[], Subst], what: str
) -> None:
    finding = only(ask(SATISFIABLE, rule))

    assert finding.code is UNDECIDED_SATISFIABILITY
    assert what in finding.details[0]


def cubes() -> Subst:
    x = pat.Variable(shape=(None, None, None))
    a, b, c = x.shape[0], x.shape[1], x.shape[2]
    where = [
        a >= 1,
        a * a * a + b * b * b == c * c * c,  # nobody knows
    ]
    return Subst(op.Relu(x), x, where=where)


def test_the_condition_on_which_the_solver_gave_up_is_named() -> None:
    finding = only(ask(SATISFIABLE, cubes))

    (said,) = finding.details
    assert f":{line_of(cubes, '# nobody knows')}:" in said
    assert "the solver gave up on the condition" in said


def of_ranks_far_apart() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    total = op.Relu(x) + op.Relu(y)
    return Subst(total, total, where=[x.ndim > y.ndim + 8])


def test_conditions_that_compare_ranks_may_want_them_far_apart() -> None:
    assert not ask(SATISFIABLE, of_ranks_far_apart).findings
