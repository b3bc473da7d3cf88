"""Relax modules as workloads: round trips, hand-written modules, what cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tvm
from relax_graphs import WORKLOADS, assert_close, call, example, same, values_for
from relax_modules import (
    BoundFillValue,
    BoundShape,
    ControlFlow,
    ControlFlowAfterBlock,
    HandWritten,
    InnerFunction,
    OrdinaryFunction,
    Recursion,
    ShapeParameter,
    ShapeResult,
)
from tvm import relax

from gsl.errors import MisuseError, ModelError
from gsl.evaluate import evaluate
from gsl.evaluate import run as run_references
from gsl.expr import Call, Const, Proj, Tuple, Var
from gsl.operators import REGISTRY
from gsl.tvm.errors import BackendError, TypeMismatchError, UnsupportedError
from gsl.tvm.export import to_relax
from gsl.tvm.importer import from_relax
from gsl.tvm.run import compile_functions
from gsl.workload import Workload

pytestmark = pytest.mark.tvm

OPERATORS = [name for name, one in REGISTRY.items() if one.rule.__module__.startswith("gsl.")]


@pytest.mark.parametrize("make", WORKLOADS)
def test_a_round_trip_keeps_the_structure(make: Callable[[], Workload]):
    workload = make()
    again = from_relax(to_relax(workload, "functions"), workload.parameters)
    assert same(again.outputs, workload.outputs)
    assert [v.name for v in again.inputs] == [v.name for v in workload.inputs]
    assert again.parameters.keys() == workload.parameters.keys()


@pytest.mark.parametrize("make", WORKLOADS)
def test_a_round_trip_of_inlined_composites_keeps_the_results(make: Callable[[], Workload]):
    workload = make()
    again = from_relax(to_relax(workload), workload.parameters)
    values = values_for(workload.inputs)
    for left, right in zip(
        run_references(again, values), run_references(workload, values), strict=True
    ):
        assert_close(left, right)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_survives_a_round_trip(name: str):
    one = example(name)
    again = from_relax(to_relax(Workload(one), "functions"))
    assert same(again.outputs, [one])


def test_a_shared_expression_stays_shared():
    x = Var("x", (2,))
    top = call("Exp", x)
    (total,) = from_relax(to_relax(Workload(call("Add", top, top)))).outputs
    assert total.operands[0] is total.operands[1]
    assert not same([total], [call("Add", call("Exp", x), call("Exp", x))])


def test_ten_thousand_bindings_are_read():
    step = Var("x", (2,))
    chain: Call | Var = step
    for _ in range(10_000):
        chain = call("Add", chain, step)
    assert same(from_relax(to_relax(Workload(chain))).outputs, [chain])


def test_dataflow_and_other_bindings_are_read():
    weight = np.arange(18, dtype=np.float32).reshape(3, 6) / 8
    workload = from_relax(HandWritten, [tvm.runtime.tensor(weight)])
    assert [v.name for v in workload.inputs] == ["x"]
    x, w = workload.variables
    product = call("Matmul", x, call("Transpose", w))
    clipped = call("Clip", call("Relu", product), min=0, max=6)
    pieces = call("Split", x, indices_or_sections=(2, 4), axis=1)
    total = call("Add", Proj(pieces, 0), Const([1.0, 2.0]))
    pair = Tuple([total, clipped])
    assert same(workload.outputs, [Proj(pair, 1), Proj(pair, 0)])


def test_a_hand_written_module_computes_the_same_when_read():
    values = values_for(from_relax(HandWritten).inputs)
    computed = compile_functions(HandWritten).run("main", [values["x"], values["w"]])
    expected = evaluate(from_relax(HandWritten).outputs, values)
    for left, right in zip(computed, expected, strict=True):
        assert_close(left, right)


def module_of(build: Callable[..., Any], *variables: Any) -> Any:
    """Return a module whose `main` binds what `build` makes of the variables."""
    builder = relax.BlockBuilder()
    with builder.function("main", list(variables)):
        with builder.dataflow():
            result = builder.emit_output(builder.emit(build(*variables), "made"))
        builder.emit_func_output(result)
    return builder.finalize()


def tensor(name: str, *shape: Any, dtype: str = "float32") -> Any:
    return relax.Var(name, relax.TensorType(shape, dtype))


X, Y, Z = (tensor(name, 2, 3) for name in "xyz")
THIN = tensor("thin", 1, 2, 1)
ONE_ROW = tensor("row", 1, 3)
IMAGE = tensor("image", 1, 2, 4, 4)
KERNEL = tensor("kernel", 2, 2, 3, 3)
INDICES = tensor("indices", 4, dtype="int32")
PLACES = tensor("places", 2, 3, dtype="int64")
ROWS = tensor("rows", 2, 1, dtype="int64")
FOUR = [tensor(f"v{i}", 2) for i in range(4)]
HEADS = [tensor(f"h{i}", 1, 2, 3, 4) for i in range(3)]
op = relax.op

READ: list[tuple[Callable[..., Any], list[Any], str, dict[str, Any]]] = [
    (lambda x: op.reshape(x, (3, -1)), [X], "Reshape", {"shape": (3, 2)}),
    (
        lambda x: op.strided_slice(x, [-1], [-2], [100]),
        [X],
        "StridedSlice",
        {"begin": (0, 1), "end": (2, 3), "strides": (1, 1)},
    ),
    (
        lambda x: op.strided_slice(x, [1, 0], [0, 1], [3, 2], [2, 1], assume_inbound=True),
        [X],
        "StridedSlice",
        {"begin": (1, 0), "end": (2, 3), "strides": (1, 2)},
    ),
    (lambda x: op.clip(x, 0.5, 1), [X], "Clip", {"min": 0.5, "max": 1.0}),
    (lambda: op.full((2,), relax.const(3, "int8")), [], "Full", {"fill_value": 3.0}),
    (lambda: op.full((), relax.const(True, "bool")), [], "Full", {"dtype": "bool"}),
    (
        lambda x: op.full_like(x, relax.const(2.0, "float32")),
        [X],
        "FullLike",
        {"fill_value": 2.0, "dtype": "float32"},
    ),
    (lambda: op.zeros((2, 0), "int64"), [], "Zeros", {"shape": (2, 0), "dtype": "int64"}),
    (lambda: op.eye(3, 2, -1), [], "Eye", {"n": 3, "m": 2, "k": -1, "dtype": "float32"}),
    (lambda: op.arange(7, step=2), [], "Arange", {"start": 0, "end": 7, "step": 2}),
    (lambda x, y: op.slice_scatter(x, y, 1, 2, 1), [X, ONE_ROW], "SliceScatter", {"start": 1}),
    (lambda x: op.tril(x, -1), [X], "Tril", {"k": -1}),
    (lambda x: op.sum(x), [X], "Sum", {"axis": (0, 1), "keepdims": False}),
    (lambda x: op.permute_dims(x), [X], "Transpose", {"axes": (1, 0)}),
    (lambda x: op.squeeze(x), [THIN], "Squeeze", {"axis": (0, 2)}),
    (lambda x: op.broadcast_to(x, (4, 2, 3)), [X], "BroadcastTo", {"shape": (4, 2, 3)}),
    (lambda x: op.split(x, 3, 1), [X], "Split", {"indices_or_sections": 3, "axis": 1}),
    (lambda x: op.cumsum(x, 1, "float32"), [X], "Cumsum", {"axis": 1}),
    (lambda x: op.nn.selu(x), [X], "Selu", {}),
    (
        lambda x, i, u: op.scatter_elements(x, i, u, 1, "add"),
        [X, PLACES, Y],
        "ScatterElements",
        {"axis": 1, "reduction": "add"},
    ),
    (
        lambda x, i, u: op.scatter_nd(x, i, u, "update"),
        [X, ROWS, Y],
        "ScatterND",
        {"depth": 1, "reduction": "none"},
    ),
    (lambda x: op.topk(x, 2, 1, "both", True, "int64"), [X], "TopK", {"k": 2, "largest": True}),
    (lambda x: op.cumprod(x, 1, "float32"), [X], "CumProd", {"axis": 1}),
    (lambda x: op.sort(x, 0, True), [X], "Sort", {"axis": 0, "descending": True}),
    (lambda x: op.argsort(x, 1, False, "int64"), [X], "ArgSort", {"descending": False}),
    (lambda x: op.nn.gelu_tanh(x), [X], "GeluTanh", {}),
    (lambda x, i: op.take(x, i, 0), [X, INDICES], "Take", {"axis": 0}),
    (lambda i: op.one_hot(i, 1.0, 0.0, 5), [INDICES], "OneHot", {"depth": 5}),
    (lambda x: op.astype(x, "int8"), [X], "Cast", {"dtype": "int8"}),
    (lambda x, w: op.nn.conv2d(x, w), [IMAGE, KERNEL], "Conv2D", {"out_dtype": "float32"}),
    (
        lambda x: op.image.resize2d(x, (8, 3), method="cubic", cubic_alpha=-0.75, layout="NCHW"),
        [IMAGE],
        "Resize",
        {"sizes": (1, 2, 8, 3), "mode": "cubic", "cubic_coeff": -0.75, "coordinates": "half_pixel"},
    ),
    (lambda x: op.nn.max_pool2d(x, 2), [IMAGE], "MaxPool2D", {"pool_size": (2, 2)}),
    (
        lambda x: op.nn.adaptive_avg_pool2d(x, (3, 2)),
        [IMAGE],
        "AdaptiveAvgPool2D",
        {"output_size": (3, 2), "layout": "NCHW"},
    ),
    (lambda x: op.nn.adaptive_avg_pool2d(x, 1), [IMAGE], "GlobalAvgPool2D", {}),
    (lambda *x: op.nn.attention(*x), HEADS, "Attention", {"scale": 0.5}),
    (
        lambda x, *v: op.nn.batch_norm(x, *v, axis=1, training=False),
        [IMAGE, *FOUR],
        "BatchNorm",
        {"axis": 1, "epsilon": 1e-5},
    ),
    (
        lambda x, g, b: op.nn.layer_norm(x, g, b, [1], 0.5, center=False),
        [tensor("rows", 3, 2), *FOUR[:2]],
        "LayerNorm",
        {"axes": (1,), "epsilon": 0.5, "center": False, "scale": True},
    ),
]


@pytest.mark.parametrize(("build", "variables", "name", "attributes"), READ)
def test_attributes_are_read_in_canonical_form(
    build: Callable[..., Any], variables: list[Any], name: str, attributes: dict[str, Any]
):
    (result,) = from_relax(module_of(build, *variables)).outputs
    assert isinstance(result, Call)
    assert result.operator.name == name
    assert {key: result.attributes[key] for key in attributes} == attributes
    assert len(result.operands) == len(result.operator.operands)


def test_a_shape_bound_to_a_variable_is_read():
    (result,) = from_relax(BoundShape).outputs
    assert same([result], [call("Reshape", Var("x", (2, 3)), shape=(6,))])


def test_a_fill_value_bound_to_a_variable_is_read():
    assert same(from_relax(BoundFillValue).outputs, [call("Full", shape=(2,), fill_value=2.5)])


def test_calls_of_ordinary_functions_are_refused():
    with pytest.raises(UnsupportedError, match="`gv` = double: only operators and composites"):
        from_relax(OrdinaryFunction)


def bound(*bindings: tuple[Any, Any], result: Any) -> Any:
    """Return a module whose function `network` has bindings that nobody checked."""
    block = relax.BindingBlock([relax.VarBinding(*one) for one in bindings])
    body = relax.SeqExpr([block], result)
    return tvm.IRModule({"network": relax.Function([X], body, X.ty)})


PLACES: dict[str, tuple[Callable[[], Any], str, str]] = {
    "control flow": (lambda: ControlFlow, "main", r"binding 0 of block 0, `y` = If: GSL has no"),
    "control flow after a block": (
        lambda: ControlFlowAfterBlock,
        "main",
        r"binding 0 of block 1, `chosen` = If: GSL has no expression for If",
    ),
    "control flow as the result": (
        lambda: bound(result=relax.If(relax.const(True), X, op.exp(X))),
        "network",
        r"binding 0 of block 0, `\w+` = If: GSL has no expression for If",
    ),
    "a function inside": (
        lambda: InnerFunction,
        "main",
        "binding 0 of block 0, `inner` = Function: GSL has no expression for Function",
    ),
    "a recursion": (lambda: Recursion, "other", "binding 1 of block 0, `again` = other: only oper"),
    "a shape as the result": (lambda: ShapeResult, "main", "its result: .* for the shape `sizes`"),
    "a parameter": (lambda: ShapeParameter, "main", r"parameter `sizes`: R\.Shape"),
    "a cycle": (
        lambda: bound((Y, op.exp(Z)), (Z, op.exp(Y)), result=Z),
        "network",
        r"binding 0 of block 0, `y` = relax\.exp: nothing before it binds `z`",
    ),
    "a result of nothing": (lambda: bound(result=Z), "network", "its result: .* binds `z`"),
    "another type": (
        lambda: bound((ONE_ROW, op.exp(X)), result=ONE_ROW),
        "network",
        r"binding 0 of block 0, `row` = relax\.exp: `row` has type float32\[1,3\] in Relax",
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_what_cannot_be_read_is_named_with_its_place(name: str):
    make, function, message = PLACES[name]
    with pytest.raises(BackendError, match=f"^function `{function}`, {message}"):
        from_relax(make(), function=function)


def test_what_tvm_finds_ill_typed_is_named_with_its_place():
    wide = tensor("wide", 2, 4)
    wrong = op.add(Y, relax.const(np.ones(4, "f4")))
    place = "function `network`, binding 1 of block 0, `wide`: .* are not broadcastable"
    module = bound((Y, op.exp(X)), (wide, wrong), result=wide)
    for name in ("network", "main"):
        with pytest.raises(ModelError, match=f"TVM cannot read the Relax module: {place}"):
            from_relax(module, function=name)
        module["main"] = HandWritten["main"]
    with pytest.raises(ModelError, match=r"module: function `network`: .* are not broadcastable"):
        from_relax(bound((Y, op.exp(X)), result=wrong), function="network")


def test_symbolic_sizes_are_refused_by_parameter():
    n = tvm.tirx.Var("n", "int64")
    with pytest.raises(UnsupportedError, match=r"parameter `x`: .*symbolic size; bind it first"):
        from_relax(module_of(op.exp, tensor("x", n)))


def test_parameters_of_tuple_type_are_refused():
    pair = relax.Var("pair", relax.TupleType([X.ty, X.ty]))
    with pytest.raises(UnsupportedError, match=r"parameter `pair`: .*tuple type"):
        from_relax(module_of(lambda whole: op.concat(whole), pair))


def test_a_cast_to_another_type_is_an_error():
    n = tvm.tirx.Var("n", "int64")
    builder = relax.BlockBuilder()
    with builder.function("main", [X]):
        unknown = builder.match_cast(X, relax.TensorType((2, n), "float32"))
        wrong = builder.match_cast(unknown, relax.TensorType((2, 4), "float32"), "wrong")
        builder.emit_func_output(wrong)
    with pytest.raises(TypeMismatchError, match=r"`wrong` has type float32\[2,4\] in Relax"):
        from_relax(builder.finalize())


def test_a_missing_function_is_named():
    with pytest.raises(UnsupportedError, match="no Relax function `other`"):
        from_relax(HandWritten, function="other")


def test_parameters_with_one_name_are_told_apart():
    module = module_of(op.add, tensor("x", 2), tensor("x", 2))
    assert [v.name for v in from_relax(module).inputs] == ["x", "x_1"]


def test_a_wrong_number_of_parameters_is_an_error():
    with pytest.raises(UnsupportedError, match="2 arrays for 1 parameters"):
        from_relax(HandWritten, [np.zeros((3, 6), np.float32)] * 2)


def test_parameters_may_be_given_by_name():
    workload = from_relax(HandWritten, {"w": np.zeros((3, 6), np.float32)})
    assert list(workload.parameters) == ["w"]


@pytest.mark.parametrize(("module", "params"), [(3, None), (None, None), (tvm.IRModule({}), 3)])
def test_things_of_another_kind_are_refused(module: Any, params: Any):
    with pytest.raises(MisuseError, match=r"from an IRModule, not|by name or a list of arrays"):
        Workload.from_relax(module, params)
