"""Tensors that are cut into pieces and put together again."""

from gsl import Subst, attr, op, pat, rule
from gsl.attr import Term
from gsl.pat import Pattern

TAGS = {"concat", "split", "data-movement"}


def _same_axis(concat: Pattern, split: Pattern, x: Pattern) -> Term:
    """Tell whether both axes are the same, each of them written from the front or the end.

    That follows from the shapes unless a size is 0; it leaves fewer structures to examine.
    """
    return concat.axis % x.ndim == split.axis % x.ndim


@rule(tags=TAGS | {"bit-exact"}, origin="GSL: split_concat", twin="split_concat_of_three", flags=())
def split_concat() -> Subst:
    """cat[a](split[a](x).0, split[a](x).1)  =>  x, where the result has the shape of x

    The pieces of a tensor in their order, along the axis of the cuts, are the tensor. The
    published rule cuts in two equal sections. Any cuts will do: a third piece, which the pattern
    does not exclude, has to be empty for the shape to be that of x.
    """
    x = pat.Wildcard()
    split = op.Split(x)
    concat = op.Concatenate((split[0], split[1]))
    return Subst(concat, x, where=[_same_axis(concat, split, x), concat.shape == x.shape])


@rule(
    tags=TAGS | {"bit-exact"},
    origin="GSL: split_concat_variadic",
    twin="split_concat_variadic_published",
    flags=(),
)
def split_concat_variadic() -> Subst:
    """cat[a](split[a](x).i for i = 0, 1, ...)  =>  x, where the result has the shape of x

    Field i of the concatenation is piece i, so no piece comes twice or out of order. The number
    of pieces is not part of a pattern; the shape tells whether all of them are there.
    """
    x = pat.Wildcard()
    split = op.Split(x)
    i = attr.Symbol("i")
    piece = split[i]
    concat = op.Concatenate(pat.Variadic(piece, templates=[piece], index=i))
    return Subst(concat, x, where=[_same_axis(concat, split, x), concat.shape == x.shape])
