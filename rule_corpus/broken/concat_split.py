"""Pieces that are put together to something else than what they were cut from."""

from gsl import Subst, attr, op, pat, rule

TAGS = {"concat", "split", "data-movement"}


@rule(tags=TAGS, origin="GSL: split_concat", expect="GSL301", twin="split_concat")
def split_concat_of_three() -> Subst:
    """cat[a](split[a](x).0, split[a](x).1)  =>  x

    Without a word about the number of pieces there may be more than two.
    """
    x = pat.Wildcard()
    split = op.Split(x)
    return Subst(op.Concatenate((split[0], split[1]), axis=split.axis), x)


@rule(tags=TAGS, origin="GSL: split_concat_variadic", expect="GSL301", twin="split_concat_variadic")
def split_concat_variadic_published() -> Subst:
    """cat[a](split[a](x).i for i = 0, 1, ...)  =>  x

    Nothing says that the concatenation has as many fields as there are pieces.
    """
    x = pat.Wildcard()
    i = attr.Symbol("i")
    split = op.Split(x)
    piece = split[i]
    concat = op.Concatenate(pat.Variadic(piece, templates=[piece], index=i), axis=split.axis)
    return Subst(concat, x)


@rule(tags=TAGS, origin="GSL: split_concat_variadic", expect="GSL401", twin="split_concat_variadic")
def split_concat_variadic_any_order() -> Subst:
    """cat[a](split[a](x).j for some j ...)  =>  x, where the result has the shape of x

    The index of the pieces is left free: equal sections may come in any order.
    """
    x = pat.Wildcard()
    split = op.Split(x)
    piece = split[None]
    concat = op.Concatenate(pat.Variadic(piece, templates=[piece]), axis=split.axis)
    return Subst(concat, x, where=[concat.shape == x.shape])
