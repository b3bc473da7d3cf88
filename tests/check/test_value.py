"""Attribute values of the target, and conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsl import Subst, attr, op, pat
from gsl.check import check
from tests.check.cases import Case, X, fires_at_its_place, stays_silent
from tests.rule_text import findings

CASES = [
    Case(
        "GSL147",
        X + "rule = Subst(op.Softmax(x, axis=None), op.Relu(x))",
        "axis=None",
        "`axis=None` of the call of Softmax matches any `axis`, as without it",
        X + "rule = Subst(op.Softmax(x), op.Relu(x))",
    ),
    Case(
        "GSL147",
        "x, w = pat.Wildcard(), pat.Wildcard()\n"
        "rule = Subst(op.Conv2D(x, w, groups=None), op.Relu(x))",
        "groups=None",
        "`groups=None`",
        "x, w = pat.Wildcard(), pat.Wildcard()\n"
        "rule = Subst(op.Conv2D(x, w, groups=1, strides=(None, 1)), op.Relu(x))",
    ),
    Case(
        "GSL147",
        X + "rule = Subst(op.Sum(x, axis=None), op.Relu(x))",
        "axis=None",
        "`axis=None`",
        X + "rule = Subst(op.Sum(x, axis=attr.Variadic(lambda i: i, length=x.ndim)), op.Relu(x))",
    ),
    Case(
        "GSL113",
        X + "rule = Subst(op.Relu(op.Reshape(x, shape=(-1, 2))), x)",
        "op.Reshape(x, shape=(-1, 2))",
        "-1 in `shape` of the call of Reshape stands for the size that fits",
        X + "rule = Subst(op.Relu(op.Reshape(x, shape=(None, 2))), op.Reshape(x, shape=(-1, 2)))",
    ),
    Case(
        "GSL113",
        X + "rule = Subst(op.Relu(op.Reshape(x, shape=(x.shape[0], -1))), x)",
        "op.Reshape(x, shape=(x.shape[0], -1))",
        "-1 in `shape` of the call of Reshape stands for the size that fits",
        X + "rule = Subst(op.Relu(op.Reshape(op.Sum(x, axis=-1), shape=x.shape)), x)",
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


@pytest.mark.parametrize("case", CASES, ids=str)
def test_bad_rule_is_found_at_its_place(case: Case, tmp_path: Path) -> None:
    assert fires_at_its_place(case, tmp_path)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_twin_does_not_have_the_code(case: Case, tmp_path: Path) -> None:
    assert stays_silent(case, tmp_path)


@pytest.mark.parametrize(
    ("target", "cure"),
    [
        ("op.Transpose(x, axes=None)", "leave `axes` out, whose default is None, or give it a"),
        ("op.Sum(x, axis=(1, None))", "give it a value"),
        ("op.Sum(x, keepdims=None)", "give it a value"),
        ("op.Cast(x, dtype=None)", "give it a value"),
    ],
)
def test_cure_for_none_depends_on_the_default(target: str, cure: str, tmp_path: Path) -> None:
    found = findings(X + f"rule = Subst(op.Relu(x), {target})", tmp_path)

    (open_one,) = [one for one in found if one.code == "GSL123"]
    assert open_one.cure.startswith(cure)


@pytest.mark.parametrize(
    ("names", "found"),
    [(("flaot32", "float32"), 1), (("flaot32",), 1), (("float32", "int8"), 0), ((3,), 1)],
)
def test_misspelt_dtypes_among_several(names: tuple[object, ...], found: int):
    x = pat.Wildcard()
    subst = Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[attr.In(x.dtype, names)])

    assert [error.code for error in check(subst)] == ["GSL144"] * found


@pytest.mark.parametrize(
    ("names", "found"),
    [(("NCHW", "NHCW"), 1), (("NHCW",), 1), (("NCHW", "NHWC"), 0), (("NCHW", "NCW"), 0)],
)
def test_misspelt_layouts_among_several(names: tuple[str, ...], found: int):
    x, w = pat.Wildcard(), pat.Wildcard()
    conv = op.Conv2D(x, w)
    subst = Subst(op.Relu(conv), conv, where=[attr.In(conv.data_layout, names)])
    equal = Subst(op.Relu(conv), conv, where=[conv.data_layout == names[-1]])

    assert [error.code for error in check(subst)] == ["GSL144"] * found
    assert [error.code for error in check(equal)] == ["GSL144"] * found


def test_what_is_used_too_early_is_written_as_a_condition(tmp_path: Path) -> None:
    text = "y = pat.Variable()\nx = pat.Variable(shape=y.shape)\nrule = Subst(op.Add(x, y), x)"

    (early,) = findings(text, tmp_path)
    mended = "x, y = pat.Variable(), pat.Variable()\nrule = Subst(op.Add(x, y), x"

    assert "drop `shape=` there and write" in early.cure
    condition = early.cure.partition("Subst(..., ")[2]
    assert condition == "where=[x.shape == y.shape])"
    assert findings(f"{mended}, {condition}", tmp_path) == []
