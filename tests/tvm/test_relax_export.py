"""Workloads as Relax modules, run against the NumPy references."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest
from relax_graphs import EXAMPLES, WORKLOADS, assert_close, call, example, values_for
from tvm import relax

from gsl.errors import GraphError, MisuseError
from gsl.evaluate import evaluate
from gsl.expr import Call, Expr, Proj, Tuple, Var
from gsl.operators import REGISTRY
from gsl.operators.declaration import Operator
from gsl.tvm.errors import BackendError, TypeMismatchError
from gsl.tvm.export import MOST_LEVELS, build_function, to_relax
from gsl.tvm.run import compile_functions, run
from gsl.types import TensorType
from gsl.workload import Workload

pytestmark = pytest.mark.tvm


@pytest.mark.parametrize("mode", ["inline", "functions"])
@pytest.mark.parametrize("make", WORKLOADS)
def test_a_module_computes_what_the_references_do(make: Callable[[], Workload], mode: str):
    workload = make()
    values = values_for(workload.inputs) | dict(workload.parameters)
    executable = compile_functions(to_relax(workload, mode))
    parameters = [name for name, _ in executable.signatures["main"].parameters]
    computed = executable.run("main", [values[name] for name in parameters])
    for left, right in zip(computed, evaluate(workload.outputs, values), strict=True):
        assert_close(left, right)


def test_all_operators_in_one_module_compute_what_the_references_do():
    calls = [example(name) for name in REGISTRY if _is_exportable(name)]
    builder = relax.BlockBuilder()
    for index, one in enumerate(calls):
        build_function(builder, f"f{index}", [one], Workload(one).inputs)
    executable = compile_functions(builder.finalize())
    for index, one in enumerate(calls):
        values = values_for([one])
        arrays = [values[name] for name, _ in executable.signatures[f"f{index}"].parameters]
        (computed,) = executable.run(f"f{index}", arrays)
        assert_close(computed, evaluate([one], values)[0])


def _is_exportable(name: str) -> bool:
    """Tell apart what the package declares from what tests do."""
    return REGISTRY[name].rule.__module__.startswith("gsl.")


def test_every_example_is_of_a_declared_operator():
    assert EXAMPLES.keys() <= REGISTRY.keys()


def test_inputs_come_before_parameters():
    w, x, v = Var("w", (2,)), Var("x", (2,)), Var("v", (2,))
    total = call("Add", call("Add", w, x), v)
    module = to_relax(Workload(total, {"w": np.zeros(2, np.float32)}))
    function = module["main"]
    assert [parameter.name for parameter in function.params] == ["x", "v", "w"]
    assert function.attrs["num_input"] == 2
    assert function.attrs["num_output"] == 1


def test_main_is_one_well_formed_dataflow_block():
    module = to_relax(Workload(call("Exp", call("Exp", Var("x", (2,))))))
    (block,) = module["main"].body.blocks
    assert isinstance(block, relax.DataflowBlock)
    relax.analysis.well_formed(module)  # raises otherwise


def test_a_shared_expression_is_bound_once():
    x = Var("x", (2,))
    top = call("Exp", x)
    text = to_relax(Workload(call("Add", top, top))).script()
    assert text.count("R.exp(") == 1


def test_equal_composite_calls_share_a_function():
    x, gamma = Var("x", (2, 4)), Var("gamma", (4,))
    once = call("RmsNorm", x, gamma, axes=-1)
    twice = call("RmsNorm", once, gamma, axes=-1)
    other = call("RmsNorm", twice, gamma, axes=-1, epsilon=0.5)
    module = to_relax(Workload(other), "functions")
    names = sorted(variable.name_hint for variable in module.get_global_vars())
    assert names == ["gsl_RmsNorm_0", "gsl_RmsNorm_1", "main"]


def test_a_lowering_that_reads_back_needs_no_function():
    module = to_relax(Workload(call("Clip", Var("x", (2,)), min=0.0, max=1.0)), "functions")
    assert len(module.get_global_vars()) == 1


def test_a_lowering_that_depends_on_sizes_is_kept_whole_where_it_must():
    module = to_relax(Workload(call("Reshape", Var("x", (0, 2)), shape=(2, 0))), "functions")
    assert len(module.get_global_vars()) == 2


def test_a_chain_of_ten_thousand_calls_is_exported():
    step = Var("x", (2,))
    chain: Call | Var = step
    for _ in range(10_000):
        chain = call("Add", chain, step)
    module = to_relax(Workload(chain))
    assert len(module["main"].body.blocks[0].bindings) == 10_001


def test_a_chain_of_a_thousand_calls_runs():
    step = Var("x", (2,))
    chain: Call | Var = step
    for _ in range(1_000):
        chain = call("Add", chain, step)
    (result,) = run(Workload(chain), {"x": np.ones(2, np.float32)})
    assert result.tolist() == [1001.0, 1001.0]


def nested(levels: int) -> Workload:
    """Return a workload with a tuple of so many levels, of which nothing but a leaf is used."""
    leaf = Var("x", (2,))
    inside: Expr = leaf
    for _ in range(levels):
        inside = Tuple([inside, leaf])
    for _ in range(levels):
        inside = Proj(inside, 0)
    return Workload(inside)


def test_tuples_are_exported_as_deep_as_is_safe():
    module = to_relax(nested(MOST_LEVELS))
    (variable,) = Workload.from_relax(module).inputs
    assert variable.name == "x"


@pytest.mark.parametrize("levels", [MOST_LEVELS + 1, 8_000])
def test_tuples_nested_too_deeply_are_refused_before_tvm_sees_them(levels: int):
    with pytest.raises(BackendError, match=f"nested {levels} levels deep; .* up to {MOST_LEVELS}"):
        to_relax(nested(levels))


def test_another_word_for_composites_is_refused():
    with pytest.raises(MisuseError, match='composites are "inline" or "functions", not \'both\''):
        Workload(Var("x")).to_relax("both")


def test_a_variable_that_is_no_parameter_is_named():
    builder, x = relax.BlockBuilder(), Var("x")
    with pytest.raises(GraphError, match="parameters of the function: y"):
        build_function(builder, "f", [call("Add", x, Var("y"))], [x])


def _operator(monkeypatch: pytest.MonkeyPatch, **parts: object) -> Operator:
    """Return an operator of one tensor that is like Exp but for `parts`."""
    declared = dataclasses.replace(REGISTRY["Exp"], name="Strange", relax_name="", **parts)
    monkeypatch.setitem(REGISTRY, "Strange", declared)
    return declared


def test_an_operator_without_lowering_is_named(monkeypatch: pytest.MonkeyPatch):
    strange = _operator(monkeypatch)
    with pytest.raises(BackendError, match="Strange has no lowering"):
        to_relax(Workload(Call(strange, [Var("x", (2,))])))


def test_what_tvm_refuses_is_said_with_the_call(monkeypatch: pytest.MonkeyPatch):
    strange = _operator(monkeypatch, lowering=lambda relax, data: relax.reshape(data, (7,)))
    with pytest.raises(BackendError, match=r"TVM refuses Strange\(float32\[2\]\): .*Reshape"):
        to_relax(Workload(Call(strange, [Var("x", (2,))])))


def test_another_inferred_type_is_an_error(monkeypatch: pytest.MonkeyPatch):
    strange = _operator(monkeypatch, lowering=lambda relax, data: relax.exp(data))
    monkeypatch.setattr(strange, "rule", lambda need, data: TensorType((3,), data.dtype))
    with pytest.raises(TypeMismatchError, match=r"TVM infers .*\(2,\).* -> float32\[3\]"):
        to_relax(Workload(Call(strange, [Var("x", (2,))])))


def test_several_functions_share_a_module():
    builder = relax.BlockBuilder()
    x = Var("x", (2,))
    build_function(builder, "source", [call("Add", x, x)], [x])
    build_function(builder, "target", [call("Multiply", x, call("Ones", shape=(2,)))], [x])
    executable = compile_functions(builder.finalize())
    values = [np.array([1, 2], np.float32)]
    assert executable.run("source", values)[0].tolist() == [2, 4]
    assert executable.run("target", values)[0].tolist() == [1, 2]
