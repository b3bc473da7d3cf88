"""How many rules are refuted that are wrong for rare inputs.

    python benchmarks/inputs.py [--quick] [--json]

The numeric stage is asked about the rules of `rare_rules.py` with several seeds, once as it is and
once with draws alone, which is the baseline. Of their sound twins, and of sound rules of the
corpus, none may be refuted. TVM is not asked. `--quick` takes every fourth rule, one seed and a few
sound rules.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from figures import Figure, at_least, figure, report
from rare_rules import KINDS, Case, cases

from gsl import rule
from gsl.rule_files.collect import rules_in
from gsl.subst import Rule
from gslverify.finding import Verdict
from gslverify.inputs.distinguish import Answers, distinguish
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages import numeric
from gslverify.stages.examination import scenarios_of

CORPUS = Path(__file__).parent.parent / "rule_corpus" / "sound"
SEEDS, QUICK_SEEDS = 10, 1
EVERY_QUICK = 4
SOUND_RULES, QUICK_SOUND_RULES = 120, 12


@contextmanager
def draws_alone() -> Iterator[None]:
    """Keep the numeric stage from solving for inputs."""
    solving = numeric.distinguish
    numeric.distinguish = lambda *_: Answers()
    try:
        yield
    finally:
        numeric.distinguish = solving


def verdict_of(write: Callable[[], Any], seed: int, examples: int = 60) -> Verdict:
    """Return what the numeric stage says about a rule."""
    written = rule()(write)
    settings = Settings(seed=seed, use_tvm=False, max_examples=examples)
    return numeric.NUMERIC.run(Question(f"rare::{written.name}", written, settings)).verdict


def refuted(chosen: Sequence[Case], seeds: int) -> tuple[Counter[str], float]:
    """Return how many runs of each kind refuted their rule, and the seconds of all of them."""
    found: Counter[str] = Counter()
    started = time.process_time()
    for case in chosen:
        for seed in range(seeds):
            found[case.kind] += verdict_of(case.wrong, seed) is Verdict.FAIL
    return found, time.process_time() - started


def false_alarms(chosen: Sequence[Case]) -> int:
    """Return how many sound twins are refuted."""
    twins = [case.sound for case in chosen if case.sound is not None]
    return sum(verdict_of(twin, 0, 20) is Verdict.FAIL for twin in twins)


def solved(one: Rule) -> tuple[Answers, float]:
    """Return what solving says about a rule, and the seconds that it takes."""
    question = Question(f"corpus::{one.name}", one, Settings())
    found = scenarios_of(question)
    samplers = [one.sampler for one in (*found.feasible, *found.large)]
    started = time.process_time()
    answers = distinguish(question.subst, samplers)
    return answers, time.process_time() - started


def sound_rules(most: int) -> Iterator[Figure]:
    """Yield what solving says of sound rules of the corpus, and how long it takes."""
    items = [one for file in sorted(Path(CORPUS).glob("*.py")) for one in rules_in(file)]
    sample = items[:: max(1, len(items) // most)][:most]
    solved(sample[0])  # z3 is loaded by the first question
    alarms = equal = 0
    seconds = 0.0
    for item in sample:
        answers, taken = solved(item)
        seconds += taken
        alarms += answers.failure is not None
        equal += bool(list(answers.assurances()))
    yield figure("sound rules of the corpus refuted", alarms, "rules", 0)
    yield figure("said to be equal for all inputs", 100 * equal / len(sample), "% of rules")
    yield figure("solving for inputs of a sound rule", seconds / len(sample), "s", 0.15)


def measured(quick: bool) -> Iterator[Figure]:
    chosen = cases()[::EVERY_QUICK] if quick else cases()
    seeds = QUICK_SEEDS if quick else SEEDS
    if not quick:
        yield at_least("rules that are wrong for rare inputs", len(chosen), "rules", 60)
        yield at_least("kinds of them", len(KINDS), "kinds", 12)
    found, seconds = refuted(chosen, seeds)
    runs = Counter({case.kind: 0 for case in chosen})
    runs.update(case.kind for case in chosen for _ in range(seeds))
    for kind, count in runs.items():
        yield at_least(f"refuted: {kind}", 100 * found[kind] / count, "% of runs", 100)
    with draws_alone():
        drawn, seconds_of_draws = refuted(chosen, 1)
    share = 100 * drawn.total() / len(chosen)
    yield figure("baseline, refuted by draws alone with one seed", share, "% of rules")
    ratio = (seconds / seeds) / seconds_of_draws
    yield figure("time to refute, against draws alone", ratio, "of baseline", 1)
    yield figure("sound twins refuted", false_alarms(chosen), "rules", 0)
    yield from sound_rules(QUICK_SOUND_RULES if quick else SOUND_RULES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rules, one seed")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    chosen = parser.parse_args()
    report(measured(chosen.quick), chosen.json)


if __name__ == "__main__":
    main()
