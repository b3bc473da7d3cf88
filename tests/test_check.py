"""The semantic check as a whole; what its codes say is in the folder `check`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gsl import Subst, Var, Workload, op, pat
from gsl.check import CHECKS, check, require_well_formed
from gsl.errors import RuleError
from tests.check import test_meaning, test_scope, test_structure, test_value, test_writing
from tests.check.cases import FAN, XY
from tests.rule_text import findings


def test_every_code_that_a_check_gives_has_its_cases() -> None:
    modules = (test_writing, test_scope, test_structure, test_value, test_meaning)
    covered = {case.code for module in modules for case in module.CASES}
    given = {code for one in CHECKS for code in re.findall(r"GSL\d+", one.__doc__)}

    assert given - WHEN_WRITTEN == covered - WHEN_WRITTEN


WHEN_WRITTEN = {
    "GSL110",
    "GSL111",
    "GSL112",
    "GSL113",
    "GSL114",
    "GSL116",
    "GSL117",
    "GSL118",
    "GSL119",
}


def test_symbols_of_three_nested_fields_are_bound(tmp_path: Path) -> None:
    text = (
        "x, i, j, k = pat.Wildcard(), *map(attr.Symbol, 'ijk')\n"
        "leaf = op.Softmax(x, axis=i + j + k)\n"
        "inner = pat.Variadic(leaf, templates=[leaf], index=k)\n"
        "joined = op.Concatenate(inner)\n"
        "middle = pat.Variadic(joined, templates=[joined, inner, leaf], index=j)\n"
        "both = op.Concatenate(middle)\n"
        "src = pat.Variadic(both, templates=[both, middle, joined, inner, leaf], index=i)\n"
        "rule = Subst(src, src)"
    )

    assert [one.code for one in findings(text, tmp_path)] == ["GSL145"]
    assert [one.code for one in findings(text.replace("index=j", "index=i"), tmp_path)] == [
        "GSL120",
        "GSL145",
    ]


def test_symbol_unbound_in_two_places_is_reported_once(tmp_path: Path) -> None:
    text = (
        "x, i = pat.Wildcard(), attr.Symbol()\n"
        "leaf = op.Softmax(x, axis=i)\n"
        "one, two = pat.Variadic(leaf), pat.Variadic(leaf)\n"
        "both = op.Add(op.Concatenate(one), op.Concatenate(two))\n"
        "rule = Subst(op.Add(both, leaf), x)"
    )

    assert [one.code for one in findings(text, tmp_path)] == ["GSL120"]


def test_pattern_used_in_a_field_and_outside_has_its_own_value_there(tmp_path: Path) -> None:
    text = (
        FAN + "many = pat.Variadic(field, templates=[field, w])\n"
        "both = op.Add(op.Concatenate(many), w)\n"
        "rule = Subst(both, op.Relu(w), where=[w.ndim == 1])"
    )

    assert findings(text, tmp_path) == []


def test_findings_come_check_after_check(tmp_path: Path) -> None:
    text = XY + "rule = Subst(op.Relu(x), op.Cast(y), where=[1])"

    assert [one.code for one in findings(text, tmp_path)] == ["GSL131", "GSL115", "GSL142"]


def test_rule_with_only_warnings_is_well_formed() -> None:
    x = pat.Wildcard()
    rule = Subst(op.Relu(op.Softmax(x)), op.Softmax(x))

    require_well_formed(rule)

    assert [finding.code for finding in check(rule)] == ["GSL140"]


def test_attributes_that_operands_tell_are_not_fixed_by_a_default() -> None:
    x, i = pat.Wildcard(), pat.Wildcard()
    rule = Subst(op.Relu(op.GatherND(x, i)), op.GatherND(op.Relu(x), i))

    (finding,) = check(rule)

    assert "`batch_dims`" in finding.message
    assert "`depth`" not in finding.message


def test_ill_formed_rule_is_not_applied() -> None:
    x = pat.Wildcard()
    workload = Workload(Var("x", (2,)))

    with pytest.raises(RuleError, match="GSL135"):
        Subst(x, x)(workload)


def test_deep_pattern_is_checked() -> None:
    x = source = target = pat.Wildcard()
    for _ in range(2_000):
        source, target = op.Relu(source), op.Negative(target)

    assert check(Subst(source, target, where=[x.ndim == 1])) == []
