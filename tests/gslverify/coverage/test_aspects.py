"""Aspects: which values a match has, on networks and on symbolic instances alike."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import Subst, op, pat
from gsl.attr.term import Symbol, Term
from gsl.expr import Call, Const, Expr, Var
from gsl.operators import lookup
from gsl.operators.domain import FLAG, Integer, Integers, Pieces, Real
from gsl.operators.domain_axes import Axes, Axis, Permutation
from gsl.text.naming import pattern_names
from gsl.types import TensorType
from gslverify.coverage.aspects import aspects_of, offered, values_of
from gslverify.structures.models.concrete import bindings_of
from gslverify.structures.variants import enumerate_variants

CUBE = (TensorType((2, 3, 4), "float32"),)


def held(domain: Any, value: Any) -> set[str]:
    """Return the classes of values that a value belongs to."""
    return {name for name, holds in values_of(domain, value, CUBE).items() if holds is True}


@pytest.mark.parametrize(
    ("domain", "value", "expected"),
    [
        (FLAG, True, {"True"}),
        (Integers(2, low=1), (1, 1), {"all 1"}),
        (Integers(2, low=1), (2, 3), {"2", "3 or more", "all different"}),
        (Integers(4, low=0), (0, 0, 0, 0), {"all 0"}),
        (Integers(4, low=0), (0, 1, 2, 3), {"1", "2 or more", "all different"}),
        (Integers(4, low=0), (1, 1, 0, 0), {"1"}),
        (Integer(low=1), 1, {"1"}),
        (Integer(low=1), 4, {"2 or more"}),
        (Integer(), -1, {"negative"}),
        (Real(), 0.0, {"0"}),
        (Pieces(), 3, {"sections"}),
        (Pieces(), (1, 2), {"positions"}),
        (Axis(), 0, {"counted from the front", "the first"}),
        (Axis(), -2, {"counted from the end", "an inner one"}),
        (Axis(extra=1), 3, {"counted from the front", "the last"}),
        (Axes(), (1,), {"one"}),
        (Axes(), (2, 0), {"some", "unsorted"}),
        (Axes(), (0, 1, -1), {"all", "counted from the end"}),
        (Permutation(), (0, 1, 2), {"identity"}),
        (Permutation(), (1, 0, 2), {"its own inverse", "moves the first axis"}),
        (Permutation(), (1, 2, 0), {"not its own inverse", "moves the first axis"}),
        (Permutation(), (0, 2, 1), {"its own inverse"}),
    ],
)
def test_classes_of_values(domain: Any, value: Any, expected: set[str]) -> None:
    assert held(domain, value) == expected


def test_unknown_values_become_conditions() -> None:
    strides = tuple(Symbol(f"s{n}", low=1) for n in range(2))
    classes = values_of(Integers(2, low=1), strides, CUBE)
    assert all(isinstance(holds, Term) for holds in classes.values())
    assert all(map(offered, classes.values()))
    assert values_of(Axis(), Symbol("a"), CUBE) == {}


def call(name: str, *operands: Expr, **attributes: Any) -> Expr:
    return Call(lookup(name), operands, attributes)


def product() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x * y, y * x)


def seen(subst: Subst, output: Expr) -> dict[str, set[str]]:
    """Return what a network has, by facet."""
    bindings = bindings_of(subst, (output,), (output,))
    assert bindings is not None
    found: dict[str, set[str]] = {}
    for facet, value, holds in aspects_of(bindings, pattern_names(subst)):
        if holds is True:
            found.setdefault(facet, set()).add(value)
    return found


BROADCASTS = [
    ((2, 3), (2, 3), {"none"}),
    ((1, 3), (2, 3), {"first is stretched"}),
    ((2, 3), (2, 1), {"second is stretched"}),
    ((1, 3), (2, 1), {"first is stretched", "second is stretched", "both are stretched"}),
    ((3,), (2, 3), {"first has fewer axes"}),
    ((2, 3), (), {"second has fewer axes"}),
    ((1, 1), (1, 1), {"none"}),
]


@pytest.mark.parametrize(("left", "right", "expected"), BROADCASTS)
def test_broadcasts(left: Any, right: Any, expected: set[str]) -> None:
    found = seen(product(), call("Multiply", Var("a", left), Var("b", right)))
    assert found["multiply.broadcast"] == expected


def test_inputs_of_a_network() -> None:
    computed = call("Abs", Var("a", (1, 3), "float16"))
    found = seen(product(), call("Multiply", computed, Const([[2.0] * 3] * 2, "float16")))
    assert found["x.filled"] == {"computed"}
    assert found["y.filled"] == {"a constant"}
    assert (found["x.rank"], found["x.dtype"], found["x.size"]) == ({"2"}, {"float16"}, {"1"})
    assert "y.size" not in found
    empty = seen(product(), call("Multiply", Var("a", (0,)), Var("b", (0,))))
    assert empty["x.size"] == {"0"}
    assert empty["x.filled"] == {"a variable"}


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [((2, 2), (2, 2), {"all equal"}), ((2, 3), (3,), {"different"} - {"different"})],
)
def test_sizes(left: Any, right: Any, expected: set[str]) -> None:
    found = seen(product(), call("Multiply", Var("a", left), Var("b", right)))
    assert found.get("sizes", set()) >= expected


def test_groups() -> None:
    def grouped() -> Subst:
        x, w = pat.Wildcard(), pat.Variable()
        conv = op.Conv2D(x, w)
        return Subst(op.Relu(conv), conv)

    for groups, expected in (
        (1, {"1"}),
        (2, {"2 or more", "fewer than channels"}),
        (4, {"2 or more", "as many as channels"}),
    ):
        data, weight = Var("x", (1, 4, 3, 3)), Var("w", (4, 4 // groups, 1, 1))
        found = seen(grouped(), call("Relu", call("Conv2D", data, weight, groups=groups)))
        assert found["conv.groups"] == expected


def test_groups_of_an_operator_of_one_layout() -> None:
    def grouped() -> Subst:
        conv = op.ConvInteger1D(*(pat.Wildcard() for _ in range(4)))
        return Subst(op.Abs(conv), conv)

    operands = [Var(name, sizes, "int8") for name, sizes in INTEGERS.items()]
    found = seen(grouped(), call("Abs", call("ConvInteger1D", *operands, groups=2)))
    assert found["conv.groups"] == {"2 or more", "as many as channels"}


INTEGERS: dict[str, tuple[int, ...]] = {"x": (1, 2, 3), "w": (2, 1, 2), "a": (), "b": ()}


def test_arms_and_lengths() -> None:
    def either() -> Subst:
        x = pat.Wildcard()
        inner = pat.Alt(op.Relu(x), op.Sigmoid(x))
        return Subst(op.Relu(inner), inner)

    found = seen(either(), call("Relu", call("Sigmoid", Var("x", (2,)))))
    assert found["inner.arm"] == {"1"}


def test_instances_offer_what_networks_can_have() -> None:
    subst = product()
    names = pattern_names(subst)
    offers: set[tuple[str, str]] = set()
    for variant in enumerate_variants(subst).variants:
        bindings = variant.instance(subst).bindings
        offers |= {(a.facet, a.value) for a in aspects_of(bindings, names) if offered(a.holds)}
    told = {("multiply.broadcast", value) for _, _, values in BROADCASTS for value in values}
    # Where nothing looks at ranks, fewer axes are further axes of size 1.
    covered = {offer for offer in told if offer[1].endswith("has fewer axes")}
    assert told - covered <= offers
    assert ("x.rank", "4") in offers
    assert ("x.rank", "5") not in offers
