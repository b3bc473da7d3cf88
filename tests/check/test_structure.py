"""Source and target as graphs: outputs, inputs, connection, templates, projections."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.cases import FAN, FAN_SOURCE, XY, Case, X, fires_at_its_place, stays_silent

CASES = [
    Case(
        "GSL130",
        XY + "rule = Subst([op.Relu(x), op.Exp(y)], [x, y])",
        "op.Exp(y)",
        "source output 1 is not connected to the ones before it",
        XY + "rule = Subst([op.Relu(x), op.Exp(x)], [x, x])",
    ),
    Case(
        "GSL130",
        XY + "rule = Subst([op.Relu(x), op.Exp(y)], [x, y], where=[x.ndim == 2, y.ndim == 2])",
        "op.Exp(y)",
        "source output 1 is not connected to the ones before it",
        XY + "rule = Subst([op.Relu(x), op.Exp(y)], [x, y], where=[x.shape == y.shape])",
    ),
    Case(
        "GSL130",
        FAN + "rule = Subst(pat.Variadic(field, templates=[field, w, x]), pat.Variadic(field))",
        "pat.Variadic(field, templates=[field, w, x])",
        "the fields of the source have no pattern in common",
        FAN + "src = pat.Variadic(field, templates=[field, w])\nrule = Subst(src, src)",
    ),
    Case(
        "GSL130",
        XY + "one, two = op.Relu(x), op.Relu(y)\n"
        "rule = Subst(pat.Variadic(two, templates=[two, y], first=[one, x]), pat.Variadic(two))",
        "pat.Variadic(two, templates=[two, y], first=[one, x])",
        "the fields of the source have no pattern in common",
        XY + "y = pat.Wildcard(shape=x.shape)\none, two = op.Relu(x), op.Relu(y)\n"
        "src = pat.Variadic(two, templates=[two, y], first=[one, x])\nrule = Subst(src, src)",
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
        "GSL131",
        X + "rule = Subst(op.Relu(x), op.Maximum(x, pat.Const(0, like=pat.Variable())))",
        "pat.Variable()",
        "the Variable pattern is an input of the target that the source lacks",
        X + "rule = Subst(op.Relu(x), op.Maximum(x, pat.Const(0, like=op.Abs(x))))",
    ),
    Case(
        "GSL131",
        X + "rule = Subst(op.Relu(x), pat.Const(0, like=pat.Variable()))",
        "pat.Variable()",
        "the Variable pattern is an input of the target that the source lacks",
        X + "rule = Subst(op.Relu(x), pat.Const(0, like=pat.Variable(), dtype='int8'))",
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
        X + "r = op.Relu(x)\nrule = Subst([r, r], [op.Exp(x), x])",
        "Subst([r, r], [op.Exp(x), x])",
        "an output of the source is listed twice",
        X + "r = op.Relu(x)\nrule = Subst([r, op.Relu(x)], [r, r])",
    ),
    Case(
        "GSL132",
        X + "r = op.Relu(x)\nrule = Subst([r, pat.Alt(op.Exp(x), r)], [x, x])",
        "op.Relu(x)",
        "the call of Relu may be two outputs, and only one target can replace it",
        X + "rule = Subst([op.Relu(x), pat.Alt(op.Exp(x), op.Relu(x))], [x, x])",
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
        "GSL133",
        FAN_SOURCE + "one = src(w, i)\nadd = op.Add(one, x)\nout = add * 1\n"
        "rule = Subst(src, pat.Variadic(out, templates=[out, add, one], index=i))",
        "add * 1",
        "a number takes its dtype from the call of Add, a template, and is none itself",
        FAN_SOURCE + "one = src(w, i)\nadd = op.Add(one, x)\nk = pat.Const(1, like=add)\n"
        "out = add * k\n"
        "rule = Subst(src, pat.Variadic(out, templates=[out, k, add, one], index=i))",
    ),
    Case(
        "GSL135",
        "x = pat.Variable()\nrule = Subst(x, x)",
        "pat.Variable()",
        "the Variable pattern is an output of the source: the rule would match every such variable",
        "x = pat.Variable()\nrule = Subst(op.Relu(x), x)",
    ),
    Case(
        "GSL135",
        X + "rule = Subst(pat.Alt(op.Relu(x), pat.Alt(op.Exp(x), x)), x)",
        "pat.Wildcard()",
        "the Wildcard pattern is an output of the source: the rule would match everything",
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
        "GSL135",
        X + "one = pat.Const(1.0)\nrule = Subst([op.Relu(x), one], [x, op.Exp(x)])",
        "pat.Const(1.0)",
        "the Const pattern is an output of the source: the rule would match every such constant",
        X + "one = pat.Const(1.0)\nrule = Subst([op.Relu(x), op.Add(x, one)], [x, op.Exp(x)])",
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
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_bad_rule_is_found_at_its_place(case: Case, tmp_path: Path) -> None:
    assert fires_at_its_place(case, tmp_path)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_twin_does_not_have_the_code(case: Case, tmp_path: Path) -> None:
    assert stays_silent(case, tmp_path)
