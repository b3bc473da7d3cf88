"""Arithmetic of shapes shared by the shape rules; works on ints and on terms."""

from __future__ import annotations

from gsl.attr.evaluate import ceil_divide, choose, disjunction, equal
from gsl.attr.term import Term
from gsl.errors import ShapeError, UndecidedError
from gsl.operators.declaration import AXIS_UNKNOWN, Need, Tensor
from gsl.types import Int

Shape = tuple[Int, ...]


def broadcast(need: Need, *shapes: Shape) -> Shape:
    """Return the shape that all `shapes` broadcast to (NumPy rules)."""
    result: Shape = ()
    for shape in shapes:
        result = _broadcast_pair(need, result, shape)
    return result


def _broadcast_pair(need: Need, left: Shape, right: Shape) -> Shape:
    rank = max(len(left), len(right))
    left = (1,) * (rank - len(left)) + tuple(left)
    right = (1,) * (rank - len(right)) + tuple(right)
    return tuple(_broadcast_size(need, a, b) for a, b in zip(left, right, strict=True))


def _broadcast_size(need: Need, left: Int, right: Int) -> Int:
    if type(left) is int and left == 1:
        return right
    left_one = equal(left, 1)
    if type(right) is int and right == 1:
        return choose(left_one, right, left)
    same = equal(left, right)
    need(disjunction(same, left_one, equal(right, 1)), "shapes must broadcast to each other")
    return left if same is True else choose(left_one, right, left)


def known_axis(axis: Int, rank: int) -> int:
    """Return `axis` counted from the front; raise ShapeError when there is no such axis."""
    if isinstance(axis, Term):
        raise UndecidedError(AXIS_UNKNOWN)
    if not -rank <= axis < rank:
        raise ShapeError(f"axis {axis} does not exist in a tensor of rank {rank}")
    return int(axis) % rank


def with_size(shape: Shape, axis: int, size: Int) -> Shape:
    """Return `shape` with another size on an axis that is counted from the front."""
    return (*shape[:axis], size, *shape[axis + 1 :])


def need_rank(need: Need, shape: Shape, rank: int, name: str) -> None:
    """Demand that operand `name` has a rank."""
    need(len(shape) == rank, f"`{name}` must have rank {rank}, not {len(shape)}")


def need_ranks(need: Need, rank: int, **operands: Tensor) -> None:
    """Demand that all of some operands have a rank, before attributes are looked at."""
    for name, operand in operands.items():
        need_rank(need, operand.shape, rank, name)


def window(
    need: Need,
    size: Int,
    kernel: Int,
    stride: Int,
    dilation: Int,
    before: Int,
    after: Int,
    ceil: bool = False,
) -> Int:
    """Return how often a dilated window fits into a padded axis at a stride.

    With `ceil`, a last window that only begins inside the padded axis counts too.
    """
    free = size + before + after - dilation * (kernel - 1) - 1
    need(kernel >= 1, "the window must not be empty")
    need(free >= 0, "the window must fit into the padded input")
    return (ceil_divide(free, stride) if ceil else free // stride) + 1


def need_vectors(need: Need, *parameters: Tensor) -> None:
    """Demand that each parameter is a vector, whatever the attributes are."""
    for parameter in parameters:
        need(parameter.ndim == 1, "a parameter must have one element for each channel")
