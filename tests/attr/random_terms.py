"""Random attribute expressions over a few attributes whose kinds are known, and values for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gsl import attr, pat
from gsl.attr.evaluate import PYTHON
from gsl.attr.term import (
    Access,
    Constant,
    Operation,
    Reduce,
    Slice,
    Symbol,
    Term,
    VariadicTuple,
    as_term,
)
from gsl.attr.writer import Kind

PATTERN = pat.Wildcard()
KINDS = {
    "whole": Kind.INTEGER,
    "other": Kind.INTEGER,
    "sizes": Kind.INTEGERS,
    "real": Kind.REAL,
    "flag": Kind.FLAG,
    "text": Kind.TEXT,
    "any": Kind.ANY,
}
SMALL = st.integers(-3, 3)
REALS = st.sampled_from([0.0, -1.5, 2.0, float("inf"), float("nan")])
TEXTS = st.sampled_from(["", "NCHW", "it's", '"""', "\\", "\n", "{x}", "é"])
SIZES = st.lists(SMALL, max_size=3).map(tuple)
ANYTHING_KNOWN = st.one_of(SMALL, REALS, st.booleans(), TEXTS, SIZES, st.just(((1, "a"), True)))
VALUES = st.fixed_dictionaries(
    {
        "whole": SMALL,
        "other": SMALL,
        "sizes": SIZES,
        "real": REALS,
        "flag": st.booleans(),
        "text": TEXTS,
        "any": ANYTHING_KNOWN,
    }
)
"""A value for every attribute, of its kind."""

UNARY = ("neg", "abs", "floor", "ceil", "sqrt", "not", "length", "inverse")
BINARY = sorted(set(PYTHON) - {*UNARY, "cond"})


def accesses(names: dict[str, Kind]) -> st.SearchStrategy[Term]:
    """Return a strategy for attributes; the same term again and again, as rules have it."""
    return st.sampled_from([Access(PATTERN, name) for name in names])


def _slice(draw: Any, below: st.SearchStrategy[Term]) -> Term:
    bounds = st.one_of(SMALL.map(Constant), st.just(attr.ANYTHING), below)
    return Slice(draw(below), draw(bounds), draw(bounds), draw(bounds))


@st.composite
def _compound(draw: Any, below: st.SearchStrategy[Term]) -> Term:
    kind = draw(st.integers(0, 8))
    if kind < 3:
        return Operation(draw(st.sampled_from(BINARY)), (draw(below), draw(below)))
    if kind == 3:
        return Operation(draw(st.sampled_from(UNARY)), (draw(below),))
    if kind == 4:
        return Operation("cond", (draw(below), draw(below), draw(below)))
    if kind == 5:
        return as_term((draw(below), draw(below)))
    if kind == 6:
        return draw(st.sampled_from([_slice(draw, below), draw(below)[draw(below)]]))
    return _repeated(draw, below)


def _repeated(draw: Any, below: st.SearchStrategy[Term]) -> Term:
    symbol = Symbol()
    length = draw(st.one_of(st.integers(0, 3).map(Constant), below))
    body = draw(st.one_of(below, below.map(lambda term: term + symbol), st.just(symbol)))
    if draw(st.booleans()):
        return VariadicTuple(body, symbol, length)
    head = draw(st.sampled_from(["+", "*", "and", "or", "min", "max"]))
    return Reduce(head, body, symbol, length)


LEAVES = st.one_of(accesses(KINDS), accesses(KINDS), ANYTHING_KNOWN.map(Constant))
TERMS = st.recursive(LEAVES, _compound, max_leaves=12)


def _whole(below: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(lambda h, a, b: Operation(h, (a, b)), st.sampled_from(["+", "-", "*", "//", "%"]),
                  below, below),
        st.builds(lambda a, b, c, d: attr.Cond(a < b, c, d), below, below, below, below),
        st.builds(lambda a, i: Access(PATTERN, "sizes")[a % (i * i + 1)], below, below),
        st.builds(lambda a: -a, below),
        st.builds(lambda a: attr.Sum(lambda i: i * a, length=3), below),
    )  # fmt: skip


WHOLE = st.recursive(
    st.one_of(accesses({"whole": Kind.INTEGER, "other": Kind.INTEGER}), SMALL.map(Constant)),
    _whole,
    max_leaves=12,
)
"""Terms that mostly have an integer value, since others soon have none."""

CONDITIONS = st.recursive(
    st.builds(
        lambda h, a, b: Operation(h, (a, b)),
        st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
        WHOLE,
        WHOLE,
    ),
    lambda below: st.one_of(
        st.builds(lambda a, b: a & b, below, below),
        st.builds(lambda a, b: a | b, below, below),
        st.builds(lambda a: ~a, below),
        st.builds(lambda a: attr.All(lambda i: a | (i == 1), length=2), below),
    ),
    max_leaves=6,
)
