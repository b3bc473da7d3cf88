"""Calls of every operator, drawn by the verifier's own generation from a rule of one call."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from three_way import Case

from gsl import Subst, pat
from gsl.expr import Call, Tuple
from gsl.operators import REGISTRY, Operator
from gsl.operators.quantize import QUANTISED
from gsl.pat import Pattern
from gsl.types import ALL_DTYPES, FLOATING, NUMERIC
from gslverify.networks.exploration import BACKEND
from gslverify.networks.matching import Structures as Matched
from gslverify.networks.matching import arrays, networks
from gslverify.networks.network import Network
from gslverify.semantics.solver import Answer, Context, Solver, new_context
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.variants import Variant, enumerate_variants

OPERATORS = {
    name: declared
    for name, declared in sorted(REGISTRY.items())
    if declared.rule.__module__.startswith("gsl.operators.")
}
"""All operators of the package, but none that other tests declare."""

NUMBERS_OF_FIELDS = (0, 1, 3)
"""A tuple operand is one wildcard (0) or a tuple pattern of so many."""

PARAMETERS = {
    "BatchNorm": ("gamma", "beta", "moving_mean", "moving_var"),
    "GroupNorm": ("gamma", "beta"),
    "InstanceNorm": ("gamma", "beta"),
}
"""Vectors among many operands: their ranks are fixed, or there would be too many structures."""

RANKS = {
    "Conv3D": {"data": 5, "weight": 5},
    "Conv3DTranspose": {"data": 5, "weight": 5},
    "ConvInteger3D": {"data": 5, "weight": 5},
    "MaxPool3D": {"data": 5},
    "AvgPool3D": {"data": 5},
}
"""Operands with more axes than those of patterns usually have."""

RESULTS = {
    "Arange": NUMERIC,
    "ConvInteger1D": ("int32",),
    "ConvInteger2D": ("int32",),
    "ConvInteger3D": ("int32",),
    "DequantizeLinear": FLOATING,
    "FakeQuantize": FLOATING[:2],
    "MaskedAttention": FLOATING,
    "MatMulInteger": ("int32",),
    "QuantizeLinear": QUANTISED,
    "SelfAttention": FLOATING,
}
"""The dtypes of results of operators whose shape rule speaks about dtypes itself, if not all."""

MOST_STRUCTURES = 40
"""How many structures of an operator are sampled, all dtypes together."""


@dataclass(frozen=True)
class Drawn:
    """One drawn call: what it was drawn from, the network, and an array for each input."""

    sampler: Sampler
    network: Network
    inputs: dict[str, Any]

    @property
    def call(self) -> Call:
        found = self.network.outputs[0]
        assert isinstance(found, Call)
        return found

    @property
    def case(self) -> Case:
        operands = tuple(self._value(operand) for operand in self.call.operands)
        return Case(self.call.operator, operands, dict(self.call.attributes))

    def _value(self, operand: Any) -> Any:
        if isinstance(operand, Tuple):
            return tuple(map(self._value, operand.operands))
        return self.inputs[operand.name]


def rules(operator: Operator, dtype: str | None = None) -> list[Subst]:
    """Return the rules whose source is a call of `operator`, of one dtype if given."""
    has_tuple = any(operand.is_tuple for operand in operator.operands)
    return [_rule(operator, count, dtype) for count in (NUMBERS_OF_FIELDS if has_tuple else (0,))]


def _rule(operator: Operator, fields: int, dtype: str | None) -> Subst:
    operands = [_operand(operator, operand, fields) for operand in operator.operands]
    call = pat.call(operator, operands)
    is_typed_by_operand = operator.dtypes is not None and not operator.operands[0].is_tuple
    typed = operands[0] if is_typed_by_operand else call
    return Subst(call, call, where=[] if dtype is None else [typed.dtype == dtype])


def _operand(operator: Operator, declared: Any, fields: int) -> Pattern:
    if declared.is_tuple and fields:
        return pat.Tuple(*(pat.Wildcard() for _ in range(fields)))
    if declared.name in PARAMETERS.get(operator.name, ()):
        return pat.Variable(shape=(None,))
    rank = RANKS.get(operator.name, {}).get(declared.name)
    return pat.Wildcard() if rank is None else pat.Variable(shape=(None,) * rank)


@cache
def variants(operator: Operator) -> list[tuple[int, Variant]]:
    """Return the structures of a call, each with the number of its rule."""
    found = [enumerate_variants(rule).variants for rule in rules(operator)]
    return [(number, variant) for number, group in enumerate(found) for variant in group]


class Structures:
    """Some structures of a call of one dtype, chosen the same way every time.

    The solver is asked about a structure when it is drawn, because most are not.
    """

    def __init__(self, operator: Operator, dtype: str, context: Context) -> None:
        every = variants(operator)
        self.count = min(max(6, MOST_STRUCTURES // len(dtypes(operator))), len(every))
        self._order = random.Random(f"{operator}{dtype}").sample(every, len(every))
        self._written, self._context = rules(operator, dtype), context
        self._known: dict[int, Sampler | None] = {}

    def sampler(self, number: int) -> Sampler:
        """Return a sampler of one of `count` structures, or of another that some call has."""
        rows = [*range(number, self.count), *range(number)]
        places = (at for row in rows for at in range(row, len(self._order), self.count))
        return next(one for one in map(self._sampler, places) if one is not None)

    def _sampler(self, place: int) -> Sampler | None:
        if place not in self._known:
            number, variant = self._order[place]
            instance = variant.instance(self._written[number])
            solver = Solver([claim.term for claim in instance.claims], 4_000_000, self._context)
            is_met = solver.check().answer is Answer.SAT
            self._known[place] = Sampler(instance, solver) if is_met else None
        return self._known[place]


def dtypes(operator: Operator) -> tuple[str, ...]:
    """Return the dtypes that an operator declares."""
    if operator.name in RESULTS:
        return RESULTS[operator.name]
    return operator.dtypes or ALL_DTYPES


def explore(operator: Operator, visit: Callable[[Drawn], None], examples: int) -> None:
    """Call `visit` on at least so many drawn calls of an operator, as many for each dtype."""
    share, context = -(-examples // len(dtypes(operator))), new_context()
    for dtype in dtypes(operator):
        structures = Structures(operator, dtype, context)
        _explore_dtype(structures, visit, share, zlib.crc32(dtype.encode()))


def _explore_dtype(
    structures: Structures, visit: Callable[[Drawn], None], examples: int, start: int
) -> None:
    @seed(start)
    @settings(
        backend=BACKEND,  # that of hypothesis draws numbers of whatever modules are loaded
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(st.data())
    def every_call(data: st.DataObject) -> None:
        sampler = structures.sampler(data.draw(st.integers(0, structures.count - 1), "structure"))
        network = data.draw(networks(Matched([sampler]), ["alone"]), "network")
        visit(Drawn(sampler, network, data.draw(arrays(network), "inputs")))

    every_call()
