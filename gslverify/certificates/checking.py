"""Checks the certificate of one structure: every output, in every case that it distinguishes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import SystemRandom
from typing import Any

from gsl.attr.evaluate import contains, equal, negation
from gsl.attr.term import Symbol, Term
from gsl.expr import Expr
from gsl.graph import reverse_post_order
from gsl.kernel.expression import Expression
from gsl.types import TensorType
from gslverify.certificates.checker import Asked, Checker
from gslverify.certificates.degree import points_for
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.gathered import limits_in
from gslverify.certificates.inputs import Inputs, Results
from gslverify.certificates.laws import Step, subjects_of
from gslverify.certificates.model import Model, NoRootError
from gslverify.prove.failure import UnprovableError
from gslverify.prove.indices.cone import conjuncts
from gslverify.prove.inline import Inliner
from gslverify.prove.proof import Target, computes_with_floats

MOST_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Proof:
    """How the elements of one output are shown to be equal in one case.

    Either no graph is in this case, as some facts clash; or a condition tells two cases apart; or
    steps lead to one value where `claims` are known and multiples of `parts` are shown to be 0.
    """

    claims: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()
    parts: tuple[tuple[Expression, Step], ...] = ()
    impossible: tuple[int, ...] | None = None
    ways: tuple[Any, ...] = ()
    condition: Any = None
    cases: tuple[Proof, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """A tensor of the source and the one in its place: their elements at one index.

    `results` are those of operators, with their dtypes.
    """

    name: str
    left: Expression
    right: Expression
    extents: dict[Symbol, Any]
    results: Results = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OfTarget:
    """The proofs of all outputs, with inputs that hold truth values and the facts for it.

    `floats` are facts by which all that is computed are floats, None where it need not be.
    """

    bits: dict[str, tuple[int, ...]]
    floats: tuple[int, ...] | None
    outputs: dict[str, tuple[Output, Proof]]


@dataclass(frozen=True, slots=True)
class _Keys:
    def poly(self, value: Any) -> Any:
        """Return what indices that are one have in common."""
        return id(value) if isinstance(value, Term) else value


def outputs_of(target: Target) -> Iterator[Output]:
    """Yield the tensors that source and target have to agree in."""
    inliner = Inliner(_Keys())
    for number, (source, made) in enumerate(target.pairs):
        fields = [None] if isinstance(source.type, TensorType) else range(len(source.type.fields))
        for part in fields if source is not made else ():
            name = f"output {number}" + (f", field {part}" if part else "")
            one, other = (_type(side, part) for side in (source, made))
            if one.ndim != other.ndim:
                raise RefusedError("source and target differ in rank")
            shapes = zip(one.shape, other.shape, strict=True)
            sizes = [b if isinstance(a, Term) else a for a, b in shapes]
            index = tuple(Symbol(f"i{axis}", low=0) for axis in range(one.ndim))
            try:
                views = [inliner.view(side) for side in (source, made)]
                left, right = ((v if part is None else v[part])[index] for v in views)
            except UnprovableError as error:
                raise RefusedError(str(error)) from error
            extents = dict(zip(index, sizes, strict=True))
            yield Output(name, left, right, extents, inliner.results)


def _type(expr: Expr, field: int | None) -> TensorType:
    found = expr.type if field is None else expr.type.fields[field]  # type: ignore[union-attr]
    if not isinstance(found, TensorType):
        raise RefusedError("an output is a tuple that holds a tuple")
    return found


def inputs_of(target: Target) -> Inputs:
    """Return what is known of the inputs of a target by their names."""
    every = reverse_post_order([expr for pair in target.pairs for expr in pair])
    inputs = (one for one in every if not one.operands and isinstance(one.type, TensorType))
    dtypes = {getattr(one, "name", ""): one.tensor_type.dtype for one in inputs}
    return Inputs(dtypes, limits_in([source for source, _ in target.pairs]))


@dataclass(slots=True)
class Dtypes:
    """What is known of dtypes by some facts."""

    asked: Asked
    facts: Sequence[Any]

    def is_one_of(self, dtype: Any, names: tuple[str, ...]) -> bool:
        """Tell whether a dtype is shown to be among some."""
        return self.asked.shows(contains(dtype, names), self.facts)


def are_floats(target: Target, dtypes: Dtypes) -> bool:
    """Tell whether all that is computed are floats, for which the laws of real numbers hold."""
    outputs = [expr for pair in target.pairs for expr in pair]
    return computes_with_floats(outputs, dtypes)  # type: ignore[arg-type]


def check_structure(
    made: Sequence[Target], record: Sequence[OfTarget], asked: Asked, outputs: Sequence[Any]
) -> None:
    """Check what a certificate says about one structure; raise RefusedError.

    `made` are the ways through its targets with their `outputs`, which are made from the rule.
    """
    if len(made) != len(record):
        raise RefusedError("a way through the conditional targets is left out")
    for target, found, of_target in zip(made, record, outputs, strict=True):
        if [output.name for output in of_target] != list(found.outputs):
            raise RefusedError("an output is left out")
        inputs = inputs_of(target)
        facts = conjuncts([*asked.claims, *target.path])
        for name, used in found.bits.items():
            if not asked.shows(equal(inputs.dtypes[name], "bool"), [facts[n] for n in used]):
                raise RefusedError(f"{name} is not shown to hold truth values")
        floats = Dtypes(asked, [facts[number] for number in found.floats or ()])
        is_field = found.floats is not None
        if is_field and not are_floats(target, floats):
            raise RefusedError("not all that is computed is shown to be floats")
        for output, proof in found.outputs.values():
            known = inputs.with_results(output.results)
            case = Case(output, asked, frozenset(found.bits), is_field, known)
            try:
                case.follow(proof, target.path)
            except RefusedError as error:
                raise RefusedError(f"{output.name}: {error}") from error


@dataclass(frozen=True, slots=True)
class Case:
    """What the cases of one output have in common."""

    output: Output
    asked: Asked
    bits: frozenset[str]
    is_field: bool
    inputs: Inputs

    def follow(self, proof: Proof, path: tuple[Any, ...]) -> None:
        """Check one case, and those that it falls into."""
        if proof.impossible is not None:
            facts = conjuncts([*self.asked.claims, *path])
            used = [facts[number] for number in proof.impossible]
            if not self.asked.shows(False, used, proof.ways):
                raise RefusedError("a case is possible that is left out")
        elif proof.condition is not None:
            holds, fails = proof.cases
            self.follow(holds, (*path, proof.condition))
            self.follow(fails, (*path, negation(proof.condition)))
        elif not self.is_same(proof, path):
            raise RefusedError("the steps do not lead to one value")

    def is_same(self, proof: Proof, path: tuple[Any, ...]) -> bool:
        """Tell whether both sides have one value with the steps of a proof."""
        steps = [*proof.steps, *(step for _, step in proof.parts)]
        said = [*(factor for factor, _ in proof.parts), *subjects_of(steps)]
        points = points_for((self.output.left, self.output.right), said)
        for _ in range(MOST_DRAWS):
            seed = SystemRandom().getrandbits(64)
            model = Model(seed, self.is_field, self.bits, points, self.inputs)
            try:
                checker = self.checker(proof.claims, path, model)
                for step in proof.steps:
                    checker.follow(step)
                left, right = (checker.read(s) for s in (self.output.left, self.output.right))
                return bool(checker.rest(left, right, proof.parts) == 0)
            except NoRootError:
                continue
        raise RefusedError("it has too many roots")

    def checker(self, claims: Iterable[int], path: Sequence[Any], model: Model) -> Checker:
        """Return the checker of one case, in which some claims are known."""
        made = Checker(self.asked, claims, path, model)
        made.extents = self.output.extents
        return made
