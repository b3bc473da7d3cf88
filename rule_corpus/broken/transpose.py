"""Transposes that only look as if they undid each other."""

from gsl import Subst, attr, op, pat, rule


@rule(
    tags={"transpose", "data-movement"},
    origin="onnx/onnx#2446: composition in the wrong order",
    expect="GSL301",
    twin="trans_trans",
)
def trans_trans_cycle() -> Subst:
    """T[1,2,0](T[1,2,0](x))  =>  x

    A cycle of three axes has to be applied three times to restore them.
    """
    x = pat.Wildcard()
    turn = (1, 2, 0)
    return Subst(op.Transpose(op.Transpose(x, axes=turn), axes=turn), x)


@rule(
    tags={"transpose", "data-movement"},
    origin="GSL: trans_trans, for every permutation",
    expect="GSL401",
    twin="trans_trans_inverse",
)
def trans_trans_same_shape() -> Subst:
    """T[q](T[p](x))  =>  x, where the shape is that of x

    Equal shapes do not make the permutations inverse: with sizes that are equal, any order of
    the axes keeps the shape.
    """
    x = pat.Wildcard()
    outer = op.Transpose(op.Transpose(x))
    kept = attr.All(lambda i: outer.shape[i] == x.shape[i], length=x.ndim)
    return Subst(outer, x, where=[kept])
