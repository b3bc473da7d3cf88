"""What ranks, numbers of fields and indices of fields decide alone, whatever sizes there are.

There are structures of ever more axes and fields, so none of those that are tried says how such a
decision falls in all others. But it can be evaluated by itself: at each count up to a limit and
beside each number that is written, which shows at which of them a rule goes a way that it has not
gone before, and as a formula about any counts, which shows how it never falls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.evaluate import evaluate
from gsl.attr.term import (
    ANYTHING,
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
from gslverify.structures.instance import USUAL, Instance
from gslverify.structures.limits import MOST_AXES as LARGEST_RANK
from gslverify.structures.pinned_ranks import pinned_ranks
from gslverify.structures.targets.deciding import falling

Count = tuple[str, Pattern]
"""What is counted of which pattern, `FIELDS` or `AXES`."""
FIELDS, AXES = "fields", "axes"
MOST_FIELDS, MOST_OF_SEVERAL, MOST_AXES, MOST_AXES_WITH_FIELDS = 40, 12, 10, 4
"""How far is looked: fields of a tuple, and of several; axes, and where fields decide, too."""
MOST_POINTS, MOST_COUNTED = 1000, 2000
"""How many combinations of counts are looked at, and the largest number that is written."""
BESIDE = (-1, 0, 1, 2)
"""What is added to a number that is written: on either side of it, and where an index has it."""
DECISIONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "in", "and", "or", "not"})
MOST_INDICES = 2
MOST_PAIRS = 400
"""Indices that are looked at together, and how many pairs of two."""
SOLVER_LIMIT = 1_000_000
LARGEST = {FIELDS: MOST_COUNTED, AXES: LARGEST_RANK}
LIKELY = 2
"""What the other counts are where not all combinations are looked at."""

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

    @property
    def is_usual(self) -> bool:
        """Whether all structures with these counts are tried in any case."""
        few = all(number <= USUAL.most_fields for number in self.lengths.values())
        return few and all(number in USUAL.ranks for number in self.ranks.values())

    @property
    def is_beyond(self) -> bool:
        """Whether there are more axes or fields than are ever tried."""
        most_fields = max(self.lengths.values(), default=0)
        return most_fields > MOST_FIELDS or max(self.ranks.values(), default=0) > MOST_AXES

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


@lru_cache(maxsize=16)
def turning_points(subst: Subst) -> tuple[Point, ...]:
    """Return the counts at which the target of a rule goes a way that usual ones do not show."""
    return _turning(subst, [term for one in subst.target_patterns for term in one.terms()])


@lru_cache(maxsize=16)
def turning_points_of_conditions(subst: Subst) -> tuple[Point, ...]:
    """Return the counts that conditions and patterns allow otherwise than usual ones."""
    patterns = [term for one in subst.source_patterns for term in one.terms()]
    return _turning(subst, [*subst.where, *patterns])


def _turning(subst: Subst, terms: Iterable[Term]) -> tuple[Point, ...]:
    return tuple(Decisions(subst, (part for term in terms for part in subterms(term))).turning())


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
        self._written = {n for part in parts for n in _numbers(part) if n <= MOST_COUNTED}

    def turning(self) -> list[Point]:
        """Return few points, the least ones, with all ways that no usual point has."""
        ways = {number: self._ways(point) for number, point in enumerate(self._points())}
        points = dict(enumerate(self._points()))
        tried = {number for number in ways if points[number].is_usual}
        usual = set[Way]().union(*(ways[number] for number in tried))
        seen, found = set(usual), list[int]()
        for number, those in ways.items():
            if not those <= seen:
                found.append(number)
                seen |= those
        for number in tuple(found):
            # What is beyond all that is tried shows nothing in the place of what is not.
            is_beyond = points[number].is_beyond
            others = (n for n in found if n != number and (is_beyond or not points[n].is_beyond))
            if ways[number] <= usual.union(*map(ways.__getitem__, others)):
                found.remove(number)
        return [points[number] for number in found]

    def _points(self) -> Iterator[Point]:
        """Yield the points that are looked at, in order of their largest counts."""
        several = sum(kind == FIELDS for kind, _ in self._read) > 1
        most = {FIELDS: MOST_OF_SEVERAL if several else MOST_FIELDS, AXES: MOST_AXES}
        if len({kind for kind, _ in self._read}) > 1:
            most[AXES] = MOST_AXES_WITH_FIELDS
        small = {kind: range(kind == FIELDS, most[kind] + 1) for kind in most}
        beside = {number + more for number in self._written for more in BESIDE}
        found = [
            sorted({*small[kind], *(n for n in beside if 0 < n <= LARGEST[kind])})
            for kind, _ in self._read
        ]
        if found and prod(map(len, found)) <= MOST_POINTS:
            every = sorted(product(*found), key=lambda one: (max(one), one))
        else:  # one of them after the other
            usual = tuple(LIKELY for _ in found)
            every = [
                (*usual[:place], n, *usual[place + 1 :])
                for place, numbers in enumerate(found)
                for n in numbers
            ]
        for counts in every:
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
        case Operation(head="//" | "%", operands=(left, right)):
            one, other = _value(left, known), _value(right, known)
            return None if one is None or not other else (one // other == 0, one % other == 0)
        case Operation(head="in", operands=(left, right)):
            value, among = _value(left, known), _value(right, known)
            if value is None or not isinstance(among, tuple):
                return None
            return among.index(value) if value in among else -1
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


def _numbers(term: Term) -> Iterator[int]:
    """Yield the numbers that a term is, and the places of a table."""
    values = term.value if isinstance(term, Constant) else ()
    yield from (n for n in (values if isinstance(values, tuple) else (values,)) if type(n) is int)
    yield length_of(term)


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
            found.setdefault(one.symbol, []).append(_number_of_fields(one))
    terms = (*subst.where, *(term for one in patterns for term in one.terms()))
    for part in dict.fromkeys(part for term in terms for part in subterms(term)):
        if isinstance(part, VariadicTuple | Reduce):
            found.setdefault(part.symbol, []).append(part.length)
    return {index: few if len(few) == 1 else [] for index, few in found.items()}


def _number_of_fields(pattern: Variadic) -> Term:
    """Return how many fields a tuple has, by other counts where the rule says so."""
    is_said = pattern.size is not ANYTHING and reads_counts_only(pattern.size)
    return pattern.size if is_said else Access(pattern, "length")


def ranks_of(instance: Instance) -> set[int]:
    """Return the ranks of the inputs of an instance that are tensors."""
    types = [instance.bindings.nodes[key].expr.type for key in instance.inputs]
    return {tensor.ndim for tensor in tensors(tuple(types))}
