"""Names of patterns: the variables to which their author assigned them."""

from __future__ import annotations

from pathlib import Path

from gsl import Subst, op, pat
from gsl.text.naming import author_names, pattern_names
from tests.rule_text import run


def names(text: str, folder: Path) -> list[str]:
    subst = run(text, folder)["rule"]
    return list(pattern_names(subst).values())


def test_patterns_are_called_like_their_variables(tmp_path: Path) -> None:
    text = "x, w = pat.Wildcard(), pat.Variable()\ntotal = x + w\nrule = Subst(total, op.Relu(x))"

    assert names(text, tmp_path) == ["x", "w", "total", "relu"]


def test_a_name_that_was_given_comes_before_the_variable(tmp_path: Path) -> None:
    text = (
        "x = pat.Wildcard('data')\nrelu = op.Relu(op.Exp(x, name='inner'), name='outer')\n"
        "rule = Subst(relu, op.Relu(pat.Wildcard('data')))"
    )

    assert names(text, tmp_path) == ["data", "inner", "outer", "data_2", "relu"]


def test_patterns_that_are_made_in_a_row_have_the_variable_of_their_name(tmp_path: Path) -> None:
    head = "y, x = (pat.Wildcard(name) for name in 'yx')\n"
    named = "z, w = [pat.Variable(name=name) for name in ('weight', 'bias')]\n"
    other = "u, v = (pat.Wildcard('v') for _ in range(2))\n"
    subst = run(f"{head}{named}{other}rule = Subst(x + y + z * w + u, x + v)", tmp_path)["rule"]

    assert {p.written_name: n for p, n in author_names(subst).items() if p.written_name} == {
        "x": "x",
        "y": "y",
        "weight": "z",
        "bias": "w",
    }


def test_columns_are_counted_in_characters(tmp_path: Path) -> None:
    text = "größe, y = pat.Wildcard(), 'ü'\n输入 = op.Relu(größe)\nrule = Subst(输入, größe)"

    assert names(text, tmp_path) == ["größe", "输入"]


def test_patterns_without_a_variable_are_called_like_their_kind(tmp_path: Path) -> None:
    text = "rule = Subst(op.Relu(pat.Wildcard()) + op.Relu(pat.Wildcard()), 0)"

    assert names(text, tmp_path) == ["wildcard", "relu", "wildcard_2", "relu_2", "add", "const"]


def test_name_belongs_to_the_whole_and_not_to_its_parts(tmp_path: Path) -> None:
    text = "x = pat.Wildcard()\ny = -x + 1\nz = op.Where(x, y, 0)\nrule = Subst(z, x)"

    assert names(text, tmp_path) == ["x", "negative", "const", "y", "const_2", "z"]


def test_constant_with_a_variable_has_its_name(tmp_path: Path) -> None:
    text = "one = pat.Const(1)\nrule = Subst(op.Relu(one), one)"

    assert names(text, tmp_path) == ["one", "relu"]


def test_name_that_is_used_again_gets_a_number(tmp_path: Path) -> None:
    text = "x = pat.Wildcard()\ny = op.Relu(x)\ny = op.Exp(y)\nrule = Subst(y, x)"

    assert names(text, tmp_path) == ["x", "y", "y_2"]


def test_text_that_cannot_be_read_gives_names_of_kinds() -> None:
    scope: dict[str, object] = {"op": op, "pat": pat, "Subst": Subst, "__name__": "rules"}
    exec(compile("x = pat.Wildcard()\nrule = Subst(op.Relu(x), x)", "gone.py", "exec"), scope)

    assert list(pattern_names(scope["rule"]).values()) == ["wildcard", "relu"]
