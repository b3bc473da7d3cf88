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
class CallsLoopNest:
    """A call of a kernel that is part of the module."""

    @T.prim_func(private=True)
    def double(x: T.Buffer((2,), "float32"), y: T.Buffer((2,), "float32")):
        for i in range(2):
            y[i] = x[i] * T.float32(2)

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        cls = CallsLoopNest
        with R.dataflow():
            first = R.exp(x)
            twice = R.call_tir(cls.double, (first,), out_ty=R.Tensor((2,), "float32"))
            R.output(twice)
        return twice


@I.ir_module
class Effects:
    """A call that is not pure."""

    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        R.print(x, format="{}")
        return x
