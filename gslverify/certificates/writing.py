"""Writes certificates: computes both sides in a model, and suggests the steps that make them equal.

What is suggested comes from the prover, and is believed no more than what is read from a file: the
checker shows each step when it is written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gsl.attr.evaluate import contains, equal, negation
from gslverify.certificates.checking import (
    Case,
    Dtypes,
    OfTarget,
    Proof,
    are_floats,
    inputs_of,
    outputs_of,
)
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.enough import Searching
from gslverify.certificates.model import NoRootError
from gslverify.certificates.writer import ALL, CASES, PLAIN, Writer
from gslverify.prove.effort import Effort
from gslverify.prove.failure import UnprovableError
from gslverify.prove.indices.cone import conjuncts
from gslverify.prove.indices.facts import Facts, Memory
from gslverify.prove.indices.learning import forms_of
from gslverify.prove.indices.relaxed import Replies
from gslverify.prove.proof import Target
from gslverify.semantics.solver import Solver

MOST_STEPS = 400_000
"""What the prover may do to suggest steps for one way through the targets."""

KINDS = ("claims", "steps", "parts")
"""What a proof may do without."""

MOST_CASES = 64
MOST_DRAWS = 100


def write_structure(
    ways: Sequence[Target], solver: Solver, replies: Replies, asked: Searching
) -> list[OfTarget]:
    """Return the certificate of a structure that is proved; raise RefusedError.

    `ways` are those through its targets, `replies` those of the prover, `asked` what the checker
    may ask.
    """
    try:
        return [_OfTarget(asked, solver, replies, one).record() for one in ways]
    except UnprovableError as error:
        raise RefusedError(f"no steps are found: {error}") from error


def without_what_is_spared(proof: Proof, case: Case, path: tuple[Any, ...]) -> Proof:
    """Return a proof without claims, steps and parts that it can do without, many at a time."""

    def made(kept: Sequence[tuple[str, Any]]) -> Proof:
        by_kind = {kind: tuple(one for own, one in kept if own == kind) for kind in KINDS}
        return replace(proof, **by_kind)

    def is_enough(kept: Sequence[tuple[str, Any]]) -> bool:
        try:
            return case.is_same(made(kept), path)
        except RefusedError:
            return False

    kept = [(kind, one) for kind in KINDS for one in getattr(proof, kind)]
    size = len(kept)
    while size:
        for end in range(len(kept), 0, -size):
            less = kept[: max(0, end - size)] + kept[end:]
            kept = less if is_enough(less) else kept
        size //= 2
    return made(kept)


class _Noting(Dtypes):
    """Notes which facts it takes to show that dtypes are among some."""

    def __init__(self, asked: Searching, facts: Sequence[Any]) -> None:
        super().__init__(asked, facts)
        self.asked: Searching
        self.used = set[int]()

    def is_one_of(self, dtype: Any, names: tuple[str, ...]) -> bool:
        """Tell whether a dtype is shown to be among some."""
        used = self.asked.enough(contains(dtype, names), self.facts)
        self.used |= set(used or ())
        return used is not None


class _OfTarget:
    """Writes the certificate of one way through the conditional targets."""

    def __init__(self, asked: Searching, solver: Solver, replies: Replies, target: Target) -> None:
        self.asked = asked
        self.solver = solver
        self.replies = replies
        self.target = target
        self.cases = 0
        self.effort = Effort(MOST_STEPS)
        self.inputs = inputs_of(target)
        self.known = conjuncts([*asked.claims, *target.path])
        self.bits = self._truth_values()

    def facts(self, path: Sequence[Any]) -> Facts:
        """Return what the prover knows in a case."""
        forms = forms_of([*self.asked.claims, *path], self.effort)
        return Facts(self.solver, forms, memory=Memory(self.replies)).assuming(*path)

    def _truth_values(self) -> dict[str, tuple[int, ...]]:
        """Return the inputs that are shown to hold truth values, and by which claims."""
        found = {}
        names = self.facts(self.target.path).forms.names
        for name, dtype in self.inputs.dtypes.items():
            is_bool = names.is_named(dtype, "bool")
            used = self.asked.enough(equal(dtype, "bool"), self.known) if is_bool else None
            if used is not None:
                found[name] = used
        return found

    def _floats(self) -> tuple[int, ...] | None:
        """Return facts by which all that is computed are floats, None where it need not be."""
        dtypes = _Noting(self.asked, self.known)
        if not are_floats(self.target, dtypes):
            return None
        return tuple(sorted(dtypes.used))

    def record(self) -> OfTarget:
        """Return the certificate."""
        floats = self._floats()
        outputs = {}
        for output in outputs_of(self.target):
            inputs = self.inputs.with_results(output.results)
            case = Case(output, self.asked, frozenset(self.bits), floats is not None, inputs)
            self.cases = 0
            try:
                outputs[output.name] = output, self._case(case, tuple(self.target.path))
            except RefusedError as error:
                raise RefusedError(f"{output.name}: {error}") from error
        return OfTarget(self.bits, floats, outputs)

    def _case(self, case: Case, path: tuple[Any, ...]) -> Proof:
        self.cases += 1
        if self.cases > MOST_CASES:
            raise RefusedError("it falls into too many cases")
        facts = self.facts(path)
        if len(path) > len(self.target.path) and facts.impossible():
            known = conjuncts([*self.asked.claims, *path])
            used = self.asked.enough(False, known)
            if used is not None:
                ways = self.asked.ways(False, [known[number] for number in used])
                return Proof(impossible=used, ways=ways)
        for suggests in (PLAIN, ALL, CASES):
            writer = self._written(case, path, facts, suggests)
            if writer.difference == 0:
                found = Proof(writer.claims(), tuple(writer.used), tuple(writer.parts))
                return without_what_is_spared(found, case, path)
        condition = writer.dividing()
        if condition is None:
            raise RefusedError("no steps are found that lead to one value")
        holds = self._case(case, (*path, condition))
        fails = self._case(case, (*path, negation(condition)))
        return Proof(condition=condition, cases=(holds, fails))

    def _written(self, case: Case, path: tuple[Any, ...], facts: Facts, suggests: int) -> Writer:
        for seed in range(MOST_DRAWS):
            try:
                return Writer(case, path, facts, suggests, seed)
            except NoRootError:
                continue
        raise RefusedError("it has too many roots")
