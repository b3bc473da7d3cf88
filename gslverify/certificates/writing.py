"""Writes certificates: computes both sides in a model, and suggests the steps that make them equal.

What is suggested comes from the prover, and is believed no more than what is read from a file: the
checker shows each step when it is written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.attr.evaluate import equal, negation
from gsl.errors import GslError
from gslverify.certificates.checker import Asked
from gslverify.certificates.checking import Case, OfTarget, Proof, are_floats, inputs_of, outputs_of
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.model import NoRootError
from gslverify.certificates.subjects import claims_about
from gslverify.certificates.writer import ALL, CASES, PLAIN, Writer
from gslverify.prove.effort import Effort
from gslverify.prove.facts import Facts, Memory
from gslverify.prove.failure import UnprovableError
from gslverify.prove.learning import forms_of
from gslverify.prove.proof import Target, targets
from gslverify.prove.relaxed import Replies
from gslverify.semantics.solver import Solver
from gslverify.structures.instance import Instance

MOST_STEPS = 400_000
"""What the prover may do to suggest steps for one way through the targets."""

MOST_CASES = 64
MOST_DRAWS = 100


def write_structure(
    instance: Instance, solver: Solver, replies: Replies, asked: Asked
) -> list[OfTarget]:
    """Return the certificate of a structure that is proved; raise RefusedError.

    `replies` are those of the prover, `asked` what the checker may ask.
    """
    try:
        return [_OfTarget(asked, solver, replies, one).record() for one in targets(instance)]
    except (UnprovableError, GslError, RecursionError) as error:
        raise RefusedError(f"no steps are found: {error}") from error


class _OfTarget:
    """Writes the certificate of one way through the conditional targets."""

    def __init__(self, asked: Asked, solver: Solver, replies: Replies, target: Target) -> None:
        self.asked = asked
        self.solver = solver
        self.replies = replies
        self.target = target
        self.cases = 0
        self.effort = Effort(MOST_STEPS)
        self.inputs = inputs_of(target)
        self.bits = self._truth_values()

    def facts(self, path: Sequence[Any]) -> Facts:
        """Return what the prover knows in a case."""
        forms = forms_of([*self.asked.claims, *path], self.effort)
        return Facts(self.solver, forms, memory=Memory(self.replies)).assuming(*path)

    def _truth_values(self) -> dict[str, tuple[int, ...]]:
        """Return the inputs that are shown to hold truth values, and by which claims."""
        found = {}
        facts = self.facts(self.target.path)
        for name, dtype in self.inputs.dtypes.items():
            used = claims_about([dtype], self.asked.claims)
            given = [*(self.asked.claims[number] for number in used), *self.target.path]
            is_bool = facts.forms.names.is_named(dtype, "bool")
            if is_bool and self.asked.shows(equal(dtype, "bool"), given):
                found[name] = used
        return found

    def record(self) -> OfTarget:
        """Return the certificate."""
        is_field = are_floats(self.target, self.asked)
        outputs = {}
        for output in outputs_of(self.target):
            case = Case(output, self.asked, frozenset(self.bits), is_field, self.inputs)
            self.cases = 0
            try:
                outputs[output.name] = output, self._case(case, tuple(self.target.path))
            except RefusedError as error:
                raise RefusedError(f"{output.name}: {error}") from error
        return OfTarget(self.bits, is_field, outputs)

    def _case(self, case: Case, path: tuple[Any, ...]) -> Proof:
        self.cases += 1
        if self.cases > MOST_CASES:
            raise RefusedError("it falls into too many cases")
        facts = self.facts(path)
        if len(path) > len(self.target.path) and facts.impossible():
            used = claims_about(path, self.asked.claims)
            if self.asked.shows(False, [*(self.asked.claims[n] for n in used), *path]):
                return Proof(impossible=used)
        for suggests in (PLAIN, ALL, CASES):
            writer = self._written(case, path, facts, suggests)
            if writer.difference == 0:
                return Proof(writer.claims(), tuple(writer.used), tuple(writer.parts))
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
