"""What ranks, numbers of fields and indices of fields decide alone, whatever sizes there are.

There are structures of ever more axes and fields, so none of those that are tried says how such a
decision falls in all others. But it can be evaluated by itself: at each count up to a limit, which
shows at which of them the target goes a way that it has not gone before, and as a formula about any
counts, which shows how it never falls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.evaluate import evaluate
from gsl.attr.term import (
    Access,
    Constant,
    Operation,
    Projection,
    Reduce,
    Symbol,
    Term,
    TupleOf,
    Value,
    VariadicTuple,
    free_symbols,
    subterms,
)
from gsl.errors import EvaluationError, GslError
from gsl.operators.declaration import tensors
from gsl.pat import GetInst, Pattern, Variadic
from gsl.subst import Subst
from gslverify.semantics.solver import Answer, Solver
from gslverify.structures.deciding import falling
from gslverify.structures.instance import Instance
from gslverify.structures.pinned_ranks import pinned_ranks

Count = tuple[str, Pattern]
"""What is counted of which pattern, `FIELDS` or `AXES`."""
FIELDS, AXES = "fields", "axes"
MOST_FIELDS, MOST_OF_SEVERAL, MOST_AXES, MOST_AXES_WITH_FIELDS = 40, 12, 10, 4
"""How far is looked: fields of a tuple, and of several; axes, and where fields decide, too."""
MOST_POINTS = 1000
DECISIONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "in", "and", "or", "not"})
MOST_INDICES = 2
MOST_PAIRS = 400
"""Indices that are looked at together, and how many pairs of two."""
SOLVER_LIMIT = 1_000_000

Way = tuple[Any, ...]
"""How all decisions fall that the same indices decide."""


def counted_by(term: Term) -> Count | None:
    """Return what a term counts, and of which pattern."""
    match term:
        case Access(name="ndim", pattern=pattern):
            return AXES, pattern
        case Access(name="length", pattern=Variadic() as whole):
            return FIELDS, whole
        case Access(name="length", pattern=GetInst(template=Variadic() as whole)):
            return FIELDS, whole
        case _:
            return None


@dataclass(frozen=True, slots=True)
class CountsOnly:
    """An environment of terms in which nothing has a value but counts and some symbols."""

    count: Callable[[str, Pattern], Value]
    symbols: Mapping[Symbol, Value]

    def access(self, term: Access) -> Value:
        """Return a count; raise EvaluationError for any other attribute."""
        counted = counted_by(term)
        if counted is None:
            raise EvaluationError(f"{term!r} is no count")
        return self.count(*counted)

    def symbol(self, symbol: Symbol) -> Value:
        """Return what a symbol is; raise EvaluationError if that is not known."""
        if symbol not in self.symbols:
            raise EvaluationError(f"{symbol!r} is not known")
        return self.symbols[symbol]

    def bind(self, symbol: Symbol, value: Value) -> CountsOnly:
        """Return this environment with one more symbol."""
        return CountsOnly(self.count, {**self.symbols, symbol: value})


@dataclass(frozen=True, slots=True)
class Point:
    """How many fields and axes some patterns have, of which a decision reads it."""

    counts: Mapping[Count, int]

    @property
    def lengths(self) -> dict[Pattern, int]:
        """The numbers of fields."""
        return {of: number for (kind, of), number in self.counts.items() if kind == FIELDS}

    @property
    def ranks(self) -> dict[Pattern, int]:
        """The numbers of axes."""
        return {of: number for (kind, of), number in self.counts.items() if kind == AXES}

    def is_in(self, instance: Instance) -> bool:
        """Tell whether an instance has these counts."""
        bindings = instance.bindings
        lengths = {pattern: length for (pattern, _), length in bindings.lengths.items()}
        if any(lengths.get(of, n) != n for of, n in self.lengths.items()):
            return False
        types = {pattern: node.expr.type for (pattern, _), node in bindings.nodes.items()}
        return all(
            of not in types or [one.ndim for one in tensors((types[of],))] == [n]
            for of, n in self.ranks.items()
        )


class Decisions:
    """The decisions in some terms of a rule that counts alone decide, evaluated at points."""

    def __init__(self, subst: Subst, terms: Iterable[Term]) -> None:
        self._stated = {(AXES, of): rank for of, rank in pinned_ranks(subst).items()}
        self._where = [part for condition in subst.where for part in conjuncts(condition)]
        self._lengths = _lengths_of(subst)
        every = dict.fromkeys(terms)
        decisions = [one for one in every if _is_decision(one) and reads_counts_only(one)]
        indices = dict.fromkeys(frozenset(free_symbols(one)) for one in decisions)
        self._groups = {
            few: [one for one in decisions if free_symbols(one) <= few] for few in indices
        }
        lengths = [length for few in indices for one in few for length in self._lengths[one]]
        parts = [part for one in (*decisions, *lengths) for part in subterms(one)]
        read = dict.fromkeys(counted for part in parts if (counted := counted_by(part)))
        self._read = [one for one in read if one not in self._stated]

    def turning(self, is_tried: Callable[[Point], bool]) -> list[Point]:
        """Return few points, the least ones, with all ways that no point has that is tried."""
        ways = {number: self._ways(point) for number, point in enumerate(self._points())}
        points = dict(enumerate(self._points()))
        tried = {number for number in ways if is_tried(points[number])}
        usual = set[Way]().union(*(ways[number] for number in tried))
        seen, found = set(usual), list[int]()
        for number, those in ways.items():
            if not those <= seen:
                found.append(number)
                seen |= those
        for number in tuple(found):
            others = usual.union(*(ways[other] for other in found if other != number))
            if ways[number] <= others:
                found.remove(number)
        return [points[number] for number in found]

    def _points(self) -> Iterator[Point]:
        """Yield the points that are looked at, in order of their largest counts."""
        several = sum(kind == FIELDS for kind, _ in self._read) > 1
        most = {FIELDS: MOST_OF_SEVERAL if several else MOST_FIELDS, AXES: MOST_AXES}
        if len({kind for kind, _ in self._read}) > 1:
            most[AXES] = MOST_AXES_WITH_FIELDS
        domains = [range(kind == FIELDS, most[kind] + 1) for kind, _ in self._read]
        if not domains or prod(map(len, domains)) > MOST_POINTS:
            return
        for counts in sorted(product(*domains), key=lambda one: (max(one), one)):
            yield Point(dict(zip(self._read, counts, strict=True)))

    def _ways(self, point: Point) -> set[Way]:
        """Return how decisions fall at a point, if the rule allows it."""
        counts = {**self._stated, **point.counts}

        def count(kind: str, pattern: Pattern) -> Value:
            if (kind, pattern) not in counts:
                raise EvaluationError(f"{pattern!r} is not counted")
            return counts[kind, pattern]

        anywhere = CountsOnly(count, {})
        if any(_value(condition, anywhere) is False for condition in self._where):
            return set()
        found = set[Way]()
        for number, (indices, members) in enumerate(self._groups.items()):
            ranges = [range(self._number(index, anywhere)) for index in indices]
            if len(indices) > 1 and prod(map(len, ranges)) > MOST_PAIRS:
                continue
            for places in product(*ranges):
                known = CountsOnly(count, dict(zip(indices, places, strict=True)))
                found.add((number, *(_fall(one, known) for one in members)))
        return found

    def _number(self, index: Symbol, known: CountsOnly) -> int:
        """Return how many numbers an index runs over."""
        values = [_value(length, known) for length in self._lengths[index]]
        return next((value for value in values if type(value) is int), 0)


def _is_decision(term: Term) -> bool:
    match term:
        case Operation(head=head):
            return head in DECISIONS or head in ("min", "max", "//", "%")
        case Projection(tuple=table):
            return length_of(table) > 0
        case _:
            return False


def _fall(decision: Term, known: CountsOnly) -> Any:
    """Return how a decision falls, None if counts do not say it."""
    match decision:
        case Operation(head="min" | "max", operands=(left, right)):
            one, other = _value(left, known), _value(right, known)
            return None if one is None or other is None else (one > other) - (one < other)
        case Operation(head="//" | "%"):
            value = _value(decision, known)
            return None if value is None else value == 0
        case Projection(tuple=table, index=index):
            place = _value(index, known)
            return place if place in range(-length_of(table), length_of(table)) else None
        case _:
            return _value(decision, known)


def length_of(table: Term) -> int:
    """Return the number of fields of a tuple that a rule writes down, 0 for other terms."""
    match table:
        case TupleOf(fields=fields) | Constant(value=tuple() as fields):
            return len(fields)
        case _:
            return 0


def reads_counts_only(decision: Term) -> bool:
    """Tell whether nothing but counts and a few indices decides, so that it can be evaluated."""
    reads = (part for part in subterms(decision) if isinstance(part, Access))
    return len(free_symbols(decision)) <= MOST_INDICES and all(map(counted_by, reads))


def _value(term: Term, known: CountsOnly) -> Any:
    try:
        return evaluate(term, known)
    except GslError:
        return None


class AnyCounts:
    """What a rule says about its counts, as claims about any of them."""

    def __init__(self, subst: Subst) -> None:
        self._counts: dict[tuple[str, Pattern], Value] = {}
        self._lengths = _lengths_of(subst)
        self._known = CountsOnly(self._count, {symbol: symbol for symbol in self._lengths})
        given = [_value(part, self._known) for one in subst.where for part in conjuncts(one)]
        self._where = [claim for claim in given if isinstance(claim, Term)]

    def never(self, ways: Iterable[tuple[Term, bool]]) -> bool:
        """Tell whether conditions cannot fall in these ways at once, whatever counts there are."""
        claims = list[Term]()
        for condition, outcome in ways:
            value = _value(condition, self._known)
            if isinstance(value, Term):
                claims.append(falling(value, outcome))
            elif value is (not outcome):
                return True
        if not claims:
            return False
        indices = frozenset[Symbol]().union(*map(free_symbols, claims)) & self._lengths.keys()
        ranges = [claim for index in indices for claim in self._range_of(index)]
        solver = Solver([*self._where, *ranges], SOLVER_LIMIT)
        return solver.check(*claims).answer is Answer.UNSAT

    def _count(self, kind: str, pattern: Pattern) -> Value:
        key = kind, pattern
        if key not in self._counts:
            self._counts[key] = Symbol(low=kind == FIELDS)
            if (stated := self._stated(kind, pattern)) is not None:
                self._counts[key] = stated
        return self._counts[key]

    def _stated(self, kind: str, pattern: Pattern) -> Value | None:
        """Return what a pattern itself says about a count."""
        if isinstance(pattern, Variadic) and kind == FIELDS:
            least = Symbol(low=pattern.minimum)
            return least if (length := _value(pattern.size, self._known)) is None else length
        match pattern.constraints.get("shape"):
            case TupleOf(fields=sizes) | Constant(value=tuple() as sizes):
                return len(sizes)
            case _:
                rank = pattern.constraints.get("ndim")
                return None if rank is None else _value(rank, self._known)

    def _range_of(self, index: Symbol) -> Iterator[Term]:
        yield index >= 0
        for length in self._lengths[index]:
            if (most := _value(length, self._known)) is not None:
                yield index < most


def _lengths_of(subst: Subst) -> dict[Symbol, list[Term]]:
    """Return the indices of a rule, each with the number of what it counts where that is one."""
    found: dict[Symbol, list[Term]] = {}
    patterns = (*subst.source_patterns, *subst.target_patterns)
    for one in patterns:
        if isinstance(one, Variadic):
            found.setdefault(one.symbol, []).append(Access(one, "length"))
    terms = (*subst.where, *(term for one in patterns for term in one.terms()))
    for part in dict.fromkeys(part for term in terms for part in subterms(term)):
        if isinstance(part, VariadicTuple | Reduce):
            found.setdefault(part.symbol, []).append(part.length)
    return {index: few if len(few) == 1 else [] for index, few in found.items()}
