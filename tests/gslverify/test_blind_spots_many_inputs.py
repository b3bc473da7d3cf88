"""Rules of many scalars that are wrong where several equations between them hold.

The solver says at once that there is a difference; asked anew for numbers, it may not come to an
end. So the numbers of its first answer count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import pytest

from gsl import Subst, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]
Conditions = Callable[[Sequence[pat.Pattern]], list[pat.Pattern]]


def wrong_where(count: int, dtype: str, conditions: Conditions) -> Subst:
    """min(x0, x1, ...)  =>  min(..., x1, x0), and one more where conditions hold"""
    several = [pat.Wildcard(ndim=0, dtype=dtype) for _ in range(count)]
    backwards = reduce(op.Minimum, several[::-1])
    every = reduce(op.LogicalAnd, conditions(several))
    return Subst(reduce(op.Minimum, several), op.Where(every, backwards + 1, backwards))


def three_equations(x: Sequence[pat.Pattern]) -> list[pat.Pattern]:
    first, second = op.Equal(x[0] + 1, x[11]), op.Equal(x[3], x[7] + 2)
    return [first, second, op.Equal(x[1], x[2] - 5)]


def linear(x: Sequence[pat.Pattern]) -> list[pat.Pattern]:
    first, second = op.Equal(x[0] + 1, x[1]), op.Equal(x[2], x[3] + x[4])
    return [first, second, op.Less(x[5], x[0] - x[2]), op.Equal(x[6], x[7] * 3 + 5)]


def product(x: Sequence[pat.Pattern]) -> list[pat.Pattern]:
    first, second = op.Equal(x[0] + 1, x[1]), op.Equal(x[2], x[3] * x[4])
    return [first, second, op.Less(x[5], x[0] - x[2])]


WRONG: tuple[tuple[str, Write], ...] = (
    ("three equations", lambda: wrong_where(12, "int32", three_equations)),
    ("three equations of bytes", lambda: wrong_where(12, "int8", three_equations)),
    ("linear", lambda: wrong_where(8, "int32", linear)),
    ("product", lambda: wrong_where(6, "int32", product)),
)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "write"), WRONG, ids=[name for name, _ in WRONG])
def test_where_several_equations_hold_is_found(name: str, write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is OUTPUTS_DIFFER
