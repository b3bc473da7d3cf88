"""Operators of PyTorch that TVM's frontend lacks compute what PyTorch computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from real_models import exported

from gsl import Call, Workload, presets
from gsl.evaluate import run
from gsl.tvm.errors import UnsupportedError

pytestmark = pytest.mark.tvm
torch = pytest.importorskip("torch")

F = torch.nn.functional
CUBE = torch.arange(24.0).reshape(2, 3, 4).sin()
IMAGE = torch.arange(70.0).reshape(1, 2, 5, 7).cos()
VOLUME = torch.arange(120.0).reshape(1, 2, 3, 4, 5).sin()
WHOLE = torch.arange(12).reshape(3, 4) - 5
PLACES = torch.tensor([2, 0])
ALONG = torch.tensor([[[0, 1, 1, 0]], [[2, 2, 0, 1]]])


def written(data: Any, place: Any, values: Any) -> Any:
    """Return a copy of a tensor with values at a place."""
    copy = data.clone()
    copy[place] = values
    return copy


BAGS = ("sum", "mean", "max")

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "largest": (lambda x: (x.amax(1), x.amin((0, 2), keepdim=True), x.amax()), (CUBE,)),
    "both ends": (lambda x: tuple(torch.aminmax(x, dim=1)), (CUBE,)),
    "least and where": (lambda x: tuple(x.min(1)), (CUBE,)),
    "logarithm of a sum": (lambda x: x.logsumexp(-1), (CUBE,)),
    "products": (lambda x: (x.prod(1), x.prod(2, keepdim=True), x.prod()), (CUBE,)),
    "variance and mean": (lambda x: (*torch.var_mean(x, 1), *torch.std_mean(x)), (CUBE,)),
    "variance of all": (lambda x: torch.var_mean(x, (0, 1), correction=0), (CUBE,)),
    "any": (lambda x: (x > 0.9).any(), (CUBE,)),
    "third least": (lambda x: tuple(x.kthvalue(3)), (CUBE,)),
    "added along": (lambda x, y: x.scatter_add(1, ALONG, y), (CUBE, CUBE.flip(1))),
    "few added along": (lambda x, y: x.scatter_add(1, ALONG[:1, :, :2], y), (CUBE, CUBE)),
    "few written along": (lambda x, y: x.scatter(1, ALONG[:1, :, :2], y), (CUBE, CUBE)),
    "largest along": (
        lambda x, y: x.scatter_reduce(1, ALONG, y, "amax"),
        (CUBE, CUBE[:, :1] * 2),
    ),
    "rows written": (lambda x, i, y: written(x, i, y), (CUBE[0], PLACES, torch.ones(2, 4))),
    "rows from the end": (lambda x, i, y: written(x, i, y), (CUBE[0], PLACES - 3, torch.ones(4))),
    "rows added": (
        lambda x, y: x.index_put((torch.tensor([1, 1]),), y, accumulate=True),
        (CUBE, CUBE.flip(0)),
    ),
    "columns added": (lambda x, i, y: x.index_add(1, i, y), (CUBE, PLACES, CUBE[:, 1:])),
    "columns copied": (lambda x, i, y: x.index_copy(1, i, y), (CUBE, PLACES, CUBE[:, 1:])),
    "columns filled": (lambda x, i: x.index_fill(1, i, 2.0), (CUBE, PLACES)),
    "points side by side": (
        lambda x, i, y: written(x, (slice(None), i, i + 1), y),
        (CUBE, PLACES, CUBE[:, 0, :2]),
    ),
    "points apart": (
        lambda x, i, y: written(x, (i - 2, slice(None), i), y),
        (CUBE, PLACES, torch.ones(2, 3) / 3),
    ),
    "where a mask holds": (lambda x: written(x, x > 0, 5.0), (CUBE,)),
    "rows of a mask": (lambda x: written(x, x[:, 0] > 0.5, 0.0), (CUBE[0],)),
    "elements side by side": (lambda x, i: x[:, i[:, None], i], (CUBE, PLACES)),
    "elements apart": (lambda x, i: x[i - 2, :, i], (CUBE, PLACES)),
    "elements between": (lambda x, i: x[:, :, i[:, None], :, i[None]], (VOLUME, PLACES)),
    "elements from the end": (lambda x, i: x[:, i], (CUBE, PLACES - 3)),
    "a diagonal written": (
        lambda x, y: torch.diagonal_scatter(x, y, -1, 2, 0),
        (CUBE, torch.arange(6.0).reshape(3, 2)),
    ),
    "windows": (lambda x: x.unfold(2, 3, 2), (IMAGE,)),
    "columns of windows": (lambda x: F.unfold(x, 3, padding=1), (IMAGE,)),
    "windows summed": (lambda x: F.fold(x, (4, 4), 2), (torch.arange(72.0).reshape(1, 8, 9),)),
    "by steps in memory": (lambda x: x.as_strided((2, 3), (1, 4), 2), (CUBE,)),
    "largest of parts": (
        lambda x: (*F.adaptive_max_pool2d(x, (3, 4), return_indices=True),),
        (IMAGE,),
    ),
    "largest of equal parts": (lambda x: F.adaptive_max_pool2d(x, (5, 1)), (IMAGE,)),
    "largest of parts of volumes": (lambda x: F.adaptive_max_pool3d(x, 2), (VOLUME,)),
    "shifts": (lambda x: (x << 2, x >> 1, x << (x + 5) % 3), (WHOLE,)),
    "whole powers": (lambda x: (x**2, x**3), (WHOLE,)),
    "limits of whole numbers": (lambda x: (x.clamp(min=1), x.clamp(-2, 2)), (WHOLE,)),
    "truncating division": (lambda x: torch.div(x, 2, rounding_mode="trunc"), (WHOLE,)),
    "distances": (lambda x, y: torch.cdist(x, y), (CUBE, CUBE.flip(1))),
    "two sizes of scales": (
        lambda x: (F.interpolate(x, scale_factor=1.5), F.interpolate(x, None, 1.5, "bilinear")),
        (IMAGE,),
    ),
    "enlarged volumes": (lambda x: F.interpolate(x, scale_factor=2), (VOLUME,)),
    "are finite": (lambda x: (x / (x - x[0])).isfinite(), (CUBE,)),
    "which one": (lambda i: F.one_hot(i, 4), (PLACES,)),
    "largest and least so far": (
        lambda x: (*torch.cummax(x, 1), *torch.cummin(x, -1)),
        (torch.tensor([[3, 1, 3, 0], [2, 2, 5, 4]]),),
    ),
    "largest so far, of floats": (lambda x: tuple(x.cummax(0)), (CUBE,)),
    "sums so far in logarithms": (lambda x: x.logcumsumexp(1), (CUBE * 90,)),
    "medians": (lambda x: (x.median(), *x.median(1), *x.median(2, True)), (CUBE,)),
    "median of what is unknown": (
        lambda x: x.median(1).values,
        (torch.tensor([[1.0, torch.nan, 0.0], [3.0, 1.0, 2.0]]),),
    ),
    "sorted stably": (
        lambda x: tuple(torch.sort(x, dim=-1, stable=True, descending=True)),
        (torch.tensor([[1, 3, 1, 3, 2]]),),
    ),
    "places among all": (lambda x: (x.argmax(), x.argmin(keepdim=True)), (CUBE,)),
    "places in sorted lists": (
        lambda x, y: (
            torch.searchsorted(y, x),
            torch.searchsorted(y, x, right=True, out_int32=True),
            torch.bucketize(x, y),
        ),
        (WHOLE.float(), torch.tensor([-4.0, 0.0, 0.0, 3.5])),
    ),
    "places in lists of their own": (
        lambda x, y: torch.searchsorted(y, x),
        (WHOLE, torch.tensor([[-5, 0], [0, 3], [1, 6]])),
    ),
    "averaged along": (
        lambda x, y: x.scatter_reduce(1, ALONG, y, "mean"),
        (CUBE, CUBE[:, :1] * 2),
    ),
    "averaged along, of whole numbers": (
        lambda x, y: x.scatter_reduce(0, PLACES.reshape(2, 1), y, "mean"),
        (WHOLE, WHOLE[:, :1] * 2),
    ),
    "combined without what was there": (
        lambda x, y: tuple(
            x.scatter_reduce(1, ALONG, y, how, include_self=False)
            for how in ("sum", "mean", "prod", "amax", "amin")
        ),
        (CUBE, CUBE[:, :1] * 2),
    ),
    "bags": (
        lambda table, i: tuple(F.embedding_bag(i, table, mode=how) for how in BAGS),
        (CUBE[0], torch.tensor([[0, 2], [1, 1]])),
    ),
    "bags of several sizes": (
        lambda table, i: tuple(
            F.embedding_bag(i, table, torch.tensor([0, 1, 1, 4]), mode=how, padding_idx=1)
            for how in BAGS
        ),
        (CUBE[0], torch.tensor([1, 0, 2, 1, 2])),
    ),
    "weighted bags": (
        lambda table, i, w: F.embedding_bag(i, table, per_sample_weights=w, mode="sum"),
        (CUBE[0], torch.tensor([[0, 2], [1, 1]]), torch.tensor([[0.5, 2.0], [1.0, -1.0]])),
    ),
    "pools with places": (
        lambda x: (*F.max_pool2d(x, 2, return_indices=True), F.max_pool2d(x, 3)),
        (IMAGE,),
    ),
    "pools with places, padded": (
        lambda x: F.max_pool2d(
            x, (3, 2), (2, 3), (1, 1), (2, 1), ceil_mode=True, return_indices=True
        ),
        (IMAGE,),
    ),
    "pools of other ranks with places": (
        lambda x, y: (
            *F.max_pool1d(x, 2, 1, return_indices=True),
            *F.max_pool3d(y, 2, padding=1, return_indices=True),
        ),
        (CUBE, VOLUME),
    ),
    "equal parts with places": (
        lambda x: F.adaptive_max_pool2d(x, (5, 1), return_indices=True),
        (IMAGE,),
    ),
    "unpooled": (
        lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
        (IMAGE[..., :4, :6],),
    ),
    "averages of parts of volumes": (lambda x: F.adaptive_avg_pool3d(x, (1, 2, 5)), (VOLUME,)),
    "diagonals": (
        lambda x: (x.diagonal(1, 0, 2), x.diagonal(-1, -1, 1), x[0, :3, :3].trace()),
        (CUBE,),
    ),
    "steps that are not whole": (
        lambda x: (x + torch.arange(0.5, 2.4, 0.5), x + torch.arange(4.0)),
        (CUBE,),
    ),
    "truth values times numbers": (
        lambda x: ((x > 0) * True, (x > 0) * False, (x > 0) + True, (x > 0) + False),
        (CUBE,),
    ),
    "sums in logarithms": (lambda x: torch.logaddexp(x, -x), (CUBE * 90,)),
}

LAYERS: dict[str, tuple[Any, Any]] = {
    "transposed in three": (torch.nn.ConvTranspose3d(2, 4, 3, (1, 2, 1), 1, (0, 1, 0), 2), VOLUME),
    "groups of one": (torch.nn.GroupNorm(2, 2, affine=False), IMAGE),
    "two inputs": (torch.nn.Bilinear(4, 4, 3), CUBE),
}


def compare(function: Any, module: Any, inputs: tuple[Any, ...]) -> Workload:
    """Compare every result of a workload with what a function of PyTorch computes."""
    workload = Workload.from_torch(exported(module, *inputs))
    names = (one.name for one in workload.inputs)
    values = {name: one.numpy() for name, one in zip(names, inputs, strict=True)}
    with torch.no_grad():
        wanted = function(*inputs)
    results = wanted if isinstance(wanted, tuple) else (wanted,)
    for found, one in zip(run(workload, values), results, strict=True):
        assert (found.shape, found.dtype.name) == (tuple(one.shape), one.numpy().dtype.name)
        np.testing.assert_allclose(found, one.numpy(), rtol=1e-5, atol=1e-6)
    return workload


@pytest.mark.parametrize("name", CASES)
def test_what_tvm_lacks_is_written_with_what_it_has(name: str) -> None:
    function, inputs = CASES[name]
    module = torch.nn.Module()
    module.forward = function
    workload = compare(function, module, inputs)
    assert not any("." in str(one.operator) for one in workload.order if isinstance(one, Call))


@pytest.mark.parametrize("name", LAYERS)
def test_layers_that_tvm_lacks_are_read(name: str) -> None:
    layer, data = LAYERS[name]
    inputs = (data, data * 2) if name == "two inputs" else (data,)
    compare(layer, layer, inputs)


def test_powers_of_integers_by_tensors_are_refused() -> None:
    module = torch.nn.Module()
    module.forward = lambda x, y: x**y
    with pytest.raises(UnsupportedError, match=r"`pow_1` is a power of integers by a tensor"):
        Workload.from_torch(exported(module, WHOLE, WHOLE.abs()))


def test_pools_whose_places_nobody_asks_for_are_pools() -> None:
    module = torch.nn.Sequential(torch.nn.MaxPool2d(2), torch.nn.ELU())
    workload = Workload.from_torch(exported(module, IMAGE))
    assert "MaxPool2D" in {str(one.operator) for one in workload.order if isinstance(one, Call)}


HEADS = VOLUME[:, :1, :2].reshape(1, 2, 2, 10)
LEFT = torch.tensor([[True, False], [False, False]])
ATTENTION: dict[str, Any] = {
    "plain": {},
    "causal": {"is_causal": True},
    "scaled": {"scale": 0.3},
    "masked": {"attn_mask": torch.tensor([[0.5, -torch.inf], [-torch.inf, -torch.inf]])},
    "with truth values": {"attn_mask": LEFT},
    "grouped": {"enable_gqa": True},
}


@pytest.mark.parametrize("name", ATTENTION)
def test_attention_is_one_operator_behind_the_preset(name: str) -> None:
    key = HEADS[:, :1] if name == "grouped" else HEADS * 2

    def attention(query: Any, key: Any, value: Any) -> Any:
        return F.scaled_dot_product_attention(query, key, value, **ATTENTION[name])

    module = torch.nn.Module()
    module.forward = attention
    workload = compare(attention, module, (HEADS, key, key + 1))
    smaller = presets.inference.apply(workload)
    assert [str(one.operator) for one in smaller.order if isinstance(one, Call)] == [
        "MaskedAttention"
    ]


def test_attention_of_short_floats_is_computed_in_wider_ones() -> None:
    module = torch.nn.Module()
    module.forward = lambda x: F.scaled_dot_product_attention(x, x, x)
    workload = Workload.from_torch(exported(module, HEADS.half()))
    (found,) = run(workload, {workload.inputs[0].name: HEADS.half().numpy()})
    np.testing.assert_allclose(found, module(HEADS.half()).numpy(), rtol=2e-3, atol=2e-3)
