"""What the patterns and conditions of a rule need of every structure, so that axes may go.

A rule is *uniform* if every term that it has is of a kind that fits the place where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import ANYTHING, Access, Constant, Operation, Term, TupleOf
from gsl.operators.declaration import REQUIRED
from gsl.operators.domain_axes import Axes
from gsl.pat import (
    INPUTS,
    Call,
    Cond,
    GetInst,
    Pattern,
    Variadic,
)
from gsl.subst import Subst
from gslverify.ranks.kinds import Chosen, Frame, Kind, PerAxis, Place, Rank, Same, UnlikeError
from gslverify.ranks.terms import Demands, Kinds, domains_of, kind_of, operators_of


def demands_of(subst: Subst) -> Demands:
    """Return what a rule needs of every structure; raise UnlikeError if it is not uniform."""
    return _Rule(subst).demands


class _Rule:
    def __init__(self, subst: Subst) -> None:
        self.subst = subst
        self.demands = Demands()
        self.kinds = Kinds(self.demands)
        self.source = frozenset(subst.source_patterns)
        every = dict.fromkeys((*subst.source_patterns, *subst.target_patterns))
        if any(isinstance(pattern, Variadic | GetInst) for pattern in every):
            raise UnlikeError("the number of fields of a tuple is open")
        for pattern in subst.source_patterns:
            if isinstance(pattern, Call):
                self._note_fixed(pattern)
        parts = [part for condition in subst.where for part in conjuncts(condition)]
        for part in parts:
            self._note_length(part)
        for part in parts:
            if not self._states(part):
                self._same(self.kinds.of(part, {}, holds=True))
        for pattern in every:
            self._look_at(pattern)

    def _note_length(self, condition: Term) -> None:
        """Note that a condition says how many axes an attribute of the source has."""
        match condition:
            case Operation(
                head="==",
                operands=(
                    Operation(head="length", operands=(Access(pattern=Call() as call, name=name),)),
                    Constant(value=int() as count),
                ),
            ) if call in self.source and name in call.attribute_names():
                if all(isinstance(domain, Axes) for domain in domains_of(call, name)):
                    self.demands.fixed[call, name] = count

    def _states(self, condition: Term) -> bool:
        """Tell whether a condition demands equal shapes or ranks, which it does of all matches."""
        match condition:
            case Operation(head="==", operands=(one, other)) if isinstance(one, Access):
                return self._equal(self.kinds.of(one, {}), self.kinds.of(other, {}))
        return False

    def _equal(self, one: Kind, other: Kind) -> bool:
        """Note that two ranks or shapes are equal, if they are that."""
        match one, other:
            case (Rank(frame), Rank(also)) | (PerAxis(frame, None, 1), PerAxis(also, None, 1)):
                self.demands.stated.add((frame, also))
                return True
            case (Rank(frame), Same(int())) | (Same(int()), Rank(frame)):
                self.demands.kept.add(frame)
                return True
        return False

    def _note_fixed(self, call: Call) -> None:
        """Note which attributes of a source have a known number of axes."""
        for name, term in call.constraints.items():
            if isinstance(term, TupleOf):
                known = sum(isinstance(field, Constant) for field in term.fields)
                self.demands.fixed[call, name] = len(term.fields) - known
            elif isinstance(term, Constant):
                self.demands.fixed[call, name] = 0

    def _look_at(self, pattern: Pattern) -> None:
        match pattern:
            case Call():
                self._call(pattern)
            case Cond(condition=condition):
                self._same(self.kinds.of(condition, {}))
            case _ if isinstance(pattern, INPUTS):
                self._input(pattern)
            case _:
                for term in pattern.terms():
                    self._value(term)

    def _same(self, kind: Kind) -> None:
        if not isinstance(kind, Same):
            raise UnlikeError("axes stand where a value does")

    def _value(self, term: Term) -> None:
        """Look at a term that stands for a value, or for any."""
        if isinstance(term, TupleOf):
            for field in term.fields:
                self._value(field)
        elif term is not ANYTHING:
            self._same(self.kinds.of(term, {}))

    def _input(self, pattern: Pattern) -> None:
        for name, term in pattern.constraints.items():
            if name == "shape":
                self._fits(PerAxis(Frame(pattern)), term)
            elif name == "ndim":
                self._number_of_axes(pattern, term)
            else:
                self._value(term)
        value = pattern.constraints.get("value")
        is_nested = isinstance(value, Constant) and type(value.value) is tuple
        if isinstance(value, TupleOf) or is_nested:
            self.demands.kept.add(Frame(pattern))

    def _number_of_axes(self, pattern: Pattern, term: Term) -> None:
        match self.kinds.of(term, {}):
            case Rank(frame):
                self.demands.stated.add((Frame(pattern), frame))
            case Same(int()):
                self.demands.kept.add(Frame(pattern))
            case _:
                raise UnlikeError("a number of axes is computed")

    def _call(self, call: Call) -> None:
        if call.attributes_of is not None:
            self.kinds.same_axes(Frame(call, True), Frame(call.attributes_of, True))
            self.kinds.same_axes(Frame(call), Frame(call.attributes_of))
        for name, term in call.constraints.items():
            for domain in domains_of(call, name):
                self._fits(kind_of(call, domain, self.demands, name), term)
        if call not in self.source and call.attributes_of is None:
            self._defaults(call)

    def _defaults(self, call: Call) -> None:
        """Look at the attributes that a target does not give."""
        for operator in operators_of(call):
            for name, attribute in operator.attributes.items():
                if name not in call.constraints and attribute.default not in (None, REQUIRED):
                    kind = kind_of(call, attribute.domain, self.demands, name)
                    self._fits(kind, Constant(attribute.default))

    def _fits(self, expected: Kind, term: Term) -> None:
        """Look at the value of an attribute, which has to be of the kind that the attribute has."""
        if term is ANYTHING:
            return
        if isinstance(term, TupleOf) and not isinstance(expected, Same):
            self._fields(expected, term.fields)
            return
        if isinstance(term, Constant) and isinstance(term.value, tuple):
            self._fields(expected, [Constant(value) for value in term.value])
            return
        if isinstance(expected, Same):
            self._value(term)
            return
        self._has_kind(expected, self.kinds.of(term, {}, holds=False))

    def _has_kind(self, expected: Kind, kind: Kind) -> None:
        match expected, kind:
            case ((Place(frame) | Chosen(frame)), Same(int() as number)):
                self.demands.named.add((frame, number))
            case Place(frame), Place(also):
                self.kinds.same_axes(frame, also)
            case Chosen(frame), (Chosen(also) | PerAxis(_, Frame() as also)):
                self.kinds.same_axes(frame, also)
            case PerAxis(index, of, count), PerAxis(also, what, many) if count == many and (
                of is None
            ) == (what is None):
                self.demands.stated.add((index, also))
                if of is not None and what is not None:
                    self.kinds.same_axes(of, what)
            case _:
                raise UnlikeError("an attribute is of another kind than its term")

    def _fields(self, expected: Kind, fields: Iterable[Term]) -> None:
        """Look at a tuple of which the number of fields is written down."""
        match expected:
            case Chosen(frame):
                for field in fields:
                    if field is not ANYTHING:
                        self._has_kind(Place(frame), self.kinds.of(field, {}))
            case PerAxis(index, of):
                self.demands.kept.add(index)
                if of is not None:
                    self.demands.kept.add(of)
                for field in fields if of is None else ():
                    self._value(field)
            case _:
                for field in fields:
                    self._value(field)
