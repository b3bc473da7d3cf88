"""Which flags of floating point (`gsl.flags`) a rule needs, and whether it declares them.

Those of special values come from `special_values`, those of rounding from `roundings`, and `nowrap`
is needed where the search met a difference that it excuses. Every flag has a witness, a network and
inputs on which the sides differ without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.flags import NOWRAP, OF_ROUNDING, OF_SPECIAL_VALUES, in_order
from gsl.span import Span, decorator_keyword_span
from gsl.subst import Rule
from gsl.text.listing import listing
from gslverify.codes.levels import FLAG_MISSING
from gslverify.comparison.compare import Comparison
from gslverify.comparison.precision import Errors
from gslverify.comparison.special import CHANGES
from gslverify.finding import Assurance, Difference, Finding, Level, Mismatch
from gslverify.stage import Count, FlagsNeeded, Note, Question
from gslverify.trials.blame import difference_of
from gslverify.trials.counterexample import MOST_VALUES_PRINTED, counterexample_of
from gslverify.trials.roundings import Rounding, Roundings, roundings
from gslverify.trials.special_values import SpecialValues, broken_promise, special_values
from gslverify.trials.trial import Outcome as Trial

Outcomes = Iterator[Finding | Assurance | Count | Note | FlagsNeeded]
WRAPPING = "an integer of the source wraps, and the sides differ"
UNKNOWN = "which flags about rounding are needed is not known: an operator cannot be followed"


@dataclass(frozen=True, slots=True)
class _Needed:
    """What was found out about the flags of each kind; in a `wrapping` trial integers wrap."""

    special: SpecialValues
    rounding: Roundings
    wrapping: Trial | None

    @property
    def flags(self) -> list[str]:
        """The flags that a rule needs, in order."""
        wrapping = {NOWRAP} if self.wrapping is not None else set[str]()
        return in_order({*self.special.needed, *(self.rounding.needed or ()), *wrapping})

    @property
    def sentences(self) -> dict[str, str]:
        """What shows that a flag is needed, in words."""
        changed = self.special.witnesses.items()
        found = {flag: difference_of(one.change).sentence for flag, one in changed}
        found |= {flag: one.sentence for flag, one in self.rounding.witnesses.items()}
        return found if self.wrapping is None else {**found, NOWRAP: WRAPPING}

    @property
    def witnesses(self) -> dict[str, tuple[Trial, Mapping[str, Any]]]:
        """The trial and the inputs that show that a flag is needed."""
        found = {flag: (one.trial, one.inputs) for flag, one in self.special.witnesses.items()}
        known = self.rounding.witnesses.items()
        found |= {flag: (one.trial, one.trial.inputs) for flag, one in known}
        one = self.wrapping
        return found if one is None else {**found, NOWRAP: (one, one.inputs)}

    def unneeded(self, rule: Rule) -> list[str]:
        """Return the flags that a rule declares although nothing needed them."""
        known = OF_SPECIAL_VALUES if self.special.asked else frozenset()
        known |= OF_ROUNDING if self.rounding.needed is not None else frozenset()
        declared = (rule.declared or frozenset()) & (known | {NOWRAP})
        return in_order(declared.difference(self.flags))


def flags_of(
    question: Question,
    passed: Sequence[Sequence[Trial]],
    measured: Iterable[Errors] = (),
    wrapping: Trial | None = None,
    undecided: Sequence[Trial] = (),
) -> Outcomes:
    """Yield the flags that a rule needs, and what refutes it where it declares too few.

    In a `wrapping` trial the sides differ, which the rule excuses by `nowrap`; `undecided` are
    those in which decisions depend on rounding.
    """
    rule, first = question.rule, [trials[0] for trials in passed]
    special = special_values(question, passed)
    declared = None if rule.declared is None else rule.declared & OF_ROUNDING
    assumed = OF_SPECIAL_VALUES - rule.kept
    rounding = roundings(question.subst, passed, declared, assumed, undecided)
    needed = _Needed(special, rounding, wrapping)
    yield Count("special", special.asked)
    yield from [Count(f"{k} changed", special.seen[k]) for k in CHANGES if special.seen[k]]
    if broken := broken_promise(question, special, first, span_of_flags(rule)):
        yield broken
    elif rounding.missing:
        yield _missing(question, needed)
    elif rounding.unexplained is not None:
        yield _unexplained(question, rounding.unexplained)
    else:
        yield from _assured(rule, needed)
    yield from _noted(rule, needed)
    record = _record(rule, needed, measured)
    for dtype, units in record["units_in_the_last_place"].items():
        largest = f"{units['source']:g} in the source, {units['target']:g} in the target"
        yield Note(f"{dtype}: errors in units in the last place are at most {largest}")
    yield FlagsNeeded(record)


def _assured(rule: Rule, needed: _Needed) -> Iterator[Assurance]:
    flags, asked = needed.flags, needed.special.asked
    if flags:
        text = f"needs {' '.join(flags)}, {asked or needed.rounding.runs} graphs"
        yield Assurance("", Level.TESTED, text, flags=tuple(flags))
    elif asked and needed.rounding.needed is not None:
        yield Assurance("", Level.TESTED, f"bit-exact, {asked} graphs")
        return
    if rule.kept == OF_SPECIAL_VALUES and asked:
        yield Assurance("", Level.TESTED, f"special values same, {asked} graphs")


def _noted(rule: Rule, needed: _Needed) -> Iterator[Note]:
    sentences = needed.sentences
    yield from [Note(f"{flag} is needed: {sentences[flag]}") for flag in in_order(sentences)]
    if needed.rounding.needed is None:
        yield Note(UNKNOWN)
    graphs = needed.special.asked or needed.rounding.runs
    for flag in needed.unneeded(rule):
        yield Note(f"{flag} is declared, and nothing on {graphs} graphs needed it")


def _missing(question: Question, needed: _Needed) -> Finding:
    """Return the finding about flags of rounding that a rule does not declare."""
    missing = in_order(needed.rounding.missing)
    witness = needed.rounding.witnesses[missing[0]]
    words = " and ".join(missing)
    message = f"the rule needs {words}: {witness.sentence}"
    every = in_order({*question.rule.assumed, *needed.flags})
    listed = ", ".join(f'"{flag}"' for flag in every)
    cure = f"write @rule(flags={{{listed}}}) if a compiler may do that"
    return _refuted(question, witness, message, cure, words)


def _unexplained(question: Question, witness: Rounding) -> Finding:
    """Return the finding about a difference for which there is no flag."""
    message = f"the rule declares that nothing is rounded otherwise: {witness.sentence}"
    return _refuted(question, witness, message, "no flag allows it", "")


def _refuted(
    question: Question, witness: Rounding, message: str, cure: str, subject: str
) -> Finding:
    example = counterexample_of(_failed(witness, message), ask_tvm=False)
    span = span_of_flags(question.rule)
    return Finding(FLAG_MISSING, message, span, cure, counterexample=example, subject=subject)


def _failed(witness: Rounding, message: str) -> Trial:
    apart, trial = witness.apart, witness.trial
    worst = (Mismatch(apart.place, apart.source, apart.target),)
    gap = float(abs(apart.source - apart.target))
    name = f"output {apart.output}"
    difference = Difference(name, 1, apart.total, gap, worst, witness.sentence)
    comparison = Comparison(False, apart.total, apart.total, difference)
    return Trial(
        trial.network,
        trial.inputs,
        trial.target,
        code=FLAG_MISSING,
        message=message,
        comparisons=(comparison,),
    )


def span_of_flags(rule: Rule) -> Span:
    """Return where a rule says its flags, else where it is written."""
    names = ("flags", "nan")
    found = [span for name in names if (span := decorator_keyword_span(rule.span, name))]
    return found[0] if found else rule.span


def _record(rule: Rule, needed: _Needed, measured: Iterable[Errors]) -> dict[str, Any]:
    """Return what is known about the flags of a rule as plain values, for reports."""
    known = needed.rounding.needed is not None
    sentences, trials = needed.sentences, needed.witnesses
    return {
        "declared": None if rule.declared is None else in_order(rule.declared),
        "needed": needed.flags,
        "unneeded": needed.unneeded(rule),
        "rounding_known": known,
        "bit_exact": known and not needed.flags,
        "graphs": needed.special.asked,
        "witnesses": {f: _witness(sentences[f], *trials[f]) for f in in_order(sentences)},
        "units_in_the_last_place": _units(measured),
    }


def _witness(sentence: str, trial: Trial, inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "sentence": sentence,
        "source": list(listing(trial.network.outputs)),
        "target": list(listing(trial.target)),
        "inputs": {
            v.name: array.tolist() if array.size <= MOST_VALUES_PRINTED else None
            for v in trial.network.variables
            for array in [np.asarray(inputs[v.name])]
        },
    }


def _units(measured: Iterable[Errors]) -> dict[str, dict[str, float]]:
    """Return the largest errors by dtype in units in the last place, rounded to two digits."""
    found: dict[str, dict[str, float]] = {}
    for one in measured:
        kept = found.setdefault(one.dtype, {"source": 0.0, "target": 0.0})
        kept["source"] = max(kept["source"], round(one.source_units, 2))
        kept["target"] = max(kept["target"], round(one.target_units, 2))
    return dict(sorted(found.items()))
