"""The kinds of the terms of a rule, and what has to be true of its structures for them.

Terms are looked through once for each rule; that the frames which they compare have the same axes,
and that axes that they name are not those that go, is to be seen in every structure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gsl.attr.term import (
    Access,
    Constant,
    Operation,
    Projection,
    Reduce,
    Symbol,
    Term,
    TupleOf,
    VariadicTuple,
)
from gsl.operators import Operator
from gsl.operators.domain import Domain, Sizes
from gsl.operators.domain_axes import Axes, Axis, NewAxes, Permutation
from gsl.operators.domain_shape import UnitAxes
from gsl.pat import Call, Pattern, SameOperator, Trait
from gslverify.ranks.kinds import (
    Chosen,
    Entries,
    Entry,
    Frame,
    Kind,
    PerAxis,
    Place,
    Rank,
    Same,
    UnlikeError,
)

ORDERS = frozenset({"<", "<=", ">", ">="})
EQUALITIES = frozenset({"==", "!="})
ARITHMETIC = frozenset(
    {"+", "-", "*", "/", "//", "%", "min", "max", "neg", "abs", "floor", "ceil", "sqrt"}
)
UNDERSTOOD = frozenset({Axis, Axes, NewAxes, UnitAxes, Permutation})
"""Domains of attributes that name axes, of which it is known how."""
LOGIC = frozenset({"and", "or", "not"})
SIGNS = {True: frozenset({">=", "<"}), False: frozenset({"<=", ">"})}
"""How an axis in front of 0, or behind it, is compared to see from which end it is counted."""


@dataclass(slots=True)
class Demands:
    """What the terms of a rule need of every structure.

    Attributes:
        alike: frames that must have the same axes, in the same order.
        stated: frames that have as many axes because the rule demands it or makes them so.
        named: axes that are named by their numbers, from either end, and so stay.
        limits: ranks are compared with these numbers, which the ranks of the frame stay above.
        kept: frames all of whose axes stay, as their number is written down.
        fixed: attributes of calls that have a known number of axes, which stay, and how many of
            these are not written down.
        reads_sizes: whether any term depends on the size along some axis.
        witnesses: how many conditions hold because of one axis, which stays.
    """

    alike: set[tuple[Frame, Frame]] = field(default_factory=set)
    stated: set[tuple[Frame, Frame]] = field(default_factory=set)
    named: set[tuple[Frame, int]] = field(default_factory=set)
    limits: set[tuple[Frame, int]] = field(default_factory=set)
    kept: set[Frame] = field(default_factory=set)
    fixed: dict[tuple[Pattern, str], int] = field(default_factory=dict)
    reads_sizes: bool = False
    witnesses: int = 0


Bound = Mapping[Symbol, Kind]


class Kinds:
    """Finds the kinds of terms, and notes what they need."""

    def __init__(self, demands: Demands) -> None:
        self.demands = demands

    def of(self, term: Term, bound: Bound, holds: bool = False) -> Kind:
        """Return the kind of a term; raise UnlikeError if it has none.

        What `holds` need only stay true where it was; anything else must keep its value.
        """
        match term:
            case Constant(value=value):
                return Same(value if type(value) is int else None)
            case Symbol() if term in bound:
                return bound[term]
            case Access():
                return self._access(term)
            case Operation():
                return self._operation(term, bound, holds)
            case TupleOf(fields=fields):
                return self._tuple([self.of(one, bound) for one in fields])
            case Projection(tuple=whole, index=index):
                return self._projection(self.of(whole, bound), self.of(index, bound))
            case VariadicTuple():
                return self._repeated(term, bound)
            case Reduce():
                return self._reduced(term, bound, holds)
            case _:
                raise UnlikeError("a term of a kind of which nothing is known")

    def same_axes(self, one: Frame, other: Frame) -> None:
        """Note that two frames must have the same axes."""
        if one != other:
            self.demands.alike.add((one, other))

    def _access(self, term: Access) -> Kind:
        pattern = term.pattern
        if not isinstance(pattern, Pattern) or pattern.location():
            raise UnlikeError("an instance of a template")
        match term.name:
            case "shape":
                return PerAxis(Frame(pattern))
            case "ndim":
                return Rank(Frame(pattern))
            case "value":
                self.demands.kept.add(Frame(pattern))
                return Same()
            case "length":
                raise UnlikeError("the length of a tuple")
            case name if isinstance(pattern, Call) and name not in ("dtype", "operator"):
                return self._attribute(pattern, name)
            case _:
                return Same()

    def _attribute(self, call: Call, name: str) -> Kind:
        kinds = {kind_of(call, domain, self.demands, name) for domain in domains_of(call, name)}
        if len(kinds) != 1:
            raise UnlikeError("an attribute of several operators")
        return kinds.pop()

    def _operation(self, term: Operation, bound: Bound, holds: bool) -> Kind:
        head = term.head
        if head in LOGIC:
            inner = holds and head != "not"
            for operand in term.operands:
                self._same(self.of(operand, bound, inner))
            return Same()
        if head == "cond":
            condition, then, otherwise = term.operands
            self._same(self.of(condition, bound))
            return self._either(self.of(then, bound), self.of(otherwise, bound))
        kinds = [self.of(operand, bound) for operand in term.operands]
        if head in EQUALITIES or head in ORDERS:
            return self._comparison(head, kinds[0], kinds[1], holds)
        return self._computed(head, kinds)

    def _computed(self, head: str, kinds: list[Kind]) -> Kind:
        match head, kinds:
            case "%", [Place(frame), Rank(other)]:
                self.same_axes(frame, other)
                return Place(frame)
            case "-", [Rank(frame), Same(int() as number)] if number >= 1:
                self.demands.named.add((frame, -number))
                return Place(frame)
            case "-" | "+", [Place(frame), Rank(other)]:
                self.same_axes(frame, other)
                return Place(frame)
            case "length", [PerAxis(index, _, count)]:
                return Rank(index) if count == 1 else Entries(index, count)
            case "length", [Chosen(fixed=True)]:
                return Same()
            case "inverse", [PerAxis(index, Frame() as of)]:
                return PerAxis(of, index)
            case "+", [Chosen(frame, one), Chosen(other, two)]:
                self.same_axes(frame, other)
                return Chosen(frame, one and two)
            case "in", [Place(frame), Chosen(other)]:
                self.same_axes(frame, other)
                return Same()
        return _of_entries(head, kinds) or self._value(head, kinds)

    def _value(self, head: str, kinds: list[Kind]) -> Same:
        if head not in ARITHMETIC and head not in ("in", "length"):
            raise UnlikeError(f"the operation {head}")
        for kind in kinds:
            self._same(kind)
        return Same()

    def _same(self, kind: Kind) -> Same:
        if not isinstance(kind, Same):
            raise UnlikeError("axes or their number stand where a value does")
        return kind

    def _comparison(self, head: str, one: Kind, other: Kind, holds: bool) -> Kind:
        match one, other:
            case (Rank(frame), Same(int() as number)) | (Same(int() as number), Rank(frame)):
                self.demands.limits.add((frame, number))
            case Rank(frame), Rank(also):
                self.same_axes(frame, also)
            case (Place(frame), Same(int() as number)) | (Same(int() as number), Place(frame)):
                if head in EQUALITIES:
                    self.demands.named.add((frame, number))
                elif number != 0 or head not in SIGNS[isinstance(one, Place)]:
                    raise UnlikeError("an axis is compared with a number")
            case Place(frame), Place(also):
                self.same_axes(frame, also)
            case Entry(frame, count), Entry(also, many) if head in EQUALITIES and count == many:
                self.same_axes(frame, also)
            case Chosen(frame), Chosen(also) if head == "==" and holds:
                self.same_axes(frame, also)
            case PerAxis(index, of, count), PerAxis(also, what, many) if (
                head == "==" and holds and count == many
            ):
                self.same_axes(index, also)
                self._same_entries(of, what)
            case _:
                self._same(one)
                self._same(other)
        return Same()

    def _same_entries(self, one: Frame | None, other: Frame | None) -> None:
        if one is not None and other is not None:
            self.same_axes(one, other)
        elif one is not other:
            raise UnlikeError("axes and sizes")

    def _either(self, then: Kind, otherwise: Kind) -> Kind:
        """Return the kind of a choice between two."""
        match then, otherwise:
            case Same(), Same():
                limits = then.limit, otherwise.limit
                return Same() if None in limits else Same(below=max(filter(None, limits)))
            case Entry(one, count, sides), Entry(two, many, others) if count == many:
                self.same_axes(one, two)
                return Entry(one, count, max(sides, others))
            case (Place(one), Place(two)) | (Rank(one), Rank(two)):
                self.same_axes(one, two)
            case Chosen(one, fixed), Chosen(two, also):
                self.same_axes(one, two)
                return Chosen(one, fixed and also)
            case PerAxis(one, of, count), PerAxis(two, what, many) if count == many:
                self.same_axes(one, two)
                self._same_entries(of, what)
            case _:
                raise UnlikeError("a choice between values of two kinds")
        return then

    def _tuple(self, fields: list[Kind]) -> Kind:
        frames = [one.frame for one in fields if isinstance(one, Place)]
        if frames and len(frames) == len(fields):
            for frame in frames[1:]:
                self.same_axes(frames[0], frame)
            return Chosen(frames[0], True)
        for one in fields:
            self._same(one)
        return Same()

    def _projection(self, whole: Kind, index: Kind) -> Kind:
        match whole, index:
            case PerAxis(frame, of, 1), Place(other):
                self.same_axes(frame, other)
                return self._entry(of)
            case PerAxis(frame, of, count), Entry(other, many) if count == many:
                self.same_axes(frame, other)
                return self._entry(of)
            case PerAxis(frame, of, count), Same(int() as number):
                self.demands.named.add((frame, number // count))
                return self._entry(of)
            case Chosen(frame, fixed=True), Same(int()):
                return Place(frame)
        self._same(whole)
        self._same(index)
        return Same()

    def _entry(self, of: Frame | None) -> Kind:
        """Return the kind of an entry of a tuple that has one for each axis."""
        self.demands.reads_sizes |= of is None
        return Same() if of is None else Place(of)

    def _repeated(self, term: VariadicTuple, bound: Bound) -> Kind:
        match self.of(term.length, bound):
            case Rank(frame):
                body = self.of(term.body, {**bound, term.symbol: Place(frame)})
                if isinstance(body, Place):
                    return PerAxis(frame, body.frame)
                self._same(body)
                return PerAxis(frame)
            case Entries(frame, count):
                entry = Entry(frame, count, count)
                self._same(self.of(term.body, {**bound, term.symbol: entry}))
                return PerAxis(frame, None, count)
            case Same(int()):
                return self._tuple([self.of(term.body, {**bound, term.symbol: Same()})])
        raise UnlikeError("a tuple of an unknown number of fields")

    def _reduced(self, term: Reduce, bound: Bound, holds: bool) -> Kind:
        match self.of(term.length, bound):
            case (Rank() | Entries()) as length if term.head in ("and", "or") and holds:
                self.demands.witnesses += term.head == "or"
                self._same(self.of(term.body, {**bound, term.symbol: _index(length)}, holds=True))
                return Same()
            case Same(int()):
                inside = {**bound, term.symbol: Same()}
                is_logic = term.head in ("and", "or")
                self._same(self.of(term.body, inside, holds and is_logic))
                return Same()
        raise UnlikeError("values are combined along axes")


def _index(length: Rank | Entries) -> Place | Entry:
    """Return the kind of what numbers all axes, or all entries for them."""
    if isinstance(length, Rank):
        return Place(length.frame)
    return Entry(length.frame, length.count, length.count)


def _of_entries(head: str, kinds: list[Kind]) -> Kind | None:
    """Return the kind of what is computed with places among several entries for each axis."""
    match head, kinds:
        case "*", ([Place(frame), Same(int() as count)] | [Same(int() as count), Place(frame)]):
            return Entry(frame, count, 1) if count > 1 else None
        case "*", ([Rank(frame), Same(int() as count)] | [Same(int() as count), Rank(frame)]):
            return Entries(frame, count) if count > 1 else None
        case "+", ([Entry() as entry, Same() as side] | [Same() as side, Entry() as entry]):
            if side.limit is None or entry.sides + side.limit - 1 > entry.count:
                return None
            return Entry(entry.frame, entry.count, entry.sides + side.limit - 1)
        case "//", [Entry(frame, count), Same(number)] if number == count:
            return Place(frame)
        case "%", [Entry(_, count, sides), Same(number)] if number == count:
            return Same(below=sides)
        case "-", [Same(int() as most), Same() as side] if side.limit and side.limit <= most + 1:
            return Same(below=most + 1)
    return None


def operators_of(call: Call) -> list[Operator]:
    """Return the operators that a call may be of."""
    callee = call.callee
    while isinstance(callee, SameOperator):
        callee = callee.call.callee
    return callee.operators() if isinstance(callee, Trait) else [callee]


def domains_of(call: Call, name: str) -> set[Domain]:
    """Return the domains that an attribute may have, for every operator that a call may be of."""
    known = [one for one in operators_of(call) if name in one.attributes]
    return {one.attributes[name].domain for one in known}


def kind_of(call: Call, domain: Domain, demands: Demands, name: str) -> Kind:
    """Return the kind of an attribute, which names axes or has an entry for each."""
    if domain.names_axes and type(domain) not in UNDERSTOOD:
        raise UnlikeError("an attribute names axes in a way of its own")
    match domain:
        case Axis(extra=0):
            return Place(Frame(call, True))
        case Axis():
            return Place(Frame(call))
        case NewAxes():
            return Chosen(Frame(call), (call, name) in demands.fixed)
        case Axes():
            return Chosen(Frame(call, True), (call, name) in demands.fixed)
        case Permutation():
            return PerAxis(Frame(call), Frame(call, True))
        case Sizes(per_axis=0):
            return PerAxis(Frame(call))
        case Sizes(per_axis=count):
            return PerAxis(Frame(call, True), None, count)
        case _:
            return Same()
