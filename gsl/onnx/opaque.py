"""ONNX nodes that GSL carries without understanding them, and back.

The payload of an opaque call is the node itself, with numbers for the names of its inputs and
results, and the version of its operators. So it is written as it was read. What graphs inside of it
take from outside are further operands.
"""

from __future__ import annotations

import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import onnx
import onnx.reference
import onnx.version_converter
import onnx_ir as ir

from gsl.expr import Call, Expr, Proj
from gsl.onnx.emitter import Emitter, Value, schema_of, type_of
from gsl.onnx.errors import NotReadableError, NotWritableError
from gsl.onnx.inner import CAPTURED, captured, connect, graphs_of, nodes_of, renamed
from gsl.onnx.table import OLDEST
from gsl.operators.declaration import lookup
from gsl.types import ALL_DTYPES, TensorType, TupleType, Type, type_to_plain

PREFIX = "onnx."
"""How the names of operators of ONNX begin, those of other domains with the domain behind it."""

_LOG = logging.getLogger("onnx_ir.serde")
"""Complains about graphs that take values from outside of what is read."""

MOST_KNOWN = 1 << 16
"""Inputs with up to so many known elements are told to the inference of ONNX."""


BranchTypes = Sequence["TensorType | None"]
"""The types of one result in all branches, None where a branch is not read."""


def read_opaque(
    node: ir.Node,
    inputs: Sequence[Expr | None],
    outer: Sequence[Expr],
    opset: int,
    versions: Mapping[str, int],
    value_of: Callable[[Expr], Any],
    branches: Sequence[BranchTypes] = (),
) -> list[Expr | None]:
    """Return an expression for each result of a node that stays as it is, None for one left out.

    `outer` are what graphs inside of it take from outside, `versions` those of the domains that the
    model imports, `branches` what is known about each result of an If. Raises NotReadableError when
    a result is no tensor of known sizes.
    """
    proto = _numbered(node)
    operands = [*(one for one in inputs if one is not None), *outer]
    inner = {one.domain for one in nodes_of(proto)} - {"", node.domain}
    domains = {domain: versions[domain] for domain in sorted(inner & {*versions})}
    given = _Given(proto, node, operands, {**domains, node.domain: opset}, branches)
    kinds = _result_types(given, value_of)
    name = ".".join(filter(None, (PREFIX[:-1], node.domain, node.op_type)))
    written: dict[str, Any] = {"opset": opset}
    written |= {"domains": domains} if domains else {}
    written |= {"node": b64encode(proto.SerializeToString()).decode()}
    result: Type = kinds[0] if len(kinds) == 1 else TupleType(tuple(kinds))
    attributes = {"payload": json.dumps(written), "result": type_to_plain(result)}
    made = Call(lookup(name), operands, attributes)
    fields = iter([made] if len(kinds) == 1 else [Proj(made, i) for i in range(len(kinds))])
    return [next(fields) if output.name else None for output in node.outputs]


def _numbered(node: ir.Node) -> onnx.NodeProto:
    """Return a node with numbers for names."""
    proto = ir.to_proto(node)
    places = {str(value.name): f"{CAPTURED}{i}" for i, value in enumerate(captured(node))}
    renamed(proto, places)
    given = [str(place) if name else "" for place, name in enumerate(proto.input)]
    del proto.input[:]
    proto.input.extend(given)
    outputs = [f"r{place}" if name else "" for place, name in enumerate(proto.output)]
    del proto.output[:]
    proto.output.extend(outputs)
    proto.name = proto.doc_string = ""
    del proto.metadata_props[:]
    return proto


@dataclass(frozen=True, slots=True)
class _Given:
    """A node, its message, its operands, and the versions of the domains of its operators."""

    proto: onnx.NodeProto
    node: ir.Node
    operands: Sequence[Expr]
    versions: Mapping[str, int]
    branches: Sequence[BranchTypes]


def _result_types(given: _Given, value_of: Callable[[Expr], Any]) -> list[TensorType]:
    proto = given.proto
    found: dict[str, onnx.TypeProto] = {}
    if onnx.defs.has(proto.op_type, proto.domain):
        found = _inferred(given, value_of)
    return [
        _tensor(found.get(name)) or _otherwise(given, place)
        for place, name in enumerate(proto.output)
        if name
    ]


def _otherwise(given: _Given, place: int) -> TensorType:
    """Return the type of a result that ONNX leaves open: that of graphs inside, or a declared one.

    Graphs of an If return its results, that of a Loop the condition and then what is carried.
    """
    kinds = given.branches[place] if given.branches else _carried(given.node, place)
    within = {one for one in kinds if one is not None}
    if len(within) == 1 and None not in kinds:
        return within.pop()
    try:
        return _declared(given.node.outputs[place])
    except NotReadableError as error:
        if len(within) < 2:
            raise
        listed = " or ".join(sorted(map(str, within)))
        name = given.node.outputs[place].name
        raise NotReadableError(f"its result `{name}` is {listed}") from error


def _carried(node: ir.Node, place: int) -> BranchTypes:
    """Return the type that the body of a Loop declares for what it carries from turn to turn."""
    if node.op_type != "Loop" or node.domain or place >= len(node.inputs) - 2:
        return ()
    try:
        return [_declared(graph.outputs[1 + place]) for graph in graphs_of(node)]
    except NotReadableError:
        return ()


def names_of(proto: onnx.NodeProto, count: int) -> list[str]:
    """Return what the operands of an opaque call are called in its node."""
    given = [name for name in proto.input if name]
    return given + [f"{CAPTURED}{place}" for place in range(count - len(given))]


def _inferred(given: _Given, value_of: Callable[[Expr], Any]) -> dict[str, onnx.TypeProto]:
    """Return what ONNX itself says about the results; raise NotReadableError with its reason."""
    proto, versions = given.proto, given.versions
    names = names_of(proto, len(given.operands))
    operands = list(zip(names, given.operands, strict=True))
    kinds = {name: _type_proto(one.tensor_type) for name, one in operands}
    data = {}
    for name, one in operands:
        value = value_of(one) if one.tensor_type.size <= MOST_KNOWN else None
        if value is not None:
            data[name] = onnx.numpy_helper.from_array(np.asarray(value), name)
    imports = [onnx.helper.make_opsetid(*one) for one in versions.items()]
    try:
        schema = onnx.defs.get_schema(proto.op_type, versions[proto.domain], proto.domain)
        return onnx.shape_inference.infer_node_outputs(
            schema, proto, kinds, data, opset_imports=imports
        )
    except Exception as error:
        raise NotReadableError(" ".join(str(error).split())) from error


def _type_proto(kind: TensorType) -> onnx.TypeProto:
    return onnx.helper.make_tensor_type_proto(int(type_of(kind.dtype)), kind.shape)


def _tensor(proto: onnx.TypeProto | None) -> TensorType | None:
    """Return a type of GSL, None where ONNX leaves it open."""
    if proto is None:
        return None
    if not proto.HasField("tensor_type"):
        raise NotReadableError("a result is no tensor")
    tensor = proto.tensor_type
    sizes = [dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim]
    if not tensor.HasField("shape") or None in sizes:
        return None
    return _checked(sizes, tensor.elem_type)


def _declared(value: Value) -> TensorType:
    """Return the type that the model declares for a result."""
    shape = value.shape
    if shape is None or value.dtype is None or not all(isinstance(size, int) for size in shape):
        raise NotReadableError(f"the sizes of its result `{value.name}` are not known")
    return _checked([int(size) for size in shape if isinstance(size, int)], int(value.dtype))


def _checked(sizes: Sequence[Any], kind: int) -> TensorType:
    data_type = ir.DataType(kind)
    dtype = data_type.numpy().name if data_type in _NUMERIC else data_type.name
    if dtype not in ALL_DTYPES:
        raise NotReadableError(f"a result has elements of {data_type.name}")
    return TensorType(tuple(sizes), dtype)


_NUMERIC = frozenset(type_of(dtype) for dtype in ALL_DTYPES)


def write_opaque(out: Emitter, call: Call, operands: Sequence[Value]) -> Any:
    """Return the results of the node of an opaque call, a list of several.

    Raises NotWritableError for an operator of another system, and for one that means something
    else in the opset that is written.
    """
    proto, opset = restored(call)
    if not is_alike(call, out.opset):
        proto = _converted(call, proto, opset, out.opset)
    out.domains |= inner_domains(call)
    if proto.domain:
        out.domains[proto.domain] = opset
    given = iter(operands)
    inputs = [next(given) if name else None for name in proto.input]
    kinds = call.type.fields if isinstance(call.type, TupleType) else (call.type,)
    names = [out.name(proto.op_type) if name else "" for name in proto.output]
    outputs = [Value(name=name) for name in names]
    node = ir.Node(
        proto.domain,
        proto.op_type,
        inputs,
        _attributes(proto),
        overload=proto.overload,
        outputs=outputs,
    )
    connect(node, list(given))
    out.nodes.append(node)
    made = [output for output in outputs if output.name]
    for value, kind in zip(made, kinds, strict=True):
        assert isinstance(kind, TensorType)
        value.type = ir.TensorType(type_of(kind.dtype))
    return made[0] if len(made) == 1 else made


def _attributes(proto: onnx.NodeProto) -> list[ir.Attr]:
    """Return the attributes of a node; graphs among them have values from outside, as is meant."""
    level = _LOG.level
    _LOG.setLevel(logging.ERROR)
    try:
        return [ir.serde.deserialize_attribute(one) for one in proto.attribute]
    finally:
        _LOG.setLevel(level)


def is_alike(call: Call, opset: int) -> bool:
    """Tell whether the operator of an opaque call is the same in another opset."""
    proto, own = restored(call)
    if proto.domain or own == opset:
        return True
    inner = (one for one in nodes_of(proto) if not one.domain)
    return all(_since(one, own) == _since(one, opset) for one in inner)


def _since(proto: onnx.NodeProto, opset: int) -> int:
    known = onnx.defs.has(proto.op_type, opset, proto.domain)
    return int(schema_of(proto.op_type, opset).since_version) if known else 0


def _converted(call: Call, proto: onnx.NodeProto, opset: int, wanted: int) -> onnx.NodeProto:
    """Return the node that ONNX's converter of versions makes of one; raise NotWritableError."""
    message = f"it was read from opset {opset} and is another operator in {wanted}"
    names = names_of(proto, len(call.operands))
    inputs = [
        onnx.helper.make_value_info(name, _type_proto(operand.tensor_type))
        for name, operand in zip(names, call.operands, strict=True)
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in proto.output if name]
    graph = onnx.helper.make_graph([proto], "one", inputs, outputs)
    imports = {"": opset, **inner_domains(call)}
    made = [onnx.helper.make_opsetid(*one) for one in imports.items()]
    model = onnx.helper.make_model(graph, opset_imports=made)
    cure = (
        f"write with opset={opset}" if opset >= OLDEST else f"export it in opset {OLDEST} or later"
    )
    try:
        nodes = onnx.version_converter.convert_version(model, wanted).graph.node
    except Exception as error:
        raise NotWritableError(f"{message}; {cure}") from error
    if len(nodes) != 1 or (*nodes[0].input,) != (*proto.input,):
        raise NotWritableError(f"{message}; {cure}")
    passed = {_content(one) for one in nodes_of(nodes[0])}
    for one in nodes_of(proto):
        if _content(one) in passed and _changed(one, opset, wanted):
            raise NotWritableError(f"{message}, as is {one.op_type}; {cure}")
    converted: onnx.NodeProto = nodes[0]
    return converted


def _content(node: onnx.NodeProto) -> tuple[Any, ...]:
    attributes = sorted(one.SerializeToString() for one in node.attribute)
    return node.op_type, node.domain, (*node.output,), (*attributes,)


def _changed(node: onnx.NodeProto, opset: int, wanted: int) -> bool:
    """Tell whether an attribute has another default, and so another meaning, in another opset.

    ONNX's converter overlooks that for some operators, and passes them on as they are.
    """
    old, new = _defaults(node, opset), _defaults(node, wanted)
    return any(old[name] != new[name] for name in old.keys() & new.keys())


def _defaults(node: onnx.NodeProto, opset: int) -> dict[str, bytes]:
    if node.domain or not onnx.defs.has(node.op_type, opset):
        return {}
    schema = schema_of(node.op_type, opset)
    defaults = ((name, one.default_value) for name, one in schema.attributes.items())
    return {name: value.SerializeToString() for name, value in defaults if value.name}


def restored(call: Call) -> tuple[onnx.NodeProto, int]:
    """Return the node of an opaque call and the version of its operators; raise NotWritableError.

    Its inputs have numbers for names, its results numbers behind an `r`; those left out have none.
    """
    if not call.operator.name.startswith(PREFIX):
        raise NotWritableError(f"{call.operator} is no operator of ONNX")
    try:
        return _restored(str(call.attributes["payload"]))
    except Exception as error:
        raise NotWritableError(f"the payload of {call.operator} is no node of ONNX") from error


@lru_cache(maxsize=1024)
def _restored(payload: str) -> tuple[onnx.NodeProto, int]:
    written = json.loads(payload)
    proto = onnx.NodeProto()
    proto.ParseFromString(b64decode(written["node"], validate=True))
    return proto, int(written["opset"])


def inner_domains(call: Call) -> dict[str, int]:
    """Return the versions of further domains of operators inside of an opaque call."""
    return dict(json.loads(str(call.attributes["payload"])).get("domains", {}))


def compute(*operands: Any, payload: str, result: Any) -> Any:
    """Return the results of an opaque call for arrays, as ONNX's own references compute them.

    Raises what the references of ONNX raise, also for an operator that they do not have.
    """
    proto, opset = _restored(payload)
    given = dict(zip(names_of(proto, len(operands)), map(np.asarray, operands), strict=True))
    infos = [
        onnx.helper.make_tensor_value_info(name, int(type_of(array.dtype.name)), array.shape)
        for name, array in given.items()
    ]
    wanted = [name for name in proto.output if name]
    outputs = [onnx.ValueInfoProto(name=name) for name in wanted]
    graph = onnx.helper.make_graph([proto], "one", infos, outputs)
    versions = {**json.loads(payload).get("domains", {}), proto.domain: opset}
    imports = [onnx.helper.make_opsetid(*one) for one in versions.items()]
    if proto.domain:
        imports.append(onnx.helper.make_opsetid("", onnx.defs.onnx_opset_version()))
    model = onnx.helper.make_model(graph, opset_imports=imports)
    evaluator = onnx.reference.ReferenceEvaluator(model)
    found = tuple(np.asarray(one) for one in evaluator.run(wanted, given))
    return found[0] if len(found) == 1 else found
