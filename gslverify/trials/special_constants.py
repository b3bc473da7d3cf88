"""Networks in which a constant is NaN, infinite, a negative zero or as small as floats get.

Patterns of constants match these as well, unless a condition keeps them out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gsl.errors import GraphError
from gsl.expr import Const
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo
from gsl.subst import Subst
from gsl.types import ANY_FLOAT
from gsl.visit import post_order_rewrite
from gslverify.networks.network import Network
from gslverify.structures.concrete import Rewritten
from gslverify.trials.rewriting import prepare
from gslverify.trials.trial import Outcome as Trial

MOST_CONSTANTS = 4


def with_special_constants(subst: Subst, trial: Trial) -> Iterator[Trial]:
    """Yield the trial with one of its float constants replaced, wherever the rule still matches.

    What the target is then is computed anew; neither side is run.
    """
    exprs = reverse_post_order(trial.network.outputs)
    constants = [expr for expr in exprs if isinstance(expr, Const) and expr.dtype in ANY_FLOAT]
    for constant in constants[:MOST_CONSTANTS]:
        for value in _values(constant):
            network = _replaced(trial.network, constant, value)
            prepared = prepare(subst, network)
            if not isinstance(prepared, GraphError) and _is_rewritten(prepared):
                yield replace(trial, network=network, target=prepared.outputs)


def _is_rewritten(prepared: Rewritten) -> bool:
    return prepared.refusal is None and prepared.mismatch is None and not prepared.damage


def _values(constant: Const) -> list[Any]:
    """Return the special values of its dtype that a constant does not have yet."""
    smallest = finfo(constant.dtype).smallest_subnormal
    special = (-0.0, 0.0, smallest, np.inf, -np.inf, np.nan)
    arrays = [np.full(constant.shape, value, constant.dtype) for value in special]
    return [array for array in arrays if array.tobytes() != constant.value.tobytes()]


def _replaced(network: Network, constant: Const, value: Any) -> Network:
    """Return a network with another value in the place of a constant."""
    count, other = len(network.outputs), Const(value)
    both = (*network.outputs, *network.matched)
    new = post_order_rewrite(both, lambda pre, post: other if pre is constant else post)
    model, constants = _renamed(network.model, constant, value), dict[str, Any]()
    outputs, matched = tuple(new[:count]), tuple(new[count:])
    return replace(network, outputs=outputs, matched=matched, model=model, constants=constants)


def _renamed(model: Mapping[str, Any], constant: Const, value: Any) -> dict[str, Any]:
    """Return a model that gives the constant its new value, which goes by one of its names."""
    old = constant.value
    same = [n for n, v in model.items() if n.endswith(".value") and old.size and (v == old).all()]
    return {**model, **({same[0]: value.reshape(-1)[0].item()} if same else {})}
