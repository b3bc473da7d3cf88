"""What the patterns of a source become: expressions of which the structure is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from gsl.attr.cases import Cases, decided
from gsl.attr.evaluate import equal, evaluate_in_cases, satisfies
from gsl.attr.memory import Memory
from gsl.attr.term import ANYTHING, Symbol, Term, TupleOf, as_term, operation
from gsl.errors import UndecidedError
from gsl.expr import Call as CallExpr
from gsl.expr import Expr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.expr import Var as VarExpr
from gsl.graph import Graph
from gsl.match.bindings import Bindings, Key, Scope, frame_of
from gsl.operators import Operator
from gsl.operators.declaration import Need
from gsl.operators.domain import Domain, Pieces
from gsl.operators.domain_axes import Axes, Permutation, has_many_axes
from gsl.pat import (
    Call,
    Const,
    GetItem,
    Pattern,
    SameOperator,
    Trait,
    Tuple,
    Variable,
    Variadic,
    Wildcard,
)
from gsl.span import Origin
from gsl.subst import Subst
from gsl.types import ALL_DTYPES, TensorType, TupleType
from gslverify.structures.choices import BuildRecord, Decision, Replay
from gslverify.structures.instance import Claim, Extent, InfeasibleError, Instance
from gslverify.structures.limits import FITS, MOST_AXES, largest_size
from gslverify.structures.pinned_ranks import pinned_ranks
from gslverify.structures.sources.broadcasts import passed_on
from gslverify.structures.sources.constants import Constants
from gslverify.structures.sources.early_refusal import refuse_anyway
from gslverify.structures.sources.partial_constraints import has_length, is_open, looked_into
from gslverify.structures.sources.pieces import numbers_of_pieces
from gslverify.structures.sources.tuples import optional_operands, tuple_of_inputs, tuple_valued
from gslverify.structures.written_values import leaves, written_values

ANY_DTYPE = as_term(ALL_DTYPES)
SIZES_ARE_POSITIVE = "sizes are positive"
MOST_FORMS = 20_000
"""Rare forms of one attribute that are looked at, of which many axes have any number."""
MOST_FURTHER_FORMS = 64
"""Rare forms of a tuple of known length are all tried if they are no more than these.

About as many are tried if there are more and no usual ones.
"""


class SourceExpressions:
    """Makes the expressions of source patterns from those of their operands.

    It asks `choose` where they are open, and says in `record` what they claim.
    """

    def __init__(self, subst: Subst, extent: Extent) -> None:
        self.subst = subst
        self.choose = Replay(())
        self.extent = extent
        self.graph = Graph([])
        self.bindings = Bindings({}, {}, {})
        self.instance = Instance(subst, self.graph, self.bindings, {}, extent=extent)
        self.record = BuildRecord(self.instance.claims)
        self.tuples = tuple_valued(subst)
        self.optional = optional_operands(subst)
        self.constants = Constants(subst, self)
        self.largest = largest_size(subst)
        self.passed_on = passed_on(subst)
        self.pinned_ranks = pinned_ranks(subst)
        self.looked_into = looked_into(subst)
        self.pieces = numbers_of_pieces(subst)
        self.written = tuple(dict.fromkeys(chain.from_iterable(map(leaves, written_values(subst)))))
        self._axes: dict[tuple[Any, ...], tuple[list[Any], bool]] = {}

    def _claim(self, condition: Any, reason: str, origin: Origin | None) -> None:
        if isinstance(condition, Term):
            self.instance.claims.append(Claim(condition, reason, origin))
        elif condition is not True:
            raise InfeasibleError(reason, origin)

    def decide(self, key: Key, what: str, options: Sequence[Any]) -> Any:
        """Return one of some options, on which the structure depends."""
        return self.choose(Decision(what, key), options)

    def _expr(self, key: Key, operands: list[Expr]) -> Expr:
        match key[0]:
            case Call() as pattern:
                return self._call(key, pattern, operands)
            case Tuple() | Variadic():
                return TupleExpr(operands)
            case GetItem() as pattern:
                return self._projection(key, pattern, operands[0])
            case Const():
                return self.constants.expr(key)
            case Variable():
                return self._tensor_input(key)
            case Wildcard() as pattern if pattern.constraints:
                return self._tensor_input(key)
            case pattern if pattern in self.tuples:
                return self._tuple_input(key)
            case pattern if pattern in self.optional and self._is_absent(key):
                return TupleExpr(())
            case _:
                return self.input(key, self._fresh_shape(key, self._rank(key)))

    def _is_absent(self, key: Key) -> bool:
        return bool(self.decide(key, "absence", (False, True)))

    def _rank(self, key: Key) -> int:
        if key[0] in self.pinned_ranks:
            return self.pinned_ranks[key[0]]
        ranks = self.extent.ranks[:1] if key[0] in self.passed_on else self.extent.ranks
        rank: int = self.decide(key, "rank", ranks)
        return rank

    def claim(self, condition: Any, reason: str, origin: Origin | None) -> None:
        """Note what has to hold; raise InfeasibleError for what does not."""
        self._claim(condition, reason, origin)

    def leave_out(self) -> None:
        """Note that there are structures beside those that can be decided on."""
        self.record.exhaustive = False

    def shape_of(self, key: Key) -> tuple[Any, ...]:
        """Return the shape that an input has, of which the rank is known."""
        pattern = key[0]
        term = pattern.constraints.get("shape", ANYTHING)
        if not is_open(term):
            shape = self._legal_shape(self._value(key, term), pattern)
        elif isinstance(term, TupleOf):
            shape = self._fresh_shape(key, len(term.fields))
        else:
            shape = self._fresh_shape(key, self._constrained_rank(key))
        self.claim_shape(key, shape)
        return shape

    def scope(self, key: Key) -> Scope:
        """Return the environment in which attributes of a pattern are evaluated."""
        return Scope(self.bindings, frame_of(key[1]))

    def fresh(self, key: Key, name: str) -> Callable[..., Symbol]:
        """Return what makes symbols for an attribute of a pattern."""
        prefix = f"{self.instance.names[key]}.{name}"

        def fresh(suffix: str, low: Any = None, high: Any = None, sort: str = "int") -> Symbol:
            return Symbol(prefix + suffix, sort, low, high)

        return fresh

    def _fresh_shape(self, key: Key, rank: int) -> tuple[Any, ...]:
        fresh = self.fresh(key, "shape")
        least = self.extent.least_size
        return tuple(fresh(f"[{axis}]", low=least, high=self.largest) for axis in range(rank))

    def fresh_dtype(self, key: Key) -> Symbol:
        """Return a dtype that is not known."""
        dtype = self.fresh(key, "dtype")("", sort="text")
        self._claim(operation("in", dtype, ANY_DTYPE), "a dtype", key[0].origin)
        return dtype

    def input(self, key: Key, shape: tuple[Any, ...], dtype: Any = None) -> Expr:
        """Return a tensor of which no element is known."""
        chosen = self.fresh_dtype(key) if dtype is None else dtype
        return VarExpr(self.instance.names[key], shape, chosen)

    def _tuple_input(self, key: Key) -> Expr:
        counts = (*range(2, self.extent.most_fields + 1), 1)
        count = self.decide(key, "number of fields", counts)
        rank = self._rank(key)
        dtype = self.fresh_dtype(key)
        least = self.extent.least_size
        return tuple_of_inputs(self.instance.names[key], count, rank, dtype, least)

    def _tensor_input(self, key: Key) -> Expr:
        """Return a tensor of the type that a pattern asks for; what asks for one is no tuple."""
        dtype = self._constrained(key, "dtype")
        return self.input(key, self.shape_of(key), dtype)

    def _constrained(self, key: Key, name: str) -> Any:
        term = key[0].constraints.get(name, ANYTHING)
        return None if term is ANYTHING else self._value(key, term)

    def _value(self, key: Key, term: Term) -> Any:
        """Return the value of a constraint; what sizes decide of its structure is decided on."""
        pick = partial(self._pick, key)
        return evaluate_in_cases(term, self.scope(key), Memory(), pick)

    def _pick(self, key: Key, cases: Cases) -> Any:
        chosen = self.decide(key, "structure, by sizes,", list(cases))
        self._claim(cases[chosen], "what sizes decide of a pattern", key[0].origin)
        return chosen

    def _constrained_rank(self, key: Key) -> int:
        """Return the number of axes that a pattern asks for, or one that is decided on."""
        asked = self._constrained(key, "ndim")
        if asked is None or isinstance(asked, Term):
            return self._rank(key)
        if type(asked) is not int or asked < 0:
            raise InfeasibleError(f"there are not {asked!r} axes", key[0].origin)
        if asked > MOST_AXES:
            raise UndecidedError(f"tensors of more than {MOST_AXES} axes are not tried")
        return asked

    def claim_shape(self, key: Key, shape: tuple[Any, ...]) -> None:
        """Claim that a shape is one that a pattern asks for."""
        pattern, scope = key[0], self.scope(key)
        term = pattern.constraints.get("shape", ANYTHING)
        self._claim(satisfies(term, shape, scope), "the shape of an input", pattern.origin)
        rank = self._constrained(key, "ndim")
        if rank is not None:
            self._claim(equal(rank, len(shape)), "the number of axes of an input", pattern.origin)

    def _legal_shape(self, shape: Any, pattern: Pattern) -> tuple[Any, ...]:
        if not isinstance(shape, tuple):
            raise InfeasibleError("a shape must be a tuple")
        for size in shape:
            self._claim(size >= self.extent.least_size, SIZES_ARE_POSITIVE, pattern.origin)
        return shape

    def _projection(self, key: Key, pattern: Pattern, whole: Expr) -> Expr:
        if not isinstance(whole.type, TupleType):
            raise InfeasibleError("only a tuple has fields")
        index = self._constrained(key, "index")
        count = len(whole.type.fields)
        if index is None:
            index = self.decide(key, "index", range(count))
        if not isinstance(index, int) or not 0 <= index < count:
            raise InfeasibleError(f"there is no field {index}")
        return ProjExpr(whole, index)

    def _call(self, key: Key, pattern: Call, operands: list[Expr]) -> Expr:
        operator = self._operator(key, pattern, len(operands))
        types = tuple(operand.type for operand in operands)
        attributes = self._attributes(key, pattern, operator, types)
        need = Need()
        call = CallExpr(operator, operands, attributes, need)
        for term, reason in need.claims:
            self._claim(term, reason, pattern.origin)
        if self.largest is not None and isinstance(call.type, TensorType):
            old = {id(size) for one in types if isinstance(one, TensorType) for size in one.shape}
            for size in call.type.shape:
                if id(size) not in old:
                    self._claim(size <= self.largest, FITS, pattern.origin)
        return call

    def _attributes(
        self, key: Key, pattern: Call, operator: Operator, types: tuple[Any, ...]
    ) -> dict[str, Any]:
        """Return the attributes of a call, refused as soon as no other ones can help."""
        attributes: dict[str, Any] = {}
        is_open = True
        for name in operator.attributes:
            if is_open:
                refuse_anyway(operator, types, attributes)
            before = len(self.choose.made)
            attributes[name] = self._attribute(key, pattern, operator, name, types)
            is_open = any(count > 1 for count in self.choose.open[before:])
        return attributes

    def _operator(self, key: Key, pattern: Call, count: int) -> Operator:
        match pattern.callee:
            case Operator() as known:
                return known
            case SameOperator(call=other):
                return self.bindings.operator(other, self.scope(key))
            case Trait() as trait:
                fitting = [o for o in trait.operators() if len(o.operands) == count]
                chosen: Operator = self.decide(key, "operator", fitting)
                return chosen

    def _attribute(
        self, key: Key, pattern: Call, operator: Operator, name: str, types: tuple[Any, ...]
    ) -> Any:
        term = pattern.constraints.get(name, ANYTHING)
        if term is ANYTHING and pattern.attributes_of is not None:
            return self.bindings.attribute(pattern.attributes_of, name, self.scope(key))
        domain = operator.attributes[name].domain
        if not is_open(term):
            value = self._value(key, term)
            if domain.names_axes:
                value = decided(value, partial(self._pick, key))
            try:
                canonical = domain.normalise(value, types)
            except ValueError as error:
                raise InfeasibleError(str(error)) from error
            # Calls have canonical attributes, and what a rule writes has to be equal to that.
            fits = satisfies(term, canonical, self.scope(key))
            self._claim(fits, f"attribute `{name}`", pattern.origin)
            return canonical
        options = self._options(key, name, term, domain, types)
        value = self.decide(key, f"attribute `{name}`", options)
        fits = satisfies(term, value, self.scope(key))
        self._claim(fits, f"attribute `{name}`", pattern.origin)
        return value

    def _options(
        self, key: Key, name: str, term: Term, domain: Domain, types: tuple[Any, ...]
    ) -> list[Any]:
        if self.extent.orders and isinstance(domain, Permutation):
            return [order for order in self.extent.orders if has_length(term, order)]
        if not domain.names_axes:
            options, is_exhaustive = self._forms(key, name, term, domain, types)
        else:
            known = (key[0], name, domain, *map(_known_sizes, types))
            if known not in self._axes:
                self._axes[known] = self._forms(key, name, term, domain, types)
            options, is_exhaustive = self._axes[known]
        self.record.exhaustive &= is_exhaustive
        return options

    def _forms(
        self, key: Key, name: str, term: Term, domain: Domain, types: tuple[Any, ...]
    ) -> tuple[list[Any], bool]:
        """Return the forms of an attribute that are tried, and whether these are all."""
        fresh = self.fresh(key, name)
        options = [form for form in domain.instances(types, fresh) if has_length(term, form)]
        if isinstance(domain, Pieces):
            pieces = domain.of(self.pieces.get((key[0], name), ()), fresh)
            options += (form for form in pieces if has_length(term, form))
        named = domain.among(self.written, types)
        options += (one for one in dict.fromkeys(named) if one not in options)
        rare = (form for form in domain.further(types, fresh) if has_length(term, form))
        most = MOST_FORMS if self.extent.rare or not options else MOST_FURTHER_FORMS + 1
        further = list(islice(rare, most))
        has_many = isinstance(domain, Axes | Permutation) and has_many_axes(types)
        sampled = has_many or domain.sampled
        is_exhaustive = len(further) < MOST_FORMS and not sampled
        are_few = isinstance(term, TupleOf) and len(further) <= MOST_FURTHER_FORMS
        if self.extent.rare or are_few:
            return [*options, *further], is_exhaustive
        if domain.names_axes and (key[0], name) in self.looked_into:
            is_exhaustive &= not further
        return options or further[:: len(further) // MOST_FURTHER_FORMS or 1], is_exhaustive


def _known_sizes(operand: Any) -> tuple[Any, ...]:
    """Return what tells which axes an operand has: its sizes, None for those that are unknown."""
    if isinstance(operand, TupleType):
        return tuple(map(_known_sizes, operand.fields))
    return tuple(size if isinstance(size, int) else None for size in operand.shape)
