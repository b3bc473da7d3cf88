"""How many graphs a second are verified: `python benchmarks/numeric.py [--quick] [--json]`.

Graphs are generated for the rules of the corpus, matched and rewritten by the engine, and run on
both sides on NumPy (with error bounds) and on TVM, in as many processes as there are processors.
The naive way, measured in the same run on a sample of the same graphs, compiles both sides of every
graph and compares them. Then deviations are seeded into targets, and counterexamples of the broken
rules are measured. Times include starting TVM and compiling.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

import numpy as np
from drawing import drawn
from figures import Figure, report

from gsl.collector import collect_seldom
from gsl.expr import Call, Const
from gsl.operators import lookup
from gsl.rule_files.collect import rules_in as written_in
from gslverify.comparison.compare import compare, evaluate_bounded
from gslverify.corpus.collect import CollectedRule, collect
from gslverify.engine.examination import Examination
from gslverify.finding import Verdict
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.settings import Settings
from gslverify.stages import WAVES, numeric
from gslverify.structures.instance import Instance
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.variants import enumerate_variants
from gslverify.trials import backend
from gslverify.trials.rewriting import prepare
from gslverify.trials.second_opinion import sides_of
from gslverify.trials.trial import Outcome, judge

CORPUS = Path(__file__).parent.parent / "rule_corpus"
STRUCTURES, ALL_STRUCTURES, ENOUGH_STRUCTURES = 300, 4_000, 8
MOST_DRAWS = 6
"""Draws for every graph that is wanted, before a rule is given up."""
GRAPHS_PER_VARIANT = 10
"""Graphs of one structure, dtype and choice of attributes, with sizes and values of their own."""
DEVIATIONS = (1e-9, 1e-8, 1e-6, 1e-3)
NEIGHBOURS = 5
"""So many rules are taken by a process at once."""
NAIVE = 3
"""Graphs of every rule that are also verified the naive way."""
numbers: Any = None
"""The first rule that no process has taken; each has it from the first process."""


@dataclass
class Tally:
    """What became of the graphs of some rules."""

    rules: int = 0
    graphs: int = 0
    alarms: int = 0
    disagreements: int = 0
    unconfirmed: int = 0
    seeded: int = 0
    found: int = 0
    compiled: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    naive: float = 0.0
    naive_processor: float = 0.0


def rules_in(folder: str, most: int) -> list[CollectedRule]:
    items = collect([str(CORPUS / folder)])
    usable = [item for item in items if isinstance(item, CollectedRule)]
    step = max(1, len(usable) // most)
    return usable[::step][:most]


def samplers_of(subst: Any) -> list[Sampler]:
    """Return samplers of some structures that some graph has, spread over all of them.

    A few rules have their first structure late, or no model among simple guesses.
    """
    for most_runs, holds in ((STRUCTURES, is_simple), (ALL_STRUCTURES, is_feasible)):
        found = enumerate_variants(subst, most_runs=most_runs).variants
        context, result = new_context(), []
        for variant in found[:: max(1, len(found) // (2 * ENOUGH_STRUCTURES))]:
            instance: Instance = variant.instance(subst)
            solver = Solver([claim.term for claim in instance.claims], 1_000_000, context)
            sampler = Sampler(instance, solver)
            if holds(sampler):
                result.append(sampler)
            if len(result) == ENOUGH_STRUCTURES:
                break
        if result:
            return result
    return []


def is_simple(sampler: Sampler) -> bool:
    return sampler.simple_model() is not None


def is_feasible(sampler: Sampler) -> bool:
    return sampler.solver.check().answer is Answer.SAT


def written(item: CollectedRule) -> Any:
    """Return what a rule of the corpus writes down, in this process."""
    return next(rule() for rule in written_in(item.path) if rule.name == item.rule.name)


def trials_of(item: CollectedRule, wanted: int) -> list[Outcome]:
    """Generate, match, rewrite and run on NumPy up to `wanted` graphs of a rule."""
    subst, random = written(item), Random(item.rule_id)
    samplers = samplers_of(subst)
    outcomes: list[Outcome] = []
    for _ in range(MOST_DRAWS * wanted if samplers else 0):
        if len(outcomes) == wanted:
            break
        variant = item.rule_id, len(outcomes) // GRAPHS_PER_VARIANT
        made = drawn(samplers, random, variant=variant)
        if made is not None:
            outcome = judge(made[0], prepare(subst, made[0]), made[1])
            if not outcome.rejected:
                outcomes.append(outcome)
    return outcomes


def verify(tally: Tally, items: Iterable[CollectedRule], wanted: int) -> list[Outcome]:
    """Verify rules in this process; note what became of it and return a few trials of each."""
    began, kept = time.perf_counter(), list[Outcome]()
    for item in items:
        outcomes = trials_of(item, wanted)
        passed = [one for one in outcomes if one.code is None and not one.declined]
        tally.rules += bool(outcomes)
        tally.graphs += len(outcomes)
        tally.alarms += sum(one.code is not None for one in outcomes)
        opinions = backend.opinions([side for one in passed for side in sides_of(one)])
        tally.disagreements += sum(bool(opinion.difference) for opinion in opinions)
        tally.unconfirmed += sum(bool(opinion.failure) for opinion in opinions)
        kept += passed[:: max(1, len(passed) // NAIVE)][:NAIVE]
    tally.seconds += time.perf_counter() - began
    return kept


def work(count: int, wanted: int) -> Tally:
    """Verify a share of the rules, a few at a time, and some of their graphs the naive way.

    The two ways take turns, as a machine is not equally fast all the time.
    """
    tally, before, rules = Tally(), processor_time(), rules_in("sound", count)
    collect_seldom()  # as workers of the verifier do
    for items in share(rules):
        kept = verify(tally, items, wanted)
        naive(tally, kept)
        seed_deviations(tally, kept)
    backend.close_worker()
    tally.processor = processor_time() - before - tally.naive_processor
    return tally


def take_numbers_of(counter: Any) -> None:
    """Have this process share work with others that count with the same counter."""
    global numbers
    numbers = counter


def share(items: Sequence[CollectedRule]) -> Iterator[Sequence[CollectedRule]]:
    """Yield a few rules at a time that no process has taken yet.

    Neighbours stay together: rules of one topic share kernels. Towards the end there are fewer at
    a time, so that all processes end at about the same time.
    """
    while True:
        with numbers.get_lock():
            first = numbers.value
            many = max(1, min(NEIGHBOURS, (len(items) - first) // 4))
            numbers.value += many
        if first >= len(items):
            return
        yield items[first : first + many]


def processor_time() -> float:
    """Return the seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def seed_deviations(tally: Tally, kept: Sequence[Outcome]) -> None:
    """Multiply a float64 output of the target by a number just beside 1, and compare."""
    for one in kept:
        places = [n for n, e in enumerate(one.target) if getattr(e.type, "dtype", "") == "float64"]
        source, _ = evaluate_bounded(one.network.outputs, one.inputs)
        places = [n for n in places if np.isfinite(source[n].value).all() and source[n].value.any()]
        for place in places[:1]:
            for deviation in DEVIATIONS:
                factor = Const(np.float64(1 + deviation), "float64")
                wrong = Call(lookup("Multiply"), [one.target[place], factor])
                (value,), _ = evaluate_bounded([wrong], one.inputs)
                differences = compare("output", source[place], value)
                tally.seeded += 1
                tally.found += any(c.difference is not None for c in differences)


def naive(tally: Tally, kept: Sequence[Outcome]) -> None:
    """Compile and run both sides of one graph after the other, and compare them."""
    from gsl import Workload
    from gsl.tvm.export import to_relax
    from gsl.tvm.run import arguments, compile_functions

    if not tally.compiled and kept:
        to_relax(Workload(kept[0].network.outputs))  # what is done once
        gc.freeze()
    began, before = time.perf_counter(), processor_time()
    for one in kept:
        for outputs in (one.network.outputs, one.target):
            workload = Workload(outputs)
            executable = compile_functions(to_relax(workload), level=3)
            executable.run("main", arguments(workload, one.inputs))
            evaluate_bounded(outputs, one.inputs)
    tally.compiled += len(kept)
    tally.naive += time.perf_counter() - began
    tally.naive_processor += processor_time() - before


def throughput(rules: int, wanted: int) -> Iterator[Figure]:
    processes = len(os.sched_getaffinity(0))
    context = get_context("spawn")
    counter = context.Value("i", 0)
    with ProcessPoolExecutor(processes, context, take_numbers_of, (counter,)) as pool:
        tallies = list(pool.map(work, [rules] * processes, [wanted] * processes))
    seconds = max(tally.seconds for tally in tallies)
    graphs = sum(tally.graphs for tally in tallies)
    compiled = sum(tally.compiled for tally in tallies)
    slow = sum(tally.naive for tally in tallies) / compiled
    yield Figure("rules", sum(tally.rules for tally in tallies), "")
    yield Figure("graphs", graphs, "")
    yield Figure("time", round(seconds, 1), "s")
    yield Figure("throughput", round(graphs / seconds, 1), "graphs/s")
    yield Figure("naive way, one process", round(1 / slow, 1), "graphs/s")
    ratio = graphs / seconds * slow
    yield Figure("throughput, times the naive way", round(ratio, 1), "x", 40, ratio >= 40)
    mine = sum(tally.processor for tally in tallies) / graphs
    its = sum(tally.naive_processor for tally in tallies) / compiled
    yield Figure("processor time", round(1e3 * mine, 1), "ms/graph")
    yield Figure("processor time, naive way", round(1e3 * its, 1), "ms/graph")
    alarms = sum(tally.alarms for tally in tallies)
    yield Figure("false alarms", alarms, "", 0, alarms == 0)
    yield Figure("TVM differs from NumPy", sum(t.disagreements for t in tallies), "sides")
    yield Figure("TVM cannot run", sum(t.unconfirmed for t in tallies), "sides")
    seeded, found = sum(t.seeded for t in tallies), sum(t.found for t in tallies)
    yield Figure("seeded deviations of 1e-9 to 1e-3", seeded, "")
    part = found / max(1, seeded)
    yield Figure("seeded deviations found", round(part, 4), "", 1, part >= 1)


@dataclass
class Refutation:
    """The counterexample of a broken rule."""

    elements: int = 0
    largest: int = 0
    is_simple: bool = False
    seconds: float = 0.0


def refute(number: int, step: int, most: int) -> list[Refutation]:
    """Verify broken rules until they are refuted by numbers; measure their counterexamples."""
    result = []
    for item in rules_in("broken", most)[number::step]:
        first: list[float] = []
        original = numeric.Search.attempt

        def attempt(search: Any, *given: Any, first: Any = first, real: Any = original) -> Any:
            failed = real(search, *given)
            if failed is not None:
                first.append(time.perf_counter())
            return failed

        numeric.Search.attempt = attempt
        try:
            taken = _counterexample(item)
        finally:
            numeric.Search.attempt = original
        if taken is not None and first:
            taken.seconds = time.perf_counter() - first[0]
            result.append(taken)
    backend.close_worker()
    return result


def _counterexample(item: CollectedRule) -> Refutation | None:
    examination = Examination(item, Settings(use_tvm=False), lambda event: None)
    for wave in WAVES:
        for name, location in wave.items():
            for finding in examination.run(name, location).findings:
                shown = finding.counterexample
                if name == "numeric" and finding.code.verdict is Verdict.FAIL and shown:
                    shapes = [tensor.shape for tensor in shown.inputs]
                    sizes = [int(np.prod(shape)) for shape in shapes]
                    return Refutation(
                        max(sizes, default=0),
                        max(map(max, filter(None, shapes)), default=0),
                        all(tensor.values is not None for tensor in shown.inputs)
                        and all(map(_is_simple, (tensor.values for tensor in shown.inputs))),
                    )
    return None


def _is_simple(values: Any) -> bool:
    """Return whether all numbers are 0, 1, -1 or 2, or none such as NaN."""
    array = np.asarray(values)
    return bool((np.isin(array, (0, 1, -1, 2)) | ~np.isfinite(array)).all())


def counterexamples(most: int) -> Iterator[Figure]:
    processes = len(os.sched_getaffinity(0))
    numbers = range(processes)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        parts = pool.map(refute, numbers, [processes] * processes, [most] * processes)
        found = [one for part in parts for one in part]
    if not found:
        return
    yield Figure("broken rules refuted by values", len(found), "")
    elements = median(one.elements for one in found)
    yield Figure(
        "largest tensor of a counterexample, median", elements, "elements", 3, elements <= 3
    )
    largest = median(one.largest for one in found)
    yield Figure("largest size of a counterexample, median", largest, "", 3, largest <= 3)
    simple = mean(one.is_simple for one in found)
    yield Figure("of values 0, 1, -1, 2 and special", round(simple, 3), "", 0.5, simple >= 0.5)
    middle = median(one.seconds for one in found)
    yield Figure("shrinking, median", round(middle, 2), "s", 5, middle <= 5)
    worst = max(one.seconds for one in found)
    yield Figure("shrinking, slowest", round(worst, 2), "s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="600 graphs, 24 wrong rules")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    chosen = parser.parse_args()
    rules, wanted, broken = (12, 50, 24) if chosen.quick else (100, 100, 1_000)
    report(chain(throughput(rules, wanted), counterexamples(broken)), chosen.json)


if __name__ == "__main__":
    main()
