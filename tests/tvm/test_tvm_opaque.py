"""Relax calls that GSL does not know, or not in this form, pass through untouched."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
import tvm_ffi
from relax_graphs import same
from relax_modules import CallsLoopNest, CallsNestOfNests, Effects, InPlace, SameNames
from tvm import relax

from gsl import Subst, Workload, apply, op, pat
from gsl.errors import GraphError
from gsl.expr import Call, Proj, Var
from gsl.operators.declaration import OpaqueOperator, lookup
from gsl.records import decode, encode
from gsl.tvm.errors import BackendError, TypeMismatchError, UnsupportedError
from gsl.tvm.export import to_relax
from gsl.tvm.importer import from_relax
from gsl.tvm.run import compile_functions
from gsl.tvm.worker import Job, Worker

pytestmark = pytest.mark.tvm

R = relax.op


def tensor(name: str, *shape: Any, dtype: str = "float32") -> Any:
    return relax.Var(name, relax.TensorType(shape, dtype))


def module_of(build: Callable[..., Any], *variables: Any) -> Any:
    """Return a module whose `main` binds what `build` makes of the variables."""
    builder = relax.BlockBuilder()
    attributes = {"num_input": len(variables), "num_output": 1}
    with builder.function("main", list(variables), attrs=attributes):
        with builder.dataflow():
            result = builder.emit_output(builder.emit(build(*variables), "made"))
        builder.emit_func_output(result)
    return builder.finalize()


def angle_of(x: Any) -> Any:
    """Return a call that GSL does not know: the angle of (x, x)."""
    return R.atan2(x, x)


X = tensor("x", 2, 3)
COLUMNS = tensor("columns", 2, 2)
IMAGE = tensor("image", 1, 2, 4, 4)
KERNEL = tensor("kernel", 2, 2, 3, 3)
INDICES = tensor("indices", 4, dtype="int32")
FOUR = [tensor(f"v{i}", 2) for i in range(4)]
HEADS = [tensor(f"h{i}", 1, 2, 3, 4) for i in range(3)]

OPAQUE: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "relax.atan2": (lambda x: R.atan2(x, x), [X]),
    "relax.log_add_exp": (lambda x: R.log_add_exp(x, x), [X]),
    "relax.std": (lambda x: R.std(x, axis=[0]), [X]),
    "relax.topk": (lambda x: R.topk(x, 2, ret_type="both"), [X]),
    "relax.meshgrid": (lambda a, b: R.meshgrid(relax.Tuple([a, b]), "ij"), FOUR[:2]),
    "relax.image.resize2d": (
        lambda x: R.image.resize2d(x, (8, 8), method="cubic", cubic_exclude=1),
        [IMAGE],
    ),
    "relax.nn.prelu": (lambda x: R.nn.prelu(x, relax.const([0.1, 0.2, 0.3], "float32")), [X]),
    "relax.nn.pad": (lambda x: R.nn.pad(x, [1, 1, 1, 1], "reflect"), [X]),
    "relax.nn.conv2d": (lambda x, w: R.nn.conv2d(x, w, out_layout="NHWC"), [IMAGE, KERNEL]),
    "relax.nn.batch_norm": (lambda x, *v: R.nn.batch_norm(x, *v, axis=1), [IMAGE, *FOUR]),
    "relax.take": (lambda x, i: R.take(x, i, 0, "wrap"), [X, INDICES]),
    "relax.cumsum": (lambda x: R.cumsum(x, 1, "float64"), [X]),
    "relax.nn.adaptive_avg_pool2d": (
        lambda x: R.nn.adaptive_avg_pool2d(x, 2, out_layout="NHWC"),
        [IMAGE],
    ),
    "relax.nn.attention": (lambda *x: R.nn.attention(*x, causal_mask="TopLeft"), HEADS),
    "relax.full": (lambda x: R.full((2,), x), [tensor("x")]),
    "relax.strided_slice": (lambda x: R.strided_slice(x, [0], [1], [0], [-1]), [X]),
    "relax.arange": (lambda: R.arange(7, 1, -2, "int64"), []),
    "relax.slice_scatter": (lambda x, y: R.slice_scatter(x, y, 0, 3, 2, 1), [X, COLUMNS]),
    "relax.call_pure_packed": (lambda x: relax.call_pure_packed("f", x, ty_args=x.ty), [X]),
    "relax.astype": (lambda x: R.astype(x, "float8_e4m3fnuz"), [X]),
}

every_call = pytest.mark.parametrize("name", OPAQUE)


def read(name: str) -> tuple[Any, Workload]:
    """Return a module with one call, and what is read of it."""
    build, variables = OPAQUE[name]
    module = module_of(build, *variables)
    return module, from_relax(module)


@every_call
def test_the_call_is_carried(name: str):
    module, workload = read(name)
    (result,) = workload.outputs
    assert isinstance(result, Call)
    assert isinstance(result.operator, OpaqueOperator)
    assert result.operator is lookup(name)
    assert module["main"].params[0].name == workload.inputs[0].name if workload.inputs else True


@every_call
def test_it_comes_back_unchanged(name: str):
    module, workload = read(name)
    assert tvm_ffi.structural_equal(to_relax(workload)["main"], module["main"])


@every_call
def test_it_survives_the_wire(name: str):
    _, workload = read(name)
    records, positions = encode(workload.outputs)
    exprs = decode(records)
    assert same([exprs[position] for position in positions], workload.outputs)


@every_call
def test_its_attributes_are_plain_values(name: str):
    (result,) = read(name)[1].outputs
    again = json.loads(json.dumps(dict(result.attributes)))
    assert Call(result.operator, result.operands, again).type == result.type


def network() -> Workload:
    """A network of known operators around two opaque calls, one with a tuple as result."""
    builder = relax.BlockBuilder()
    with builder.function("main", [X]):
        with builder.dataflow():
            turned = builder.emit(R.permute_dims(R.permute_dims(X)))
            angle = builder.emit(angle_of(R.nn.relu(R.nn.relu(turned))))
            best = builder.emit(R.topk(angle, 2, ret_type="both"))
            result = builder.emit_output(R.add(best[0], R.nn.relu(R.nn.relu(best[0]))))
        builder.emit_func_output(result)
    return from_relax(builder.finalize())


def relu_relu() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


def transpose_transpose() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Transpose(op.Transpose(x, axes=(1, 0)), axes=(1, 0)), x)


def names(workload: Workload) -> list[str]:
    return [line.split(" = ")[1].split("(")[0] for line in text_of(workload) if " = " in line]


def text_of(workload: Workload) -> list[str]:
    return workload.visualize("text").splitlines()


def test_rules_apply_above_and_below():
    before = network()
    after = apply(before, [relu_relu(), transpose_transpose()])
    expected = ["Var", "Relu", "relax.atan2", "relax.topk", "GetItem", "GetItem", "Relu", "Add"]
    assert names(after) == expected
    values = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    np.testing.assert_array_equal(after.run({"x": values})[0], before.run({"x": values})[0])
    positive = np.maximum(values, 0)
    top = -np.sort(-np.arctan2(positive, positive), axis=1)[:, :2]
    np.testing.assert_allclose(after.run({"x": values})[0], 2 * top, rtol=1e-6)


def test_a_rewritten_network_goes_to_relax_and_back():
    after = apply(network(), [relu_relu()])
    assert same(from_relax(to_relax(after)).outputs, after.outputs)


PATTERNS = {
    "a trait": op.Elementwise(pat.Wildcard()),
    "another operator": op.Exp(pat.Wildcard()),
    "a variable": op.Abs(pat.Variable()),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_but_a_wildcard_matches(name: str):
    workload = from_relax(module_of(angle_of, X))
    rule = Subst(PATTERNS[name], PATTERNS[name].operands[0])
    assert apply(workload, [rule]) is workload


def test_a_wildcard_matches():
    workload = from_relax(module_of(lambda x: R.nn.relu(R.nn.relu(angle_of(x))), X))
    assert names(apply(workload, [relu_relu()])) == ["Var", "relax.atan2", "Relu"]


def test_a_worker_runs_what_was_read_after_it_started():
    x = Var("x", (2,))
    values = np.array([0.5, 2.0], np.float32)
    with Worker() as worker:
        worker.run([Job("first", [Call(lookup("Exp"), [x])], {"x": values})])
        pid = worker._zygote.pid
        workload = from_relax(module_of(angle_of, tensor("x", 2)))
        ((result,),) = worker.run([Job("second", workload.outputs, {"x": values})])
        assert worker._zygote.pid == pid
    np.testing.assert_allclose(result, np.arctan2(values, values), rtol=1e-6)


def test_the_references_do_not_know_it():
    from_reference = pytest.importorskip("gsl.evaluate")
    workload = from_relax(module_of(angle_of, X))
    with pytest.raises(GraphError, match=r"relax\.atan2 has no NumPy reference"):
        from_reference.run(workload, {"x": np.zeros((2, 3), np.float32)})


def test_it_may_be_one_of_several_results():
    module = module_of(lambda x: R.topk(x, 2, ret_type="both"), X)
    (whole,) = from_relax(module).outputs
    again = Workload([Proj(whole, 1), Proj(whole, 0)])
    values = np.array([[1, 3, 2], [6, 5, 4]], np.float32)
    indices, best = compile_functions(to_relax(again)).run("main", [values])
    assert indices.tolist() == [[1, 2], [0, 1]]
    assert best.tolist() == [[3, 2], [6, 5]]


def test_a_loop_nest_is_carried_with_its_call():
    workload = from_relax(CallsLoopNest)
    assert names(workload) == ["Var", "Exp", "Tuple", "relax.call_tir.double"]
    values = np.array([0.5, 1.0], np.float32)
    np.testing.assert_allclose(workload.run({"x": values})[0], 2 * np.exp(values), rtol=1e-6)


def test_a_loop_nest_comes_back_unchanged():
    written = to_relax(from_relax(CallsLoopNest))
    normal = relax.transform.Normalize()(CallsLoopNest)
    assert tvm_ffi.structural_equal(written["double"], normal["double"])
    assert same(from_relax(written).outputs, from_relax(CallsLoopNest).outputs)


def test_a_loop_nest_survives_a_file(tmp_path: Path):
    workload = from_relax(CallsLoopNest)
    workload.save(tmp_path / "model.gsl")
    assert same(Workload.load(tmp_path / "model.gsl").outputs, workload.outputs)


def test_equal_loop_nests_are_one_function_and_others_of_that_name_are_not():
    def joined(*modules: Any) -> Workload:
        x = Var("x", (2,))
        nests = [from_relax(module).outputs[0] for module in modules]
        return Workload([with_variable(nest, x) for nest in nests])

    def with_variable(expr: Any, x: Var) -> Any:
        operands = [x if isinstance(o, Var) else with_variable(o, x) for o in expr.operands]
        return expr.with_operands(tuple(operands))

    twice = joined(CallsLoopNest, CallsLoopNest)
    assert len(to_relax(twice).functions) == 2
    both = joined(CallsLoopNest, SameNames)
    assert len(to_relax(both).functions) == 3
    doubled, added = both.run({"x": np.zeros(2, np.float32)})
    assert (doubled.tolist(), added.tolist()) == ([2, 2], [3, 3])


def test_a_loop_nest_without_a_name_of_its_own_is_refused():
    (call,) = from_relax(CallsLoopNest).outputs
    other = Call(lookup("relax.call_tir"), call.operands, call.attributes)
    with pytest.raises(BackendError, match=r"payload of relax\.call_tir is not a Relax call of it"):
        to_relax(Workload(other))


REFUSED = {
    "two levels": (CallsNestOfNests, r"`twos` = relax\.call_tir: `outer` calls other functions of"),
    "in place": (InPlace, r"`twice` = relax\.call_tir_inplace: .* has effects, which a graph"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_call_that_depends_on_more_than_its_operands_is_refused_by_place(name: str):
    module, message = REFUSED[name]
    with pytest.raises(UnsupportedError, match=f"binding 0 of block 0, {message}"):
        from_relax(module)


def test_a_packed_call_in_place_is_refused():
    def build(x: Any) -> Any:
        return R.call_inplace_packed("f", x, inplace_indices=[0], ty_args=x.ty)

    with pytest.raises(UnsupportedError, match=r"relax\.call_inplace_packed has effects"):
        from_relax(module_of(build, X))


def test_a_call_with_effects_is_refused():
    with pytest.raises(UnsupportedError, match=r"relax\.print has effects"):
        from_relax(Effects)


def test_a_symbolic_size_inside_is_refused():
    n = tvm.tirx.Var("n", "int64")
    with pytest.raises(UnsupportedError, match=r"`made` = relax\.arange: .*symbolic size|n is not"):
        from_relax(module_of(lambda: R.arange(0, n, 1, "int64")))


PAYLOADS = {
    "not JSON": "{",
    "not a call": '{"root_index": 0, "nodes": [{"type": "None"}]}',
}


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_wrong_payload_is_refused(name: str):
    attributes = {"payload": PAYLOADS[name], "result": ("float32", (2,))}
    workload = Workload(Call(lookup("relax.atan2"), [Var("x", (2,))], attributes))
    with pytest.raises(BackendError, match="payload"):
        to_relax(workload)


def test_a_payload_of_another_operator_is_refused():
    (call,) = from_relax(module_of(angle_of, X)).outputs
    other = Call(lookup("relax.tan"), call.operands, call.attributes)
    with pytest.raises(BackendError, match=r"payload of relax\.tan is not a Relax call of it"):
        to_relax(Workload(other))


def test_a_wrong_type_of_the_result_is_noticed():
    (call,) = from_relax(module_of(angle_of, X)).outputs
    attributes = {**call.attributes, "result": ("float32", (9, 9))}
    with pytest.raises(TypeMismatchError, match=r"relax\.atan2.* -> float32\[9,9\]"):
        to_relax(Workload(Call(call.operator, call.operands, attributes)))


def test_ten_thousand_opaque_bindings_are_read_and_written():
    builder = relax.BlockBuilder()
    with builder.function("main", [X]):
        with builder.dataflow():
            last = X
            for _ in range(10_000):
                last = builder.emit(angle_of(last))
            result = builder.emit_output(last)
        builder.emit_func_output(result)
    workload = from_relax(builder.finalize())
    assert same(from_relax(to_relax(workload)).outputs, workload.outputs)
