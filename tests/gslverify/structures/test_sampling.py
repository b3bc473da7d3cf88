"""Models near preferences: definitions are followed, the solver mends the rest, claims hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsl import Subst, attr, op, pat
from gsl.attr.term import Symbol
from gsl.types import FLOATING
from gslverify.semantics.solver import Answer, Solver
from gslverify.structures.instance import Instance
from gslverify.structures.models.concrete import meets, value_in
from gslverify.structures.models.corners import MARGIN
from gslverify.structures.models.reach import LARGEST_SAMPLES
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.simple_values import SIMPLE_SIZES
from gslverify.structures.models.symbols import instance_symbols
from gslverify.structures.variants import enumerate_variants

pytestmark = pytest.mark.smt


def samplers(subst: Subst) -> list[Sampler]:
    found = [variant.instance(subst) for variant in enumerate_variants(subst).variants]
    return [
        Sampler(instance, Solver([c.term for c in instance.claims], 4_000_000))
        for instance in found
    ]


def sampler(subst: Subst) -> Sampler:
    (only,) = samplers(subst)
    return only


def by_name(model: dict[Symbol, Any] | None) -> dict[str, Any]:
    assert model is not None
    return {symbol.name: value for symbol, value in model.items()}


def preferring(**values: Any) -> Callable[..., Any]:
    """Preference 3 for integers, 0.5 for reals, float32 for texts, unless told otherwise."""
    usual = {"int": 3, "real": 0.5, "bool": True, "text": "float32"}
    named = {name.replace("__", "."): value for name, value in values.items()}
    return lambda symbol, options: named.get(symbol.name, usual[symbol.sort])


def matrices() -> tuple[pat.Variable, pat.Variable]:
    x = pat.Variable(shape=(None, None))
    w = pat.Variable(shape=(None, x.shape[1]))
    return x, w


def dense(**conditions: Any) -> Subst:
    x, w = matrices()
    call = op.Dense(x, w)
    return Subst(call, call, **conditions)


def test_definitions_are_followed() -> None:
    found = sampler(dense())
    model = by_name(found.model(preferring(x__dtype="int8")))
    assert model["w.shape[1]"] == model["x.shape[1]"] == 3
    assert model["w.dtype"] == model["x.dtype"]
    assert len(found.free) + len(found.definitions) == len(instance_symbols(found.instance))


def test_what_is_free_gets_its_preference() -> None:
    x = pat.Variable(shape=(None, None))
    call = op.Clip(x)
    found = sampler(Subst(call, call))
    preferences = {"x.shape[0]": 2, "x.shape[1]": 5, "call.min": -1.0, "call.max": 2.0}
    assert (
        by_name(found.model(preferring(x__dtype="int32", **preferences))).items()
        >= preferences.items()
    )


def test_the_solver_mends_preferences_that_clash() -> None:
    x, w = matrices()
    call = op.Dense(x, w)
    where = [x.shape[0] % 4 == 0, x.shape[0] > w.shape[0]]
    model = by_name(sampler(Subst(call, call, where=where)).model(preferring()))
    assert model["x.shape[0]"] % 4 == 0
    assert model["x.shape[0]"] > model["w.shape[0]"]
    assert model["x.shape[1]"] == 3


def test_a_dtype_that_the_operator_lacks_is_mended() -> None:
    x = pat.Variable(shape=(None,))
    call = op.Sqrt(x)
    model = by_name(sampler(Subst(call, call)).model(preferring(x__dtype="int8")))
    assert model["x.dtype"] in FLOATING


def test_options_of_a_symbol_are_what_all_claims_allow() -> None:
    x = pat.Variable(shape=(None,))
    call = op.Sqrt(x)
    seen: dict[str, tuple[Any, ...]] = {}

    def preference(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        seen[symbol.name] = options
        return options[0] if options else 2

    assert sampler(Subst(call, call)).model(preference) is not None
    assert set(seen["x.dtype"]) == set(FLOATING)
    assert seen["x.shape[0]"] == ()


def test_what_a_symbol_equals_restricts_its_options() -> None:
    x, y = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    call = op.Divide(x, y)
    found = sampler(Subst(call, call))
    (free,) = [symbol for symbol in found.free if symbol.sort == "text"]
    assert set(found.options[free]) == set(FLOATING)


def test_there_is_no_model_of_what_contradicts_itself() -> None:
    x = pat.Variable(shape=(None,))
    call = op.Relu(x)
    assert (
        sampler(Subst(call, call, where=[x.shape[0] * x.shape[0] == 3])).model(preferring()) is None
    )


def longer_than(size: int) -> Sampler:
    x = pat.Variable(shape=(None,))
    call = op.Relu(x)
    return sampler(Subst(call, call, where=[x.shape[0] > size]))


@pytest.mark.parametrize("largest", LARGEST_SAMPLES[:-1])
def test_large_models_are_samples_where_small_ones_are_not(largest: int) -> None:
    model = by_name(longer_than(largest).model(preferring()))
    assert model["x.shape[0]"] > largest


def test_huge_models_are_not_samples() -> None:
    assert longer_than(LARGEST_SAMPLES[-1]).model(preferring()) is None


def boundary_values(where: Callable[[Any], Any]) -> list[Any]:
    """Return the values of alpha at every boundary of a condition about it."""
    call = op.LeakyRelu(pat.Variable(shape=(None,)))
    found = sampler(Subst(call, call, where=[where(call.alpha)]))
    models = [found.model(preferring(), demand=demand) for demand in found.corners]
    return [by_name(model)[next(n for n in by_name(model) if "alpha" in n)] for model in models]


def test_boundaries_of_conditions_are_reached() -> None:
    on, below = boundary_values(lambda alpha: alpha <= 1.5)
    assert on == 1.5 > below >= 1.5 - 2 * MARGIN
    (beside,) = boundary_values(lambda alpha: alpha > -0.375)
    assert -0.375 < beside <= -0.375 + MARGIN
    low, above, high, below, *parts = boundary_values(lambda a: attr.And(a >= 4, a <= 8))
    assert (low, high) == (4, 8)
    assert 4 < above < 5
    assert 7 < below < 8
    second, third, fourth = parts
    assert 5 <= second <= 6 <= third <= 7 <= fourth <= 8


def test_boundaries_of_integers_are_reached() -> None:
    x = pat.Variable(shape=(None,))
    call = op.Relu(x)
    found = sampler(Subst(call, call, where=[x.shape[0] < 17, x.shape[0] > 2]))
    sizes = [by_name(found.model(preferring(), demand=b))["x.shape[0]"] for b in found.corners]
    assert sizes[:2] == [16, 3]
    second, third, fourth = sizes[2:]
    assert 6 <= second <= 10 <= third <= 14 <= fourth < 17


def test_numbers_of_a_list_are_tried_one_by_one() -> None:
    values = boundary_values(lambda alpha: attr.In(alpha, (0.5, 2.0, 0.1)))
    assert values == [0.5, 2.0, 0.1]


def test_each_of_two_conditions_is_tried_alone() -> None:
    x = pat.Variable(shape=(None, None))
    call = op.Relu(x)
    rows, columns = x.shape[0], x.shape[1]
    found = sampler(Subst(call, call, where=[(rows == 19) | (columns == 1)]))
    models = [by_name(found.model(preferring(), demand=b)) for b in found.corners]
    rows_only, columns_only = [(m["x.shape[0]"], m["x.shape[1]"]) for m in models]
    assert rows_only[0] == 19
    assert rows_only[1] != 1
    assert columns_only[0] != 19
    assert columns_only[1] == 1


def test_what_reads_no_slice_does_not_leap() -> None:
    x = pat.Variable(shape=(None,))
    call = op.Flip(x, axis=0)
    assert sampler(Subst(call, call)).corners == []


def value_of(model: dict[Symbol, Any] | None) -> Any:
    """Return what the only constant of a model is."""
    return next(value for name, value in by_name(model).items() if name.endswith(".value"))


def test_what_follows_from_patterns_alone_has_no_corners() -> None:
    call = op.MaxPool2D(pat.Variable(shape=(None, None, None, None)))
    assert all(one.corners == [] for one in samplers(Subst(call, call)))


def test_a_definition_must_give_a_value_of_the_right_sort() -> None:
    x, y = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    call = op.Concatenate(pat.Tuple(x, y), axis=0)
    subst = Subst(call, call, where=[x.shape[0] == y.shape[0] / 2])
    model = by_name(sampler(subst).model(preferring()))
    sizes = model["x.shape[0]"], model["y.shape[0]"]
    assert all(type(size) is int for size in sizes)
    assert 2 * sizes[0] == sizes[1]


def test_a_chain_of_definitions_is_followed_in_any_order() -> None:
    a, b, c = pat.Variable(shape=(None,)), pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    call = op.Concatenate(pat.Tuple(a, b, c), axis=0)
    where = [a.shape[0] == b.shape[0] + 1, b.shape[0] == c.shape[0] + 1, c.shape[0] == c.shape[0]]
    found = sampler(Subst(call, call, where=where))
    model = by_name(found.model(preferring()))
    assert (model["a.shape[0]"], model["b.shape[0]"], model["c.shape[0]"]) == (5, 4, 3)


def test_symbols_are_not_defined_by_themselves() -> None:
    a, b = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    call = op.Concatenate(pat.Tuple(a, b), axis=0)
    where = [a.shape[0] == b.shape[0], b.shape[0] == 2 * a.shape[0] - 4]
    model = by_name(sampler(Subst(call, call, where=where)).model(preferring()))
    assert (model["a.shape[0]"], model["b.shape[0]"]) == (4, 4)


def test_results_have_elements_if_that_can_be_helped() -> None:
    x = pat.Variable(shape=(None, None))
    call = op.StridedSlice(x)
    found = sampler(Subst(call, call))
    preference = preferring()
    empty = by_name(found.model(preference))
    assert empty["call.begin[0]"] == empty["call.end[0]"]
    full = by_name(found.model(preference, may_be_empty=False))
    assert all(full[f"call.begin[{i}]"] < full[f"call.end[{i}]"] for i in (0, 1))


def test_results_may_lack_elements_if_the_rule_says_so() -> None:
    x = pat.Variable(shape=(None,))
    call = op.StridedSlice(x, begin=(0,), end=(0,), strides=(1,))
    found = sampler(Subst(call, call))
    assert by_name(found.model(preferring(), may_be_empty=False))["x.shape[0]"] == 3


def test_an_instance_without_symbols_has_the_empty_model() -> None:
    call = op.Zeros(shape=(2, 3), dtype="int8")
    found = sampler(Subst(call, call))
    assert found.model(preferring()) == {}


def test_symbols_of_constants_and_tuples_are_found() -> None:
    full = op.Full(shape=(None,))
    pieces = op.Split(full, axis=0)
    subst = Subst(pieces[0], pieces)
    names = {s.name for s in instance_symbols(samplers(subst)[-1].instance)}
    assert {"full.fill_value", "full.dtype", "full.shape[0]"} <= names
    x = pat.Variable(shape=(None,))
    scaled = x * pat.Const()
    instances: list[Instance] = [s.instance for s in samplers(Subst(scaled, scaled))]
    assert any("const.value" in {s.name for s in instance_symbols(i)} for i in instances)


RULES = {
    "dense": lambda: dense(),
    "where": lambda: dense(where=[]),
    "pool": lambda: _one(op.MaxPool2D(pat.Wildcard(), layout="NCHW", ceil_mode=True)),
    "conv": lambda: _one(
        op.Conv2D(pat.Wildcard(), pat.Variable(), data_layout="NCHW", kernel_layout="OIHW")
    ),
    "pad": lambda: _one(op.Pad(pat.Variable(shape=(None, None)))),
    "reshape": lambda: _one(op.Reshape(pat.Variable(shape=(None, None)), shape=(None, None))),
}


def _one(call: Any) -> Subst:
    return Subst(call, call)


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=25, deadline=None, database=None, derandomize=True)
@given(data=st.data())
def test_models_satisfy_all_claims(name: str, data: st.DataObject) -> None:
    found = sampler(RULES[name]())
    kinds = {
        "int": st.integers(-1, 6),
        "real": st.sampled_from([-1.0, 0.0, 0.5]),
        "bool": st.booleans(),
        "text": st.sampled_from(["float32", "int8", "bool"]),
    }
    empty = data.draw(st.booleans())
    model = found.model(lambda symbol, options: data.draw(kinds[symbol.sort]), may_be_empty=empty)
    assert model is not None
    assert found.satisfies(model)
    for symbol in instance_symbols(found.instance):
        assert symbol.low is None or model[symbol] >= symbol.low


def test_a_simple_model_satisfies_the_claims() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    rule = Subst(op.Add(op.Relu(x), y), op.Add(op.Relu(x), y), where=[x.ndim == 2])
    models = [(one, one.simple_model()) for one in samplers(rule)]
    assert all(model is not None and one.satisfies(model) for one, model in models)


def test_what_attempts_failed_on_is_known() -> None:
    x = pat.Wildcard()
    far = [x.ndim == 1, x.shape[0] > 1000]
    (one,) = samplers(Subst(op.Relu(x), op.Relu(x), where=far))
    assert one.simple_model() is None
    assert "1000" in one.obstacle(preferring())


def test_preferences_are_granted_only_together() -> None:
    x, w = matrices()
    call = op.Dense(x, w)
    found = sampler(Subst(call, call, where=[x.shape[0] > w.shape[0]]))
    rows: dict[str, Any] = {"x.shape[0]": 5}
    assert found.granted(preferring()) is None
    assert by_name(found.granted(preferring(**rows)))["w.shape[0]"] == 3


def test_what_is_granted_has_elements_unless_it_may_be_empty() -> None:
    x = pat.Variable(shape=(None, None))
    call = op.StridedSlice(x)
    found = sampler(Subst(call, call))
    assert found.granted(preferring()) is not None
    assert found.granted(preferring(), may_be_empty=False) is None


def test_what_is_granted_meets_a_demand() -> None:
    x = pat.Variable(shape=(None,))
    call = op.Relu(x)
    found = sampler(Subst(call, call, where=[x.shape[0] < 17]))
    (boundary,) = found.corners
    size = next(symbol for symbol in found.free if symbol.name == "x.shape[0]")
    assert found.granted(preferring(), demand=boundary) is None
    edge: dict[str, Any] = {"x.shape[0]": 16}
    assert by_name(found.granted(preferring(**edge), demand=boundary))["x.shape[0]"] == 16
    beyond = size >= 20
    assert by_name(found.model(preferring(), demand=beyond))["x.shape[0]"] == 3
    assert found.reach((beyond,)).impossible
    assert found.granted(preferring(), demand=beyond) is None


def test_a_demand_that_is_impossible_alone_is_not_asked_about_again() -> None:
    x = pat.Variable(shape=(None,))
    call = op.StridedSlice(x)
    found = sampler(Subst(call, call, where=[x.shape[0] < 17]))
    size = next(symbol for symbol in found.free if symbol.name == "x.shape[0]")
    beyond = size >= 20
    assert found.reach((beyond, *found.elements)).impossible
    assert found.reaches[(beyond,)].impossible


def test_a_demand_that_only_empty_results_meet_is_tried_once_with_elements() -> None:
    x = pat.Variable(shape=(None,))
    call = op.StridedSlice(x)
    found = sampler(Subst(call, call))
    empty = attr.Not(*found.elements)
    for _ in range(2):
        model = found.model(preferring(), may_be_empty=False, demand=empty)
        assert model is not None
        assert value_in(*found.elements, model) is False
        assert found.reach((empty, *found.elements)).impossible


def test_a_demand_without_a_value_is_not_met() -> None:
    x = pat.Variable(shape=(None,))
    found = sampler(Subst(op.Relu(x), op.Relu(x)))
    size = next(symbol for symbol in found.free if symbol.name == "x.shape[0]")
    assert meets({size: 3}, size % 2 == 1)
    assert not meets({size: 3}, size % (size - 3) == 0)


def test_a_solver_that_gives_up_is_asked_once_and_not_for_each_draw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, w = matrices()
    one = sampler(Subst(op.Dense(x, w), op.Dense(x, w), where=[w.shape[0] * x.shape[1] == 7]))
    asked: list[int] = []

    def give_up(*_: Any, **__: Any) -> tuple[Answer, None]:
        asked.append(1)
        return Answer.UNKNOWN, None

    monkeypatch.setattr(one, "_solved", give_up)
    monkeypatch.setattr(one, "_repaired", lambda *_: None)
    for _ in range(10):
        assert one.model(preferring()) is None
    assert len(asked) == 1 + len(SIMPLE_SIZES)


def test_models_do_not_depend_on_what_was_asked_before() -> None:
    x, w = matrices()
    subst = Subst(op.Dense(x, w), op.Dense(x, w), where=[w.shape[0] * x.shape[1] == 35])
    sizes: list[dict[str, Any]] = [
        {"x.shape[1]": n, "x.shape[0]": m} for n in (5, 2, 6, 7) for m in (1, 3)
    ]
    used = sampler(subst)
    forwards = [used.model(preferring(**one)) for one in sizes]
    backwards = [used.model(preferring(**one)) for one in reversed(sizes)]
    fresh = [sampler(subst).model(preferring(**one)) for one in sizes]
    assert list(map(by_name, forwards)) == list(map(by_name, reversed(backwards)))
    assert list(map(by_name, forwards)) == list(map(by_name, fresh))
