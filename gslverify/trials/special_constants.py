"""Networks in which constants have other values: special ones, or some with all their digits.

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
from gslverify.structures.models.concrete import Rewritten
from gslverify.trials.boundaries import on_grid
from gslverify.trials.rewriting import prepare
from gslverify.trials.trial import Outcome as Trial

MOST_CONSTANTS = 4


def with_special_constants(subst: Subst, trial: Trial) -> Iterator[Trial]:
    """Yield the trial with one of its float constants replaced, wherever the rule still matches.

    What the target is then is computed anew; neither side is run.
    """
    for constant in _constants(trial):
        for value in _values(constant):
            if (found := with_constant(subst, trial, constant, value)) is not None:
                yield found


def with_all_digits_in_constants(
    subst: Subst, trial: Trial, generator: np.random.Generator
) -> Trial | None:
    """Return the trial with constants about as large whose digits are drawn, if there are any.

    Those stay as they are with whose new values the rule does not match.
    """
    found: Trial | None = None
    for number in range(len(_constants(trial))):
        latest = found or trial
        constant = _constants(latest)[number]
        factors = generator.uniform(0.5, 1.0, constant.shape)
        value = on_grid(constant.value.astype(np.float64) * factors, constant.value.dtype)
        found = with_constant(subst, latest, constant, value) or found
    return found


def _constants(trial: Trial) -> list[Const]:
    exprs = reverse_post_order(trial.network.outputs)
    floats = [expr for expr in exprs if isinstance(expr, Const) and expr.dtype in ANY_FLOAT]
    return floats[:MOST_CONSTANTS]


def with_constant(subst: Subst, trial: Trial, constant: Const, value: Any) -> Trial | None:
    """Return the trial with another value of a constant; None if the rule does not match then."""
    network = _replaced(trial.network, constant, value)
    prepared = prepare(subst, network)
    if isinstance(prepared, GraphError) or not _is_rewritten(prepared):
        return None
    return replace(trial, network=network, target=prepared.outputs)


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
