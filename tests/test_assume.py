"""Assumptions of files and of sets of rules: conditions of every rule, placed where written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsl import Call, Rule, Var, Workload, assume, op, pat, rule, rules
from gsl.drawing.show import conditions_of
from gsl.engine.fixpoint import matches
from gsl.errors import RuleError
from gsl.operators import lookup
from gsl.rule_files.collect import rules_in
from gsl.subst import Subst

HEAD = "from gsl import Subst, assume, attr, op, pat, rule, rules\n"
SUM = '''
@rule
def sum_commutes() -> Subst:
    """x + y  =>  y + x"""
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x + y, y + x)
'''


def loaded(text: str, folder: Path) -> list[Rule]:
    file = folder / "assuming.py"
    file.write_text(HEAD + text, encoding="utf-8")
    return rules_in(file)


def conditions(text: str, folder: Path) -> list[str]:
    return conditions_of(loaded(text, folder)[0]())


@pytest.mark.parametrize(
    ("assumption", "expected"),
    [
        ("assume.one_dtype()", ["y.dtype == x.dtype"]),
        ("assume.no_broadcast()", ["x.shape == y.shape"]),
        (
            "assume.dtypes('float32')",
            ["in(x.dtype, ('float32',))", "in(y.dtype, ('float32',))"],
        ),
        ("lambda x: x.ndim <= 4", ["x.ndim <= 4", "y.ndim <= 4"]),
        ("lambda *inputs: inputs[0].ndim == inputs[1].ndim", ["x.ndim == y.ndim"]),
        ("assume.flags('reassoc')", []),
    ],
)
def test_assumptions_are_conditions_with_their_place(
    assumption: str, expected: list[str], tmp_path: Path
) -> None:
    found = conditions(f"ASSUME = [{assumption}]\n{SUM}", tmp_path)

    assert found == [f"{text}    (assumed in line 2)" for text in expected]


def test_what_stands_below_the_rule_counts_too(tmp_path: Path) -> None:
    assert len(conditions(f"{SUM}\nASSUME = [assume.one_dtype()]", tmp_path)) == 1


def test_accumulators_have_the_dtype_of_the_operands(tmp_path: Path) -> None:
    text = """
ASSUME = [assume.operand_dtypes()]
@rule
def example() -> Subst:
    x, w = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, w)
    return Subst(op.Relu(product), op.Relu(op.Relu(product)))
"""
    assert conditions(text, tmp_path) == ["product.out_dtype == x.dtype    (assumed in line 3)"]


def test_operands_of_alternatives_count_where_they_are_matched(tmp_path: Path) -> None:
    text = """
ASSUME = [lambda x: x.ndim == 2]
@rule
def example() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    either = pat.Alt(op.Exp(x), op.Abs(y))
    return Subst(op.Relu(either), op.Relu(op.Relu(either)))
"""
    subst = loaded(text, tmp_path)[0]()
    flat, deep = (Var("x", shape) for shape in ((2, 3), (1, 2, 3)))

    for operand, fits in ((flat, True), (deep, False)):
        for name in ("Exp", "Abs"):
            inner = Call(lookup(name), [operand])
            found = list(matches(subst, Workload(Call(lookup("Relu"), [inner]))))
            assert bool(found) is fits


def test_fields_are_all_meant(tmp_path: Path) -> None:
    text = """
ASSUME = [assume.one_dtype()]
@rule
def example() -> Subst:
    x = pat.Wildcard()
    relu = op.Relu(x)
    whole = pat.Variadic(relu, templates=[relu, x])
    joined = op.Concatenate(whole, axis=0)
    return Subst(joined, op.Relu(joined))
"""
    expected = "all(whole(x, i).dtype == whole(x, 0).dtype for i < whole.length)"
    assert conditions(text, tmp_path) == [f"{expected}    (assumed in line 3)"]


def test_constants_may_have_any_shape(tmp_path: Path) -> None:
    text = """
ASSUME = [assume.no_broadcast()]
@rule
def example() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(x * 2.0), op.Relu(x + x))
"""
    assert conditions(text, tmp_path) == []


def test_classes_and_functions_of_rules_share_assumptions(tmp_path: Path) -> None:
    inner = SUM.replace("\n", "\n    ")
    text = f"""
@rules(dtypes={{"float32"}}, broadcast=False, flags={{"reassoc"}})
class Sums:{inner}
@rules(where=[lambda x: x.ndim == 2])
def products():
    {inner.replace("sum_commutes", "other").replace("+", "*")}
"""
    first, second = loaded(text, tmp_path)

    assert (first.name, second.name) == ("sum_commutes", "other")
    assert len(first().where) == 3
    assert first().flags == frozenset({"reassoc"})
    assert len(second().where) == 2
    assert second.declared is None


def test_sets_of_rules_are_used_in_python() -> None:
    @rules(dtypes={"float32"})
    def several() -> None:
        @rule
        def one() -> Subst:
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x))

    (only,) = several
    assert len(only().where) == 1


def test_flags_of_a_rule_count_more_than_those_of_its_file(tmp_path: Path) -> None:
    text = f"ASSUME = [assume.flags('reassoc')]\n{SUM}"
    own = text.replace("@rule\n", "@rule(flags={'nsz'})\n")

    assert loaded(text, tmp_path)[0]().flags == frozenset({"reassoc"})
    assert loaded(own, tmp_path)[0]().flags == frozenset({"nsz"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ASSUME = assume.one_dtype()", "is no list of assumptions"),
        ("ASSUME = ['float32']", "'float32' is not an assumption"),
        ("ASSUME = [assume.dtypes('flaot32')]", "'flaot32' is not a dtype"),
        ("ASSUME = [assume.flags('fast')]", "there is no flag 'fast'"),
        ("@rules(where='x')\ndef several(): ...", "where= of @rules is a list"),
        ("@rules(dtypes='float32')\ndef several(): ...", "is no set of words"),
        ("@rules()\n@rule\ndef one(): ...", "which is no class or function"),
    ],
)
def test_mistakes_are_found_where_they_are(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=message) as caught:
        conditions(f"{text}\n{SUM}", tmp_path)

    assert caught.value.span is not None
    assert caught.value.span.line == 2


def test_all_are_documented() -> None:
    assert all(getattr(assume, name).__doc__ for name in assume.__all__)
