"""Symbols belong to fields, attributes to what has been matched."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsl import Subst, op, pat
from gsl.check import check
from tests.check.cases import FAN_SOURCE, XY, Case, X, fires_at_its_place, stays_silent

CASES = [
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
        "GSL120",
        X + "halves = op.Split(x, indices_or_sections=2, axis=0)\n"
        "half = halves[attr.Symbol('i')]\n"
        "rule = Subst(op.Relu(halves[0]), op.Maximum(halves[0], pat.Const(0, like=half)))",
        "halves[attr.Symbol('i')]",
        "symbol `i` is not bound here",
        X + "halves = op.Split(x, indices_or_sections=2, axis=0)\n"
        "half = halves[1]\n"
        "rule = Subst(op.Relu(halves[0]), op.Maximum(halves[0], pat.Const(0, like=half)))",
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
        X + "parts = op.Split(x, indices_or_sections=2, axis=0)\n"
        "rule = Subst(parts[0], op.BroadcastTo(x, shape=parts[0].shape))",
        "parts[0].shape",
        "attribute `shape` of the GetItem pattern, which is not part of the source",
        X + "parts = op.Split(x, indices_or_sections=2, axis=0)\nfirst = parts[0]\n"
        "rule = Subst(first, op.BroadcastTo(x, shape=first.shape))",
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
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_bad_rule_is_found_at_its_place(case: Case, tmp_path: Path) -> None:
    assert fires_at_its_place(case, tmp_path)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_twin_does_not_have_the_code(case: Case, tmp_path: Path) -> None:
    assert stays_silent(case, tmp_path)


def cure_of(taken: int) -> str:
    """Return the cure where the source has field 0 of a tuple, and the target asks for one."""

    def written() -> Subst:
        x = pat.Wildcard()
        parts = op.Split(x, indices_or_sections=2, axis=0)
        return Subst(parts[0], op.BroadcastTo(x, shape=parts[taken].shape))

    (found,) = [one for one in check(written()) if one.code == "GSL122"]
    return found.cure


def test_a_field_that_is_taken_twice_is_to_be_kept() -> None:
    assert cure_of(0).startswith("keep the field in a variable")
    assert cure_of(1) == "use patterns of the source"
