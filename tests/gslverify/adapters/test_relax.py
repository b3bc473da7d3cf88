"""Passes of Relax as black boxes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Var
from gsl.operators import lookup
from gsl.workload import Workload
from gslverify.adapters.foreign import Options, PassResult
from gslverify.passes import check

pytestmark = pytest.mark.tvm

relax: Any = pytest.importorskip("gslverify.adapters.relax")
MODULE = """
import tvm
from tvm import relax
from tvm.relax.dpl import PatternMatchingRewriter, is_op, wildcard

x, y = wildcard(), wildcard()
swapped = (is_op("relax.subtract")(x, y), lambda expr, found: relax.op.add(found[y], found[x]))
same = (is_op("relax.subtract")(x, y), lambda expr, found: expr)
wrong = tvm.ir.transform.module_pass(
    lambda module, context: tvm.IRModule(
        {v: relax.dpl.rewrite_call(*swapped, f) for v, f in module.functions_items()}
    ),
    opt_level=0, name="Swap",
)
pipeline = tvm.transform.Sequential(
    [relax.transform.CanonicalizeBindings(), wrong, relax.transform.DeadCodeElimination()]
)
number = 3


def exits(module):
    raise SystemExit(2)


def returns_nothing(module):
    return None


def mutates(module):
    for v, f in list(module.functions_items()):
        module[v] = relax.dpl.rewrite_call(*swapped, f)
    return module


def unbound(module):
    first = module["main"].params[0]
    sum = relax.op.add(first, relax.Var("free", first.ty))
    return tvm.IRModule({"main": relax.Function(list(module["main"].params), sum, first.ty)})


def other_inputs(module):
    builder, old = relax.BlockBuilder(), module["main"].params
    new = [relax.Var(p.name, relax.TensorType(p.ty.shape, "float16")) for p in old]
    with builder.function("main", new):
        with builder.dataflow():
            wide = [relax.op.astype(p, "float32") for p in new]
            out = builder.emit_output(relax.op.subtract(*wide))
        builder.emit_func_output(out)
    return builder.finalize()
"""
SOURCES = """
from gsl import op, pat
from gslverify.passes import source

@source(contexts=("alone",), dtypes=("float32",))
def difference():
    return op.Subtract(pat.Wildcard(), pat.Wildcard())
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "own_passes.py").write_text(MODULE)
    (tmp_path / "own_sources.py").write_text(SOURCES)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("own_passes", None)
    return "own_passes"


def results(targets: list[str], tmp_path: Path) -> list[PassResult]:
    options = Options(graphs=8, seconds=5, sources=str(tmp_path / "own_sources.py"))
    return list(relax.reports(targets, options))


def test_rules_of_the_pattern_language_are_tried(module: str, tmp_path: Path) -> None:
    wrong, sound = results([f"{module}:swapped", f"{module}:same"], tmp_path)

    assert [one.ending for one in wrong.findings] == ["other values"]
    assert "Subtract" in wrong.findings[0].before[0]
    assert (sound.tried, list(sound.findings)) == (8, [])


@pytest.mark.parametrize(
    ("name", "ending", "message"),
    [
        ("exits", "an exception", "SystemExit: 2"),
        ("returns_nothing", "no graph any more", "it returned NoneType, which is no module"),
        ("mutates", "changes its argument", "the module that it was given is another one"),
        ("unbound", "no graph any more", "Relax refuses it: TypeError: SeqExpr bodies"),
        ("other_inputs", "other types", "of type float32"),
    ],
)
def test_passes_that_break_the_rules(
    module: str, name: str, ending: str, message: str, tmp_path: Path
) -> None:
    (result,) = results([f"{module}:{name}"], tmp_path)

    assert [one.ending for one in result.findings] == [ending]
    assert message in result.findings[0].message


def test_a_pipeline_is_bisected_to_its_pass(module: str, tmp_path: Path) -> None:
    (result,) = results([f"{module}:pipeline"], tmp_path)

    assert result.findings[0].message.startswith("pass 2 of pipeline, Swap: ")


def test_what_is_no_pass_is_refused(module: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="`number` is no pass: int"):
        results([f"{module}:number"], tmp_path)
    with pytest.raises(AttributeError, match="absent"):
        results([f"{module}:absent"], tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        results(["no_such_module"], tmp_path)


def test_a_defect_of_a_release_is_found_and_its_script_shows_it(tmp_path: Path) -> None:
    (rewriter,) = relax.rewriters(["tvm.relax.transform:OptimizeLayoutTransform"])
    report = check(rewriter, relax.sources(rewriter.name), graphs=30)

    assert [one.verdict.ending.value for one in report.findings] == ["other values"]
    script = tmp_path / "shows.py"
    script.write_text(report.findings[0].verdict.script)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(script.read_text().splitlines()) <= 40


def test_a_sound_pass_stays_silent() -> None:
    (rewriter,) = relax.rewriters(["tvm.relax.transform:RemoveRedundantReshape"])
    report = check(rewriter, relax.sources(rewriter.name), graphs=30)

    assert report.is_sound
    assert report.rewritten > 5


def test_every_pass_has_sources() -> None:
    assert len(relax.PASSES) >= 14
    assert isinstance(relax.relax_sources, ModuleType)
    assert all(relax.sources(name) for name in relax.PASSES)
    assert len(relax.sources("unknown")) > 20


def test_a_module_is_compiled_once_for_all_its_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    usual = relax.machine_of

    def counting(module: Any, **named: Any) -> Any:
        compiled.append(module)
        return usual(module, **named)

    monkeypatch.setattr(relax, "machine_of", counting)
    x = Var("x", (2, 3), "float32")
    relu, negated = (Workload([Call(lookup(name), (x,))]) for name in ("Relu", "Negative"))
    arrays = [{"x": np.full((2, 3), number, np.float32)} for number in (-1, 2)]

    found = [
        relax.run(workload.to_relax(), one)[0][0, 0]
        for one in arrays
        for workload in (relu, negated)
    ]

    assert found == [0, 1, 2, -2]
    assert len(compiled) == 2
