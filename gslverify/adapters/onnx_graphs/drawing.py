"""A model drawn step by step; arrays that flow through it say what operands may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

from gslverify.adapters.onnx_graphs.sketch import Sketch, Step
from gslverify.adapters.onnx_graphs.styles import Style, written
from gslverify.networks.choices import Choices, NothingDrawnError, one_of

SMALL = (2, 3, 1, 4, 2, 3, 1, 4, 3, 0)
"""Sizes of graphs that are run."""
PRIMES = ((11, 13, 1, 17, 19, 23, 29), (53, 47, 1, 61, 59, 71, 67))
"""Sizes of two instances of one structure; 1 stays, because such axes broadcast."""
MOST_ELEMENTS = 40_000
STYLES = ("integers", "reals", "halves", "negative", "large", "ties", "tiny")


@dataclass
class Drawing:
    """A model in the making.

    `arrays` has a value for everything that is computed, `constants` are names of leaves that are
    initializers, `fixed` of inputs that have no other value, such as sizes; `sizes` is where sizes
    of axes are chosen from.
    """

    choices: Choices
    sizes: Sequence[int] = SMALL
    style: Style = field(default_factory=Style)
    arrays: dict[str, Any] = field(default_factory=dict)
    constants: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    used: list[int] = field(default_factory=list)
    named: int = 0

    def pick(self, options: Sequence[Any]) -> Any:
        """Choose one of the options, the simplest of which comes first."""
        return one_of(self.choices, options)

    @property
    def opset(self) -> int:
        """The operator set that the model is written for."""
        return self.style.opset

    @property
    def is_instance(self) -> bool:
        """Tell whether the graph is drawn again with other sizes, to be lifted."""
        return self.sizes is not SMALL

    def size(self) -> int:
        """Choose the size of an axis; instances with primes give each axis its own."""
        return int(self.pick(self.sizes))

    def axis_sizes(self, rank: int) -> tuple[int, ...]:
        """Choose the sizes of so many axes, different ones where there are enough."""
        if not self.is_instance:
            return tuple(self.size() for _ in range(rank))
        found = []
        for _ in range(rank):
            chosen = self.choices.number(3)
            if chosen == 2:
                found.append(1)
                continue
            free = [n for n in self.sizes if n != 1 and n not in self.used] or [self.sizes[0]]
            self.used.append(free[0])
            found.append(free[0])
        return tuple(found)

    def leaf(self, name: str, array: Any, constant: bool) -> str:
        """Make a leaf, an input or a constant, that has this value in the first run."""
        if array.size > MOST_ELEMENTS:
            raise NothingDrawnError("a tensor has too many elements")
        self.arrays[name] = array
        if constant:
            self.constants.add(name)
        self.inputs.append(name)
        return name

    def fresh(self) -> str:
        """Return a name that is not taken."""
        self.named += 1
        return f"c{self.named}"

    def node(
        self, step: Step, operands: Sequence[str | None], attributes: Mapping[str, Any]
    ) -> None:
        """Add a node and compute its results; raises NothingDrawnError where it has none."""
        names = ["" if one is None else one for one in operands]
        while names and not names[-1]:
            names.pop()
        feeds = {name: self.arrays[name] for name in dict.fromkeys(filter(None, names))}
        try:
            made = helper.make_node(
                step.operator, names, list(step.results), domain=step.domain, **attributes
            )
            with np.errstate(all="ignore"):
                values = computed(made, feeds, self.opset)
        except Exception as error:  # the reference evaluator raises anything
            text = (str(error).splitlines() or [""])[0][:80]
            raise NothingDrawnError(f"{step.operator}: {text}") from error
        for name, value in zip(step.results, values, strict=False):
            if name:
                self.arrays[name] = np.asarray(value)
        self.nodes.append(made)

    def model(self, outputs: Sequence[str]) -> onnx.ModelProto:
        """Return the model; raises NothingDrawnError for one that is refused."""
        leaves = self.inputs, self.constants
        model = written(self.style, self.nodes, *leaves, outputs, self.arrays)
        try:
            onnx.checker.check_model(model, full_check=True)
        except Exception as error:
            text = (str(error).splitlines() or [""])[0][:100]
            raise NothingDrawnError(f"the checker of ONNX refuses it: {text}") from error
        return model


def computed(node: onnx.NodeProto, feeds: Mapping[str, Any], opset: int) -> list[Any]:
    """Return what one node computes, by the reference of ONNX."""
    graph = helper.make_graph(
        [node],
        "node",
        [_typed(name, value) for name, value in feeds.items()],
        [helper.make_value_info(name, onnx.TypeProto()) for name in node.output if name],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    evaluator: Any = ReferenceEvaluator(model)
    return list(evaluator.run(None, dict(feeds)))


def _typed(name: str, array: Any) -> onnx.ValueInfoProto:
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    return helper.make_tensor_value_info(name, kind, array.shape)


def values(shape: Sequence[int], dtype: str, style: str, seed: int) -> Any:
    """Return an array in a style; see STYLES."""
    generator: Any = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.asarray(generator.integers(0, 2, shape)).astype(bool)
    if kind in "iu":
        low = 0 if kind == "u" else -4
        return np.asarray(generator.integers(low, 5, shape)).astype(dtype)
    whole = generator.integers(-4, 5, shape).astype(np.float64)
    styles: dict[str, Callable[[], Any]] = {
        "integers": lambda: whole,
        "reals": lambda: np.asarray(generator.standard_normal(shape)) * 2,
        "halves": lambda: whole / 2,
        "negative": lambda: -np.abs(whole) - 1,
        "large": lambda: whole * 100,
        "ties": lambda: (1 + 2.0**-11 + 2.0**-40) * 2.0 ** generator.integers(-3, 4, shape),
        "tiny": lambda: whole / 1024,
    }
    return np.asarray(styles[style]()).astype(dtype)


def sketched_operands(sketch: Sketch) -> list[str]:
    """Return the leaves of a sketch, in the order in which steps need them."""
    made = {name for step in sketch.steps for name in step.results}
    names = [n for step in sketch.steps for n in step.operands if n and n not in made]
    return list(dict.fromkeys(names))
