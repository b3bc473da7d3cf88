"""Which flags a rule needs as it rounds otherwise than its source, with what shows each.

Networks on which both sides agree but for rounding are computed on machines that are granted one
set of flags after the other (`gslverify.comparison.under_flags`), small sets first. Neighbouring
numbers show what conversions and comparisons hide, small ones what is absorbed and what underflows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from math import frexp, isclose, isfinite

import numpy as np

from gsl.attr.term import Constant, Operation, Term, subterms
from gsl.expr import Const
from gsl.flags import LOSSY, OF_ROUNDING
from gsl.graph import reverse_post_order
from gsl.pat import Const as ConstPattern
from gsl.pat import Pattern
from gsl.subst import Subst
from gsl.types import ANY_FLOAT, TensorType
from gslverify.comparison.calmer import overflows
from gslverify.comparison.under_flags import (
    Apart,
    Sides,
    compare_under,
    merged,
    mixes_dtypes,
    sets_to_try,
)
from gslverify.trials.boundaries import at_boundaries, with_all_digits
from gslverify.trials.covering import covering
from gslverify.trials.domains import is_misused
from gslverify.trials.second_opinion import spread
from gslverify.trials.small_numbers import ABSORBED, UNDERFLOWING, Exponent, losing_digits
from gslverify.trials.special_constants import with_all_digits_in_constants
from gslverify.trials.trial import Outcome as Trial

NETWORKS = 10
NETWORKS_OF_SMALL_NUMBERS = 6
NETWORKS_OF_DECISIONS = 4
UNDECIDED = 64
MOST_ELEMENTS = 2000
INPUTS_OF_A_NETWORK, DRAWN_WITH_ALL_DIGITS = 2, 2
FEW_RESULTS, MOST_DRAWS = 12, 4
"""Networks with so few results are computed on several numbers with all digits."""
RECIPROCAL = 1e-6
"""How far a number that is written as a reciprocal may be from it: float32 has as many digits."""
POWER_OF_TWO = 0.5
NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rounding:
    """What shows that a flag is needed: an element in which the sides differ without it."""

    trial: Trial
    apart: Apart

    @property
    def sentence(self) -> str:
        """The element in words."""
        place = list(self.apart.place)
        values = f"{self.apart.source} in the source, {self.apart.target} in the target"
        return f"output {self.apart.output}{place} is {values}"


@dataclass(frozen=True, slots=True)
class Roundings:
    """The smallest set of flags that explains all roundings, None if no set is known to.

    `missing` are those of it that the rule does not declare, if it declares too few; `lossy` has
    always to be declared. What is
    `unexplained` is an element of a rule that declares none, in which the sides differ.
    """

    needed: frozenset[str] | None
    runs: int = 0
    witnesses: Mapping[str, Rounding] = field(default_factory=dict)
    missing: frozenset[str] = NONE
    unexplained: Rounding | None = None


def roundings(
    subst: Subst,
    passed: Sequence[Sequence[Trial]],
    declared: Set[str] | None,
    assumed: Set[str] = NONE,
    undecided: Sequence[Trial] = (),
) -> Roundings:
    """Find the flags of rounding that a rule needs; with flags `declared` rather among these.

    What explains the numbers that were drawn is asked about those beside which a result changes,
    and about small ones, as well. Of special values the rule has the flags `assumed`: with ninf
    nothing overflows. Trials that are `undecided` are asked, too: on a machine a comparison that
    depends on rounding falls as it falls, and an integer that does is what it is.
    """
    folds = divides_constants(subst)
    ordered = sorted(passed, key=lambda few: few[0].network.elements)
    telling = _telling(subst, ordered, folds) if ordered else []
    small = [trial for few in ordered for trial in few if not trial.exact][:NETWORKS]
    found = _explained_by(telling, [*small, *telling], folds, declared)
    selections: tuple[Callable[[Sequence[Sequence[Trial]]], Sequence[Trial]], ...] = (
        partial(_at_boundaries, folds=folds, undecided=undecided),
        partial(_losing_digits, exponents=ABSORBED),
        partial(_losing_digits, exponents=UNDERFLOWING),
        lambda _: spread(undecided, UNDECIDED),
    )
    for select in selections:
        if found.needed is None:
            return found
        near = [trial for trial in select(passed) if not _says_nothing(trial, assumed)]
        further = _explained_by(near, near, folds, declared, found.needed)
        if further.needed is None:
            return found if found.needed else further
        found = Roundings(
            further.needed,
            found.runs or len(passed),
            {**further.witnesses, **found.witnesses},
            found.missing | further.missing,
        )
    return found


def _says_nothing(trial: Trial, assumed: Set[str]) -> bool:
    """Tell whether the source is not defined, or something overflows that is assumed not to."""
    source = trial.network.outputs
    overflowing = "ninf" in assumed and overflows((*source, *trial.target), trial.inputs)
    return overflowing or is_misused(source, trial.inputs)


def _losing_digits(passed: Sequence[Sequence[Trial]], exponents: Sequence[Exponent]) -> list[Trial]:
    """Return trials on small numbers of some small networks."""
    ordered = sorted(passed, key=lambda few: few[0].network.elements)
    few = spread([trials[0] for trials in ordered], NETWORKS_OF_SMALL_NUMBERS)
    return [one for n, trial in enumerate(few) for one in losing_digits(trial, n, exponents)]


def _at_boundaries(
    passed: Sequence[Sequence[Trial]], folds: bool, undecided: Sequence[Trial]
) -> list[Trial]:
    """Return trials of some small networks beside which a decision changes.

    Those that are `undecided` are near such places.
    """
    ordered = sorted(passed, key=lambda few: few[0].network.elements)
    few = spread([trials[-1] for trials in ordered[: len(ordered) // 2 + 1]], NETWORKS_OF_DECISIONS)
    near = spread(undecided, NETWORKS_OF_DECISIONS)
    return [
        one
        for n, trial in enumerate((*few, *near))
        for one in at_boundaries(trial, _sides(trial, folds), n)
    ]


def _explained_by(
    asked: Sequence[Trial],
    simple: Sequence[Trial],
    folds: bool,
    declared: Set[str] | None,
    known: frozenset[str] = NONE,
) -> Roundings:
    """Return the smallest set of flags that explains all trials, those `known` among them.

    What shows that the others are needed comes from the `simple` trials.
    """
    if known and asked and _Explained([_sides(t, folds) for t in asked], {}).by(known):
        return Roundings(known, len(asked))
    pairs = [(sides, compare_under(NONE, sides)) for t in asked for sides in [_sides(t, folds)]]
    followed = [sides for sides, agreement in pairs if agreement is not None]
    if not followed:
        return Roundings(None if asked else known)
    seen = reduce(merged, (agreement for _, agreement in pairs if agreement is not None))
    explained = _Explained(followed, {NONE: seen.apart is None})
    every = list(dict.fromkeys(flags | known for flags in (NONE, *sets_to_try(seen))))
    needed = next((flags for flags in every if explained.by(flags)), None)
    if needed is None:
        apart = _first_apart(asked, folds) if declared is not None and not declared else None
        return Roundings(None, len(followed), unexplained=apart)
    missing = NONE
    if declared is not None:
        fitting = (flags for flags in every if flags <= declared and explained.by(flags))
        chosen = next(fitting, None)
        missing = needed - declared if chosen is None else NONE
        needed = needed if chosen is None else chosen
    elif LOSSY in needed:
        # Where `lossy` shows on ordinary numbers, they refute a rule that does not declare it.
        missing = frozenset({LOSSY})
    return Roundings(needed, len(followed), _witnesses(needed, known, simple, folds), missing)


def _first_apart(trials: Iterable[Trial], folds: bool) -> Rounding | None:
    """Return the first element in which sides differ that are granted nothing."""
    for trial in trials:
        agreement = compare_under(NONE, _sides(trial, folds))
        if agreement is not None and agreement.apart is not None:
            return Rounding(trial, agreement.apart)
    return None


def rounds_otherwise(subst: Subst, trial: Trial) -> Apart | None:
    """Return where a trial shows that the flags of a rule do not explain how it rounds."""
    sides = _sides(trial, divides_constants(subst))
    first = compare_under(NONE, sides)
    if first is None or first.apart is None:
        return None
    granted = subst.flags & OF_ROUNDING
    for flags in sets_to_try(first):
        if flags <= granted:
            agreement = compare_under(flags, sides)
            if agreement is None or agreement.apart is None:
                return None
    return first.apart


def _telling(subst: Subst, ordered: Sequence[Sequence[Trial]], folds: bool) -> list[Trial]:
    """Return trials of networks with many results, of which one is likelier to round otherwise.

    Beside numbers that were drawn there are some about as large with all their digits.
    """
    fitting = [few for few in ordered if few[0].network.elements <= MOST_ELEMENTS]
    fitting = sorted(fitting or ordered[:1], key=_results, reverse=True)
    found: list[Trial] = []
    larger = max(NETWORKS, len(fitting) // 2)
    for number, few in enumerate(covering(fitting, NETWORKS, larger)):
        inexact = [trial for trial in few if not trial.exact]
        found += inexact[-INPUTS_OF_A_NETWORK:]
        generator = np.random.default_rng(number)
        *others, last = few[-DRAWN_WITH_ALL_DIGITS:]
        changed = with_all_digits_in_constants(subst, last, generator)
        if changed is not None or any(v.dtype in ANY_FLOAT for v in last.network.variables):
            times = min(MOST_DRAWS, 1 + FEW_RESULTS // (_results(few) + 1))
            again = (*others, changed or last) * times
            found += [_with_all_digits(one, folds, generator) for one in again]
    return found


def _with_all_digits(trial: Trial, folds: bool, generator: np.random.Generator) -> Trial:
    wide = mixes_dtypes(_sides(trial, folds))
    inputs = with_all_digits(trial.inputs, generator, wide)
    return replace(trial, inputs=inputs, exact=False, values=((), ()))


def _results(few: Sequence[Trial]) -> int:
    types = [output.type for output in few[0].network.outputs]
    return sum(one.size for one in types if isinstance(one, TensorType))


@dataclass(slots=True)
class _Explained:
    """Which sets of flags explain what is seen on all of some sides."""

    sides: Sequence[Sides]
    known: dict[frozenset[str], bool]

    def by(self, flags: frozenset[str]) -> bool:
        """Tell whether both sides agree on a machine with these flags, wherever that is known."""
        if flags not in self.known:
            compared = (compare_under(flags, one) for one in self.sides)
            self.known[flags] = all(one is None or one.apart is None for one in compared)
        return self.known[flags]


def _witnesses(
    needed: frozenset[str], known: Set[str], trials: Sequence[Trial], folds: bool
) -> dict[str, Rounding]:
    """Return for each flag that is not known the first trial in which sides differ without it."""
    found: dict[str, Rounding] = {}
    for flag in sorted(needed - known):
        for trial in trials:
            agreement = compare_under(needed - {flag}, _sides(trial, folds))
            if agreement is not None and agreement.apart is not None:
                found[flag] = Rounding(trial, agreement.apart)
                break
    return found


def divides_constants(subst: Subst) -> bool:
    """Tell whether a constant of the target is made by a division, or written as a reciprocal."""
    values = list(_values_of_constants(subst.target_patterns))
    parts = (part for value in values for part in subterms(value))
    if any(isinstance(part, Operation) and part.head == "/" for part in parts):
        return True
    before = set(_numbers_in(_values_of_constants(subst.source_patterns)))
    new = set(_numbers_in(values)) - before
    return any(isclose(one * other, 1, rel_tol=RECIPROCAL) for one in new for other in before)


def _values_of_constants(patterns: Iterable[Pattern]) -> Iterator[Term]:
    values = (p.constraints.get("value") for p in patterns if isinstance(p, ConstPattern))
    yield from (value for value in values if isinstance(value, Term))


def _numbers_in(values: Iterable[Term]) -> Iterator[float]:
    """Yield the numbers that are written, but for powers of 2, by which one divides exactly."""
    written = (value.value for value in values if isinstance(value, Constant))
    numbers = (float(one) for one in written if type(one) in (int, float) and isfinite(one))
    yield from (one for one in numbers if abs(frexp(one)[0]) != POWER_OF_TWO)


def _sides(trial: Trial, folds: bool) -> Sides:
    source, target = trial.network.outputs, trial.target
    before = set(reverse_post_order(source))
    constants = (e for e in reverse_post_order(target) if isinstance(e, Const) and e not in before)
    return Sides(source, target, trial.inputs, frozenset(constants) if folds else frozenset())
