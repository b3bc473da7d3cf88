"""Nodes of PyTorch programs that TVM's importer reads as if they said something else.

It passes over arguments that it does not know, so the model would be another one. Found by
comparing operators one by one with what PyTorch computes (TVM 0.27).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Arguments = Mapping[str, Any]


def misread_nodes(program: Any) -> Iterator[tuple[str, str]]:
    """Yield the names of nodes that are not read as they are, and what is lost of each.

    Not found are indices from the end that are computed or given: TVM takes them as they are.
    """
    constants = _constants(program)
    for node in program.graph.nodes:
        schema = getattr(node.target, "_schema", None)
        check = FORGOTTEN.get(str(node.target).partition(".")[2].partition(".")[0])
        if schema is not None and check is not None:
            lost = check(arguments_of(node), constants)
            if lost:
                yield node.name, lost


def arguments_of(node: Any) -> Arguments:
    """Return the arguments that a call of an operator gives, by name."""
    names = [argument.name for argument in node.target._schema.arguments]
    return {**dict(zip(names, node.args, strict=False)), **node.kwargs}


def _constants(program: Any) -> Mapping[str, Any]:
    """Return the tensors that a program contains, by the names of the nodes that stand for them."""
    signature = program.graph_signature
    lifted = signature.inputs_to_lifted_tensor_constants.items()
    buffers = signature.inputs_to_buffers.items()
    known = {**program.state_dict, **program.constants}
    found = {node: known[name] for node, name in (*lifted, *buffers) if name in known}
    for node in program.graph.nodes:
        if str(node.target) in COPIES and getattr(node.args[0], "name", None) in found:
            found[node.name] = found[node.args[0].name]
    return found


COPIES = ("aten.clone.default", "aten.lift_fresh_copy.default", "aten._to_copy.default")
"""Operators whose result has the values of their first operand, for whole numbers."""


def _alpha(given: Arguments, constants: Mapping[str, Any]) -> str:
    return "" if given.get("alpha", 1) == 1 else "its alpha"


def _divisor(given: Arguments, constants: Mapping[str, Any]) -> str:
    return "" if given.get("divisor_override") is None else "its divisor_override"


def _order(given: Arguments, constants: Mapping[str, Any]) -> str:
    low, high = given.get("min"), given.get("max")
    if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
        return "the order of its limits"
    return ""


def _indices(given: Arguments, constants: Mapping[str, Any]) -> str:
    indices = given["indices"]
    present = [one for one in indices if one is not None]
    places = [place for place, one in enumerate(indices) if one is not None]
    if places[-1] >= len(places) > 1 and not (_are_adjacent(places) and _make_grid(present)):
        return "which axes its indices are for"
    known = [constants[one.name] for one in present if one.name in constants]
    below = any(
        bool((one < 0).any()) for one in known if one.numel() and not one.is_floating_point()
    )
    return "that its indices count from the end" if below else ""


def _are_adjacent(places: list[int]) -> bool:
    return places[-1] - places[0] + 1 == len(places)


def _make_grid(indices: list[Any]) -> bool:
    """Tell whether every index lies along a dimension of its own, in order, as TVM takes them."""
    shapes = [tuple(one.meta["val"].shape) for one in indices]
    padded = [(1,) * (len(shapes) - len(shape)) + shape for shape in shapes]
    return all(
        len(shape) == len(shapes)
        and all(size == 1 for axis, size in enumerate(shape) if axis != place)
        for place, shape in enumerate(padded)
    )


def _layout(given: Arguments, constants: Mapping[str, Any]) -> str:
    return "the order of the axes of its grid"


def _scale(given: Arguments, constants: Mapping[str, Any]) -> str:
    """Tell whether places are computed with a scale that is not that of the sizes."""
    scales = given.get("scale_factors") or ()
    sizes = given["input"].meta["val"].shape[2:]
    whole = all(float(n * scale).is_integer() for n, scale in zip(sizes, scales, strict=False))
    return "" if whole else "its scale, which is not that of its sizes"


FORGOTTEN: Mapping[str, Callable[[Arguments, Mapping[str, Any]], str]] = {
    "add": _alpha,
    "sub": _alpha,
    "rsub": _alpha,
    "avg_pool2d": _divisor,
    "avg_pool3d": _divisor,
    "clamp": _order,
    "grid_sampler_2d": _layout,
    "index": _indices,
    "upsample_bicubic2d": _scale,
    "upsample_bilinear2d": _scale,
    "upsample_nearest2d": _scale,
}
"""Tells what TVM passes over in a call, "" for nothing, by operator."""
