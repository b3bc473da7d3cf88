"""Every code of the semantic check: a rule that has it, at the exact place, and one that has not.

The twin differs from the bad rule only in what the code is about.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from gsl import Subst, Var, Workload, op, pat
from gsl.check import CHECKS, check, require_well_formed
from gsl.errors import RuleError
from tests.rule_text import findings, place_in, underlined


class Case(NamedTuple):
    """Rule text, what the finding underlines in it, a word of its message, and the silent twin."""

    code: str
    bad: str
    underlined: str
    message: str
    good: str


X = "x = pat.Wildcard()\n"
XY = "x, y = pat.Wildcard(), pat.Wildcard()\n"
FAN = X + "w = pat.Variable()\nfield = op.Add(x, w)\n"
FAN_SOURCE = FAN + "src = pat.Variadic(field, templates=[field, w])\ni = attr.Symbol()\n"

CASES = [
    Case(
        "GSL110",
        X + "rule = Subst(op.Rellu(x), x)",
        "op.Rellu",
        "there is no operator `Rellu`; did you mean `Relu`?",
        X + "rule = Subst(op.Relu(x), x)",
    ),
    Case(
        "GSL111",
        XY + "rule = Subst(op.Relu(x, y), x)",
        "op.Relu(x, y)",
        "Relu takes 1 operands, not 2",
        XY + "rule = Subst(op.Add(x, y), x)",
    ),
    Case(
        "GSL112",
        X + "rule = Subst(op.LeakyRelu(x, alfa=0.5), x)",
        "op.LeakyRelu(x, alfa=0.5)",
        "attribute `alfa` is not an attribute of LeakyRelu",
        X + "rule = Subst(op.LeakyRelu(x, alpha=0.5), x)",
    ),
    Case(
        "GSL113",
        X + "rule = Subst(op.LeakyRelu(x, alpha='half'), x)",
        "op.LeakyRelu(x, alpha='half')",
        "attribute `alpha` of LeakyRelu: 'half' is not a number",
        X + "rule = Subst(op.LeakyRelu(x, alpha=0.5), x)",
    ),
    Case(
        "GSL113",
        X + "rule = Subst(x['first'] + 1, x[0])",
        "x['first']",
        "'first' is not an integer",
        X + "rule = Subst(x[1] + 1, x[0])",
    ),
    Case(
        "GSL113",
        X + "rule = Subst(x[True] + 1, x[0])",
        "x[True]",
        "True is not an integer",
        X + "rule = Subst(x[1] + 1, x[0])",
    ),
    Case(
        "GSL114",
        X + "rule = Subst(op.Relu(x), x, where=[x.shap[0] == 1])",
        "x.shap",
        "the Wildcard pattern has no attribute `shap`",
        X + "rule = Subst(op.Relu(x), x, where=[x.shape[0] == 1])",
    ),
    Case(
        "GSL114",
        X + "rule = Subst(op.Relu(x), x, where=[pat.Tuple(x).shape[0] == 1])",
        "pat.Tuple(x).shape",
        "the Tuple pattern has no attribute `shape`",
        X + "t = pat.Tuple(x)\nrule = Subst(t[0], x, where=[t.length == 1])",
    ),
    Case(
        "GSL115",
        X + "rule = Subst(op.Relu(x), op.Cast(x))",
        "op.Cast(x)",
        "the call of Cast in the target needs attribute `dtype`",
        X + "rule = Subst(op.Relu(x), op.Cast(x, dtype='bool'))",
    ),
    Case(
        "GSL115",
        X + "rule = Subst(x[0] + x[1], pat.GetItem(x))",
        "pat.GetItem(x)",
        "the GetItem pattern in the target needs attribute `index`",
        X + "rule = Subst(x[0] + x[1], pat.GetItem(x, 0))",
    ),
    Case(
        "GSL116",
        X + "rule = Subst(op.Add(x, 'one'), x)",
        "op.Add(x, 'one')",
        "'one' is not a pattern",
        X + "rule = Subst(op.Add(x, 1), x)",
    ),
    Case(
        "GSL116",
        X + "rule = Subst(op.Relu(x), op.Cast(x, **pat.same_attr(x)))",
        "pat.same_attr(x)",
        "the Wildcard pattern has no attributes to copy",
        X + "c = op.Cast(op.Relu(x))\nrule = Subst(c, op.Cast(x, **pat.same_attr(c)))",
    ),
    Case(
        "GSL120",
        X + "i = attr.Symbol()\nrule = Subst(op.Split(x, axis=i), x)",
        "op.Split(x, axis=i)",
        "symbol `i` is not bound here",
        X + "i = attr.Symbol()\nfield = op.Softmax(x, axis=i)\n"
        "src = pat.Variadic(field, index=i)\nrule = Subst(src, src)",
    ),
    Case(
        "GSL120",
        X + "rule = Subst(op.Relu(x), x, where=[attr.Symbol('n') + 1 == 2])",
        "attr.Symbol('n') + 1 == 2",
        "symbol `n` is not bound here",
        X + "rule = Subst(op.Relu(x), x, where=[x.ndim + 1 == 2])",
    ),
    Case(
        "GSL120",
        FAN_SOURCE + "one = src(w, i)\nrule = Subst(src, pat.Variadic(op.Add(x, one)))",
        "src(w, i)",
        "symbol `i` is not bound here",
        FAN_SOURCE + "one = src(w, i)\nsum = op.Add(x, one)\n"
        "rule = Subst(src, pat.Variadic(sum, templates=[sum, one], index=i))",
    ),
    Case(
        "GSL120",
        FAN_SOURCE + "out = op.Relu(x)\n"
        "last = op.Softmax(out, axis=src(w, i).ndim)\n"
        "rule = Subst(src, pat.Variadic(last))",
        "op.Softmax(out, axis=src(w, i).ndim)",
        "symbol `i` is not bound here",
        FAN_SOURCE + "out = op.Relu(x)\n"
        "last = op.Softmax(out, axis=src(w, i).ndim)\n"
        "rule = Subst(src, pat.Variadic(last, index=i))",
    ),
    Case(
        "GSL121",
        "w = pat.Variable()\nx = pat.Variable(shape=w.shape)\nrule = Subst(op.Add(x, w), x)",
        "w.shape",
        "attribute `shape` of the Variable pattern is used before it is matched",
        "w = pat.Variable()\nx = pat.Variable(shape=w.shape)\nrule = Subst(op.Add(w, x), x)",
    ),
    Case(
        "GSL121",
        X + "late = op.Exp(x)\nrule = Subst(op.Add(op.same(late)(x), late), x)",
        "op.same(late)(x)",
        "attribute `operator` of the call of Exp is used before it is matched",
        X + "early = op.Exp(x)\nrule = Subst(op.Add(early, op.same(early)(x)), x)",
    ),
    Case(
        "GSL122",
        XY + "rule = Subst(op.Relu(x), x, where=[y.ndim == 1])",
        "y.ndim",
        "attribute `ndim` of the Wildcard pattern, which is not part of the source",
        XY + "rule = Subst(op.Add(x, y), x, where=[y.ndim == 1])",
    ),
    Case(
        "GSL122",
        X + "z = op.Exp(x)\nrule = Subst(op.Relu(x), op.Softmax(x, axis=z.ndim - 1))",
        "z.ndim",
        "attribute `ndim` of the call of Exp, which is not part of the source",
        X + "z = op.Exp(x)\nrule = Subst(op.Relu(x), op.Softmax(z, axis=z.ndim - 1))",
    ),
    Case(
        "GSL122",
        X + "one, two = op.Relu(x), op.Exp(x)\nlate = op.Negative(x)\n"
        "rule = Subst([one, two], [op.Softmax(x, axis=late.ndim), late])",
        "late.ndim",
        "attribute `ndim` of the call of Negative, which is not part of the source",
        X + "one, two = op.Relu(x), op.Exp(x)\nearly = op.Negative(x)\n"
        "rule = Subst([one, two], [early, op.Softmax(x, axis=early.ndim)])",
    ),
    Case(
        "GSL122",
        FAN_SOURCE + "rule = Subst(src, src, where=[w.ndim == 1])",
        "w.ndim",
        "attribute `ndim` of the Variable pattern has a value in every field",
        FAN_SOURCE + "rule = Subst(src, src, where=[src(w, 0).ndim == 1])",
    ),
    Case(
        "GSL122",
        FAN_SOURCE + "other = pat.Variadic(field, templates=[field, w])\n"
        "one = other(w, 0)\nrule = Subst(src, pat.Variadic(op.Relu(one)))",
        "other(w, 0)",
        "attribute `length` of the Variadic pattern, which is not part of the source",
        FAN_SOURCE + "one = src(w, 0)\nrule = Subst(src, pat.Variadic(op.Relu(one)))",
    ),
    Case(
        "GSL123",
        X + "rule = Subst(op.Relu(x), op.Reshape(x, shape=(None, 2)))",
        "op.Reshape(x, shape=(None, 2))",
        "attribute `shape` of the call of Reshape is left open in the target",
        X + "rule = Subst(op.Relu(x), op.Reshape(x, shape=(1, 2)))",
    ),
    Case(
        "GSL123",
        X + "rule = Subst(op.Relu(x), op.Reshape(x, shape=attr.Tuple(None, x.shape[1:][0])))",
        "op.Reshape(x, shape=attr.Tuple(None, x.shape[1:][0]))",
        "attribute `shape` of the call of Reshape is left open in the target",
        X + "rule = Subst(op.Relu(x), op.Reshape(x, shape=x.shape[1:]))",
    ),
    Case(
        "GSL130",
        XY + "rule = Subst([op.Relu(x), op.Exp(y)], [x, y])",
        "op.Exp(y)",
        "source output 1 is not connected to the ones before it",
        XY + "rule = Subst([op.Relu(x), op.Exp(x)], [x, x])",
    ),
    Case(
        "GSL130",
        FAN + "rule = Subst(pat.Variadic(field, templates=[field, w, x]), pat.Variadic(field))",
        "pat.Variadic(field, templates=[field, w, x])",
        "the fields of the source have no pattern in common",
        FAN + "src = pat.Variadic(field, templates=[field, w])\nrule = Subst(src, src)",
    ),
    Case(
        "GSL131",
        X + "rule = Subst(op.Relu(x), op.Add(x, pat.Variable()))",
        "pat.Variable()",
        "the Variable pattern is an input of the target that the source lacks",
        X + "w = pat.Variable()\nrule = Subst(op.Add(x, w), op.Add(w, x))",
    ),
    Case(
        "GSL131",
        X + "rule = Subst(op.Relu(x), op.Maximum(x, pat.Const()))",
        "pat.Const()",
        "the Const pattern is an input of the target that the source lacks",
        X + "rule = Subst(op.Relu(x), op.Maximum(x, pat.Const(0)))",
    ),
    Case(
        "GSL131",
        FAN_SOURCE.replace("pat.Variable()", "pat.Variable(dtype='int8')")
        + "rule = Subst(src, pat.Variadic(op.Relu(w)))",
        "pat.Variable(dtype='int8')",
        "the Variable pattern has an instance in every field",
        FAN_SOURCE + "rule = Subst(src, pat.Variadic(op.Relu(src(w, 0))))",
    ),
    Case(
        "GSL132",
        X + "rule = Subst([op.Relu(x), op.Exp(x)], [x])",
        "Subst([op.Relu(x), op.Exp(x)], [x])",
        "the source has 2 outputs, the target 1",
        X + "rule = Subst([op.Relu(x), op.Exp(x)], [x, x])",
    ),
    Case(
        "GSL132",
        X + "rule = Subst([], [x])",
        "Subst([], [x])",
        "a rule needs at least one output on each side",
        X + "rule = Subst([op.Relu(x)], [x])",
    ),
    Case(
        "GSL132",
        FAN_SOURCE + "rule = Subst(src, op.Relu(x))",
        "Subst(src, op.Relu(x))",
        "a variadic source needs one variadic target",
        FAN_SOURCE + "rule = Subst(src, pat.Variadic(op.Relu(x)))",
    ),
    Case(
        "GSL133",
        FAN + "rule = Subst(pat.Variadic(field, templates=[w]), x)",
        "pat.Variadic(field, templates=[w])",
        "the field of a variadic pattern must be one of its templates",
        FAN + "src = pat.Variadic(field, templates=[field])\nrule = Subst(src, src)",
    ),
    Case(
        "GSL133",
        FAN + "rule = Subst(pat.Variadic(field, first=[field, w]), x)",
        "pat.Variadic(field, first=[field, w])",
        "2 first patterns for 1 templates",
        FAN + "one = op.Add(x, w)\nsrc = pat.Variadic(field, first=[one])\nrule = Subst(src, src)",
    ),
    Case(
        "GSL133",
        FAN + "rule = Subst(pat.Variadic(field, min_len=0), x)",
        "pat.Variadic(field, min_len=0)",
        "min_len must be at least 1",
        FAN + "src = pat.Variadic(field, min_len=1)\nrule = Subst(src, src)",
    ),
    Case(
        "GSL133",
        FAN_SOURCE + "rule = Subst(src, pat.Variadic(src(x, 0)))",
        "src(x, 0)",
        "the Wildcard pattern is not a template of this variadic pattern",
        FAN_SOURCE + "rule = Subst(src, pat.Variadic(src(w, 0)))",
    ),
    Case(
        "GSL133",
        X + "w = pat.Variable(dtype='int8')\nmiddle = op.Relu(w)\nfield = op.Add(x, middle)\n"
        "src = pat.Variadic(field, templates=[field, w])\nrule = Subst(src, src)",
        "pat.Variable(dtype='int8')",
        "is not reached from the field through templates",
        X + "w = pat.Variable(dtype='int8')\nmiddle = op.Relu(w)\nfield = op.Add(x, middle)\n"
        "src = pat.Variadic(field, templates=[field, middle, w])\nrule = Subst(src, src)",
    ),
    Case(
        "GSL133",
        X + "many = pat.Variadic(op.Relu(x))\nrule = Subst(op.Exp(x), op.Concatenate(many))",
        "pat.Variadic(op.Relu(x))",
        "a variadic tuple in a target needs a length",
        X + "many = pat.Variadic(op.Relu(x), length=2)\n"
        "rule = Subst(op.Exp(x), op.Concatenate(many))",
    ),
    Case(
        "GSL135",
        "x = pat.Variable()\nrule = Subst(x, x)",
        "pat.Variable()",
        "the Variable pattern is an output of the source: the rule would match everything",
        "x = pat.Variable()\nrule = Subst(op.Relu(x), x)",
    ),
    Case(
        "GSL135",
        X + "rule = Subst(pat.Alt(op.Relu(x), pat.Alt(op.Exp(x), x)), x)",
        "pat.Wildcard()",
        "the Wildcard pattern is an output of the source",
        X + "rule = Subst(pat.Alt(op.Relu(x), pat.Alt(op.Exp(x), op.Negative(x))), x)",
    ),
    Case(
        "GSL135",
        X + "w = pat.Variable()\nfield = op.Add(x, w)\n"
        "src = pat.Variadic(field, first=[w])\nrule = Subst(src, src)",
        "pat.Variable()",
        "the Variable pattern is an output of the source",
        X + "w = pat.Variable()\nfield = op.Add(x, w)\n"
        "src = pat.Variadic(field, first=[op.Relu(w)])\nrule = Subst(src, src)",
    ),
    Case(
        "GSL136",
        X + "rule = Subst(op.Relu(pat.Cond(True, x, x)), x)",
        "pat.Cond(True, x, x)",
        "pat.Cond chooses in a target only",
        X + "rule = Subst(op.Relu(x), pat.Cond(x.ndim == 1, x, x))",
    ),
    Case(
        "GSL136",
        X + "rule = Subst(op.Relu(x), pat.Alt(op.Exp(x), x))",
        "pat.Alt(op.Exp(x), x)",
        "pat.Alt in a target does not say what to build",
        X + "a = pat.Alt(op.Exp(x), x)\nrule = Subst(op.Relu(a), a)",
    ),
    Case(
        "GSL136",
        X + "rule = Subst(op.Relu(x), op.Elementwise(x))",
        "op.Elementwise(x)",
        "the target does not say which elementwise operator to build",
        X + "e = op.Elementwise(x)\nrule = Subst(op.Relu(e), op.same(e)(x))",
    ),
    Case(
        "GSL140",
        X + "rule = Subst(op.Relu(op.Softmax(x)), op.Softmax(x ))",
        "op.Softmax(x )",
        "`axis` of the call of Softmax takes the default in the target",
        X + "s = op.Softmax(x)\nrule = Subst(op.Relu(s), op.Softmax(x, axis=s.axis))",
    ),
    Case(
        "GSL140",
        X + "rule = Subst(op.Relu(op.LeakyRelu(x)), op.LeakyRelu(x ))",
        "op.LeakyRelu(x )",
        "`alpha` of the call of LeakyRelu takes the default in the target",
        X + "rule = Subst(op.Relu(op.LeakyRelu(x, alpha=0.01)), op.LeakyRelu(x ))",
    ),
    Case(
        "GSL141",
        XY + "rule = Subst(op.Relu(pat.Tuple(x, y)[2]), x)",
        "pat.Tuple(x, y)[2]",
        "field 2 of a tuple of 2 fields",
        XY + "rule = Subst(op.Relu(pat.Tuple(x, y)[1]), x)",
    ),
    Case(
        "GSL141",
        X + "rule = Subst(op.Split(x, indices_or_sections=(1, 2))[-1], x)",
        "op.Split(x, indices_or_sections=(1, 2))[-1]",
        "field -1 of a tuple of 3 fields",
        X + "rule = Subst(op.Split(x, indices_or_sections=(1, 2))[2], x)",
    ),
    Case(
        "GSL141",
        X + "rule = Subst(op.Split(x, indices_or_sections=2)[2], x)",
        "op.Split(x, indices_or_sections=2)[2]",
        "field 2 of a tuple of 2 fields",
        X + "rule = Subst(op.Split(x)[2], x)",
    ),
    Case(
        "GSL142",
        X + "rule = Subst(op.Relu(x), x, where=[x is None])",
        "Subst(op.Relu(x), x, where=[x is None])",
        "the condition is always False",
        X + "rule = Subst(op.Relu(x), x, where=[x.ndim == 0])",
    ),
    Case(
        "GSL142",
        X + "rule = Subst(op.Relu(x), x, where=[None])",
        "Subst(op.Relu(x), x, where=[None])",
        "the condition is always None",
        X + "rule = Subst(op.Relu(x), x, where=[])",
    ),
    Case(
        "GSL143",
        X + "rule = Subst(op.Relu(x), x, where=[x.shape[0] % 2])",
        "x.shape[0] % 2",
        "the condition is the value of `%`, not a comparison",
        X + "rule = Subst(op.Relu(x), x, where=[x.shape[0] % 2 == 0])",
    ),
    Case(
        "GSL143",
        X + "rule = Subst(op.Relu(x), x, where=[attr.Sum(lambda k: k, length=x.ndim)])",
        "Subst(op.Relu(x), x, where=[attr.Sum(lambda k: k, length=x.ndim)])",
        "the condition is the value of `+`, not a comparison",
        X + "rule = Subst(op.Relu(x), x, where=[attr.All(lambda k: k < 2, length=x.ndim)])",
    ),
    Case(
        "GSL143",
        X + "rule = Subst(op.Relu(x), x, where=[x.shape[:1]])",
        "Subst(op.Relu(x), x, where=[x.shape[:1]])",
        "the condition is the value of `Slice`, not a comparison",
        X + "c = op.Sum(x)\nrule = Subst(op.Relu(c), x, where=[c.keepdims])",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.message[:40]}")
def test_bad_rule_is_found_at_its_place(case: Case, tmp_path: Path) -> None:
    found = [one for one in findings(case.bad, tmp_path) if one.code == case.code]

    assert len(found) == 1
    assert case.message in found[0].message
    span = found[0].span
    assert case.underlined == underlined(span)
    assert place_in(case.bad, case.underlined) == (span.line, span.column)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.message[:40]}")
def test_twin_does_not_have_the_code(case: Case, tmp_path: Path) -> None:
    assert case.code not in [one.code for one in findings(case.good, tmp_path)]


def test_silent_default_is_a_warning_and_all_else_an_error(tmp_path: Path) -> None:
    for case in CASES:
        found = [one for one in findings(case.bad, tmp_path) if one.code == case.code]
        assert (case.code == "GSL140") is found[0].warning


def test_every_check_says_which_codes_it_gives() -> None:
    covered = {case.code for case in CASES}
    documented = {word.strip(",") for one in CHECKS for word in one.__doc__.split(":")[0].split()}

    assert {code for code in documented if code.startswith("GSL")} <= covered


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

    assert [one.code for one in findings(text, tmp_path)] == []
    assert [one.code for one in findings(text.replace("index=j", "index=i"), tmp_path)] == [
        "GSL120"
    ]


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
