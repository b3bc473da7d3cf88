"""Certificates as plain records, to be written as JSON and read again.

Symbols are called by their numbers and names: those of the claims of a structure first, then the
index of the output, then those that sums and steps bind. Nothing here is trusted: what is read is
checked, whatever it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Any

from gsl.attr.term import Constant, Operation, Symbol, Term, as_term
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gslverify.certificates.checking import OfTarget, Output, Proof
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.laws import Step
from gslverify.certificates.subjects import symbols_in

Record = Any


def written(targets: Sequence[OfTarget], claims: Sequence[Term]) -> Record:
    """Return the certificate of a structure as a record."""
    return [
        {
            "truth values": {name: list(used) for name, used in target.bits.items()},
            "real numbers": None if target.floats is None else list(target.floats),
            "outputs": {
                name: _Symbols(claims, output).of_proof(proof)
                for name, (output, proof) in target.outputs.items()
            },
        }
        for target in targets
    ]


def read(
    record: Record, claims: Sequence[Term], outputs: Sequence[Sequence[Output]]
) -> list[OfTarget]:
    """Return the certificate that a record is; raise RefusedError where it is none."""
    try:
        found = []
        for target, made in zip(record, outputs, strict=True):
            by_name = {output.name: output for output in made}
            proofs = {
                name: (by_name[name], _Symbols(claims, by_name[name]).proof(one))
                for name, one in target["outputs"].items()
            }
            bits = {name: tuple(used) for name, used in target["truth values"].items()}
            floats = None if target["real numbers"] is None else tuple(target["real numbers"])
            found.append(OfTarget(bits, floats, proofs))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise RefusedError(f"it cannot be read: {type(error).__name__}: {error}") from error
    return found


def _is_binder(subject: Any) -> bool:
    return isinstance(subject, tuple) and len(subject) == 2 and isinstance(subject[0], Symbol)


def _of_ways(ways: Any) -> Record:
    """Return sums of products as a part of a record."""
    return {"ways": _as_lists(ways)} if ways else {}


def _as_lists(value: Any) -> Any:
    return [_as_lists(one) for one in value] if isinstance(value, tuple) else value


def _as_tuples(value: Any) -> Any:
    """Return numbers in tuples of tuples; raise ValueError for anything else."""
    if isinstance(value, list | tuple):
        return tuple(map(_as_tuples, value))
    if type(value) is int or value == "either":
        return value
    raise ValueError(f"{value!r} is no part of a sum")


class _Symbols:
    """Symbols with their numbers; what is equal is read as one object, which is computed once."""

    def __init__(self, claims: Sequence[Term], output: Output) -> None:
        self._claims = claims
        self._output = output
        self._terms: dict[Any, Term] = {}

    @cached_property
    def known(self) -> list[Symbol]:
        """The symbols that have a number so far; a proof without any needs none of them."""
        output = self._output
        said = *output.extents.values(), output.left, output.right
        return list(
            dict.fromkeys([*symbols_in(*self._claims), *output.extents, *symbols_in(*said)])
        )

    @cached_property
    def numbers(self) -> dict[Symbol, int]:
        """The numbers of symbols."""
        return {symbol: number for number, symbol in enumerate(self.known)}

    def of_proof(self, proof: Proof) -> Record:
        """Return a proof as a record."""
        if proof.impossible is not None:
            return {"impossible": list(proof.impossible)} | _of_ways(proof.ways)
        if proof.condition is not None:
            condition = self.of_term(proof.condition)
            holds, fails = map(self.of_proof, proof.cases)
            return {"condition": condition, "holds": holds, "fails": fails}
        record = {"steps": [self.of_step(step) for step in proof.steps]}
        record |= {"claims": list(proof.claims)} if proof.claims else {}
        return record | ({"parts": self._of_parts(proof.parts)} if proof.parts else {})

    def proof(self, record: Record) -> Proof:
        """Return the proof that a record is."""
        if "impossible" in record:
            ways = _as_tuples(record.get("ways", ()))
            return Proof(impossible=tuple(record["impossible"]), ways=ways)
        if "condition" in record:
            condition = self.term(record["condition"])
            cases = self.proof(record["holds"]), self.proof(record["fails"])
            return Proof(condition=condition, cases=cases)
        steps = tuple(self.step(one) for one in record["steps"])
        claims = tuple(record.get("claims", ()))
        return Proof(claims, steps, self._parts(record.get("parts", ())))

    def of_step(self, step: Step) -> Record:
        """Return a step as a record."""
        record: Record = {"law": step.law}
        if step.indices:
            record["indices"] = self._of_binders(step.indices)
        record["about"] = [self.of(one) for one in step.subjects]
        if step.given:
            record["given"] = [self.of_term(one) for one in step.given]
        if step.facts:
            record["from"] = [list(used) for used in step.facts]
        if any(step.ways):
            record |= _of_ways(step.ways)
        return record | ({"parts": self._of_parts(step.parts)} if step.parts else {})

    def step(self, record: Record) -> Step:
        """Return the step that a record is."""
        indices = self._binders(record.get("indices", ()))
        subjects = tuple(self.subject(one) for one in record["about"])
        given = tuple(self.term(one) for one in record.get("given", ()))
        facts = tuple(tuple(used) for used in record.get("from", ()))
        parts = self._parts(record.get("parts", ()))
        ways = _as_tuples(record.get("ways", ()))
        return Step(str(record["law"]), subjects, indices, given, facts, parts, ways)

    def _of_parts(self, parts: Iterable[tuple[Expression, Step]]) -> Record:
        return [[self.of(factor), self.of_step(step)] for factor, step in parts]

    def _parts(self, record: Record) -> tuple[tuple[Expression, Step], ...]:
        return tuple((self.subject(factor), self.step(step)) for factor, step in record)

    def _of_binders(self, variables: Iterable[tuple[Symbol, Any]]) -> Record:
        found = []
        for symbol, extent in variables:
            if symbol not in self.numbers:
                self.numbers[symbol] = len(self.known)
                self.known.append(symbol)
            found.append([self.numbers[symbol], symbol.name, self.of_term(extent)])
        return found

    def _binders(self, record: Record) -> tuple[tuple[Symbol, Any], ...]:
        found = []
        for number, name, extent in record:
            if number == len(self.known):
                self.known.append(Symbol(name, low=0))
            found.append((self.known[number], self.term(extent)))
        return tuple(found)

    def of(self, subject: Any) -> Record:
        """Return a term, an expression, or a tuple of such as a record."""
        match subject:
            case tuple() if subject and all(map(_is_binder, subject)):
                return {"indices": self._of_binders(subject)}
            case tuple():
                return {"several": [self.of(one) for one in subject]}
            case Number(value=value):
                return {"number": self.of_term(value)}
            case Read(tensor=name, indices=indices):
                return {"read": name, "at": [self.of_term(one) for one in indices]}
            case Select(condition=condition, then=then, otherwise=otherwise):
                sides = self.of(then), self.of(otherwise)
                return {"where": self.of_term(condition), "then": sides[0], "else": sides[1]}
            case Apply(function=function, arguments=arguments):
                return {"apply": function, "to": [self.of(one) for one in arguments]}
            case Reduction(function=function, variables=variables, body=body):
                over = self._of_binders(variables)
                return {"over": over, "combine": function, "of": self.of(body)}
        return self.of_term(subject)

    def subject(self, record: Record) -> Any:
        """Return the term, the expression or the tuple that a record is."""
        match record:
            case {"indices": variables}:
                return self._binders(variables)
            case {"several": several}:
                return tuple(self.subject(one) for one in several)
            case {"number": value}:
                return Number(self.term(value))
            case {"read": name, "at": indices}:
                return Read(name, tuple(self.term(one) for one in indices))
            case {"where": condition, "then": then, "else": otherwise}:
                return Select(self.term(condition), self.subject(then), self.subject(otherwise))
            case {"apply": function, "to": arguments}:
                return Apply(function, tuple(self.subject(one) for one in arguments))
            case {"over": variables, "combine": function, "of": body}:
                return Reduction(function, self._binders(variables), self.subject(body))
        return self.term(record)

    def of_term(self, term: Any) -> Record:
        """Return a term or a value of one as a record."""
        match term:
            case Constant(value=value):
                return self.of_term(value)
            case Symbol() if term in self.numbers:
                return {"symbol": self.numbers[term], "name": term.name}
            case Operation(head=head, operands=operands):
                return [head, *(self.of_term(one) for one in operands)]
            case tuple():
                return {"tuple": list(term)}
            case Fraction():
                return {"fraction": str(term)}
            case bool() | int() | str():
                return term
            case float():
                return term if isfinite(term) else {"float": repr(term)}
        raise RefusedError(f"no claim says anything about {term!r}")

    def term(self, record: Record) -> Any:
        """Return the term or the value that a record is."""
        match record:
            case [head, *operands]:
                parts = tuple([self._one(self.term(operand)) for operand in operands])
                key = head, *map(id, parts)
                if key not in self._terms:
                    self._terms[key] = Operation(head, parts)
                return self._terms[key]
            case {"symbol": number, "name": name}:
                found = self.known[number]
                if found.name != name:
                    raise RefusedError(f"{name} is called {found.name}")
                return found
            case {"tuple": values}:
                return tuple(values)
            case {"fraction": text}:
                return Fraction(text)
            case {"float": text}:
                return float(text)
        return record

    def _one(self, value: Any) -> Term:
        if isinstance(value, Term):
            return value
        return self._terms.setdefault((type(value), value), as_term(value))
