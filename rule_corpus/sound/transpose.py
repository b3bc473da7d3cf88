"""Transposes that undo each other."""

from gsl import Subst, attr, op, pat, rule


@rule(
    tags={"transpose", "data-movement", "bit-exact"},
    origin="GSL: trans_trans",
    twin="trans_trans_cycle",
    flags=(),
)
def trans_trans() -> Subst:
    """T[0,2,1](T[0,2,1](x))  =>  x

    Exchanging the last two axes twice restores them. The permutation fixes the rank at 3, so
    nothing else needs to be demanded.
    """
    x = pat.Wildcard()
    swap = (0, 2, 1)
    return Subst(op.Transpose(op.Transpose(x, axes=swap), axes=swap), x)


@rule(
    tags={"transpose", "data-movement", "bit-exact"},
    origin="GSL: trans_trans, for every permutation",
    twin="trans_trans_same_shape",
    flags=(),
)
def trans_trans_inverse() -> Subst:
    """T[q](T[p](x))  =>  x, where p[q[i]] = i

    Axis i of the result is axis p[q[i]] of x. An axis may be written from the end, hence the
    remainder. Equal permutations are inverse only when exchanging pairs of axes.
    """
    x = pat.Wildcard()
    inner = op.Transpose(x)
    outer = op.Transpose(inner)
    undone = attr.All(lambda i: inner.axes[outer.axes[i]] % x.ndim == i, length=x.ndim)
    return Subst(outer, x, where=[undone])
