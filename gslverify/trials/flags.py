"""Which flags of floating point (`gsl.flags`) a rule needs, and whether it declares them.

Those of special values come from `special_values`, those of rounding from `roundings`; every flag
has a witness, a network and inputs on which the sides differ without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gsl.flags import OF_ROUNDING, OF_SPECIAL_VALUES, in_order
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
UNKNOWN = "which flags about rounding are needed is not known: an operator cannot be followed"


def flags_of(
    question: Question, passed: Sequence[Sequence[Trial]], measured: Iterable[Errors] = ()
) -> Outcomes:
    """Yield the flags that a rule needs, and what refutes it where it declares too few."""
    rule, first = question.rule, [trials[0] for trials in passed]
    special = special_values(question, first)
    declared = None if rule.declared is None else rule.declared & OF_ROUNDING
    rounding = roundings(question.subst, passed, declared)
    yield Count("special", special.asked)
    yield from [Count(f"{k} changed", special.seen[k]) for k in CHANGES if special.seen[k]]
    if special.broken is not None:
        yield broken_promise(question, special.broken, first, span_of_flags(rule))
    elif rounding.missing:
        yield _missing(question, special, rounding)
    else:
        yield from _assured(rule, special, rounding)
    yield from _noted(rule, special, rounding)
    record = _record(rule, special, rounding, measured)
    for dtype, units in record["units_in_the_last_place"].items():
        largest = f"{units['source']:g} in the source, {units['target']:g} in the target"
        yield Note(f"{dtype}: errors in units in the last place are at most {largest}")
    yield FlagsNeeded(record)


def _assured(rule: Rule, special: SpecialValues, rounding: Roundings) -> Iterator[Assurance]:
    needed = in_order({*special.needed, *(rounding.needed or ())})
    runs = special.asked or rounding.runs
    if needed:
        text = f"needs {' '.join(needed)}, {runs} graphs"
        yield Assurance("", Level.TESTED, text, flags=tuple(needed))
    elif special.asked and rounding.needed is not None:
        yield Assurance("", Level.TESTED, f"bit-exact, {runs} graphs")
        return
    if rule.kept == OF_SPECIAL_VALUES and special.asked:
        yield Assurance("", Level.TESTED, f"special values same, {special.asked} graphs")


def _noted(rule: Rule, special: SpecialValues, rounding: Roundings) -> Iterator[Note]:
    sentences = _sentences(special, rounding)
    yield from [Note(f"{flag} is needed: {sentences[flag]}") for flag in in_order(sentences)]
    if rounding.needed is None:
        yield Note(UNKNOWN)
    for flag in _unneeded(rule, special, rounding):
        yield Note(f"{flag} is declared, and nothing on {special.asked} graphs needed it")


def _unneeded(rule: Rule, special: SpecialValues, rounding: Roundings) -> list[str]:
    known = OF_SPECIAL_VALUES if special.asked else frozenset()
    known |= OF_ROUNDING if rounding.needed is not None else frozenset()
    return in_order(
        (rule.declared or frozenset()) & known - special.needed - (rounding.needed or set())
    )


def _sentences(special: SpecialValues, rounding: Roundings) -> dict[str, str]:
    about_values = {f: difference_of(one.change).sentence for f, one in special.witnesses.items()}
    return {**about_values, **{f: one.sentence for f, one in rounding.witnesses.items()}}


def _missing(question: Question, special: SpecialValues, rounding: Roundings) -> Finding:
    """Return the finding about flags of rounding that a rule does not declare."""
    missing = in_order(rounding.missing)
    witness = rounding.witnesses[missing[0]]
    words = " and ".join(missing)
    message = f"the rule needs {words}: {witness.sentence}"
    every = in_order({*question.rule.assumed, *special.needed, *(rounding.needed or ())})
    listed = ", ".join(f'"{flag}"' for flag in every)
    cure = f"write @rule(flags={{{listed}}}) if a compiler may do that"
    failed = _failed(witness, message)
    example = counterexample_of(failed, ask_tvm=False)
    span = span_of_flags(question.rule)
    return Finding(FLAG_MISSING, message, span, cure, counterexample=example, subject=words)


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


def _record(
    rule: Rule, special: SpecialValues, rounding: Roundings, measured: Iterable[Errors]
) -> dict[str, Any]:
    """Return what is known about the flags of a rule as plain values, for reports."""
    known = rounding.needed is not None
    needed = in_order({*special.needed, *(rounding.needed or ())})
    sentences = _sentences(special, rounding)
    trials = {f: (one.trial, one.inputs) for f, one in special.witnesses.items()}
    trials |= {f: (one.trial, one.trial.inputs) for f, one in rounding.witnesses.items()}
    return {
        "declared": None if rule.declared is None else in_order(rule.declared),
        "needed": needed,
        "unneeded": _unneeded(rule, special, rounding),
        "rounding_known": known,
        "bit_exact": known and not needed,
        "graphs": special.asked,
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
