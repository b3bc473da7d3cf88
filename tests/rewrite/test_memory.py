"""What is remembered while a target is built: per match, per field, or not at all."""

from __future__ import annotations

from gsl import attr, op, pat
from gsl.match.bindings import Frame
from gsl.rewrite.memory import MatchMemory

X, W = pat.Wildcard(), pat.Wildcard()
P, Q = attr.Symbol("i"), attr.Symbol("j")
FIELD = op.LeakyRelu(W)
MANY = pat.Variadic(FIELD, templates=[FIELD, W], index=P)
INNER = pat.Variadic(FIELD, index=Q)

FIXED = [
    X.ndim + 1,
    attr.Sum(lambda k: MANY(W, k).shape[0], length=MANY.length),
    MANY(W, 0).ndim + 1,
]
LOCAL = [P + 1, FIELD.alpha * 2, MANY(W, P).ndim + 1, attr.Tuple(X.ndim, P)]


def test_value_without_free_symbols_is_known_in_the_whole_match() -> None:
    for term in FIXED:
        memory = MatchMemory()
        memory.at(Frame(MANY, 0))[term] = 7

        assert term in memory.at(None)
        assert memory.at(Frame(MANY, 1))[term] == 7


def test_value_of_a_field_is_known_only_there() -> None:
    for term in LOCAL:
        memory = MatchMemory()
        memory.at(Frame(MANY, 0))[term] = 7

        assert memory.at(Frame(MANY, 0))[term] == 7
        assert term not in memory.at(Frame(MANY, 1))
        assert term not in memory.at(None)


def test_value_of_a_nested_field_is_known_only_there() -> None:
    memory = MatchMemory()
    term = P + Q
    outer = Frame(MANY, 1)

    memory.at(Frame(INNER, 2, outer))[term] = 3

    assert memory.at(Frame(INNER, 2, Frame(MANY, 1)))[term] == 3
    assert term not in memory.at(Frame(INNER, 2, Frame(MANY, 0)))
    assert term not in memory.at(outer)


def test_value_that_depends_on_a_bound_symbol_is_forgotten() -> None:
    memory = MatchMemory()

    memory.at(Frame(MANY, 0))[Q + 1] = 3
    memory.at(None)[P + 1] = 3

    assert Q + 1 not in memory.at(Frame(MANY, 0))
    assert memory.values == {}


def test_instance_of_a_nested_tuple_is_local_to_the_field_of_the_tuple() -> None:
    inner = pat.Variadic(op.Relu(X))
    outer = pat.Variadic(inner, templates=[inner])
    memory = MatchMemory()
    term = inner(inner.field, 0).ndim + 1

    memory.at(Frame(outer, 0))[term] = 1

    assert term not in memory.at(Frame(outer, 1))
