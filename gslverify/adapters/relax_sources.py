"""Graphs that exercise the passes of Relax: patterns, and modules for what gsl cannot write.

They state no conditions: where a pass forgot one is where it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from tvm import relax

from gsl import op, pat
from gsl.errors import GslError
from gsl.workload import Workload
from gslverify.networks.choices import Choices, NothingDrawnError
from gslverify.passes.sources import MadeSource, PatternSource, chosen, made, source, sourced

Sources = Sequence[PatternSource | MadeSource]
WIDE = ("alone", "alone", "outputs used", "inputs constant", "inputs constant")
FLOATS = ("float32", "float32", "float16", "float64")
SIZES = (2, 3, 4, 1)


@cache
def matmul() -> Sources:
    """Chains of products, in both orders and with accumulators of other dtypes."""

    @source(dtypes=FLOATS)
    def products_from_the_left() -> Any:
        x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        return op.Matmul(op.Matmul(x, y), z)

    @source(dtypes=FLOATS)
    def products_from_the_right() -> Any:
        x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        return op.Matmul(x, op.Matmul(y, z))

    @source(dtypes=FLOATS)
    def transposed_product() -> Any:
        x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        return op.Matmul(x, op.Transpose(op.Matmul(y, z)))

    return [products_from_the_left, products_from_the_right, transposed_product]


@cache
def parallel() -> Sources:
    """Products with one left operand, alone and with what is fused into them."""

    @source(contexts=WIDE)
    def two_products() -> Any:
        x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        return [op.Matmul(x, y), op.Matmul(x, z)]

    @source(contexts=WIDE)
    def two_products_with_biases() -> Any:
        x, y, z, b, c = (pat.Wildcard() for _ in range(5))
        return [op.Matmul(x, y) + b, op.Matmul(x, z) + c]

    @source(contexts=WIDE)
    def two_products_with_activations() -> Any:
        x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        return [op.Relu(op.Matmul(x, y)), op.Relu(op.Matmul(x, z))]

    return [two_products, two_products_with_biases, two_products_with_activations]


@cache
def summed() -> Sources:
    """Products with sums."""

    @source(dtypes=FLOATS)
    def product_with_a_sum() -> Any:
        x, a, b = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        return op.Matmul(x, a + b)

    @source(dtypes=FLOATS)
    def sum_times_matrix() -> Any:
        x, a, b = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        return op.Matmul(a + b, x)

    return [product_with_a_sum, sum_times_matrix]


@cache
def taken() -> Sources:
    """Products with rows or columns that are taken."""

    @source(dtypes=FLOATS, contexts=("alone",))
    def product_with_taken_columns() -> Any:
        x, w, i = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        taken = op.Take(w, i)
        return sourced(op.Matmul(x, taken), [taken.axis == w.ndim - 1, i.ndim == 1])

    @source(dtypes=FLOATS)
    def product_with_taken() -> Any:
        x, w, i = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        return op.Matmul(x, op.Take(w, i))

    @source(dtypes=FLOATS, contexts=("alone",))
    def product_with_taken_numbers() -> Any:
        x, w, i = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        return sourced(op.Matmul(x, op.Take(w, i, axis=0)), [w.ndim == 1, i.ndim == 1])

    @source(dtypes=FLOATS, contexts=("alone",))
    def vector_with_taken_columns() -> Any:
        x, w, i = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        taken = op.Take(w, i)
        conditions = [taken.axis == w.ndim - 1, i.ndim == 1, x.ndim == 1]
        return sourced(op.Matmul(x, taken), conditions)

    return [
        product_with_taken_columns,
        product_with_taken,
        product_with_taken_numbers,
        vector_with_taken_columns,
    ]


@cache
def concatenated() -> Sources:
    """Concatenations of transposed tensors."""

    @source()
    def concatenated_transposes() -> Any:
        x, y = pat.Wildcard(), pat.Wildcard()
        return op.Concatenate((op.Transpose(x), op.Transpose(y)))

    @source()
    def product_with_concatenated_transposes() -> Any:
        x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
        return op.Matmul(x, op.Concatenate((op.Transpose(y), op.Transpose(z))))

    return [concatenated_transposes, product_with_concatenated_transposes]


@cache
def transposed() -> Sources:
    """Products with transposed operands."""

    @source(dtypes=FLOATS)
    def product_with_transposed() -> Any:
        x, y = pat.Wildcard(), pat.Wildcard()
        return op.Matmul(x, op.Transpose(y))

    return [product_with_transposed, made(reversed_axes)]


def reversed_axes(choices: Choices) -> Workload:
    """Products with an operand whose axes are reversed without being named."""
    rank = 2 + choices.number(1)
    n = [chosen(choices, SIZES) for _ in range(3)]
    batch = [n[2]] if rank == 3 else []
    x, w = _inputs([[*batch, n[0], n[1]], [n[2], n[1], *batch]], "float32")
    return _workload([x, w], lambda b: b(relax.op.matmul(x, b(relax.op.permute_dims(w)))))


@cache
def reshape() -> Sources:
    """Reshapes after one another, and such as change nothing."""

    @source()
    def reshaped_twice() -> Any:
        return op.Reshape(op.Reshape(pat.Wildcard()))

    @source()
    def reshaped() -> Any:
        return op.Reshape(pat.Wildcard())

    @source()
    def reshaped_and_transposed() -> Any:
        return op.Transpose(op.Reshape(op.Transpose(pat.Wildcard())))

    return [reshaped_twice, reshaped, reshaped_and_transposed]


@cache
def elementwise() -> Sources:
    """Operators for which faster approximations exist."""

    def of(name: str) -> PatternSource:
        @source(dtypes=FLOATS, contexts=("alone",))
        def one() -> Any:
            return getattr(op, name)(pat.Wildcard())

        one.name = name.lower()
        return one

    return [of("Exp"), of("Erf"), of("Tanh")]


@cache
def repeated() -> Sources:
    """Equal computations, and such as are only nearly equal."""

    @source()
    def equal_sums() -> Any:
        x, y = pat.Wildcard(), pat.Wildcard()
        return [op.Add(x, y), op.Negative(op.Add(x, y))]

    @source()
    def reductions_along_two_axes() -> Any:
        x = pat.Wildcard()
        return [op.Sum(x), op.Sum(x)]

    @source()
    def numbers_of_two_dtypes() -> Any:
        x = pat.Wildcard()
        return [op.Add(x, pat.Const(shape=())), op.Add(x, pat.Const(shape=()))]

    return [equal_sums, reductions_along_two_axes, numbers_of_two_dtypes]


@cache
def convolution() -> Sources:
    """Convolutions that are normalised; batch statistics come from modules."""
    return [made(normalised_convolution)]


def normalised_convolution(choices: Choices) -> Workload:
    """A convolution with normalised channels, with the layouts and flags that Relax has."""
    layouts = chosen(choices, (("NCHW", "OIHW"), ("NHWC", "HWIO"), ("NCHW", "IOHW")))
    dtype = chosen(choices, ("float32", "float16"))
    axis = chosen(choices, (1, 1, 3, 2) if layouts[0] == "NCHW" else (3, 1, 2))
    training = chosen(choices, (False, False, True, None))
    same = chosen(choices, SIZES[:3])
    size = {"N": 1, "C": same, "H": same, "W": same}
    size["H"] = size["W"] = chosen(choices, (same, 3))
    kernel = {"O": size["C"], "I": size["C"], "H": 1, "W": 1}
    shapes = [[size[a] for a in layouts[0]], [kernel[a] for a in layouts[1]]]
    out = size[layouts[0][axis]]
    (x,) = _inputs(shapes[:1], dtype)
    generator = np.random.default_rng(choices.number(255))
    w, *rest = (
        relax.const(generator.integers(1, 5, shape).astype(dtype), dtype)
        for shape in (shapes[1], *([[out]] * 4))
    )
    flags: dict[str, Any] = {} if training is None else {"training": training}

    def build(b: Any) -> Any:
        conv = b(relax.op.nn.conv2d(x, w, data_layout=layouts[0], kernel_layout=layouts[1]))
        norm = b(relax.op.nn.batch_norm(conv, *rest, axis=axis, **flags))
        return b(relax.TupleGetItem(norm, 0))

    return _workload([x], build)


@cache
def normalisation() -> Sources:
    """Normalisations, with and without batch statistics."""

    @source(dtypes=FLOATS)
    def layer_norm() -> Any:
        return op.LayerNorm(*(pat.Wildcard() for _ in range(3)))

    return [layer_norm, made(batch_norm)]


def batch_norm(choices: Choices) -> Workload:
    """A normalisation with batch statistics, or with those that were kept."""
    training = chosen(choices, (False, True, None))
    axis, rank = chosen(choices, (1, 0, -1, 2)), 2 + choices.number(2)
    shape = [chosen(choices, SIZES[:3]) for _ in range(rank)]
    if not -rank <= axis < rank:
        raise NothingDrawnError("there is no such axis")
    x, *rest = _inputs([shape, *([[shape[axis]]] * 4)], "float32")
    flags: dict[str, Any] = {} if training is None else {"training": training}

    def build(b: Any) -> Any:
        norm = b(relax.op.nn.batch_norm(x, *rest, axis=axis, **flags))
        return b(relax.TupleGetItem(norm, 0))

    return _workload([x, *rest], build)


@cache
def layout() -> Sources:
    """Changes of layout after one another."""
    return [made(layouts_changed_twice)]


MAPS: tuple[Callable[..., Any], ...] = (
    lambda i, j, k: (k, j, i),
    lambda i, j, k: (i, k, j),
    lambda i, j, k: (j, i, k),
    lambda i, j, k: (j, k, i),
    lambda i, j, k: (i, j, k),
)


def layouts_changed_twice(choices: Choices) -> Workload:
    """Two changes of layout, which may undo each other."""
    same = chosen(choices, SIZES[:3])
    shape = [chosen(choices, (same, same, 1, 3)) for _ in range(3)]
    first, second = chosen(choices, MAPS), chosen(choices, MAPS)
    (x,) = _inputs([shape], "float32")
    change = relax.op.layout_transform
    return _workload([x], lambda b: b(change(b(change(x, first)), second)))


@cache
def constants() -> Sources:
    """Computations with constants, which may be done beforehand."""
    names = ("Add", "Divide", "Matmul", "Maximum", "Power")

    def of(name: str) -> PatternSource:
        @source(contexts=("inputs constant",), dtypes=("float32", "float16", "int32", "int8"))
        def one() -> Any:
            return op.Negative(getattr(op, name)(pat.Wildcard(), pat.Wildcard()))

        one.name = f"constant_{name.lower()}"
        return one

    return [of(name) for name in names]


@cache
def everything() -> Sources:
    """Graphs with most forms of bindings: tuples, several outputs, constants, long chains."""

    @source(contexts=(*WIDE, "one tensor for two"))
    def split_and_joined() -> Any:
        parts = op.Split(pat.Wildcard(), indices_or_sections=2)
        return op.Concatenate((parts[1], parts[0]))

    return [split_and_joined, *repeated(), *reshape(), *normalisation()[:1]]


KINDS: Mapping[str, Callable[[], Sources]] = {
    "any": everything,
    "concatenated": concatenated,
    "constants": constants,
    "convolution": convolution,
    "elementwise": elementwise,
    "layout": layout,
    "matmul": matmul,
    "normalisation": normalisation,
    "parallel": parallel,
    "repeated": repeated,
    "reshape": reshape,
    "sum": summed,
    "take": taken,
    "transposed": transposed,
}
"""The sources for a kind of pass."""


def _inputs(shapes: Sequence[Sequence[int]], dtype: str) -> list[Any]:
    types = [relax.TensorType([int(n) for n in shape], dtype) for shape in shapes]
    return [relax.Var(f"x{number}", one) for number, one in enumerate(types)]


def _workload(inputs: Sequence[Any], build: Callable[[Any], Any]) -> Workload:
    """Return the graph that a function of an emitter builds.

    Raises NothingDrawnError where Relax refuses it.
    """
    builder = relax.BlockBuilder()
    try:
        with builder.function("main", list(inputs)):
            with builder.dataflow():
                result = builder.emit_output(build(builder.emit))
            builder.emit_func_output(result)
        return Workload.from_relax(builder.finalize())
    except GslError as error:
        raise NothingDrawnError(str(error)) from error
    except Exception as error:
        raise NothingDrawnError(f"Relax refuses it: {str(error).splitlines()[-1]}") from error
