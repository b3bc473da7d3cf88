"""What is said to matter was tried, and what is said not to was, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gsl import Subst, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.networks.generation import network_of
from gslverify.networks.network import Network
from gslverify.structures.models.sampling import Sampler
from gslverify.trials.matters import Influence, Tried, Variations, influence, what_matters
from gslverify.trials.trial import Outcome, run_trial
from tests.gslverify.rules import samplers_of

pytestmark = pytest.mark.smt


def trial_of(subst: Subst, network: Network, inputs: Mapping[str, Any]) -> Outcome:
    return run_trial(subst, network, inputs)


def two_convolutions() -> Subst:
    x1, x2, w1, w2 = pat.Wildcard(), pat.Wildcard(), pat.Variable(), pat.Variable()
    first = op.Conv2D(x1, w1, data_layout="NCHW", kernel_layout="OIHW", padding=(0, 0, 0, 0))
    second = op.Conv2D(x2, w2, **pat.same_attr(first))
    inputs, weights = op.Concatenate((x1, x2), axis=1), op.Concatenate((w1, w2), axis=1)
    whole = op.Conv2D(inputs, weights, **pat.same_attr(first))
    one_dtype = [t.dtype == "float32" for t in (x1, x2, w1, w2)]
    same = [x1.shape == x2.shape, w1.shape == w2.shape, first.out_dtype == x1.dtype]
    return Subst(first + second, whole, where=[*same, *one_dtype])


def swapped() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x - y, y - x, where=[x.shape == y.shape, x.dtype == "float32", y.dtype == x.dtype])


def failing(subst: Subst, **wanted: int) -> Outcome:
    """Return a failure on a network whose free symbols end as `wanted` says, or are 1."""
    for sampler in samplers_of(subst):
        failure = _failure(subst, sampler, wanted)
        if failure is not None:
            return failure
    raise AssertionError("the rule does not fail")


def _failure(subst: Subst, sampler: Sampler, wanted: dict[str, int]) -> Outcome | None:
    def preference(symbol: Any, options: tuple[Any, ...]) -> Any:
        ends = [value for end, value in wanted.items() if end in symbol.name.replace(".", "_")]
        simple = {"text": "float32", "bool": False, "real": 1.0}.get(symbol.sort, 1)
        return ends[0] if ends else (options[0] if options else simple)

    model = sampler.model(preference)
    if model is None:
        return None
    network = network_of(sampler, model)
    generator = np.random.default_rng(0)
    for _ in range(20):
        inputs = {
            v.name: generator.integers(-3, 4, v.shape).astype(v.dtype) for v in network.variables
        }
        outcome = trial_of(subst, network, inputs)
        if outcome.code is not None:
            return outcome
    return None


def test_the_attribute_that_matters_is_named_with_what_it_does() -> None:
    subst = two_convolutions()
    failure = failing(subst, groups=2, w2_shape=2)
    assert failure.code is OUTPUTS_DIFFER

    said = what_matters(subst, failure)

    groups = next(text for text in said.matters if ".groups" in text)
    assert "fails for 2" in groups
    assert "passes 27 of 27 with 1" in groups
    assert any(".strides" in name for name in said.same_for_any)
    assert not any(".groups" in name for name in said.same_for_any)
    assert said.cure.endswith(".groups == 1")


def constants_moved() -> Subst:
    """Wrong only where x + c wraps, which no random input shows."""
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    return Subst(op.Less(x + c, d), op.Less(x, d - c), where=[x.dtype == "int64"])


def test_rare_values_are_kept_where_sizes_change() -> None:
    subst = constants_moved()
    network = failing_network(subst, 1)
    failure = trial_of(subst, network, {"x": np.full((1,), 2**63 - 1)})
    assert failure.code is OUTPUTS_DIFFER

    said = what_matters(subst, failure)

    assert "x.shape" in said.same_for_any
    assert [text.partition(" ")[0] for text in said.matters] == ["c.value"]
    assert "with 0" in said.matters[0]


def test_nothing_is_said_where_the_match_alone_does_not_fail() -> None:
    subst = constants_moved()
    network = failing_network(subst, 1)
    failure = replace(trial_of(subst, network, {"x": np.int64([1])}), code=OUTPUTS_DIFFER)

    assert what_matters(subst, failure) == Influence()


def failing_network(subst: Subst, size: int) -> Network:
    """Return a match of x: int64[size]."""
    sampler = next(s for s in samplers_of(subst) if any(f.name == "x.shape[0]" for f in s.free))

    def preference(symbol: Any, options: tuple[Any, ...]) -> Any:
        return "int64" if symbol.sort == "text" else size

    model = sampler.model(preference)
    assert model is not None
    return network_of(sampler, model)


def test_a_rule_that_is_wrong_everywhere_has_nothing_that_matters() -> None:
    subst = swapped()

    said = what_matters(subst, failing(subst))

    assert said.matters == ()
    assert said.cure == ""


def test_another_attribute_is_never_changed_along() -> None:
    """A pass that is due to `groups` must not be told of the sizes that went with it."""
    subst = two_convolutions()
    failure = failing(subst, groups=2, w2_shape=2)
    variations = Variations(subst, failure)
    channels = [s for s in variations.symbols() if s.name.endswith(".shape[0]")]

    made = [variations.network(symbol, value) for symbol in channels for value in (1, 3, 4, 6)]
    models = [network.model for network in made if network is not None]
    assert models
    for model in models:
        assert [model[name] for name in model if name.endswith(".groups")] == [2]


def test_without_a_sampler_nothing_is_said() -> None:
    failure = failing(swapped())
    bare = Network(failure.network.outputs, failure.network.matched, "alone")
    known = Outcome(bare, failure.inputs, failure.target, code=failure.code)

    assert what_matters(swapped(), known) == Influence()


@pytest.mark.parametrize(
    ("tried", "expected"),
    [
        (
            {"c.groups": Tried([3], {1: 20})},
            Influence(
                ("c.groups (fails for 2, 3; passes 20 of 20 with 1)",),
                (),
                "if that is meant, add the condition c.groups == 1",
            ),
        ),
        (
            {"c.groups": Tried([], {1: 20, 3: 20})},
            Influence(("c.groups (fails for 2; passes 20 of 20 with 1; passes 20 of 20 with 3)",)),
        ),
        ({"c.groups": Tried([1, 3], {})}, Influence((), ("c.groups",))),
        ({"c.groups": Tried([], {})}, Influence()),
        (
            {"x.shape[0]": Tried([1], {3: 12})},
            Influence(("x.shape[0] (fails for 1, 2; passes 12 of 12 with 3)",)),
        ),
        (
            {"x.shape[0]": Tried([1], {}), "x.shape[1]": Tried([], {})},
            Influence(),
        ),
        (
            {"x.shape[0]": Tried([1], {}), "x.shape[1]": Tried([3], {})},
            Influence((), ("x.shape",)),
        ),
    ],
)
def test_what_was_seen_in_words(tried: dict[str, Tried], expected: Influence) -> None:
    assert influence(tried, dict.fromkeys(tried, 2)) == expected
