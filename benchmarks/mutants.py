"""What mutants cost: `python benchmarks/mutants.py [--quick] [--json]`.

All times are processor times in one process, and those that are compared are taken in one run:
making all mutants of a rule, making one of them as a process does that is asked about it, and
refuting by values a mutant of which nobody asks why, compared with one that is explained.
`--quick` takes a third of the rules.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from figures import Figure, figure, report

from gslverify.corpus.declaration import LoadedRule
from gslverify.corpus.loading import load
from gslverify.engine.writing import write_down
from gslverify.finding import REFUTING
from gslverify.mutation.collect import drafted, find_item
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE

CORPUS = Path(__file__).parent.parent / "rule_corpus" / "sound"
STEP = 20
MOST_REFUTED = 3
"""Mutants of one rule that are refuted by values."""


def taken(run: Callable[[], object]) -> float:
    """Return the processor time that a call takes."""
    began = time.process_time()
    run()
    return time.process_time() - began


def making(rules: list[tuple[LoadedRule, list[LoadedRule]]]) -> Iterator[Figure]:
    """Compare making all mutants of rules with making one of them."""
    whole, alone, count = 0.0, [], 0
    for rule, loaded in rules:
        spent = taken(lambda rule=rule, loaded=loaded: drafted(rule.rule_id, write_down, loaded))
        mutants = [one.item for one in drafted(rule.rule_id, write_down, loaded) if one.item]
        whole, count = whole + spent, count + len(mutants)
        for mutant in mutants[:: max(1, len(mutants) // 3)]:
            one = taken(lambda m=mutant, loaded=loaded: find_item(loaded, m.rule_id))
            alone.append(one / spent)
    yield figure(f"a mutant, of {count} that are made and written down", 1e3 * whole / count, "ms")
    yield figure("a mutant alone, part of the time for all of its rule", median(alone), "")


def refuting(rules: list[tuple[LoadedRule, list[LoadedRule]]]) -> Iterator[Figure]:
    """Compare refutations that are told as they are found with those that are explained."""
    plain = Settings(use_tvm=False, hints=False)
    parts: list[float] = []
    for rule, loaded in rules:
        mutants = [one.item for one in drafted(rule.rule_id, write_down, loaded) if one.item]
        refuted = 0
        for mutant in mutants[:: max(1, len(mutants) // 8)]:
            item = find_item(loaded, mutant.rule_id)
            if not isinstance(item, LoadedRule) or refuted == MOST_REFUTED:
                continue
            question = Question(item.rule_id, item.rule, plain)
            if any(stage.run(question).verdict in REFUTING for stage in (SATISFIABLE, SHAPE)):
                continue
            spent = []
            for explained in (True, False):
                question.settings = replace(plain, explained=explained)
                began = time.process_time()
                verdict = NUMERIC.run(question).verdict
                spent.append(time.process_time() - began)
            if verdict in REFUTING:
                refuted += 1
                parts.append(spent[1] / spent[0])
    name = f"{len(parts)} refutations as they are found, part of explained ones"
    yield figure(name, median(parts), "")


def figures(step: int) -> Iterator[Figure]:
    """Yield all figures, for every so many rules of the corpus."""
    rules = []
    for path in sorted(CORPUS.glob("*.py")):
        loaded = [item for item in load(path) if isinstance(item, LoadedRule)]
        rules += [(item, loaded) for item in loaded]
    yield from making(rules[::step])
    yield from refuting(rules[::step])


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report(figures(3 * STEP if options.quick else STEP), options.json)


if __name__ == "__main__":
    main()
