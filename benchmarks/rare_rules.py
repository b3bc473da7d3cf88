"""Rules that are wrong for few inputs among very many, in twelve kinds, with sound twins.

Every rule chooses between two results where a rare condition holds, and its wrong target forgets
one of them, or it leaves out a limit that few numbers reach. The twin says the same in other words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gsl import Subst, attr, op, pat

Write = Callable[[], Subst]
INTEGERS = ("int8", "uint8", "int32")


@dataclass(frozen=True)
class Case:
    """A wrong rule of a kind, and a sound one like it if there is one."""

    kind: str
    name: str
    wrong: Write
    sound: Write | None = None


def inputs(count: int) -> list[Any]:
    """Return input patterns; whatever they are, they broadcast to each other."""
    return [pat.Wildcard() for _ in range(count)]


def vectors(count: int) -> list[Any]:
    return [pat.Variable(shape=(None,)) for _ in range(count)]


def both(left: Any, right: Any) -> Any:
    return op.LogicalAnd(left, right)


Condition = Callable[..., Any]
"""Takes inputs to a condition on them."""


def unless(
    kind: str,
    name: str,
    rare: Condition,
    same: Condition | None = None,
    dtypes: tuple[str, ...] = ("float32", "float16", "float64"),
    count: int = 2,
    make: Callable[[int], list[Any]] = inputs,
) -> Case:
    """Return a rule that forgets a rare condition, and one that says the `same` instead."""

    def written(target: Condition | None) -> Subst:
        given = make(count)
        first, *others = given
        usual = -first if "uint8" not in dtypes else first + 1
        source = op.Where(rare(*given), first, usual)
        where = [attr.In(one.dtype, dtypes) for one in given]
        where += [one.dtype == first.dtype for one in others]
        if target is None:
            # What the condition alone uses has to stay, or the target would not use all inputs.
            return Subst(source, op.Where(never(*given), first, usual), where=where)
        return Subst(source, op.Where(target(*given), first, usual), where=where)

    def never(*given: Any) -> Any:
        return op.Less(given[-1], given[-1])

    twin = same or rare
    return Case(kind, name, lambda: written(None), lambda: written(twin))


def sums() -> Iterator[Case]:
    yield unless(
        "sums", "two", lambda x, y: op.Equal(x + y, 37.25), lambda x, y: op.Equal(y + x, 37.25)
    )
    yield unless("sums", "weighted", lambda x, y: op.Equal(x * 3.0 + y * 5.0, 1001.0))
    yield unless(
        "sums",
        "three",
        lambda x, y, z: op.Equal((x + y) + z, 211.0),
        lambda x, y, z: op.Equal(x + (y + z), 211.0),
        count=3,
    )
    yield unless(
        "sums",
        "of an axis",
        lambda x: op.Equal(op.Sum(x, axis=(0,), keepdims=True), 98.5),
        count=1,
        make=vectors,
    )
    yield unless(
        "sums",
        "mean",
        lambda x: op.Equal(op.Mean(x, axis=(0,), keepdims=True), 41.5),
        count=1,
        make=vectors,
    )
    yield unless("sums", "integers", lambda x, y: op.Equal(x + y, 93), dtypes=INTEGERS)


def products() -> Iterator[Case]:
    yield unless(
        "products",
        "two",
        lambda x, y: op.Equal(x * y, 1001.0),
        lambda x, y: op.Equal(y * x, 1001.0),
    )
    yield unless(
        "products", "with a sum", lambda x, y: both(op.Equal(x * y, 91.0), op.Equal(x + y, 20.0))
    )
    yield unless("products", "three", lambda x, y, z: op.Equal(x * y * z, 385.0), count=3)
    yield unless("products", "bytes", lambda x, y: op.Equal(x * y, 77), dtypes=("int8", "uint8"))
    yield unless(
        "products", "and one factor", lambda x, y: both(op.Equal(x * y, 57.0), op.Equal(x, 19.0))
    )


def differences() -> Iterator[Case]:
    yield unless(
        "differences",
        "two",
        lambda x, y: op.Equal(x - y, 73.5),
        lambda x, y: op.Equal(y - x, -73.5),
    )
    yield unless("differences", "distance", lambda x, y: op.Equal(op.Abs(x - y), 613.0))
    yield unless(
        "differences", "integers", lambda x, y: op.Equal(x - y, 91), dtypes=("int8", "int32")
    )
    yield unless("differences", "half", lambda x, y: op.Equal(x - y * 0.5, 55.25))
    yield unless(
        "differences",
        "of differences",
        lambda x, y, z: op.Equal((x - y) - z, 300.0),
        lambda x, y, z: op.Equal(x - (y + z), 300.0),
        count=3,
    )


def squares() -> Iterator[Case]:
    yield unless(
        "squares",
        "one",
        lambda x: op.Equal(x * x, 1369.0),
        lambda x: op.Equal(op.Square(x), 1369.0),
        count=1,
    )
    yield unless("squares", "two", lambda x, y: both(op.Equal(x * x + y * y, 98.0), op.Equal(x, y)))
    yield unless("squares", "cube", lambda x: op.Equal(x * x * x, 343.0), count=1)
    yield unless(
        "squares",
        "difference",
        lambda x, y: both(op.Equal(x * x - y * y, 45.0), op.Equal(x - y, 3.0)),
    )
    yield unless("squares", "root", lambda x: op.Equal(op.Sqrt(op.Abs(x)), 23.0), count=1)
    yield unless(
        "squares", "integers", lambda x: op.Equal(x * x, 121), dtypes=("int8", "int32"), count=1
    )


def remainders() -> Iterator[Case]:
    yield unless(
        "remainders",
        "large divisor",
        lambda x: op.Equal(op.Mod(x, 97), 71),
        dtypes=("int8", "int32"),
        count=1,
    )
    yield unless(
        "remainders",
        "two at once",
        lambda x: both(op.Equal(op.Mod(x, 11), 7), op.Equal(op.Mod(x, 9), 4)),
        dtypes=("int8", "int32"),
        count=1,
    )
    yield unless("remainders", "floats", lambda x: op.Equal(op.Mod(x, 128.0), 37.5), count=1)
    yield unless(
        "remainders",
        "quotient",
        lambda x: op.Equal(op.FloorDivide(x, 16), 5),
        dtypes=("int8", "int32"),
        count=1,
    )
    yield unless(
        "remainders",
        "of a sum",
        lambda x, y: op.Equal(op.Mod(x + y, 101), 93),
        dtypes=("int8", "int32"),
    )


def hashes() -> Iterator[Case]:
    byte = ("uint8",)
    yield unless(
        "hashes", "multiply and add", lambda x: op.Equal(x * 37 + 11, 203), dtypes=byte, count=1
    )
    yield unless("hashes", "two bytes", lambda x, y: op.Equal(x * 31 + y * 17, 99), dtypes=byte)
    yield unless(
        "hashes",
        "two rounds",
        lambda x: op.Equal((x * 73 + 19) * 29 + 101, 7),
        dtypes=byte,
        count=1,
    )
    yield unless("hashes", "square", lambda x: op.Equal(x * x + 13, 94), dtypes=byte, count=1)
    yield unless(
        "hashes",
        "words",
        lambda x: op.Equal(x * 12289 + 777, 123456789),
        dtypes=("int32",),
        count=1,
    )


def intervals() -> Iterator[Case]:
    def between(low: float, high: float) -> Condition:
        return lambda x: both(op.Less(low, x), op.Less(x, high))

    def inside(low: float, high: float) -> Condition:
        return lambda x: both(op.Greater(x, low), op.Greater(high, x))

    for low, high in ((1000.0, 1000.5), (-77.25, -77.0), (0.0078125, 0.01), (40000.0, 40040.0)):
        name = f"from {low:g} to {high:g}"
        yield unless("intervals", name, between(low, high), inside(low, high), count=1)
    yield unless(
        "intervals",
        "of a sum",
        lambda x, y: both(op.Less(500.0, x + y), op.Less(x + y, 501.0)),
    )
    yield unless(
        "intervals",
        "integers",
        lambda x: both(op.Less(82, x), op.Less(x, 84)),
        dtypes=INTEGERS,
        count=1,
    )


def ties() -> Iterator[Case]:
    def halves(number: float) -> Condition:
        return lambda x: op.Equal(x, number)

    for number in (37.5, -112.25, 1021.0):
        yield unless("ties", f"at {number:g}", halves(number), count=1)
    yield unless(
        "ties", "rounded", lambda x: both(op.Equal(op.Round(x), 44.0), op.Equal(x, 44.5)), count=1
    )
    yield unless(
        "ties",
        "floored",
        lambda x: both(op.Equal(op.Floor(x), 89.0), op.Equal(x - op.Floor(x), 0.5)),
        count=1,
    )
    yield unless("ties", "equal and large", lambda x, y: both(op.Equal(x, y), op.Equal(x, 59.0)))


def narrowed(wide: str, narrow: str, combine: Callable[[Any, Any], Any], sound: bool) -> Write:
    """Return a rule that computes in few bits what the source computes in many."""

    def write() -> Subst:
        x, y = inputs(2)
        source = combine(op.Cast(x, dtype=wide), op.Cast(y, dtype=wide))
        target = op.Cast(combine(x, y), dtype=wide)
        again = combine(op.Cast(y, dtype=wide), op.Cast(x, dtype=wide))
        where = [x.dtype == narrow, y.dtype == narrow]
        return Subst(source, again if sound else target, where=where)

    return write


def wraps() -> Iterator[Case]:
    def add(a: Any, b: Any) -> Any:
        return a + b

    def multiply(a: Any, b: Any) -> Any:
        return a * b

    for wide, narrow in (("int32", "int8"), ("int32", "uint8"), ("int64", "int32")):
        for name, combine in (("sum", add), ("product", multiply)):
            wrong, sound = (narrowed(wide, narrow, combine, is_sound) for is_sound in (False, True))
            yield Case("wraps", f"{name} of {narrow}", wrong, sound)
    yield unless("wraps", "next is less", lambda x: op.Less(x + 1, x), dtypes=("int32",), count=1)


def clipped(low: float, high: float, *dtypes: str) -> Write:
    def write() -> Subst:
        (x,) = inputs(1)
        where = [attr.In(x.dtype, dtypes)] if dtypes else []
        return Subst(op.Clip(x, min=low, max=high), op.Maximum(x, low), where=where)

    return write


def clipped_twice(low: float, high: float, *dtypes: str) -> Write:
    def write() -> Subst:
        (x,) = inputs(1)
        where = [attr.In(x.dtype, dtypes)] if dtypes else []
        source = op.Clip(x, min=low, max=high)
        return Subst(op.Clip(source, min=low, max=high), source, where=where)

    return write


def extremes() -> Iterator[Case]:
    limits: tuple[tuple[float, tuple[str, ...]], ...] = (
        (30000.0, ("float16",)),
        (60000.0, ("float16",)),
        (1e8, ("float32",)),
        (1e30, ("float32",)),
        (1e30, ("float64",)),
        (1e200, ("float64",)),
    )
    for most, dtypes in limits:
        name = f"above {most:g} in {dtypes[0]}"
        yield Case("extremes", name, clipped(0.0, most, *dtypes), clipped_twice(0.0, most, *dtypes))


def look_ups() -> Iterator[Case]:
    def table(length: int, place: int, dtype: str) -> Iterator[Write]:
        """Yield rules about a place of a long table that is left out, and in its place."""
        for sound in (False, True):
            yield _looked_up(length, place, dtype, sound)

    for length, place in ((40, 37), (100, 71), (17, 16)):
        wrong, sound = table(length, place, "int32")
        yield Case("table look-ups", f"place {place} of {length}", wrong, sound)
    for number in (23, 77):
        yield unless(
            "table look-ups",
            f"index {number}",
            lambda i, number=number: op.Equal(i, number),
            dtypes=("int32",),
            count=1,
        )


def _looked_up(length: int, place: int, dtype: str, sound: bool) -> Write:
    """An index is compared with all places of a table: where it is `place`, 1 is added."""

    def write() -> Subst:
        i = pat.Variable(shape=(None,), dtype=dtype)
        hot = op.OneHot(i, depth=length, axis=-1, on_value=1.0, off_value=0.0, dtype="float32")
        weights = op.Cast(
            op.Equal(op.Arange(start=0, end=length, step=1, dtype=dtype), place), dtype="float32"
        )
        source = op.Sum(hot * weights, axis=(1,), keepdims=False)
        same = op.Cast(op.Equal(i, place), dtype="float32")
        other = op.Cast(op.Equal(i, length), dtype="float32")
        return Subst(source, same if sound else other)

    return write


def two_tensors() -> Iterator[Case]:
    yield unless(
        "two tensors", "both numbers", lambda x, y: both(op.Equal(x, 17.0), op.Equal(y, 23.0))
    )
    yield unless(
        "two tensors",
        "one twice the other",
        lambda x, y: both(op.Equal(x, y * 2.0), op.Greater(x, 300.0)),
    )
    yield unless("two tensors", "apart", lambda x, y: both(op.Less(x, -90.0), op.Greater(y, 900.0)))
    yield unless(
        "two tensors",
        "integers",
        lambda x, y: both(op.Equal(x, 100), op.Equal(y, 99)),
        dtypes=INTEGERS,
    )
    yield unless(
        "two tensors",
        "largest and smallest",
        lambda x, y: both(
            op.Equal(op.Max(x, axis=(0,), keepdims=True), 47.0),
            op.Equal(op.Min(y, axis=(0,), keepdims=True), 31.0),
        ),
        make=vectors,
    )


KINDS: tuple[Callable[[], Iterator[Case]], ...] = (
    sums,
    products,
    differences,
    squares,
    remainders,
    hashes,
    intervals,
    ties,
    wraps,
    extremes,
    look_ups,
    two_tensors,
)


def cases() -> list[Case]:
    """Return all rules, kind by kind."""
    return [case for kind in KINDS for case in kind()]
