"""Defects of Inductor's handlers in `torch.compile`: `python benchmarks/handlers.py [--json]`.

Each case is a row of `docs/explanation/found.md`: a function whose compiled form raises, or returns
something else than the function, with the passes of Inductor switched on that the row names.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from figures import Figure, figure, report
from torch import arange, cat, full, ones, split, stack, tensor, unbind
from torch._inductor import config

NORMAL, NORMAL_ATEN = "normalization_pass", "normalization_aten_pass"


@dataclass(frozen=True, slots=True)
class Case:
    """A function of tensors; `before` and `after` are passes before and after autograd."""

    handler: str
    function: Callable[..., Any]
    inputs: Sequence[Any] = ()
    before: Sequence[str] = ()
    after: Sequence[str] = ()

    @property
    def options(self) -> Mapping[str, Any]:
        """The settings of Inductor that switch the passes on."""
        before, after = ({one: {} for one in some} for some in (self.before, self.after))
        return {"pre_grad_fusion_options": before, "post_grad_fusion_options": after}


def less_its_largest(*axes: Any) -> Callable[[Any], Any]:
    """Return what subtracts the largest element along axes, as a softmax does first."""
    return lambda t: t - torch.amax(t, *axes, True)


first, last, whole = less_its_largest(0), less_its_largest(-1), less_its_largest(())
x2, y2, one = tensor([1.0, 2.0]), tensor([4.0, 1.0]), tensor([2.0])
number, flags = tensor(4.0), tensor([True, False])
cube = arange(8.0).reshape(2, 2, 2)

CASES = (
    Case("mul_softmax_pattern", lambda x, y: whole(x * y), (x2, y2)),
    Case("div_softmax_pattern", lambda x, y: whole(x / y), (x2, y2)),
    Case("mul_softmax_pattern", lambda x, y: first((x * y).half()), (x2, one)),
    Case("div_softmax_pattern", lambda x, y: first((x / y).half()), (x2, one)),
    Case("mul_softmax_pattern", lambda x, y: last(x * y), (number, number)),
    Case("div_softmax_pattern", lambda x, y: last(x / y), (number, number)),
    Case("div_softmax_pattern", lambda x, y: first(x / y), (flags, tensor([True]))),
    Case(
        "scatter_upon_const_tensor",
        lambda index: torch.scatter(full([], 1.0), 0, index, 2.0),
        (tensor(0),),
    ),
    Case("pointless_cumsum_replacement", lambda: full([2], 1.0, dtype=torch.int64).cumsum(0)),
    Case("pointless_cumsum_replacement", lambda: full([], 1.0).cumsum(0)),
    Case(
        "merge_getitem_cat",
        lambda x: cat([split(x, [0, 1, 2], 1)[0]], 1),
        (ones(1, 3),),
        (NORMAL, "merge_getitem_cat_pass"),
    ),
    Case(
        "merge_getitem_cat",
        lambda x: cat([split(x, [0])[0]]),
        (ones(0),),
        (NORMAL, "merge_getitem_cat_pass"),
    ),
    Case(
        "simplify_split_cat",
        lambda x: cat([split(x, [0, 0], dim=0)[0]], dim=2),
        (ones(0),),
        (NORMAL, "split_cat_pass"),
    ),
    Case(
        "simplify_split_cat",
        lambda x: stack(tensors=list(split(x, [1, 1], dim=-1)), dim=1),
        (ones(2, 2, 2),),
        ("split_cat_pass",),
    ),
    Case(
        "merge_unbind_stack",
        lambda x: cat(unbind(x, dim=1), -1),
        (cube[0],),
        ("unbind_stack_pass",),
    ),
    Case(
        "split_cat_to_slices",
        lambda x: cat(split(x, [0, 0], dim=3), dim=0),
        (ones(2, 2, 1, 0),),
        (NORMAL, "split_cat_to_slices_pass"),
    ),
    Case(
        "unbind_cat_to_view",
        lambda x: cat(unbind(x, dim=-2), dim=-1),
        (cube,),
        ("unbind_cat_to_view_pass",),
    ),
    Case(
        "split_stack_to_cats",
        lambda x: stack(split(x, [1], dim=-3), dim=-1),
        (cube[:1],),
        ("split_stack_to_cats_pass",),
    ),
    Case(
        "unbind_stack_to_slices",
        lambda x: stack(unbind(x, dim=0), dim=-1),
        (cube,),
        (NORMAL, "unbind_stack_to_slices_pass"),
    ),
    Case(
        "unbind_stack_to_slices",
        lambda x: stack(unbind(x, dim=0), dim=0),
        (x2,),
        (NORMAL, "unbind_stack_to_slices_pass"),
    ),
    Case(
        "move_reshape_out_of_split_stack",
        lambda x: stack([split(x, [2, 0])[0].reshape(1, 2, 2, 1, 2)], dim=2),
        (cube,),
        (NORMAL, "move_reshape_out_of_split_stack_pass"),
    ),
    Case(
        "move_reshape_out_of_split_stack",
        lambda x: stack([split(x, [0], dim=0)[0].reshape(0, 2, 1)], dim=3),
        (ones(0, 2),),
        (NORMAL, "move_reshape_out_of_split_stack_pass"),
    ),
    Case(
        "move_view_after_cat",
        lambda x: cat([part.reshape(2, 1) for part in split(x, 2)], 1),
        (arange(4.0),),
        after=(NORMAL_ATEN, "move_view_after_cat_aten_pass"),
    ),
    Case(
        "normalize_split_default_aten",
        lambda x: split(x, 3),
        (ones(4, 2),),
        after=(NORMAL_ATEN,),
    ),
)


def is_wrong(case: Case) -> bool:
    """Tell whether the compiled function raises, or returns something else than it does."""
    torch._dynamo.reset()
    with torch.no_grad(), config.patch({**case.options, "fx_graph_cache": False}):
        expected = case.function(*case.inputs)
        try:
            actual = torch.compile(case.function)(*case.inputs)
        except Exception:
            return True
    pairs = zip(*map(_listed, (expected, actual)), strict=True)
    return any(one.dtype != other.dtype or not torch.equal(one, other) for one, other in pairs)


def _listed(outputs: Any) -> Sequence[Any]:
    return [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)


def figures() -> Iterator[Figure]:
    """Yield how many of the cases are not as the page says."""
    right = [case.handler for case in CASES if not is_wrong(case)]
    for name in right:
        print(f"not shown: {name}", file=sys.stderr)
    yield figure(f"{len(CASES)} defects of handlers not in torch.compile", len(right), "rows", 0.0)


if __name__ == "__main__":
    torch.set_num_threads(1)
    logging.disable(logging.CRITICAL)
    report(figures(), "--json" in sys.argv)
