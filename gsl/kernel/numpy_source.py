"""Kernels as Python that needs nothing but NumPy: whole arrays, no loop over elements."""

from __future__ import annotations

import keyword
import math
from dataclasses import dataclass, field
from typing import assert_never

from gsl.attr.term import Operation, Symbol
from gsl.errors import KernelError
from gsl.kernel.emit import Lines, Names, bare, term_text
from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
)
from gsl.kernel.statement import Kernel, Statement
from gsl.kernel.terms import lies_in
from gsl.types import Bool, Int

READ = '''\
def read(tensor, *indices):
    """Return elements of a tensor, 0 outside of it."""
    inside = np.True_
    for index, size in zip(indices, tensor.shape):
        inside = inside & (index >= 0) & (index < size)
    if tensor.size == 0:
        return np.zeros(np.shape(inside), tensor.dtype)
    kept = [np.clip(index, 0, size - 1) for index, size in zip(indices, tensor.shape)]
    return np.where(inside, tensor[tuple(kept)], tensor.dtype.type(0))


'''

REDUCED = '''\
def reduced(function, body, extents, axes):
    """Reduce the first of the axes, along which the body need not vary."""
    body = np.asarray(body)
    body = body.reshape((1,) * (axes - body.ndim) + body.shape)
    full = np.broadcast_to(body, extents + body.shape[len(extents) :])
    return function(full, axis=tuple(range(len(extents))))


'''

ALONG = '''\
def along(extent, axes_behind):
    """Return 0 .. extent - 1 along an axis in front of others."""
    return np.arange(extent).reshape((-1,) + (1,) * axes_behind)


'''

ERF = '''\
def erf(value):
    """Return the error function."""
    return np.vectorize(math.erf, otypes=[float])(value)


'''

CALLS = {
    "pow": "np.power",
    "max": "np.maximum",
    "min": "np.minimum",
    "round": "np.rint",
    "erf": "erf",
    "and": "np.logical_and",
    "or": "np.logical_or",
    "not": "np.logical_not",
    **{name: f"np.{name}" for name in ("abs", "sign", "floor", "ceil", "trunc", "exp", "log")},
    **{name: f"np.{name}" for name in ("sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{f"a{name}": f"np.arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}

FOLDS = {"sum": "np.sum", "product": "np.prod", "max": "np.max", "min": "np.min"}

WORDS = frozenset(
    (*keyword.kwlist, "np", "math", "read", "reduced", "along", "erf", "zip", "range")
)


def emit_numpy(kernel: Kernel) -> str:
    """Return a Python module with a function of the name of the kernel, which takes the inputs.

    It returns the output, or a tuple of the outputs. Raises KernelError for a name that is none in
    Python.
    """
    if not kernel.name.isidentifier() or kernel.name in WORDS:
        raise KernelError(f"`{kernel.name}` cannot be the name of a function in Python")
    return _Writer(kernel, Names(kernel, {*WORDS, kernel.name})).text()


@dataclass(slots=True)
class _Writer:
    """One function; `axes` is how many the arrays have at this place."""

    kernel: Kernel
    names: Names
    lines: Lines = field(default_factory=lambda: Lines(4))
    extents: dict[Symbol, Int] = field(default_factory=dict)
    axes: int = 0
    has_erf: bool = False

    def text(self) -> str:
        kernel, tensors = self.kernel, self.names.tensors
        parameters = ", ".join(tensors[name] for name in kernel.inputs)
        self.lines.add(f"def {kernel.name}({parameters}):")
        self.lines.depth += 1
        self.sizes()
        for statement in kernel.statements:
            self.statement(statement)
        self.lines.add(f"return {', '.join(tensors[name] for name in kernel.outputs)}")
        heading = f'"""The kernel {kernel.name}, computed by NumPy."""\n\n'
        imports = f"{'import math' if self.has_erf else ''}\n\nimport numpy as np\n\n\n".lstrip()
        return heading + imports + ALONG + READ + REDUCED + self.erf() + self.lines.text()

    def erf(self) -> str:
        return ERF if self.has_erf else ""

    def sizes(self) -> None:
        self.names.enter(None)
        for size in self.kernel.sizes:
            places = (
                f"{self.names.tensors[name]}.shape[{axis}]"
                for name in self.kernel.inputs
                for axis, dim in enumerate(self.kernel.shapes[name])
                if dim is size
            )
            place = next(places, None)
            if place is None:
                raise KernelError(f"size `{size.name}` is no dimension of an input by itself")
            self.lines.add(f"{self.names.symbols[size]} = {place}")

    def statement(self, statement: Statement) -> None:
        self.names.enter(statement)
        self.axes = len(statement.indices)
        self.bind(statement.indices)
        value = bare(self.value(statement.value))
        shape = self.tuple_of(extent for _, extent in statement.indices)
        tensor = self.names.tensors[statement.tensor]
        self.lines.add(f"{tensor} = np.broadcast_to({value}, {shape}).copy()")

    def bind(self, variables: tuple[tuple[Symbol, Int], ...]) -> None:
        """Write the arrays of index variables along the first axes."""
        for axis, (symbol, extent) in enumerate(variables):
            self.extents[symbol] = extent
            behind = self.axes - axis - 1
            name = self.names.symbols[symbol]
            self.lines.add(f"{name} = along({bare(self.index(extent))}, {behind})")

    def tuple_of(self, terms: object) -> str:
        texts = [bare(self.index(term)) for term in terms]  # type: ignore[attr-defined]
        return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"

    def value(self, expression: Expression) -> str:
        whole: AnyExpression = expression  # type: ignore[assignment]
        match whole:
            case Number(value=float(value)) if not math.isfinite(value):
                return f"(np.{value!r})" if value > 0 or value != value else "(-np.inf)"
            case Number(value=value):
                return self.index(value)
            case Read():
                return self.read(whole)
            case Apply(function=function, arguments=arguments):
                return self.apply(function, [self.value(one) for one in arguments])
            case Select(condition=condition, then=then, otherwise=otherwise):
                sides = f"{bare(self.value(then))}, {bare(self.value(otherwise))}"
                return f"np.where({bare(self.index(condition))}, {sides})"
            case Reduction():
                return self.reduction(whole)
            case _:
                assert_never(whole)

    def read(self, read: Read) -> str:
        tensor, shape = self.names.tensors[read.tensor], self.kernel.shapes[read.tensor]
        places = ", ".join(bare(self.index(index)) for index in read.indices)
        pairs = zip(read.indices, shape, strict=True)
        if all(lies_in(index, dim, self.extents) for index, dim in pairs):
            return f"{tensor}[{places or '()'}]"
        return f"read({tensor}, {places})"

    def apply(self, function: str, values: list[str]) -> str:
        self.has_erf = self.has_erf or function == "erf"
        if function in CALLS:
            return f"{CALLS[function]}({', '.join(map(bare, values))})"
        match function, values:
            case "neg", [value]:
                return f"(-{value})"
            case "sigmoid", [value]:
                return f"(1 / (1 + np.exp(-{value})))"
            case "select", [condition, then, otherwise]:
                sides = f"{bare(then)}, {bare(otherwise)}"
                return f"np.where({condition} != 0, {sides})"
            case _:
                return f"({values[0]} {function} {values[1]})"

    def reduction(self, whole: Reduction) -> str:
        """Write the lines of a reduction; return the name of its result."""
        self.axes += len(whole.variables)
        self.bind(whole.variables)
        body = bare(self.value(whole.body))
        extents = self.tuple_of(extent for _, extent in whole.variables)
        total = self.names.result("total")
        fold = FOLDS[whole.function]
        self.lines.add(f"{total} = reduced({fold}, {body}, {extents}, {self.axes})")
        self.axes -= len(whole.variables)
        return total

    def index(self, term: Int | Bool) -> str:
        return term_text(term, self.names.symbols, self.render)

    def render(self, part: Operation, texts: list[str]) -> str:
        head = {"and": "&", "or": "|"}.get(part.head, part.head)
        if head in ("neg", "not"):
            return f"({'-' if head == 'neg' else '~'}{texts[0]})"
        if head in ("min", "max"):
            return f"np.{head}imum({', '.join(map(bare, texts))})"
        if head in ("abs", "cond"):
            return f"np.{'abs' if head == 'abs' else 'where'}({', '.join(map(bare, texts))})"
        return f"({texts[0]} {head} {texts[1]})"
