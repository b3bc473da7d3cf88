"""Tensors made from a shape and a number: said directly, and used as the number they hold."""

from gsl import Subst, op, pat, rule

CREATE = {"create", "bit-exact"}


@rule(
    tags=CREATE | {"canonicalise"},
    origin="TVM Relay: ConcretizeZerosLike",
    flags=(),
)
def concretize_zeros_like() -> Subst:
    """zeros_like{t}(x)  =>  zeros{t}[s]() with s the shape of x

    Only the type of x is used, so that x need not be computed. The dtype of the result may be
    another one than that of x.
    """
    x = pat.Wildcard()
    like = op.ZerosLike(x)
    return Subst(like, op.Zeros(shape=like.shape, dtype=like.dtype))


@rule(
    tags=CREATE | {"canonicalise"},
    origin="TVM Relay: ConcretizeOnesLike",
    flags=(),
)
def concretize_ones_like() -> Subst:
    """ones_like{t}(x)  =>  ones{t}[s]() with s the shape of x

    As for zeros.
    """
    x = pat.Wildcard()
    like = op.OnesLike(x)
    return Subst(like, op.Ones(shape=like.shape, dtype=like.dtype))


@rule(
    tags=CREATE | {"canonicalise"},
    origin="TVM Relay: ConcretizeFullLike",
    nan="same",
)
def concretize_full_like() -> Subst:
    """full_like{t, v}(x)  =>  full{t}[s](v) with s the shape of x

    As for zeros; the value is converted to the same dtype.
    """
    x = pat.Wildcard()
    like = op.FullLike(x)
    return Subst(like, op.Full(shape=like.shape, fill_value=like.fill_value, dtype=like.dtype))


@rule(
    tags=CREATE | {"algebra", "const-fold"},
    origin="TVM Relay: FullElementwise",
    flags=(),
)
def add_full_zeros() -> Subst:
    """x + zeros[s]()  =>  x + 0 with a 0 of rank 0, if the sum has the shape of x

    Every element meets the same number. Zeros of a larger shape would broadcast x.
    """
    x = pat.Wildcard()
    total = x + op.Zeros()
    return Subst(total, x + 0, where=[total.shape == x.shape])


@rule(
    tags=CREATE | {"algebra", "const-fold"},
    origin="TVM Relay: FullElementwise, for products",
    flags=(),
)
def multiply_full_ones() -> Subst:
    """x * ones[s]()  =>  x * 1 with a 1 of rank 0, if the product has the shape of x

    As for sums with zeros.
    """
    x = pat.Wildcard()
    product = x * op.Ones()
    return Subst(product, x * 1, where=[product.shape == x.shape])


@rule(
    tags=CREATE | {"transpose", "data-movement"},
    origin="textbook: constant tensors",
    nan="same",
)
def transpose_of_full() -> Subst:
    """T[p](full[s](v))  =>  full[t](v), t the permuted s

    All elements are the same; only the shape is permuted.
    """
    whole = op.Full()
    moved = op.Transpose(whole)
    target = op.Full(shape=moved.shape, fill_value=whole.fill_value, dtype=whole.dtype)
    return Subst(moved, target)


@rule(
    tags=CREATE | {"reshape", "data-movement"},
    origin="textbook: constant tensors",
    flags=(),
    twin="reshape_of_full_default_dtype",
)
def reshape_of_full() -> Subst:
    """reshape[t](full[s](v))  =>  full[t](v)

    As many elements, all the same.
    """
    whole = op.Full()
    shaped = op.Reshape(whole)
    target = op.Full(shape=shaped.shape, fill_value=whole.fill_value, dtype=whole.dtype)
    return Subst(shaped, target)


@rule(
    tags=CREATE | {"concatenate", "const-fold"},
    origin="textbook: constant tensors",
    flags=(),
)
def concat_of_fulls() -> Subst:
    """cat[a](full[s](v), full[t](v))  =>  full[u](v)

    Two blocks of one number make a larger one.
    """
    one = op.Full()
    two = op.Full(fill_value=one.fill_value)
    whole = op.Concatenate((one, two))
    target = op.Full(shape=whole.shape, fill_value=one.fill_value, dtype=one.dtype)
    return Subst(whole, target)
