"""What a single expression can get wrong is refused where it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.cases import XY, Case, X, fires_at_its_place, stays_silent

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
        "Relu takes 1 operand, not 2",
        XY + "rule = Subst(op.Add(x, y), x)",
    ),
    Case(
        "GSL112",
        X + "rule = Subst(op.LeakyRelu(x, alfa=0.5), x)",
        "alfa=0.5",
        "attribute `alfa` is not an attribute of LeakyRelu",
        X + "rule = Subst(op.LeakyRelu(x, alpha=0.5), x)",
    ),
    Case(
        "GSL113",
        X + "rule = Subst(op.LeakyRelu(x, alpha='half'), x)",
        "alpha='half'",
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
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_bad_rule_is_found_at_its_place(case: Case, tmp_path: Path) -> None:
    assert fires_at_its_place(case, tmp_path)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_twin_does_not_have_the_code(case: Case, tmp_path: Path) -> None:
    assert stays_silent(case, tmp_path)
