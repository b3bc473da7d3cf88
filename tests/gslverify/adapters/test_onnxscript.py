"""Rules of onnxscript.rewriter: sketches of patterns, findings, and rules lifted from instances."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Var
from gsl.operators.declaration import lookup
from gslverify.case import case_of

pytest.importorskip("onnxscript")
adapter: Any = pytest.importorskip("gslverify.adapters.onnxscript")

from gslverify.adapters.foreign import Options, PassResult, lifted  # noqa: E402

MODULE = """
import numpy as np
import onnx_ir as ir
from onnxscript.rewriter import pattern
from onnxscript.rewriter.pattern import RewriteRule, RewriteRuleClassBase, RewriteRuleSet

wrong = RewriteRule(lambda op, x, y: op.Sub(x, y), lambda op, x, y: op.Add(x, y), name="wrong")
sound = RewriteRule(
    lambda op, x, y: op.Add(op.Neg(x), y), lambda op, x, y: op.Sub(y, x), name="sound"
)
raising = RewriteRule(lambda op, x: op.Abs(x), lambda op, x: 1 / 0, name="raising")
either = RewriteRule(
    lambda op, x: op.Relu(pattern.OrValue([op.Abs(x), op.Neg(x)])),
    lambda op, x, **_: op.Abs(x),
    name="either",
)

class Doubled(RewriteRuleClassBase):
    def pattern(self, op, x):
        return op.Add(x, x)

    def check(self, context, x):
        return x.shape is not None and len(x.shape) == 2 and x.dtype == ir.DataType.FLOAT

    def rewrite(self, op, x):
        return op.Mul(x, op.initializer(ir.tensor(np.array(2.0, np.float32)), "two"))

class DoubledInAnyDtype(Doubled):
    def check(self, context, x):
        return True

class Scaled(RewriteRuleClassBase):
    def pattern(self, op, x, w, scale):
        return op.Mul(op.MatMul(x, w), scale)

    def check(self, context, x, w, scale):
        known = w.const_value is not None and scale.const_value is not None
        return known and scale.const_value.numpy().ndim == 1

    def rewrite(self, op, x, w, scale):
        made = w.const_value.numpy() * scale.const_value.numpy()
        return op.MatMul(x, op.initializer(ir.tensor(made), w.name + "_scaled"))

class WithoutZeros(RewriteRuleClassBase):
    def pattern(self, op, x, b):
        return op.Add(op.Neg(x), b)

    def check(self, context, x, b):
        return b.const_value is not None and not np.any(b.const_value.numpy())

    def rewrite(self, op, x, b):
        return op.Neg(x)

class Wants(RewriteRuleClassBase):
    def __init__(self, number):
        super().__init__()
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "own_rules.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("own_rules", None)
    return "own_rules"


def result_for(target: str, graphs: int = 12) -> PassResult:
    (result,) = adapter.reports([target], Options(graphs=graphs, seconds=10))
    return result


def test_rules_and_classes_are_found_once(module: str) -> None:
    found = adapter.found([module])

    assert [one.name for one in found] == [
        *("wrong", "sound", "raising", "either", "Doubled", "DoubledInAnyDtype"),
        *("Scaled", "WithoutZeros"),
    ]
    assert found[0].place.endswith("own_rules.py:7")


def test_what_is_wrong_is_found_and_what_is_right_is_not(module: str) -> None:
    wrong, sound = result_for(f"{module}:wrong"), result_for(f"{module}:sound")

    assert [one.ending for one in wrong.findings] == ["other values"]
    assert sound.rewritten >= 12
    assert list(sound.findings) == []


def test_a_rule_that_raises_is_a_finding(module: str) -> None:
    (finding,) = result_for(f"{module}:raising").findings

    assert finding.ending == "an exception"
    assert "ZeroDivisionError" in finding.message


def test_every_alternative_of_a_pattern_is_tried(module: str) -> None:
    (finding,) = result_for(f"{module}:either", 40).findings

    assert "Neg" in " ".join(finding.before)


def test_a_check_is_obeyed_by_running_it(module: str) -> None:
    result = result_for(f"{module}:Doubled", 30)
    unchecked = result_for(f"{module}:DoubledInAnyDtype", 30)

    assert 0 < result.rewritten < result.tried
    assert list(result.findings) == []
    assert {one.ending for one in unchecked.findings} == {"no graph any more"}


def test_rules_are_lifted_from_instances(module: str) -> None:
    found = {one.name: one for one in lifted(adapter.rules([module]))}

    assert "op.Subtract(" in found["wrong"].text
    assert "op.Add(" in found["wrong"].text
    assert "x.ndim == 2" in found["Doubled"].text.replace("in_x", "x")
    assert "division by zero" in found["raising"].reason


def test_new_weights_are_expressions_over_those_they_are_computed_of(module: str) -> None:
    (scaled,) = lifted(one for one in adapter.rules([module]) if one.name == "Scaled")

    assert "op.Multiply(in_w, in_scale)" in scaled.text, scaled


def test_weights_that_have_to_be_zero_are_written_as_zeros(module: str) -> None:
    (found,) = lifted(one for one in adapter.rules([module]) if one.name == "WithoutZeros")

    assert "pat.Const(0.0)" in found.text, found


def test_a_refutation_is_replayed_by_the_rule_itself(module: str) -> None:
    x, y = Var("x", (2,)), Var("y", (2,))
    arrays = {"x": np.ones(2, np.float32), "y": np.ones(2, np.float32)}
    difference = Call(lookup("Subtract"), (x, y), {})
    total = Call(lookup("Add"), (x, y), {})
    rules = {one.name: one for one in adapter.rules([module])}

    shown = rules["wrong"].replay(case_of([difference], [difference], inputs=arrays))
    left = rules["wrong"].replay(case_of([total], [total], inputs=arrays))

    assert shown.is_shown
    assert shown.message.startswith("other values")
    assert "onnxscript.rewriter.rewrite(model, [rule])" in shown.script
    assert (left.is_shown, left.message) == (False, "it leaves the graph as it is")


def test_most_common_rules_can_be_lifted() -> None:
    package = "onnxscript.rewriter.rules.common"
    names = ("_basic_rules", "_no_op", "_matmul_add_to_gemm", "_fuse_relus_clips")
    found = list(lifted(adapter.rules([f"{package}.{name}" for name in names])))

    assert sum(bool(one.text) for one in found) >= 0.75 * len(found)


def test_a_defect_of_a_release_comes_with_a_script(tmp_path: Path) -> None:
    target = "onnxscript.rewriter.rules.common._fuse_relus_clips:successive_relu_clip_rule"
    (finding,) = result_for(target, 40).findings
    script = tmp_path / "shows.py"
    script.write_text(finding.script)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )

    assert finding.ending == "other values"
    assert done.returncode == 0, done.stderr
    assert len(finding.script.splitlines()) <= 40


def test_modules_that_are_not_there_are_refused() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_rules"):
        adapter.found(["no_such_rules"])
