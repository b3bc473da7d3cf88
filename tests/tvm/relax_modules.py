"""Relax modules written by hand."""
# ruff: noqa: N805, SIM108 - TVMScript looks like Python but has no methods and no ternary.

from __future__ import annotations

from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class HandWritten:
    """Bindings inside and outside a dataflow block, an alias, a cast, tuples, a parameter."""

    @R.function
    def main(x: R.Tensor((2, 6), "float32"), w: R.Tensor((3, 6), "float32")):
        R.func_attr({"num_input": 1})
        turned = R.permute_dims(w)
        with R.dataflow():
            product = R.matmul(x, turned)
            clipped = R.clip(R.nn.relu(product), 0, 6)
            R.output(product, clipped)
        alias = clipped
        checked = R.match_cast(alias, R.Tensor((2, 3), "float32"))
        pieces = R.split(x, [2, 4], axis=1)
        pair = (R.add(pieces[0], R.const([1.0, 2.0], "float32")), checked)
        return (pair[1], pair[0])


@I.ir_module
class BoundShape:
    """A shape that is a variable."""

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        shape = R.shape([6])
        return R.reshape(x, shape)


@I.ir_module
class BoundFillValue:
    """A scalar attribute that is a variable."""

    @R.function
    def main():
        value = R.const(2.5, "float32")
        return R.full((2,), value)


@I.ir_module
class OrdinaryFunction:
    """A call of a function that stands for no operator."""

    @R.function(private=True)
    def double(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return R.add(x, x)

    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = OrdinaryFunction
        return cls.double(x)


@I.ir_module
class ControlFlow:
    """Two branches."""

    @R.function
    def main(flag: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")):
        if flag:
            y = R.exp(x)
        else:
            y = R.abs(x)
        return y


@I.ir_module
class ControlFlowAfterBlock:
    """Two branches behind a dataflow block."""

    @R.function
    def main(flag: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")):
        with R.dataflow():
            first = R.exp(x)
            R.output(first)
        if flag:
            chosen = R.exp(first)
        else:
            chosen = R.abs(first)
        return R.abs(chosen)


@I.ir_module
class InnerFunction:
    """A function inside another."""

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        @R.function
        def inner(y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.exp(y)

        return inner(x)


@I.ir_module
class Recursion:
    """Two functions, one of which calls itself."""

    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return R.exp(x)

    @R.function
    def other(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Recursion
        first = R.exp(x)
        again: R.Tensor((2,), "float32") = cls.other(first)
        return again


@I.ir_module
class ShapeResult:
    """A shape that is returned."""

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        sizes = R.shape([2])
        return sizes


@I.ir_module
class ShapeParameter:
    """A shape that is given."""

    @R.function
    def main(x: R.Tensor((2,), "float32"), sizes: R.Shape([2])):
        return x


@I.ir_module
class CallsLoopNest:
    """A call of a kernel that is part of the module."""

    @T.prim_func(private=True, s_tir=True)
    def double(x: T.Buffer((2,), "float32"), y: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("double"):
                at = T.axis.spatial(2, i)
                y[at] = x[at] * T.float32(2)

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        cls = CallsLoopNest
        with R.dataflow():
            first = R.exp(x)
            twice = R.call_tir(cls.double, (first,), out_ty=R.Tensor((2,), "float32"))
            R.output(twice)
        return twice


@I.ir_module
class CallsNestOfNests:
    """A call of a kernel that calls another one."""

    @T.prim_func(private=True)
    def inner(y: T.Buffer((2,), "float32")):
        for i in range(2):
            y[i] = T.float32(2)

    @T.prim_func(private=True)
    def outer(x: T.Buffer((2,), "float32"), y: T.Buffer((2,), "float32")):
        CallsNestOfNests.inner(y.data)

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        cls = CallsNestOfNests
        with R.dataflow():
            twos = R.call_tir(cls.outer, (x,), out_ty=R.Tensor((2,), "float32"))
            R.output(twos)
        return twos


@I.ir_module
class InPlace:
    """A call that writes into its argument, although TVM calls it pure."""

    @T.prim_func(private=True)
    def double(x: T.Buffer((2,), "float32")):
        for i in range(2):
            x[i] = x[i] * T.float32(2)

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        cls = InPlace
        with R.dataflow():
            twice = R.call_tir_inplace(
                cls.double, (x,), inplace_indices=[0], out_ty=R.Tensor((2,), "float32")
            )
            R.output(twice)
        return twice


@I.ir_module
class SameNames:
    """A public kernel whose name is that of another module's kernel, with several results."""

    @T.prim_func(s_tir=True)
    def double(
        x: T.Buffer((2,), "float32"), y: T.Buffer((2,), "float32"), z: T.Buffer((2,), "float32")
    ):
        for i in range(2):
            with T.sblock("double"):
                at = T.axis.spatial(2, i)
                y[at] = x[at] * T.float32(2)
                z[at] = x[at] + T.float32(3)

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        cls = SameNames
        with R.dataflow():
            both = R.call_tir(
                cls.double, (x,), out_ty=[R.Tensor((2,), "float32"), R.Tensor((2,), "float32")]
            )
            more = both[1]
            R.output(more)
        return more


@I.ir_module
class Effects:
    """A call that is not pure."""

    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        R.print(x, format="{}")
        return x
