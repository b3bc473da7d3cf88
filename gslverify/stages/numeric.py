"""The stage "numeric": generate networks that match, rewrite them, and run both sides.

Generation, rewriting and comparison form one property, so that hypothesis can shrink a failure.
What passes on the NumPy references is confirmed on TVM afterwards, in bulk.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, reject, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from gsl.listing import listing
from gslverify import backend
from gslverify.codes.numeric import BACKEND_CRASHED, BACKENDS_DISAGREE, TOO_FEW_EXAMPLES
from gslverify.finding import Assurance, Finding, Level
from gslverify.minimise import counterexample_of, minimise_values
from gslverify.sampling import Sampler
from gslverify.stage import Count, Outcome, Question, Stage
from gslverify.stages.satisfiable import scenarios_of
from gslverify.strategies import Network, arrays, networks
from gslverify.trial import Outcome as Trial
from gslverify.trial import run_trial

MOST_SHRINKING_STEPS = 300


class RefutedError(Exception):
    """Raised from one place only, so that hypothesis sees one bug and shrinks it."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(trial.message)
        self.trial = trial


@dataclass(slots=True)
class Search:
    """The trials of one rule."""

    question: Question
    passed: list[Trial] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    failed: dict[str, Trial] = field(default_factory=dict)
    last: Trial | None = None
    steps: int = 0
    declined: int = 0

    def attempt(self, network: Network, inputs: Mapping[str, Any]) -> Trial | None:
        """Run a trial; return it when it failed. After the shrinking budget only known ones do."""
        key = _key(network, inputs)
        if self.failed:
            self.steps += 1
            if self.steps > MOST_SHRINKING_STEPS:
                return self.failed.get(key)
        trial = run_trial(self.question.subst, network, inputs)
        if trial.rejected:
            self.rejected[trial.rejected] += 1
            reject()
        if trial.code is not None:
            self.failed[key] = self.last = trial
            return trial
        if trial.declined:
            self.declined += 1
        elif not self.failed:
            self.passed.append(trial)
            self.question.progress(f"graph {len(self.passed)}")
        return None


def _key(network: Network, inputs: Mapping[str, Any]) -> str:
    digest = hashlib.sha256("\n".join((network.context, *listing(network.outputs))).encode())
    for name in sorted(inputs):
        digest.update(f"{name}{inputs[name].shape}{inputs[name].dtype}".encode())
        digest.update(inputs[name].tobytes())
    return digest.hexdigest()


def examine(question: Question) -> Iterable[Outcome]:
    """Look for a counterexample; without one, say how much was compared and how."""
    scenarios = scenarios_of(question).feasible
    if not scenarios:
        return
    samplers = [Sampler(scenario.instance, scenario.solver) for scenario in scenarios]
    search = Search(question)
    failure = _search(search, samplers)
    if failure is not None:
        yield _refutation(question, failure, len(search.passed))
        return
    yield Count("rejected", sum(search.rejected.values()))
    yield Count("declined", search.declined)
    yield from _confirm(question, search)


def _search(search: Search, samplers: list[Sampler]) -> Trial | None:
    wanted = search.question.settings

    @seed(rule_seed(search.question))
    @settings(
        max_examples=max(wanted.max_examples, len(samplers)),
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        print_blob=False,
    )
    @given(st.data())
    def property_holds(data: st.DataObject) -> None:
        network = data.draw(networks(samplers))
        failed = search.attempt(network, data.draw(arrays(network)))
        if failed is not None:
            raise RefutedError(failed)

    try:
        property_holds()
    except RefutedError as refuted:
        return refuted.trial
    except HypothesisException:
        return search.last
    return None


def rule_seed(question: Question) -> int:
    """Return the seed of a rule, which does not depend on its neighbours or their order."""
    text = f"{question.settings.seed}\0{question.rule_id}\0numeric"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def _refutation(question: Question, failure: Trial, passed: int) -> Finding:
    smallest = minimise_values(question.subst, failure)
    assert smallest.code is not None
    return Finding(
        smallest.code,
        smallest.message,
        question.subst.span,
        details=(f"found after {passed} graphs that agreed, seed {question.settings.seed}",),
        counterexample=counterexample_of(smallest, question.settings.use_tvm),
        subject=smallest.code.id,
    )


def _confirm(question: Question, search: Search) -> Iterator[Outcome]:
    passed = _spread(search.passed, question.settings.max_examples)
    failures: list[str] = []
    if question.settings.use_tvm and passed:
        question.progress(f"TVM runs {len(passed)} graphs")
        confirmed, disagreements, failures = _second_opinions(passed)
        yield from disagreements[:3]
        passed = confirmed
    yield Count("examples", len(passed))
    if len(passed) >= min(question.settings.min_examples, question.settings.max_examples):
        yield from _assurances(passed, question.settings.use_tvm)
    elif failures:
        message = f"TVM confirmed {len(passed)} graphs and failed on {len(failures)}"
        details = tuple(dict.fromkeys(failures))[:3]
        yield Finding(BACKEND_CRASHED, message, question.subst.span, details=details)
    else:
        yield _too_few(question, search, len(passed))


def _spread(trials: list[Trial], most: int) -> list[Trial]:
    """Return at most `most` trials, evenly spread over the order in which they were drawn."""
    if len(trials) <= most:
        return trials
    return [trials[number * len(trials) // most] for number in range(most)]


def _second_opinions(passed: list[Trial]) -> tuple[list[Trial], list[Finding], list[str]]:
    sides = [(side, t.inputs) for t in passed for side in (t.network.outputs, t.target)]
    said = backend.opinions(sides)
    confirmed: list[Trial] = []
    disagreements: list[Finding] = []
    failures: list[str] = []
    for number, trial in enumerate(passed):
        pair = said[2 * number : 2 * number + 2]
        for opinion, side in zip(pair, ("source", "target"), strict=True):
            if opinion.difference:
                lines = listing(trial.network.outputs if side == "source" else trial.target)
                message = f"{side}: {opinion.difference}"
                found = Finding(BACKENDS_DISAGREE, message, details=tuple(lines))
                disagreements.append(found)
            elif opinion.failure:
                failures.append(opinion.failure)
        if all(opinion.agrees for opinion in pair):
            confirmed.append(trial)
    return confirmed, disagreements, failures


def _assurances(passed: list[Trial], with_tvm: bool) -> Iterator[Assurance]:
    exact = sum(trial.exact for trial in passed)
    where = "" if with_tvm else " on numpy only"
    if exact:
        yield Assurance("", Level.EXACT, f"exact, {exact} graphs{where}")
    if exact < len(passed):
        yield Assurance("", Level.BOUNDED, f"bounded, {len(passed) - exact} graphs{where}")


def _too_few(question: Question, search: Search, count: int) -> Finding:
    wanted = question.settings.min_examples
    message = f"only {count} of {wanted} needed graphs"
    details = tuple(f"{number} rejected: {why}" for why, number in search.rejected.most_common(3))
    return Finding(TOO_FEW_EXAMPLES, message, question.subst.span, details=details)


NUMERIC = Stage("numeric", examine)
