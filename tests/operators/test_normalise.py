from dataclasses import replace

import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import ROUNDING, Case, check, infer, on_tvm, reference, sample

from gsl.errors import OperatorError, ShapeError
from gsl.operators import REGISTRY
from gsl.operators.normalise import BatchNorm, GroupNorm, InstanceNorm, LayerNorm, RmsNorm
from gsl.types import FLOATING, TensorType, TupleType

FLAGS = [{}, {"scale": False}, {"center": False}, {"center": False, "scale": False}]
BATCH = [((3,), 0), ((2, 3), 1), ((2, 3), -2), ((1, 3, 4), 1), ((2, 3, 4, 5), -1)]
LAYER = [((4,), -1), ((3, 4), (-1,)), ((3, 1), 0), ((2, 3, 4), (1, -1)), ((2, 3, 4), (0, 2))]
GROUP = [
    ((2, 6), 1, 3, ()),
    ((6, 1), 0, 6, (1,)),
    ((2, 6, 5), 1, 2, (2,)),
    ((2, 5, 6), -1, 3, (-2,)),
    ((2, 4, 3, 5), 1, 1, (-1, 2)),
    ((3, 2, 4, 5), 2, 2, (0, 1, 3)),
]
INSTANCE = [((4, 3), 1, 0), ((2, 3, 5), 1, -1), ((2, 5, 3), -1, (1,)), ((2, 3, 4, 5), 1, (3, 2))]


def vectors(count, size, dtype, low=-2.0):
    return tuple(sample(7 + seed, (size,), dtype, low=low) for seed in range(count))


def batch_norms(dtype, flags=FLAGS):
    for shape, axis in BATCH:
        parameters = vectors(3, shape[axis], dtype) + vectors(1, shape[axis], dtype, low=0.0)
        for flag in flags:
            yield Case(BatchNorm, (sample(1, shape, dtype), *parameters), flag | {"axis": axis})


def layer_norms(dtype, flags=FLAGS):
    for shape, axes in LAYER:
        sizes = tuple(np.array(shape)[list(axes if isinstance(axes, tuple) else (axes,))])
        parameters = sample(2, sizes, dtype), sample(3, sizes, dtype)
        for flag in flags:
            yield Case(LayerNorm, (sample(1, shape, dtype), *parameters), flag | {"axes": axes})


def rms_norms(dtype):
    for norm in layer_norms(dtype, [{"epsilon": 0.25}]):
        yield Case(RmsNorm, norm.operands[:2], norm.attributes)


def group_norms(dtype, flags=FLAGS):
    for shape, channel, groups, axes in GROUP:
        operands = sample(1, shape, dtype), *vectors(2, shape[channel], dtype)
        written = {"num_groups": groups, "channel_axis": channel, "axes": axes}
        for flag in flags:
            yield Case(GroupNorm, operands, flag | written)


def instance_norms(dtype, flags=FLAGS):
    for shape, channel, axes in INSTANCE:
        operands = sample(1, shape, dtype), *vectors(2, shape[channel], dtype)
        for flag in flags:
            yield Case(InstanceNorm, operands, flag | {"channel_axis": channel, "axes": axes})


FAMILIES = [batch_norms, layer_norms, rms_norms, group_norms, instance_norms]


def test_statistics_of_a_normalised_layer():
    data = sample(1, (3, 50), "float64", low=900, high=1100)
    plain = {"center": False, "scale": False, "epsilon": 1e-12}
    result = reference(Case(LayerNorm, (data, *vectors(2, 50, "float64")), plain))

    np.testing.assert_allclose(np.mean(result, axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(np.var(result, axis=1), 1)


def test_gamma_scales_and_beta_shifts():
    data = sample(1, (3, 4), "float64")
    gamma, beta = vectors(2, 4, "float64")
    results = [reference(Case(LayerNorm, (data, gamma, beta), flag)) for flag in FLAGS]
    both, shifted, scaled, plain = results

    np.testing.assert_allclose(shifted, plain + beta)
    np.testing.assert_allclose(scaled, plain * gamma)
    np.testing.assert_allclose(both, plain * gamma + beta)


def test_batch_norm_uses_the_given_statistics_and_returns_them():
    data = np.array([[1.0, 2.0], [3.0, 4.0]])
    gamma, beta, mean, var = (np.array(v) for v in ([2.0, 1.0], [0.5, 0.0], [1.0, 0.0], [3.0, 0.0]))
    result = reference(Case(BatchNorm, (data, gamma, beta, mean, var), {"epsilon": 1.0}))

    np.testing.assert_allclose(result[0], [[0.5, 2.0], [2.5, 4.0]])
    assert result[1] is mean
    assert result[2] is var


def test_batch_norm_has_three_results():
    data, vector = TensorType((2, 3, 4), "float32"), TensorType((3,), "float32")
    assert infer(BatchNorm, data, *[vector] * 4) == TupleType((data, vector, vector))


def test_rms_norm_divides_by_the_root_of_the_mean_square():
    data, weight = np.array([[3.0, 4.0]]), np.array([1.0, 2.0])
    result = reference(Case(RmsNorm, (data, weight), {"epsilon": 3.5}))

    np.testing.assert_allclose(result, [[0.75, 2.0]])


def test_one_group_is_a_layer_and_a_group_for_each_channel_an_instance():
    data, (gamma, beta) = sample(1, (2, 4, 5), "float64"), vectors(2, 4, "float64")
    plain = {"center": False, "scale": False}
    over = {"channel_axis": 1, "axes": (2,)}
    one = reference(Case(GroupNorm, (data, gamma, beta), over | plain | {"num_groups": 1}))
    four = reference(Case(GroupNorm, (data, gamma, beta), over | {"num_groups": 4}))
    weights = sample(2, (4, 5), "float64")
    layer = reference(Case(LayerNorm, (data, weights, weights), plain | {"axes": (1, 2)}))
    instance = reference(Case(InstanceNorm, (data, gamma, beta), over))

    np.testing.assert_allclose(one, layer)
    np.testing.assert_allclose(four, instance)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dtype", FLOATING)
def test_the_shape_rules_agree_with_the_references_and_with_themselves_on_terms(family, dtype):
    for case in family(dtype):
        reference(case)
        check_symbolic(case)


def tensors(*shapes):
    return [TensorType(shape, "float32") for shape in shapes]


GROUPED = {"num_groups": 2, "channel_axis": 1, "axes": (2,)}
ALONG = {"channel_axis": 1, "axes": (2,)}
ILLEGAL = [
    (BatchNorm, tensors((2, 3), (3,), (3,), (3,), (2,)), {}, "one element for each channel"),
    (BatchNorm, tensors((2, 3), (3,), (1, 3), (3,), (3,)), {}, "one element for each channel"),
    (BatchNorm, tensors((3,), (3,), (3,), (3,), (3,)), {}, "`axis` of BatchNorm must be legal"),
    (BatchNorm, tensors((2, 3), (3,), (3,), (3,), (3,)), {"epsilon": 0}, "epsilon vanishes"),
    (LayerNorm, tensors((), (), ()), {"axes": ()}, "at least one axis"),
    (LayerNorm, tensors((2, 3), (3,), (3,)), {"axes": ()}, "`axes` of LayerNorm must be legal"),
    (LayerNorm, tensors((2, 3), (3, 2), (3, 2)), {"axes": (1, 0)}, "increasing order"),
    (LayerNorm, tensors((2, 3), (2,), (3,)), {}, "`gamma` must have the sizes"),
    (LayerNorm, tensors((2, 3), (3,), (1,)), {}, "`beta` must have the sizes"),
    (LayerNorm, tensors((2, 0), (0,), (0,)), {}, "must not be empty"),
    (LayerNorm, tensors((2, 3), (3,), (3,)), {"epsilon": 0}, "epsilon vanishes"),
    (LayerNorm, tensors((2, 3), (3,), (3,)), {"epsilon": 1e-60}, "epsilon vanishes in float32"),
    (RmsNorm, tensors((2, 3), (2,)), {}, "`weight` must have the sizes"),
    (RmsNorm, tensors((2, 3), (3,)), {"epsilon": 0}, "epsilon vanishes"),
    (GroupNorm, tensors((2, 4, 5), (4,), (5,)), GROUPED, "one element for each channel"),
    (GroupNorm, tensors((2, 3, 5), (3,), (3,)), GROUPED, "num_groups must divide"),
    (GroupNorm, tensors((2, 0, 5), (0,), (0,)), GROUPED, "must not be empty"),
    (GroupNorm, tensors((2, 4, 0), (4,), (4,)), GROUPED, "must not be empty"),
    (
        GroupNorm,
        tensors((2, 4, 5), (4,), (4,)),
        GROUPED | {"axes": (-2,)},
        "not contain the channel",
    ),
    (GroupNorm, tensors((2, 4, 5), (4,), (4,)), GROUPED | {"num_groups": 0}, "must be legal"),
    (InstanceNorm, tensors((2, 4, 5), (5,), (4,)), ALONG, "one element for each channel"),
    (
        InstanceNorm,
        tensors((2, 4, 5), (4,), (4,)),
        ALONG | {"axes": (1,)},
        "not contain the channel",
    ),
    (InstanceNorm, tensors((2, 4, 0), (4,), (4,)), ALONG, "must not be empty"),
]


@pytest.mark.parametrize(("operator", "operands", "attributes", "reason"), ILLEGAL)
def test_violated_preconditions_are_named(operator, operands, attributes, reason):
    with pytest.raises(ShapeError, match=reason):
        infer(operator, *operands, **attributes)


@pytest.mark.parametrize(
    ("dtype", "epsilon"), [("float16", 1e-5), ("float32", 1e-12), ("float64", 1e-60)]
)
def test_an_epsilon_that_the_dtype_can_hold_is_fine(dtype, epsilon):
    data, gamma = TensorType((2, 3), dtype), TensorType((3,), dtype)
    infer(LayerNorm, data, gamma, gamma, epsilon=epsilon)


def test_norms_are_for_floats_and_name_their_channels():
    vector = TensorType((3,), "int32")
    with pytest.raises(ShapeError, match="not defined for this dtype"):
        infer(LayerNorm, TensorType((2, 3), "int32"), vector, vector)
    with pytest.raises(OperatorError, match="needs attribute `channel_axis`"):
        infer(GroupNorm, *tensors((2, 4), (4,), (4,)), num_groups=2, axes=())


@pytest.mark.tvm
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dtype", FLOATING)
def test_tvm_agrees(family, dtype):
    check(list(family(dtype)))


NATIVE = [
    ("nn.layer_norm", list(layer_norms("float32", [{}]))),
    ("nn.rms_norm", list(rms_norms("float32"))),
    ("nn.group_norm", list(group_norms("float32", [{}]))),
    ("nn.instance_norm", list(instance_norms("float32", [{}]))),
]


@pytest.mark.tvm
@pytest.mark.parametrize(("relax_name", "family"), NATIVE, ids=[name for name, _ in NATIVE])
def test_the_composites_compute_what_the_operators_of_relax_do(relax_name, family):
    cases = [case for case in family if has_kernel(case)]
    for case, computed in zip(cases, on_tvm([native(c, relax_name) for c in cases]), strict=True):
        close = {"atol": 5 * ROUNDING["float32"], "err_msg": str(case)}
        np.testing.assert_allclose(computed, reference(case), **close)


def has_kernel(case):
    """Tell whether Relax compiles its own operator: RMS only over some last axes."""
    rank, axes = case.operands[0].ndim, case.canonical["axes"]
    last = tuple(axis % rank for axis in axes) == tuple(range(rank - len(axes), rank))
    return bool(axes) and (case.operator is not RmsNorm or (last and len(axes) < rank))


def native(case, relax_name):
    """Return the same call of a Relax operator; its kernels count axes from the front."""
    rank, attributes = case.operands[0].ndim, dict(case.canonical)
    attributes["axes"] = tuple(axis % rank for axis in attributes["axes"])
    if "channel_axis" in attributes:
        attributes["channel_axis"] %= rank
    kernel = replace(case.operator, lowering=None, relax_name=relax_name)
    return Case(kernel, case.operands, attributes)


@pytest.mark.tvm
def test_a_large_mean_costs_no_digits():
    data, (gamma, beta) = sample(1, (2, 4, 9), "float64") + 1e6, vectors(2, 4, "float64")
    check([Case(GroupNorm, (data, gamma, beta), GROUPED)], atol=1e-9)
    check([Case(InstanceNorm, (data, gamma, beta), ALONG)], atol=1e-9)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_responses_of_no_channels_have_no_elements(size):
    data = np.zeros((2, 0, 3), "float32")

    assert REGISTRY["LRN"].reference(data, size, 0.5, 0.75, 1.0).shape == (2, 0, 3)
