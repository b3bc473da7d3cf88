"""How many proofs leave a certificate: `python benchmarks/certificates.py [--every N] [--json]`.

Every proved structure of the sound rules of the corpus is written down as JSON, read again and
checked against the rule. Times are processor time: of the proofs, of writing, and of checking a
record that was read, which begins with the targets of the rule and their elements. `--every`
takes every Nth rule.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

from figures import Figure, at_least, figure, report
from prove import rules

from gsl.subst import Rule
from gslverify.finding import Verdict
from gslverify.prove.indices.relaxed import Replies
from gslverify.prove.proof import prove
from gslverify.prove.results import Open
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.certified import Certificate, check_record
from gslverify.stages.examination import scenarios_of
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE


@dataclass(slots=True)
class Sample:
    """What became of one rule; `refused` says why it has no certificate."""

    name: str
    proving: float = 0.0
    writing: float = 0.0
    checking: float = 0.0
    size: int = 0
    refused: str = ""


def sample(rule: Rule) -> Sample | None:
    """Return what became of a rule, None for one that is not proved."""
    question = Question(rule.name, rule, Settings())
    if any(stage.run(question).verdict is not Verdict.PASS for stage in (SATISFIABLE, SHAPE)):
        return None
    scenarios = scenarios_of(question)
    found, certificate = Sample(rule.name), Certificate(rule.name)
    replies: Replies = {}
    for one in (*scenarios.feasible, *scenarios.large):
        started = time.process_time()
        result = prove(one.instance, one.solver, replies, question.settings.proof_steps)
        found.proving += time.process_time() - started
        if isinstance(result, Open):
            return None
        if found.refused:
            continue
        started = time.process_time()
        found.refused = certificate.add(one, replies, checked=False)
        found.writing += time.process_time() - started
        if not found.refused:
            text = json.dumps(certificate.structures[-1])
            found.size += len(text)
            started = time.process_time()
            found.refused = check_record(one, json.loads(text), certificate.read_by)
            found.checking += time.process_time() - started
    return found


def figures(every: int) -> Iterator[Figure]:
    found = [one for one in map(sample, rules("sound", quick=False)[::every]) if one is not None]
    accepted = [one for one in found if not one.refused]
    for one in found:
        if one.refused:
            yield Figure(f"refused: {one.name}: {one.refused}", 1, "rule")
    share = 100 * len(accepted) / len(found)
    yield at_least("proved rules with an accepted certificate", share, "%", 100)
    proving = sum(one.proving for one in accepted)
    checking = 100 * sum(one.checking for one in accepted) / proving
    yield figure("checking, of the time of proving", checking, "%", 20)
    writing = 100 * sum(one.writing for one in accepted) / proving
    yield figure("writing, of the time of proving", writing, "%")
    yield figure("size of a certificate", sum(o.size for o in accepted) / len(accepted) / 1e3, "kB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="every Nth rule")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    chosen = parser.parse_args()
    report(figures(chosen.every), chosen.json)


if __name__ == "__main__":
    main()
