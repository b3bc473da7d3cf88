"""Checks the certificate of one structure: every output, in every case that it distinguishes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gsl.attr.evaluate import equal, negation
from gsl.attr.term import Symbol, Term, bottom_up
from gsl.expr import Expr
from gsl.graph import reverse_post_order
from gsl.types import TensorType
from gslverify.certificates.checker import Asked, Checker
from gslverify.certificates.elements import SplitError
from gslverify.certificates.places import RefusedError
from gslverify.certificates.printing import atom_text, text_of
from gslverify.certificates.records import Record, Symbols, read_step
from gslverify.certificates.ring import Sum
from gslverify.prove.failure import UnprovableError
from gslverify.prove.inline import Inliner
from gslverify.prove.proof import Target, targets
from gslverify.structures.instance import Instance


@dataclass(frozen=True, slots=True)
class Output:
    """A tensor of the source and the one in its place, with the index of their elements."""

    name: str
    sides: tuple[tuple[Expr, int | None], tuple[Expr, int | None]]
    index: tuple[Symbol, ...]

    def elements(self, checker: Checker) -> tuple[Sum, Sum]:
        """Return the forms of the elements of both sides."""
        inliner = Inliner(_Places(checker))
        one, other = (_type(*side) for side in self.sides)
        if one.ndim != other.ndim:
            raise RefusedError("source and target differ in rank")
        for symbol, own, made in zip(self.index, one.shape, other.shape, strict=True):
            checker.at(symbol, checker.index(own if isinstance(own, int) else made))
        try:
            views = (inliner.view(expr) for expr, _ in self.sides)
            chosen = [
                view if field is None else view[field]
                for view, (_, field) in zip(views, self.sides, strict=True)
            ]
            left, right = (checker.value(view[self.index]) for view in chosen)
        except UnprovableError as error:
            raise RefusedError(str(error)) from error
        return left, right


@dataclass(frozen=True, slots=True)
class _Places:
    """Tells kernels that are put into each other which indices are the same."""

    checker: Checker

    def poly(self, value: Any) -> Sum:
        """Return the form of an index."""
        return self.checker.index(value)


def outputs_of(target: Target) -> Iterator[Output]:
    """Yield the tensors that source and target have to agree in."""
    for number, (source, made) in enumerate(target.pairs):
        fields = [None] if isinstance(source.type, TensorType) else range(len(source.type.fields))
        for field in fields:
            if source is not made:
                axes = range(_type(source, field).ndim)
                index = tuple(Symbol(f"i{axis}", low=0) for axis in axes)
                name = f"output {number}" + (f", field {field}" if field else "")
                yield Output(name, ((source, field), (made, field)), index)


def _type(expr: Expr, field: int | None) -> TensorType:
    found = expr.type if field is None else expr.type.fields[field]  # type: ignore[union-attr]
    if not isinstance(found, TensorType):
        raise RefusedError("an output is a tuple that holds a tuple")
    return found


def symbols_of(claims: Sequence[Any]) -> Symbols:
    """Return the symbols of claims, in their order."""
    parts = (part for claim in claims if isinstance(claim, Term) for part in bottom_up(claim))
    return Symbols(list(dict.fromkeys(part for part in parts if isinstance(part, Symbol))))


def dtypes_of(target: Target) -> dict[str, Any]:
    """Return the dtypes of the inputs of a target by their names."""
    every = reverse_post_order([expr for pair in target.pairs for expr in pair])
    inputs = (one for one in every if not one.operands and isinstance(one.type, TensorType))
    return {getattr(one, "name", ""): one.tensor_type.dtype for one in inputs}


def check_structure(instance: Instance, record: Record, context: Any, replies: Any) -> None:
    """Check what a certificate says about one structure; raise RefusedError.

    `context` and `replies` are shared by the structures of one rule.
    """
    claims = [claim.term for claim in instance.claims]
    asked, symbols = Asked(claims, context, replies), symbols_of(claims)
    made = list(targets(instance))
    if len(made) != len(record["targets"]):
        raise RefusedError("a way through the conditional targets is left out")
    for target, one in zip(made, record["targets"], strict=True):
        outputs = list(outputs_of(target))
        if [output.name for output in outputs] != [found["output"] for found in one["outputs"]]:
            raise RefusedError("an output is left out")
        dtypes = dtypes_of(target)
        for name, used in one["truth values"].items():
            facts = [*(claims[number] for number in used), *target.path]
            if not asked.shows(equal(dtypes[name], "bool"), facts):
                raise RefusedError(f"{name} is not shown to hold truth values")
        for output, found in zip(outputs, one["outputs"], strict=True):
            case = _Case(output, asked, symbols, frozenset(one["truth values"]))
            case.follow(found["proof"], target.path)


@dataclass(frozen=True, slots=True)
class _Case:
    output: Output
    asked: Asked
    symbols: Symbols
    bits: frozenset[str]

    def follow(self, record: Record, path: tuple[Any, ...]) -> None:
        """Check one case, and those that it falls into."""
        if "impossible" in record:
            claims = [self.asked.claims[number] for number in record["impossible"]]
            if not self.asked.shows(False, [*claims, *path]):
                raise RefusedError(f"{self.output.name}: a case is possible that is left out")
            return
        steps = [(read_step(one, self.symbols), one) for one in record["steps"]]
        try:
            checker = _Compared(self.asked, path, self.bits, {s.atom: (s, r) for s, r in steps})
            left, right = self.output.elements(checker)
        except SplitError as error:
            if "holds" not in record:
                raise RefusedError(f"{self.output.name}: a case is left out") from error
            said = text_of(checker, checker.condition(error.condition))
            if said != record["condition"]:
                raise RefusedError(f"{self.output.name}: the cases are those of {said}") from error
            self.follow(record["holds"], (*path, error.condition))
            self.follow(record["fails"], (*path, negation(error.condition)))
            return
        if left != right:
            sides = (text_of(checker, side) for side in (left, right))
            raise RefusedError(f"{self.output.name}: {' is not '.join(sides)}")


class _Compared(Checker):
    """Compares each step with what its record says in words."""

    def __init__(self, asked: Asked, path: Any, bits: frozenset[str], steps: Any) -> None:
        self.records = {number: record for number, (_, record) in steps.items()}
        super().__init__(asked, path, bits, {number: step for number, (step, _) in steps.items()})

    def follow(self, number: int) -> Sum | None:
        """Return what the certificate says that an atom is."""
        record = self.records.get(number)
        if record is None:
            return None
        where = f"the step about {record['place']}"
        if atom_text(self, number) != record["place"]:
            raise RefusedError(f"{where} stands at {atom_text(self, number)}")
        try:
            found = super().follow(number)
        except RefusedError as error:
            raise RefusedError(f"{where} is refused: {error}") from error
        if found is not None and text_of(self, found) != record["becomes"]:
            raise RefusedError(f"{where} leads to {text_of(self, found)}")
        return found
