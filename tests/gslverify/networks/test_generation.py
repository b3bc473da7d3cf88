"""Generated networks match, contexts are what they say, values lie where operators are defined."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsl import Const, Proj, Subst, Tuple, Var, op, pat
from gsl.expr import Call
from gsl.graph import reverse_post_order
from gsl.operators import lookup
from gsl.operators.defined import Values
from gsl.types import UNSIGNED
from gslverify.comparison.compare import evaluate_bounded
from gslverify.networks.arrays import (
    ALL_TRUE,
    ANYWHERE,
    DISTRIBUTIONS_IN_CORNERS,
    MIXTURES,
    STYLES,
    filled_inputs,
    inputs_of_a_mixture,
    random_array,
)
from gslverify.networks.choices import Drawn, NothingDrawnError, Tape
from gslverify.networks.contexts import CONTEXTS
from gslverify.networks.generation import network_from
from gslverify.networks.matching import (
    HardToDrawError,
    Structures,
    arrays,
    matching_networks,
    networks,
)
from gslverify.networks.network import NOT_APPLICABLE, Network
from gslverify.networks.preferences import DTYPES, LENGTHS, LONG
from gslverify.networks.values import restricted, value_ranges
from gslverify.structures.models.concrete import rewrite_once
from tests.gslverify.rules import SOUND, draws, samplers_of

pytestmark = pytest.mark.smt


def explore(subst: Subst, visit: Any, count: int = 25, **options: Any) -> None:
    """Call `visit` with a draw and with networks that were drawn for a rule."""
    samplers = samplers_of(subst)

    @draws(count)
    @given(st.data())
    def every(data: st.DataObject) -> None:
        visit(data, data.draw(networks(Structures(samplers), **options)))

    every()


@pytest.mark.parametrize("name", SOUND)
def test_every_network_is_matched_unless_a_value_escapes(name: str) -> None:
    subst = SOUND[name]()

    def visit(data: st.DataObject, network: Network) -> None:
        found = rewrite_once(subst, network.outputs, network.matched)
        assert (found.mismatch is None) is not network.escaping, found.mismatch
        assert found.refusal is None

    declining = ("one tensor for two",)
    explore(subst, visit, contexts=[c for c in CONTEXTS if c not in declining])


@pytest.mark.parametrize("name", SOUND)
def test_inputs_lie_where_operators_are_defined(name: str) -> None:
    def visit(data: st.DataObject, network: Network) -> None:
        inputs = data.draw(arrays(network))
        outputs, _ = evaluate_bounded(network.outputs, inputs)
        assert len(outputs) == len(network.outputs)
        for variable in network.variables:
            array = inputs[variable.name]
            assert (array.shape, array.dtype) == (variable.shape, variable.dtype)

    explore(SOUND[name](), visit, 15)


def test_the_context_asked_for_is_drawn() -> None:
    def visit(data: st.DataObject, network: Network) -> None:
        assert network.context in ("twice", "names clash")

    explore(SOUND["common_factor"](), visit, 10, contexts=["twice", "names clash"])


def test_a_context_without_a_place_is_refused_with_its_name() -> None:
    samplers = samplers_of(SOUND["common_factor"]())
    with pytest.raises(NothingDrawnError, match=f"{NOT_APPLICABLE} `one root on another`"):
        network_from(Tape(), samplers, ["one root on another"])


def test_the_operator_is_named_that_is_not_defined_on_a_constant() -> None:
    x = pat.Variable(shape=(4, 3), dtype="float32")
    row = op.Take(x, pat.Const(9, dtype="int32"), axis=0)
    samplers = samplers_of(Subst(op.Relu(row), op.Relu(row)))
    with pytest.raises(NothingDrawnError, match=r"outside the domain of Take$"):
        network_from(Tape(), samplers, ["alone"])


def test_conditions_that_hardly_any_draw_meets_are_named() -> None:
    x = pat.Wildcard()
    where = [x.ndim == 2, x.shape[0] * x.shape[1] == 10007 * 2]
    subst = Subst(op.Relu(x), op.Relu(x), where=where)

    @draws(200)
    @given(matching_networks(subst))
    def matched(network: Network) -> None:
        pass

    with pytest.raises(HardToDrawError, match=r"draws refused: .*x\.shape\[0\]"):
        matched()


def test_only_inputs_that_may_be_anything_are_computed() -> None:
    def visit(data: st.DataObject, network: Network) -> None:
        weight = network.matched[0].operands[1]
        assert isinstance(weight, Var)
        assert isinstance(network.matched[0].operands[0], Call)

    x, w = pat.Wildcard(), pat.Variable()
    dense = op.Dense(x, w)
    explore(Subst(dense, dense), visit, 10, contexts=["inputs computed"])


def test_an_input_that_is_a_tuple_is_computed_field_by_field() -> None:
    whole = op.Concatenate(pat.Wildcard(), axis=0)

    def visit(data: st.DataObject, network: Network) -> None:
        fields = network.matched[0].operands[0].operands
        assert all(isinstance(field, Call) and field.operator.name == "Maximum" for field in fields)

    explore(Subst(whole, whole), visit, 10, contexts=["inputs computed"], dtypes=["int8"])


def test_preferred_dtypes_are_taken_where_the_rule_leaves_a_choice() -> None:
    seen: set[str] = set()
    x = pat.Wildcard()
    root = op.Sqrt(x)
    explore(
        Subst(root, root),
        lambda data, network: seen.add(network.variables[0].dtype),
        20,
        dtypes=["float16", "int8"],
        contexts=["alone"],
    )
    assert seen == {"float16"}


def test_all_dtypes_and_several_ranks_and_sizes_are_drawn() -> None:
    seen: set[tuple[str, int]] = set()
    sizes: set[int] = set()

    def visit(data: st.DataObject, network: Network) -> None:
        (x,) = network.variables
        seen.add((x.dtype, x.tensor_type.ndim))
        sizes.update(x.shape)

    x = pat.Wildcard()
    explore(Subst(op.Flatten(x), op.Flatten(x)), visit, 400, contexts=["alone"])
    assert {dtype for dtype, _ in seen} == set(DTYPES)
    assert {rank for _, rank in seen} == {0, 1, 2, 3, 4}
    assert {1, 2, 3, 4, 5} <= sizes


def test_networks_are_the_same_every_time() -> None:
    def drawn() -> list[str]:
        seen: list[str] = []
        explore(
            SOUND["common_factor"](), lambda data, n: seen.append(repr(sorted(n.model.items())))
        )
        return seen

    assert drawn() == drawn()


def test_matching_networks_is_a_strategy_of_its_own() -> None:
    subst = SOUND["twice_transposed"]()

    @draws(5)
    @given(matching_networks(subst))
    def matched(network: Network) -> None:
        found = rewrite_once(subst, network.outputs, network.matched)
        assert (found.mismatch is None) is not network.escaping

    matched()


def leaves(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


# Values.


def call(name: str, *operands: Any, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


def ranges_of(variable: Var, *outputs: Any) -> list[Values]:
    return value_ranges(outputs).get(variable, [])


def test_ranges_come_from_all_users() -> None:
    x = Var("x", (2,))
    assert ranges_of(x, call("Relu", x)) == []
    assert ranges_of(x, call("Sqrt", x)) == [Values(low=0.0)]
    assert ranges_of(x, call("Sqrt", x), call("Divide", x, x)) == [
        Values(nonzero=True),
        Values(low=0.0),
    ]


def test_ranges_pass_through_what_only_moves_values() -> None:
    x, y = Var("x", (2, 2)), Var("y", (2, 2))
    roots = call("Sqrt", call("Transpose", call("Concatenate", Tuple([x, y]))))
    assert ranges_of(x, roots) == ranges_of(y, roots) == [Values(low=0.0)]
    pieces = call("Split", x, indices_or_sections=2)
    assert ranges_of(x, call("Sqrt", Proj(pieces, 1))) == [Values(low=0.0)]
    assert ranges_of(x, call("Sqrt", call("Negative", x))) == []


def test_ranges_may_depend_on_types_and_attributes() -> None:
    x, i = Var("x", (3, 5)), Var("i", (2,), "int64")
    assert ranges_of(i, call("Take", x, i, axis=1)) == [Values(low=0, high=4)]
    assert ranges_of(x, call("Take", x, i, axis=1)) == []


RANGES = {
    "low": [Values(low=0.5)],
    "high": [Values(high=2.0)],
    "indices": [Values(low=0, high=3)],
    "one index": [Values(low=0, high=0)],
    "shifted": [Values(low=-7, high=-5)],
    "nonzero": [Values(nonzero=True)],
    "nonzero above": [Values(low=2.0, nonzero=True)],
    "nonzero below": [Values(high=-1.0, nonzero=True)],
    "both": [Values(low=0.0), Values(nonzero=True)],
    "two": [Values(low=0, high=9), Values(low=0, high=4)],
}


KEEPING = [style for style in STYLES if style not in ANYWHERE]
BELOW_ZERO = {"shifted", "nonzero below"}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in RANGES
        for dtype in DTYPES
        if dtype != "bool" and not (dtype in UNSIGNED and name in BELOW_ZERO)
    ],
)
@pytest.mark.parametrize("style", KEEPING)
def test_arrays_lie_in_their_ranges(name: str, style: str, dtype: str) -> None:
    ranges = RANGES[name]
    array = random_array(Var("x", (40,), dtype), style, ranges, np.random.default_rng(0))
    assert array.dtype == dtype
    for values in ranges:
        assert values.low is None or np.all(array >= values.low)
        assert values.high is None or np.all(array <= values.high)
        assert not values.nonzero or np.all(array != 0)
    np.testing.assert_array_equal(restricted(array, ranges, array.dtype), array)


def test_indices_are_spread_over_their_range() -> None:
    x = Var("x", (200,), "int64")
    for style in set(STYLES) - {"alike"}:
        array = random_array(x, style, [Values(low=0, high=3)], np.random.default_rng(0))
        assert set(array.tolist()) == {0, 1, 2, 3} - ({0} if style == "nonzero integers" else set())


def test_styles() -> None:
    generator = np.random.default_rng(0)
    arrays = {s: random_array(Var("x", (300,)), s, None, generator) for s in STYLES}
    assert set(arrays["small integers"]) == set(range(-3, 4))
    assert len(set(arrays["distinct integers"])) == 300
    assert set(arrays["halves"]) == {value / 2 for value in range(-3, 4)}
    assert np.max(np.abs(arrays["wide"])) > 16 > np.max(np.abs(arrays["reals"]))
    assert np.min(arrays["magnitudes"]) > 0 > np.min(arrays["signed magnitudes"])
    assert len(set(arrays["alike"])) == 1
    for style in STYLES:
        bytes_ = random_array(Var("x", (300,), "uint8"), style, None, generator)
        assert bytes_.dtype == np.uint8
        truths = random_array(Var("x", (300,), "bool"), style, None, generator)
        assert set(truths.tolist()) == ({True} if style in ALL_TRUE else {False, True})
        assert random_array(Var("x", ()), style, None, generator).shape == ()
        assert random_array(Var("x", (2, 0)), style, None, generator).shape == (2, 0)


@pytest.mark.parametrize("style", ["magnitudes", "signed magnitudes"])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_magnitudes_differ_from_draw_to_draw_and_leave_ranges(style: str, dtype: str) -> None:
    x, generator = Var("x", (50,), dtype), np.random.default_rng(0)
    draws = [random_array(x, style, [Values(0.5, 2.0)], generator) for _ in range(40)]
    largest = [np.max(np.abs(array)) for array in draws]
    assert min(largest) < 0.5 < 2.0 < max(largest) < np.inf
    assert all(np.all(array != 0) for array in draws)


def test_one_size_is_long_where_that_is_asked_for() -> None:
    lengths: list[int] = []

    def visit(data: st.DataObject, network: Network) -> None:
        lengths.append(max((size for v in network.variables for size in v.shape), default=0))

    x = pat.Wildcard()
    explore(Subst(op.Relu(x), x, where=[x.ndim == 2]), visit, 40, sizes=LONG)
    assert {length for length in lengths if length > 8} == set(LENGTHS)


def test_each_axis_is_as_long_as_each_length_in_turn() -> None:
    x = pat.Variable(shape=(None, None))
    samplers = samplers_of(Subst(op.Relu(x), x))
    drawn = [network_from(Tape(), samplers, ["alone"], sizes=LONG, turn=turn) for turn in range(6)]
    shapes = [network.variables[0].shape for network in drawn]
    assert [max(shape) for shape in shapes] == [*LENGTHS, *LENGTHS]
    assert [shape.index(max(shape)) for shape in shapes] == [0, 0, 0, 1, 1, 1]


def test_truth_values_differ_from_style_to_style() -> None:
    x = Var("x", (60,), "bool")
    inputs = inputs_of_a_mixture(Tape(), Network((x,), (x,), "alone"))
    assert len({one["x"].tobytes() for one in inputs}) >= len(inputs) - 2


def test_constants_reach_the_edges_of_their_dtypes_and_lie_between_integers() -> None:
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=(None,))
    seen: set[float] = set()

    def visit(data: st.DataObject, network: Network) -> None:
        constants = [e for e in reverse_post_order(network.outputs) if isinstance(e, Const)]
        seen.update(np.float64(v) for constant in constants for v in constant.value.flat)

    explore(Subst(op.Add(op.Add(x, c), d), x), visit, 150, contexts=["alone"])
    assert min(seen) < -128
    assert max(seen) > 255
    assert any(value % 1 for value in seen)


def test_what_could_not_be_drawn_is_counted() -> None:
    x = pat.Variable(shape=(None, None))
    subst = Subst(op.Relu(x), x, where=[x.shape[0] * x.shape[1] >= 30_000, x.shape[0] <= 200])
    structures = Structures(samplers_of(subst))

    @draws(5)
    @given(networks(structures))
    def large(network: Network) -> None:
        assert network.variables[0].type.size >= 30_000

    large()
    assert structures.drawn >= 5
    assert set(structures.refused) <= {"a tensor has more than 2,000,000 elements"}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float16"])
def test_places_of_extrema_are_as_far_apart_as_can_be(dtype: str) -> None:
    for style, first, last in (("rising", np.argmin, np.argmax), ("falling", np.argmax, np.argmin)):
        array = random_array(Var("x", (40, 9), dtype), style, None, np.random.default_rng(0))
        assert (first(array), last(array)) == (0, array.size - 1)


def test_all_inputs_are_alike_at_once() -> None:
    both = Call(lookup("Subtract"), [Var("x", (4,)), Var("y", (3, 4))])
    network = Network((both,), (both,), "alone")
    drawn = [filled_inputs(network, ("alike", True), seed) for seed in range(9)]
    assert all(len({*one["x"].flat, *one["y"].flat}) == 1 for one in drawn)
    assert len({one["x"][0] for one in drawn}) > 3


def test_mixtures_have_all_styles() -> None:
    drawn = [*DISTRIBUTIONS_IN_CORNERS, *(one for mixture in MIXTURES for one in mixture)]
    assert {style for style, _ in drawn} == set(STYLES)
    for mixture in MIXTURES:
        assert {guarded for _, guarded in mixture} == {False, True}


@pytest.mark.parametrize("count", [1, 4, 14])
def test_draws_are_as_many_as_asked_for_and_differ(count: int) -> None:
    def visit(data: st.DataObject, network: Network) -> None:
        draws = inputs_of_a_mixture(Drawn(data.draw), network, 0, count)
        assert len(draws) == count
        (name,) = draws[0]
        if network.variables[0].shape and np.prod(network.variables[0].shape) > 3:
            assert len({draw[name].tobytes() for draw in draws}) == count

    explore(SOUND["times_one"](), visit, 5, contexts=["alone"], dtypes=["float32"])


def test_every_style_of_a_mixture_is_drawn_at_once() -> None:
    def visit(data: st.DataObject, network: Network) -> None:
        draws = inputs_of_a_mixture(Drawn(data.draw), network)
        assert len(draws) == len(MIXTURES[0])

    explore(SOUND["times_one"](), visit, 5, contexts=["alone"], dtypes=["float32"])


def test_constants_lie_where_their_users_are_defined() -> None:
    x, c = pat.Wildcard(), pat.Const(shape=(None,))
    quotient = op.FloorDivide(x, c)

    def visit(data: st.DataObject, network: Network) -> None:
        calls = [e for e in reverse_post_order(network.outputs) if isinstance(e, Call)]
        divisors = [call.operands[1] for call in calls if call.operator.name == "FloorDivide"]
        assert divisors
        assert all(np.all(d.value != 0) for d in divisors if isinstance(d, Const))

    explore(Subst(quotient, quotient), visit)


def test_indices_that_are_constants_exist() -> None:
    x, c = pat.Wildcard(), pat.Const(shape=(None,))
    taken = op.Take(x, c)

    def visit(data: st.DataObject, network: Network) -> None:
        evaluate_bounded(network.outputs, data.draw(arrays(network)))

    explore(Subst(taken, taken), visit)


def product_of_broadcasts() -> Subst:
    """Tight: most sizes that are preferred do not broadcast to each other."""
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst((x + y) * z, z * (x + y), where=[x.ndim == 2, y.ndim == 2, z.ndim == 2])


def test_sizes_are_spread_also_where_few_are_possible() -> None:
    samplers = samplers_of(product_of_broadcasts())
    seen: Counter[str] = Counter()
    for start in range(100):
        network = network_from(Tape(random=Random(start)), samplers, ("alone",))
        sizes = [size for variable in network.variables for size in variable.shape]
        columns = [{v.shape[axis] for v in network.variables} - {1} for axis in (0, 1)]
        seen["all equal"] += len(set(sizes)) == 1
        seen["different axes"] += len(columns[0] | columns[1]) == 2
        seen["broadcast"] += any(1 in {v.shape[axis] for v in network.variables} for axis in (0, 1))
        seen["five"] += max(sizes) >= 5
    assert all(seen[kind] >= 10 for kind in ("all equal", "different axes", "broadcast", "five"))
