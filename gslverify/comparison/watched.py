"""Arrays of NumPy that note what is compared while the reference of an operator runs.

A kernel says where a function turns. The reference of a user's operator is any code, which only
shows it by what it compares: sums of elements, products, distances, or whatever else it has
computed. Nor can the solver say where a comparison turns of what functions like `exp` have made.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from gsl.evaluate import value_of
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import kind_of
from gslverify.semantics.laws import OPEN
from gslverify.structures.kernels import compares, functions_of

Place = tuple[Any, ...]
"""Where in its code a reference compares, and how often it has before."""

Distances = dict[Place, Any]
"""How far left sides are above right sides, element by element, for every comparison."""

WIDEST = np.longdouble
COMPARED = frozenset(
    (
        np.equal,
        np.not_equal,
        np.less,
        np.less_equal,
        np.greater,
        np.greater_equal,
        np.maximum,
        np.minimum,
        np.fmax,
        np.fmin,
    )
)
TURNING_AT_ZERO = frozenset((np.absolute, np.sign))
CLIP = np.clip

_NOTED: ContextVar[Distances] = ContextVar("_NOTED")


class Watched(np.ndarray[Any, Any]):
    """An array whose comparisons are noted, as are those of all that is computed from it."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute what NumPy does, and note comparisons."""
        plain = [_plain(one) for one in inputs]
        if method == "__call__":
            _note_operands(ufunc, plain)
        if "out" in options:
            options["out"] = tuple(map(_plain, options["out"]))
        return _watched(getattr(ufunc, method)(*plain, **options))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Compute what NumPy does; its functions in C return arrays that are not watched."""
        if func is CLIP and len(args) == 3:
            for limit in args[1:]:
                _note(_plain(args[0]), _plain(limit))
        return _watched(super().__array_function__(func, types, args, kwargs))

    def __getitem__(self, index: Any) -> Any:
        """A single element is watched, too."""
        return _watched(_plain(self)[_plain(index)])

    def __iter__(self) -> Iterator[Any]:
        """Elements and rows are."""
        return (self[place] for place in range(len(self)))

    def __bool__(self) -> bool:
        """A number that decides is compared with 0."""
        if kind_of(self.dtype) != "b":
            _note(_plain(self), 0)
        return bool(_plain(self))


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Watched) else value


def _watched(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)([_watched(one) for one in value])
    is_array = isinstance(value, np.ndarray | np.generic)
    return np.asarray(value).view(Watched) if is_array else value


def _note_operands(ufunc: Any, operands: Sequence[Any]) -> None:
    if ufunc in COMPARED:
        _note(*operands)
    elif ufunc in TURNING_AT_ZERO:
        _note(operands[0], 0)


def _note(left: Any, right: Any) -> None:
    noted = _NOTED.get(None)
    if noted is None:
        return
    sides = np.asarray(left).astype(WIDEST), np.asarray(right).astype(WIDEST)
    place, before = _place(), 0
    while (place, before) in noted:
        before += 1
    noted[place, before] = np.atleast_1d(sides[0] - sides[1]).ravel()


def _place() -> Place:
    """Return where in the code of a user something is called, of this package or of NumPy."""
    frame: Any = sys._getframe(2)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in (
        "numpy",
        "gslverify",
    ):
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


@contextmanager
def _noting() -> Iterator[Distances]:
    noted: Distances = {}
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


def foreign_calls(outputs: Sequence[Expr]) -> list[Call]:
    """Return the calls of operators of others that have a reference."""
    calls = [one for one in reverse_post_order(outputs) if isinstance(one, Call)]
    return [one for one in calls if one.operator.reference and not one.operator.is_built_in]


def comparisons_beside_functions(outputs: Sequence[Expr]) -> list[Call]:
    """Return all comparisons if some are of floats that the solver cannot say, else none.

    It knows few laws of the functions that made these. Conditions on others have to hold as well.
    """
    made: set[Expr] = set()
    found: list[Call] = []
    of_functions = False
    for expr in reverse_post_order(outputs):
        if not isinstance(expr, Call):
            continue
        is_made = not made.isdisjoint(expr.operands)
        if compares(expr):
            found.append(expr)
            of_functions |= is_made
        elif is_made or not functions_of(expr).isdisjoint(OPEN):
            made.add(expr)
    return found if of_functions else []


def distances(
    outputs: Sequence[Expr], inputs: Mapping[str, Any], calls: Iterable[Call]
) -> Distances:
    """Return what references of some calls compare when a graph is run; {} where one fails."""
    watched, values = set(calls), dict[Expr, Any]()
    with np.errstate(all="ignore"), _noting() as noted:
        try:
            for expr in reverse_post_order(outputs):
                operands = [values[operand] for operand in expr.operands]
                if expr in watched:
                    operands = [_watched(one) for one in operands]
                values[expr] = _unwatched(value_of(expr, operands, inputs))
        except Exception:  # whatever a user's code raises is told by the run itself
            return {}
    return noted


def _unwatched(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)([_unwatched(one) for one in value])
    return _plain(value)
