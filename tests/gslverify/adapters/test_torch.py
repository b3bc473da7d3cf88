"""Rules registered with Inductor are read, written as rules of gsl, and verified."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from gslverify.cli import main

pytestmark = [pytest.mark.tvm, pytest.mark.smt]
torch = pytest.importorskip("torch", reason="the package torch is not installed")

from gslverify.adapters.torch_replay import (  # noqa: E402
    NOT_FINITE,
    Bound,
    compared,
    tensor_text,
)

PATTERNS = """
import torch
from torch._inductor.pattern_matcher import (
    CallFunction,
    KeywordArg,
    PatternMatcherPass,
    fwd_only,
    register_graph_pattern,
    register_replacement,
)

passes = PatternMatcherPass()
matrix = torch.ones(5, 6)


def of_sum(x, a, b):
    return x @ a + x @ b


def right(x, a, b):
    return x @ (a + b)


def also_of_sum(x, a, b):
    return x @ a + x @ b


def wrong(x, a, b):
    return x @ (a * b)


def scaled(x, scale):
    return x / scale


def by_reciprocal(x, scale):
    return x * (1.0 / scale)


def drawn(x):
    return torch.rand_like(x)


def handler(match, x):
    return None


register_graph_pattern(CallFunction(torch.ops.aten.abs.default, KeywordArg("x")), pass_dict=passes)(
    handler
)


def register():
    for search, replace in ((of_sum, right), (also_of_sum, wrong)):
        inputs = [torch.ones(4, 5), matrix, matrix.clone()]
        register_replacement(search, replace, inputs, fwd_only, passes)
    register_replacement(
        scaled, by_reciprocal, [matrix], fwd_only, passes, scalar_workaround={"scale": 2.0}
    )
    register_replacement(drawn, drawn, [matrix], fwd_only, passes)
"""


def test_rules_are_verified_from_their_own_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_patterns.py").write_text(PATTERNS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[3]}")
    arguments = ["adapt", "torch", "my_patterns:register", "--no-tvm", "--jobs", "0"]

    done = CliRunner().invoke(main, [*arguments, "--no-hints", "--write", "rules.py"])

    assert done.exit_code == 1, done.output
    assert "4 rules: 3 lifted, 3 with a verdict; 1 refutation replayed" in done.output
    (script,) = (tmp_path / ".gslverify/adapted/torch").glob("*.py")
    assert "from my_patterns import also_of_sum as pattern" in script.read_text()
    assert "draws random numbers" in done.output
    assert "FAIL          also_of_sum" in done.output
    assert "PASS          of_sum" in done.output
    assert "PASS          scaled" in done.output
    text = (tmp_path / "rules.py").read_text()
    assert "my_patterns.py:16')" in text
    assert "x = pat.Wildcard()" in text


TYPES = """
import torch
from torch._inductor.pattern_matcher import PatternMatcherPass, fwd_only, register_replacement

passes = PatternMatcherPass()


def halved(x, scale):
    return (x / scale).to(torch.float16)


def not_halved(x, scale):
    return x / scale


def register():
    inputs, numbers = [torch.ones(5, 6)], {"scale": 2.0}
    register_replacement(
        halved, not_halved, inputs, fwd_only, passes, scalar_workaround=numbers
    )
"""


def test_a_refutation_about_types_is_replayed_with_usual_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_types.py").write_text(TYPES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[3]}")
    arguments = ["adapt", "torch", "my_types:register", "--no-tvm", "--jobs", "0", "--no-hints"]

    done = CliRunner().invoke(main, arguments)

    assert "FAIL          halved" in done.output
    assert "outputs of float16 became float32" in done.output


def test_what_can_be_read_is_listed_without_being_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_patterns.py").write_text(PATTERNS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[3]}")

    done = CliRunner().invoke(main, ["adapt", "torch", "my_patterns:register", "--list"])

    assert done.exit_code == 0, done.output
    assert "  lifted  my_patterns.py::of_sum" in done.output
    assert "3 of 4 rules are lifted" in done.output
    assert "written to .gslverify/adapted/torch/rules_of_my_patterns_register.py" in done.output


def test_handlers_in_python_are_listed_beside_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_patterns.py").write_text(PATTERNS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[3]}")

    done = CliRunner().invoke(main, ["adapt", "torch", "my_patterns", "--list"])

    assert done.exit_code == 0, done.output
    assert "  handler" in done.output


def test_a_module_that_is_not_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    done = CliRunner().invoke(main, ["adapt", "torch", "no_such_module"])

    assert done.exit_code == 2
    assert "ModuleNotFoundError: No module named 'no_such_module'" in done.output


PAIRS = """
import torch


def two_products(x, a, b):
    return x @ a + x @ b


def one_product(x, a, b):
    return x @ (a + b)


def difference(x, y):
    return x - y


def turned(x, y):
    return y - x


def pooled(x):
    return torch.nn.functional.max_pool2d(torch.relu(x), 2)


def pooled_first(x):
    return torch.relu(torch.nn.functional.max_pool2d(x, 2))


sound = (two_products, one_product)
others = [(difference, turned), (pooled, pooled_first, [torch.ones(1, 3, 8, 8)])]
"""


def test_pairs_for_replace_pattern_are_verified_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_pairs.py").write_text(PAIRS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[3]}")

    fast = ["--no-tvm", "--no-hints", "-n", "10"]
    one = CliRunner().invoke(main, ["adapt", "torch", "my_pairs:sound", *fast])
    several = CliRunner().invoke(main, ["adapt", "torch", "my_pairs:others", *fast])

    assert one.exit_code == 0, one.output
    assert "1 rule: 1 lifted, 1 with a verdict" in one.output
    assert several.exit_code == 1
    assert "2 rules: 2 lifted, 2 with a verdict; 1 refutation replayed" in several.output
    (script,) = (tmp_path / ".gslverify" / "adapted" / "torch").glob("finding-difference*.py")
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    before, after = done.stdout.split("tensor")[1:]
    assert before != after


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((300, 7), np.float32),
        np.resize(np.array([1, 2, 3], np.int64), (11, 13)),
        np.arange(20, dtype=np.float16).reshape(4, 5),
        np.array(2.5),
        np.zeros((0, 3), np.float32),
    ],
)
def test_tensors_are_written_in_a_short_way(array: Any) -> None:
    text = tensor_text(array)
    made = eval(text, {"torch": torch}).numpy()

    assert made.dtype == array.dtype
    assert np.array_equal(made, array)
    assert len(text) < 200


def test_an_overflow_of_the_pattern_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_patterns.py").write_text(PATTERNS)
    monkeypatch.syspath_prepend(tmp_path)
    from gslverify.adapters import torch as adapter

    (wrong,) = (
        one for one in adapter.registrations(["my_patterns:register"]) if "also" in one.name
    )

    def shown(number: float) -> Any:
        x, a = np.full((4, 5), number, np.float32), np.full((5, 6), number, np.float32)
        given = Bound({"x": x, "a": a, "b": a}, {})
        return compared(wrong.arguments, given, lambda: "")

    assert shown(3.0).is_shown
    assert not shown(3e38).is_shown
    assert shown(3e38).message == NOT_FINITE
