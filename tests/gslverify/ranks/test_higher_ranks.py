"""Rules that are said to hold for all ranks hold on graphs of five and six axes."""

from __future__ import annotations

from dataclasses import astuple
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gsl import Subst, op, pat
from gsl.attr.term import Symbol
from gsl.rule_files.collect import rules_in
from gsl.subst import Rule
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Code
from gslverify.networks.arrays import filled_inputs
from gslverify.networks.choices import NothingDrawnError, Tape
from gslverify.networks.generation import network_in
from gslverify.settings import Settings
from gslverify.stages.scenarios import Plan, Scenario, planned
from gslverify.structures.instance import Extent, Instance
from gslverify.structures.models.sampling import Preference
from gslverify.structures.variants import some_variants
from gslverify.trials.rewriting import prepare
from gslverify.trials.trial import judge

pytestmark = pytest.mark.smt

SOUND = Path(__file__).parents[3] / "rule_corpus" / "sound"
RUNS, STRUCTURES, GRAPHS = 1024, 3, 6

CLAIMED = [
    "fused.py::skip_rms_norm",
    "indexing.py::slice_slice",
    "indexing.py::slice_of_concat_in_second",
    "matmul.py::matmul_as_dense",
    "matmul.py::merge_qkv",
    "operators_of_today.py::gather_nd_is_take",
    "padding.py::pad_pad",
    "padding.py::relu_of_pad",
    "padding.py::slice_of_pad",
    "padding_moves.py::concat_of_full",
    "padding_moves.py::flip_of_pad",
    "padding_moves.py::multiply_zero_pad",
    "padding_moves.py::sum_of_pads",
    "parallel.py::parallel_dense",
    "products.py::matmul_with_vector",
    "slices.py::slice_of_concat_across",
    "slices.py::slice_of_flip",
    "updates.py::update_of_updated_part",
]


@cache
def rules(file: str) -> dict[str, Rule]:
    """Return the rules of a file of the corpus by their names."""
    return {one.name: one for one in rules_in(SOUND / file)}


def of_rank(subst: Subst, rank: int) -> list[Scenario]:
    """Return some structures in which an input has a rank."""

    def fits(instance: Instance) -> bool:
        return any(instance.bindings.nodes[key].expr.type.ndim == rank for key in instance.inputs)

    found = some_variants(subst, Extent(ranks=(rank, 2, 1), rare=True), fits, STRUCTURES, RUNS)
    choices = [(astuple(one.extent), one.choices) for one in found]
    return planned(subst, Plan(True, len(found), choices), Settings()).feasible


def small(random: Random) -> Preference:
    """Return a chooser of small values."""

    def preference(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        if symbol.sort == "text":
            return "float32" if "float32" in options or not options else options[0]
        return (
            random.choice((False, True)) if symbol.sort == "bool" else random.choice((0, 1, 1, 2))
        )

    return preference


def judged(subst: Subst, rank: int) -> list[Code | None]:
    """Return of graphs of a rank what is wrong about each, None where both sides agree."""
    found = []
    for number, scenario in enumerate(of_rank(subst, rank)):
        random = Random(number)
        for _ in range(GRAPHS):
            model = scenario.sampler.model(small(random), may_be_empty=False)
            assert model is not None
            try:
                network = network_in(Tape((), random), scenario.sampler, model)
            except NothingDrawnError:  # too large
                continue
            arrays = filled_inputs(network, ("distinct integers", True), random.randrange(255))
            outcome = judge(network, prepare(subst, network), arrays)
            if not outcome.declined and not outcome.rejected:
                found.append(outcome.code)
    return found


@pytest.mark.parametrize("rank", [5, 6])
@pytest.mark.parametrize("name", CLAIMED)
def test_what_is_claimed_holds_on_larger_graphs(name: str, rank: int) -> None:
    file, rule = name.split("::")
    subst = rules(file)[rule].write()
    assert set(judged(subst, rank)) == {None}


def wrong_from_rank_five() -> Subst:
    """Adds 1 to slices of tensors of five axes and more."""
    x = pat.Wildcard(dtype="float32")
    part = op.StridedSlice(op.Negative(x))
    right = op.Negative(op.StridedSlice(x, **pat.same_attr(part)))
    return Subst(part, pat.Cond(x.ndim > 4, right + 1, right))


@pytest.mark.parametrize("rank", [5, 6])
def test_what_is_wrong_there_is_found(rank: int) -> None:
    assert set(judged(wrong_from_rank_five(), rank)) == {OUTPUTS_DIFFER}
