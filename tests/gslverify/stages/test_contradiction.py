"""The fewest conditions that clash are named, and no other ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.satisfiable import VACUOUS
from gslverify.stages.satisfiable import SATISFIABLE
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt


def relus(*conditions: Callable[[Any], Any], **options: Any) -> Callable[[], Subst]:
    def write() -> Subst:
        x = pat.Wildcard("x", **options)
        return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[one(x) for one in conditions])

    return write


def sums(*conditions: Callable[[Any, Any], Any]) -> Callable[[], Subst]:
    def write() -> Subst:
        x, y = pat.Wildcard("x"), pat.Wildcard("y")
        return Subst(x + y, y + x, where=[one(x, y) for one in conditions])

    return write


def products(*conditions: Callable[[Any, Any, Any], Any]) -> Callable[[], Subst]:
    def write() -> Subst:
        x, y = pat.Wildcard("x"), pat.Wildcard("y")
        product = op.Matmul(x, y, name="product")
        same = op.Matmul(x, y, **pat.same_attr(product))
        return Subst(
            op.Relu(op.Relu(product)),
            op.Relu(same),
            where=[one(x, y, product) for one in conditions],
        )

    return write


CORES: list[tuple[Callable[[], Subst], list[str]]] = [
    (relus(lambda x: x.ndim == 2, lambda x: x.dtype == "int8", lambda x: x.ndim > 3),
     ["x.ndim == 2", "x.ndim > 3"]),
    (relus(lambda x: x.ndim < 0, lambda x: x.dtype == "int8"), ["x.ndim < 0"]),
    (relus(lambda x: x.dtype == "int8", lambda x: x.ndim == 1, lambda x: x.dtype == "float16"),
     ["x.dtype == 'int8'", "x.dtype == 'float16'"]),
    (relus(lambda x: x.ndim == 1, lambda x: x.dtype == "bool"), ["x.dtype == 'bool'"]),
    (relus(lambda x: (x.ndim == 2) & (x.shape[0] > 4), lambda x: x.shape[1] > 4,
           lambda x: x.shape[0] < 3),
     ["x.shape[0] > 4", "x.shape[0] < 3"]),
    (relus(lambda x: x.ndim == 2, lambda x: x.shape[0] > x.shape[1],
           lambda x: x.shape[1] > x.shape[0] + 2),
     ["x.shape[0] > x.shape[1]", "x.shape[1] > (x.shape[0] + 2)"]),
    (relus(lambda x: x.shape[0] % 2 == 1, lambda x: x.shape[0] % 4 == 2, lambda x: x.ndim == 1),
     ["(x.shape[0] % 2) == 1", "(x.shape[0] % 4) == 2"]),
    (relus(lambda x: x.dtype == "int8", lambda x: x.ndim == 3, ndim=2), ["x.ndim == 3"]),
    (relus(lambda x: x.shape[0] == 3, shape=(2, None)), ["x.shape[0] == 3"]),
    (sums(lambda x, y: x.ndim == 1, lambda x, y: y.ndim == 1,
          lambda x, y: x.shape[0] == 2, lambda x, y: y.shape[0] == 3),
     ["x.ndim == 1", "y.ndim == 1", "x.shape[0] == 2", "y.shape[0] == 3"]),
    (sums(lambda x, y: x.dtype == "int8", lambda x, y: y.dtype == "float32",
          lambda x, y: x.ndim == y.ndim),
     ["x.dtype == 'int8'", "y.dtype == 'float32'"]),
    (products(lambda x, y, p: x.ndim == 2, lambda x, y, p: y.ndim == 2,
              lambda x, y, p: p.ndim == 3),
     ["x.ndim == 2", "y.ndim == 2", "product.ndim == 3"]),
    (products(lambda x, y, p: x.dtype == "float32",
              lambda x, y, p: attr.All(lambda i: x.shape[i] == 2, length=x.ndim),
              lambda x, y, p: x.ndim == 2, lambda x, y, p: x.shape[1] == 5),
     ["x.shape[k] == 2", "x.shape[1] == 5"]),
]  # fmt: skip


@pytest.mark.parametrize(("write", "core"), CORES)
def test_the_core_has_the_conditions_that_clash_and_no_other(
    write: Callable[[], Subst], core: list[str]
) -> None:
    finding = only(ask(SATISFIABLE, write))

    assert finding.code is VACUOUS
    named = [detail for detail in finding.details if "the condition `" in detail]
    assert len(named) == len(core)
    assert all(text in detail for text, detail in zip(core, named, strict=True))
    assert finding.cure is not None
    assert "graphs match" in finding.cure
    assert finding.span is not None


def test_ranks_above_the_bound_are_no_contradiction() -> None:
    high = relus(lambda x: x.ndim >= 7, lambda x: x.shape[0] > 3, lambda x: x.shape[0] < 2)
    named = only(ask(SATISFIABLE, high)).details
    assert [detail.partition("`")[2] for detail in named] == ["x.shape[0] > 3`", "x.shape[0] < 2`"]


@pytest.mark.parametrize("drop", [0, 1])
def test_a_rule_without_a_contradiction_is_not_vacuous(drop: int) -> None:
    conditions = [lambda x: x.ndim == 2, lambda x: x.ndim > 3]
    assert not ask(SATISFIABLE, relus(conditions[drop])).findings


def test_a_source_that_clashes_with_itself_names_what_it_asks_for() -> None:
    def write() -> Subst:
        x = pat.Wildcard()
        whole = op.Concatenate((x, x), axis=8)
        return Subst(op.Relu(whole), whole, where=[x.dtype == "int8"])

    finding = only(ask(SATISFIABLE, write))
    assert finding.code is VACUOUS
    assert not any("condition" in detail for detail in finding.details)
