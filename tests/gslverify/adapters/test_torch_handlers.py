"""Handlers in Python of the pattern matcher of PyTorch are tried on graphs of their patterns."""

from __future__ import annotations

import os
import subprocess
import sys
from copy import deepcopy
from operator import getitem
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from gslverify.cli import main
from gslverify.networks.choices import NothingDrawnError, Tape
from gslverify.passes.isolation import Died
from gslverify.passes.verdicts import Ending, verdict_of

torch = pytest.importorskip("torch", reason="the package torch is not installed")

from torch._inductor.lowering import lowerings  # noqa: E402
from torch._inductor.pattern_matcher import (  # noqa: E402
    MULTIPLE,
    Arg,
    CallFunction,
    CallModuleVarArgs,
    Ignored,
    KeywordArg,
    ListOf,
    PatternMatcherPass,
    register_graph_pattern,
    register_lowering_pattern,
)

from gslverify.adapters.torch_graphs import drawn  # noqa: E402
from gslverify.adapters.torch_handlers import (  # noqa: E402
    Handler,
    HandlerExperiment,
    as_traced,
    rewrite,
    running,
    with_types,
)

aten = torch.ops.aten

HANDLERS = """
import os

import torch
from torch._inductor.pattern_matcher import (
    CallFunction,
    KeywordArg,
    PatternMatcherPass,
    fwd_only,
    register_graph_pattern,
    register_replacement,
)

aten = torch.ops.aten
matrix = torch.ones(5, 6)
passes = {"first": PatternMatcherPass(), "second": [PatternMatcherPass()]}
x, y = KeywordArg("x"), KeywordArg("y")


def graph_pattern(pattern, where=passes["first"]):
    return register_graph_pattern(pattern, pass_dict=where)


@graph_pattern(CallFunction(aten.neg.default, CallFunction(aten.neg.default, x)))
def twice_negated(match, x):
    match.output_node().replace_all_uses_with(x)


@graph_pattern(CallFunction(aten.add.Tensor, x, y), passes["second"][0])
def sum_of_equal(match, x, y):
    node = match.output_node()
    if x.meta["val"].dtype == y.meta["val"].dtype:
        with node.graph.inserting_before(node):
            node.replace_all_uses_with(node.graph.call_function(aten.mul.Tensor, (x, 2)))


@graph_pattern(CallFunction(aten.mm.default, x, y))
def raising(match, x, y):
    raise KeyError("no such shape")


@graph_pattern(CallFunction(aten.sqrt.default, x))
def crashing(match, x):
    os.abort()


def relu(x):
    return torch.relu(x)


def of_sign(x):
    return x * (x > 1)


register_replacement(relu, of_sign, [matrix], fwd_only, passes["first"])
operators = [(torch.add, torch.sub), (torch.nn.Linear, torch.nn.Bilinear)]
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a module with handlers to the working directory."""
    (tmp_path / "my_handlers.py").write_text(HANDLERS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[3]}")
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    """Run a command about handlers; return its exit code and output."""
    done = CliRunner().invoke(main, ["adapt", "torch", *arguments, "--no-tvm", "--jobs", "0"])
    return done.exit_code, done.output


@pytest.mark.slow
def test_handlers_are_tried_on_graphs_of_their_patterns(module: Path) -> None:
    code, output = run("my_handlers", "--graphs", "4", "--no-hints")

    assert code == 1, output
    assert "PASS          twice_negated" in output
    assert "FAIL          sum_of_equal" in output
    assert "KeyError: 'no such shape' (my_handlers.py: raising)" in output
    assert "the process ended: SIGABRT" in output
    assert "FAIL          relu" in output


@pytest.mark.slow
def test_scripts_show_findings_by_pytorch_alone(module: Path) -> None:
    run("my_handlers:sum_of_equal", "--graphs", "4")

    (script, *_) = (module / ".gslverify/adapted/torch").glob("finding-sum_of_equal*.py")
    text = script.read_text()
    environment = {**os.environ, "PYTHONPATH": str(module)}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment
    )
    assert "gsl" not in text
    assert len(text.splitlines()) <= 40
    assert ", 2)" in done.stdout.partition("aten.mul.Tensor(")[2], done.stderr


@pytest.mark.slow
def test_one_handler_or_one_pass_can_be_named(module: Path) -> None:
    assert "sum_of_equal" not in run("my_handlers:twice_negated", "--list")[1]
    assert "twice_negated" in run("my_handlers:passes", "--list")[1]


@pytest.mark.slow
def test_lowerings_are_compiled() -> None:
    passes = PatternMatcherPass()
    pattern = CallFunction(aten.abs.default, KeywordArg("x"))

    @register_lowering_pattern(pattern, pass_dict=passes)
    def lowered(match: object, x: object) -> object:
        return lowerings[aten.neg.default](x)

    (entry,) = passes.patterns["call_function", aten.abs.default]
    inputs = [torch.tensor([1.0, -2.0])]
    module = torch.fx.symbolic_trace(lambda x: (aten.abs.default(x),))
    rewritten = deepcopy(module)

    rewrite(rewritten, entry, with_types(rewritten, inputs))

    (result,) = running(module, rewritten, entry)(*inputs)
    assert result.tolist() == [-1.0, 2.0]


def test_a_process_that_ends_while_graphs_are_run_says_nothing_about_the_handler() -> None:
    passes = PatternMatcherPass()
    pattern = CallFunction(aten.abs.default, KeywordArg("x"))

    def harmless(match: object, x: object) -> None:
        return None

    def ending(match: object, x: object) -> None:
        os._exit(3)

    module = torch.fx.symbolic_trace(lambda x: (aten.abs.default(x),))
    ended = verdict_of(Died("SIGSEGV"))
    told = []
    for function in (harmless, ending):
        register_graph_pattern(pattern, pass_dict=passes)(function)
        entry = passes.patterns["call_function", aten.abs.default].pop()
        experiment = HandlerExperiment(Handler("one", function, "passes", [entry]), 0)
        told.append(experiment.describe((module, [[torch.ones(2)]]), ended))

    assert [one.ending for one in told] == [Ending.UNDECIDED, Ending.ENDS_PROCESS]
    assert "aten.abs.default" in told[1].before[1]


def graphs(pattern: object) -> list[str]:
    """Return the graphs that a hundred choices lead to."""
    found = []
    for seed in range(100):
        try:
            found.append(drawn(pattern, Tape((), Random(seed)))[0].code)
        except NothingDrawnError:
            continue
    return found


def test_operands_are_some_that_operators_accept() -> None:
    product = CallFunction(aten.bmm.default, Arg(), Arg())

    texts = graphs(CallFunction(aten.add.Tensor, product, KeywordArg("bias")))

    assert len(texts) > 15
    assert all("aten.bmm.default(" in text and "aten.add.Tensor(bmm" in text for text in texts)


def test_fields_of_what_is_shared_are_different_ones() -> None:
    parts = CallFunction(torch.split, Ignored(), KeywordArg("parts"), dim=1, _users=MULTIPLE)
    fields = ListOf(CallFunction(torch.ops.aten.neg, CallFunction(getitem, parts, Ignored())))

    texts = graphs(CallFunction(torch.cat, fields, dim=1))

    assert len(texts) > 30
    assert all(text.count("torch.functional.split") == 1 for text in texts)
    assert any("split[0]" in text and "split[1]" in text for text in texts)


def test_arguments_with_one_name_are_one_tensor() -> None:
    square = CallFunction(aten.mul.Tensor, KeywordArg("x"), KeywordArg("x"))

    texts = graphs(CallFunction(aten.mm.default, square, KeywordArg("x")))

    assert len(texts) > 3
    assert all("x1" not in text for text in texts)


def test_graphs_are_those_that_inductor_traces() -> None:
    def joined(x: object, nothing: object) -> object:
        return (aten.neg.default(aten.cat.default([x, nothing], 1)),)

    module = torch.fx.symbolic_trace(joined)
    inputs = [torch.ones(2, 3), torch.ones(0)]

    traced = as_traced(module, inputs, [aten.neg.default])
    assert "[x, nothing]" in module.code
    assert "cat" not in traced.code
    assert as_traced(module, inputs, [torch.split]) is module


def test_modules_are_not_drawn() -> None:
    with pytest.raises(NothingDrawnError, match="modules, which have weights"):
        drawn(CallModuleVarArgs(torch.nn.ReLU), Tape())
