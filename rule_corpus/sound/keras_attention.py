"""MultiHeadAttention of Keras as tf2onnx writes it: sums of products (einsum) in one batch.

Axes of size 1 go into the next reshape, batches and heads come apart again, and biases of heads
become vectors, so that rules of attention and projections find what they know.
"""

from gsl import Subst, attr, op, pat, rule

MOVED = {"data-movement", "canonicalise", "bit-exact"}


@rule(tags=MOVED | {"transpose", "reshape"}, origin="tf2onnx: einsum, axes of size 1", flags=())
def transpose_of_expanded() -> Subst:
    """transpose[p](expand_dims[a](x))  =>  expand_dims[b](transpose[p'](x))

    The new axis a stands at place b of p; p' is p without it, axes behind a counted anew.
    """
    x = pat.Wildcard()
    expanded = op.ExpandDims(x, axis=(None,))
    moved = op.Transpose(expanded)
    new = expanded.axis[0] % expanded.ndim
    place = attr.Sum(lambda i: attr.Cond(moved.axes[i] == new, i, 0), length=expanded.ndim)

    def order(i: attr.Term) -> attr.Term:
        own = attr.Cond(i < place, moved.axes[i], moved.axes[i + 1])
        return attr.Cond(own > new, own - 1, own)

    axes = attr.Variadic(order, length=x.ndim)
    return Subst(moved, op.ExpandDims(op.Transpose(x, axes=axes), axis=attr.Tuple(place)))


@rule(tags=MOVED | {"reshape"}, origin="tf2onnx: einsum, axes of size 1", flags=())
def reshape_of_expanded() -> Subst:
    """reshape[s](expand_dims(x))  =>  reshape[s](x)

    Elements keep their order.
    """
    x = pat.Wildcard()
    shaped = op.Reshape(op.ExpandDims(x))
    return Subst(shaped, op.Reshape(x, **pat.same_attr(shaped)))


@rule(tags=MOVED | {"reshape"}, origin="tf2onnx: einsum, axes of size 1", flags=())
def squeeze_of_reshaped() -> Subst:
    """squeeze(reshape(x))  =>  reshape(x), to the shape of the result

    Elements keep their order.
    """
    x = pat.Wildcard()
    squeezed = op.Squeeze(op.Reshape(x))
    return Subst(squeezed, op.Reshape(x, shape=squeezed.shape))


@rule(
    tags={"matmul", "reshape", "data-movement", "canonicalise", "same-terms"},
    origin="tf2onnx: einsum of batches and heads",
    flags=(),
)
def matmul_of_joined_heads() -> Subst:
    """reshape[(b, h, m, n)](reshape[(b * h, m, k)](x) @ y)  =>  x @ reshape[(b, h, k, n)](y)

    For x of shape (b, h, m, k). Matrices stay matrices, told apart before their product or behind.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    b, h, m, k = (x.shape[i] for i in range(4))
    product = op.Matmul(op.Reshape(x, shape=(b * h, m, k)), y)
    apart = op.Reshape(product, shape=(b, h, m, y.shape[2]))
    matrices = op.Reshape(y, shape=(b, h, k, y.shape[2]))
    target = op.Matmul(x, matrices, out_dtype=product.out_dtype)
    return Subst(apart, target, where=[x.ndim == 4, y.ndim == 3, y.shape[0] == b * h])


@rule(
    tags={"bias", "reshape", "data-movement", "canonicalise", "bit-exact"},
    origin="tf2onnx: biases of EinsumDense of Keras",
    flags=(),
)
def bias_of_heads() -> Subst:
    """reshape[(b, m, h, d)](x) + c  =>  reshape[(b, m, h, d)](x + c') for a parameter c (h, d)

    For x of shape (b, m, h * d); c' is c as a vector.
    """
    x, c = pat.Wildcard(), pat.Variable(shape=(None, None))
    n = c.shape[0] * c.shape[1]
    apart = op.Reshape(x, shape=(x.shape[0], x.shape[1], None, None))
    target = op.Reshape(x + op.Reshape(c, shape=(n,)), **pat.same_attr(apart))
    return Subst(
        apart + c, target, where=[x.ndim == 3, x.shape[2] == n, apart.shape[2:] == c.shape]
    )
