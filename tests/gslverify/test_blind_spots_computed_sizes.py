"""Rules that are wrong at sizes that the network itself asks about, in the source or in both."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]
ANY = pat.Wildcard(dtype="float32")
VECTOR, OTHER = (pat.Wildcard(ndim=1, dtype="float32") for _ in range(2))
TABLE = pat.Wildcard(ndim=2, dtype="float32")


def kept_unless(condition: pat.Pattern, one: pat.Pattern) -> Subst:
    """where(condition, x * 2, x)  =>  x"""
    return Subst(op.Where(condition, one * 2.0, one), one)


def doubled_where(condition: pat.Pattern, one: pat.Pattern) -> Subst:
    """-(-x)  =>  where(condition, x * 2, x)"""
    return Subst(op.Negative(op.Negative(one)), op.Where(condition, one * 2.0, one))


def size_of(axis: int) -> pat.Pattern:
    sizes = op.Shape(TABLE)
    return op.Squeeze(op.StridedSlice(sizes, begin=(axis,), end=(axis + 1,)), axis=(0,))


def counted() -> pat.Pattern:
    return op.Sum(op.OnesLike(VECTOR, dtype="int64"), axis=(0,), keepdims=False)


def counted_in_bytes() -> pat.Pattern:
    return op.Sum(op.OnesLike(VECTOR, dtype="int8"), axis=(0,), keepdims=False)


def padded() -> Subst:
    made = op.Pad(VECTOR)
    more = op.Size(made) - op.Size(VECTOR)
    source = op.Where(op.Equal(more, 23), made * 2.0, made)
    return Subst(source, op.Pad(VECTOR, **pat.same_attr(made)))


def ratio() -> pat.Pattern:
    many = op.Greater(size_of(1), 7)
    return op.LogicalAnd(op.Equal(size_of(0), size_of(1) * 3 + 1), many)


def sizes_apart() -> pat.Pattern:
    apart = op.Equal(op.Size(VECTOR) - op.Size(OTHER), 13)
    return op.LogicalAnd(apart, op.Equal(op.Size(OTHER), 29))


WRONG: tuple[tuple[str, Write], ...] = (
    ("size 37 of any rank", lambda: kept_unless(op.Equal(op.Size(ANY), 37), ANY)),
    ("size 1001", lambda: kept_unless(op.Equal(op.Size(VECTOR), 1001), VECTOR)),
    ("size beyond 5000", lambda: kept_unless(op.Greater(op.Size(VECTOR), 5000), VECTOR)),
    ("rows", lambda: kept_unless(op.Equal(size_of(0), 53), TABLE)),
    ("ones", lambda: kept_unless(op.Equal(counted(), 19), VECTOR)),
    ("ones that wrap", lambda: kept_unless(op.Equal(counted_in_bytes(), -3), VECTOR)),
    ("padding", padded),
    ("ratio in the source", lambda: kept_unless(ratio(), TABLE)),
    ("ratio in the target", lambda: doubled_where(ratio(), TABLE)),
    ("sizes of two", lambda: kept_unless(sizes_apart(), VECTOR)),
)
RIGHT: tuple[tuple[str, Write], ...] = (
    ("size below 0", lambda: kept_unless(op.Less(op.Size(ANY), 0), ANY)),
    ("odd square", lambda: kept_unless(op.Equal(size_of(0) * 2, size_of(1) * 2 + 1), TABLE)),
)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "write"), WRONG, ids=[name for name, _ in WRONG])
def test_what_is_wrong_at_a_size_is_found(name: str, write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize(("name", "write"), RIGHT, ids=[name for name, _ in RIGHT])
def test_what_no_size_makes_true_is_no_difference(name: str, write: Write) -> None:
    assert ask(NUMERIC, write).verdict is Verdict.PASS
