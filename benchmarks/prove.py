"""What is proved and how fast: `python benchmarks/prove.py [--quick] [--json]`.

The sound rules of the corpus count for the share and for the times of proofs, its broken twins for
the times until a rule is refuted by the stages satisfiable, shape and prove. All structures of a
rule that the default settings examine are proved. Times are processor time of these stages, so that
other programs on the machine count less. `--quick` takes every eighth rule.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median, quantiles

from figures import Figure, report

from gsl.rule_files.collect import rules_in
from gsl.subst import Rule
from gslverify.finding import StageResult, Verdict
from gslverify.prove.claim import CONTRADICTING, is_proved
from gslverify.ranks.bound import larger
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE

CONTRADICTED = {code.id for code in CONTRADICTING}
STAGES = ("satisfiable", "shape", "prove")
CORPUS = Path(__file__).parent.parent / "rule_corpus"


@dataclass(frozen=True)
class Sample:
    """What became of one rule: seconds of each stage, and their results."""

    rule: Rule
    seconds: dict[str, float]
    results: dict[str, StageResult]

    @property
    def is_proved(self) -> bool:
        return "prove" in self.results and is_proved(self.results["prove"].assurances)

    @property
    def is_for_all_ranks(self) -> bool:
        return self.is_proved and "all ranks" in self.results["prove"].assurances[0].text

    @property
    def may_have_more_axes(self) -> bool:
        """Whether no operator or condition keeps the ranks of the source within those tried."""
        return bool(larger(self.rule()))

    @property
    def open_obligation(self) -> str:
        """What the proof could not show."""
        return self.results["prove"].open if "prove" in self.results else "no shape proof"

    @property
    def is_refuted(self) -> bool:
        return any(r.verdict in (Verdict.FAIL, Verdict.VACUOUS) for r in self.results.values())


def sample(rule: Rule, settings: Settings) -> Sample:
    question = Question(rule.name, rule, settings)
    seconds: dict[str, float] = {}
    results: dict[str, StageResult] = {}
    for stage in (SATISFIABLE, SHAPE, PROVE):
        started = time.process_time()
        results[stage.name] = stage.run(question)
        seconds[stage.name] = time.process_time() - started
        if results[stage.name].verdict is not Verdict.PASS:
            break
    return Sample(rule, seconds, results)


def rules(folder: str, quick: bool) -> list[Rule]:
    found = [rule for file in sorted((CORPUS / folder).glob("*.py")) for rule in rules_in(file)]
    return found[:: 8 if quick else 1]


def figures(quick: bool) -> Iterator[Figure]:
    settings = Settings()
    sound = [sample(rule, settings) for rule in rules("sound", quick)]
    proofs = [1e3 * one.seconds["prove"] for one in sound if one.is_proved]
    share = 100 * len(proofs) / len(sound)
    yield Figure("sound rules proved", round(share, 1), "%", 93, share >= 93)
    yield at_most("median proof", median(proofs), "ms", 50)
    yield at_most("95th percentile of proofs", quantiles(proofs, n=20)[-1], "ms", 1000)
    yield from of_ranks(sound)
    for one in sound:
        if not one.is_proved:
            yield Figure(f"not proved: {one.rule.name}: {one.open_obligation}", 1, "rule")
    seconds = {name: sum(one.seconds.get(name, 0.0) for one in sound) for name in STAGES}
    for name, whole in seconds.items():
        yield Figure(f"all sound rules, {name}", round(whole, 1), "s")
    broken = [sample(rule, settings) for rule in rules("broken", quick)]
    wrong = [one for one in broken if one.is_proved and one.rule.expect in CONTRADICTED]
    yield at_most("wrong rules proved", len(wrong), "rules", 0)
    refuted = [1e3 * sum(one.seconds.values()) for one in broken if one.is_refuted]
    if refuted:
        yield at_most("median refutation", median(refuted), "ms", 100)


def of_ranks(sound: Sequence[Sample]) -> Iterator[Figure]:
    """Yield how many of the proved rules are proved for all ranks, and of those with more axes."""
    proved = [one for one in sound if one.is_proved]
    everywhere = [one for one in proved if one.is_for_all_ranks]
    unlimited = [one for one in proved if one.is_for_all_ranks or one.may_have_more_axes]
    share = 100 * len(everywhere) / len(proved)
    yield Figure(f"for all ranks of {len(proved)} proved rules", round(share, 1), "%")
    share = 100 * len(everywhere) / len(unlimited)
    name = f"for all ranks of {len(unlimited)} whose ranks nothing limits"
    yield Figure(name, round(share, 1), "%", 80, share >= 80)


def all_ranks(quick: bool) -> Iterator[Figure]:
    """Prove the sound rules and yield how many are proved for all ranks."""
    yield from of_ranks([sample(rule, Settings()) for rule in rules("sound", quick)])


def at_most(name: str, value: float, unit: str, target: float) -> Figure:
    return Figure(name, round(value, 1), unit, target, value <= target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="every eighth rule")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    chosen = parser.parse_args()
    if not chosen.json:
        print(f"z3 {version('z3-solver')}")
    report(figures(chosen.quick), chosen.json)


if __name__ == "__main__":
    main()
