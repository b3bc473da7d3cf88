"""Builds the symbolic instances of a source, asking for every structural choice."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from gsl.attr.evaluate import contains, equal, evaluate, is_symbolic, negation, satisfies
from gsl.attr.term import ANYTHING, Symbol, Term, TupleOf, as_term, operation
from gsl.errors import EvaluationError, OperatorError, UndecidedError
from gsl.expr import Call as CallExpr
from gsl.expr import Const as ConstExpr
from gsl.expr import Expr, attribute_of
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.expr import Var as VarExpr
from gsl.graph import Graph, Node
from gsl.match.bindings import Bindings, Frame, Key, Scope, frame_of, instance_of
from gsl.operators import Operator
from gsl.operators.declaration import Need
from gsl.operators.domain import Domain, Fresh
from gsl.operators.domain_axes import Permutation
from gsl.operators.ranges import representable, rounded, stored
from gsl.pat import (
    Alt,
    Call,
    Const,
    GetInst,
    GetItem,
    Pattern,
    SameOperator,
    Trait,
    Tuple,
    Variable,
    Variadic,
)
from gsl.span import Origin
from gsl.subst import Subst
from gsl.text.naming import pattern_names
from gsl.text.terms import term_text
from gsl.types import ALL_DTYPES, FLOATING, INTEGER, TensorType, TupleType
from gslverify.structures.choices import Replay, Steps, Told
from gslverify.structures.elements import read_by_element
from gslverify.structures.instance import USUAL, Claim, Extent, InfeasibleError, Instance
from gslverify.structures.limits import FITS, largest_size
from gslverify.structures.open_terms import has_length, is_open
from gslverify.structures.trail import Trail
from gslverify.structures.tuples import optional_operands, tuple_of_inputs, tuple_valued

ANY_DTYPE = as_term(ALL_DTYPES)
SIZES_ARE_POSITIVE = "sizes are positive"
MOST_FURTHER_FORMS = 64
"""Rare forms of a tuple of known length are all tried if they are no more than these.

About as many are tried if there are more and no usual ones.
"""


def build_instance(
    subst: Subst, choose: Replay, extent: Extent = USUAL, steps: Steps | None = None
) -> Instance:
    """Build the source of `subst` with structural choices made by `choose` within `extent`.

    What earlier builds within this extent have left in `steps` is not made again. Raises
    InfeasibleError when the choices contradict the rule, UndecidedError when a structural choice
    would depend on an unknown size.
    """
    return SourceBuilder(subst, extent, Steps() if steps is None else steps).build(choose)


class SourceBuilder:
    """Turns source patterns into nodes, operands first, asking a chooser where they are open.

    Each build takes up the one before it where their choices part, and changes its instance.
    """

    def __init__(self, subst: Subst, extent: Extent, steps: Steps) -> None:
        self.subst = subst
        self.choose = Replay(())
        self.extent = extent
        self.steps = steps
        self.graph = Graph([])
        self.bindings = Bindings({}, {}, {})
        self.pattern_names = pattern_names(subst)
        self.instance = Instance(subst, self.graph, self.bindings, {}, extent=extent)
        self.told = Told(self.instance.claims)
        self.trail = Trail(self.instance, self.told)
        self.tuples = tuple_valued(subst)
        self.optional = optional_operands(subst)
        self.read_by_element = read_by_element(subst)
        self.current: Origin | None = subst.origin
        self.largest = largest_size(subst)

    def build(self, choose: Replay) -> Instance:
        """Return the instance that `choose` leads to, until the next build; raises as above."""
        self.current = self.trail.rewind(self.choose, choose) or self.subst.origin
        self.choose = choose
        try:
            self._build_all()
            self._assume_conditions()
        except (InfeasibleError, EvaluationError, OperatorError) as error:
            # A new one: what is known of a pattern may fail in several structures.
            origin = error.origin if isinstance(error, InfeasibleError) else self.current
            infeasible = InfeasibleError(str(error), origin)
            infeasible.progress = len(self.bindings.nodes)
            raise infeasible from error
        self.instance.exhaustive = self.told.exhaustive
        return self.instance

    def _bind(self, table: dict[Key, Any], key: Key, value: Any) -> None:
        self.trail.bind(table, key, value, len(self.choose.made), self.current)

    def _build_all(self) -> None:
        """Build every output of the source."""
        variadic = self.subst.variadic
        if variadic is None:
            for pattern in self.subst.source:
                self._build(pattern, None)
            return
        if (variadic, ()) not in self.bindings.lengths:
            self._bind(self.bindings.lengths, (variadic, ()), self._choose_length(variadic))
        for index in range(self.bindings.lengths[(variadic, ())]):
            self._build(variadic.field, Frame(variadic, index))

    def _choose_length(self, variadic: Variadic) -> int:
        longest = max(self.extent.most_fields, variadic.minimum)
        lengths = range(variadic.minimum, longest + 1)
        chosen: int = self.choose(lengths[::-1] if self.extent.longest_first else lengths)
        return chosen

    def _assume_conditions(self) -> None:
        """Claim the `where` conditions of the rule."""
        for term in self.subst.where:
            value = evaluate(term, Scope(self.bindings))
            reason = f"the condition `{term_text(term, self.pattern_names)}`"
            origin = getattr(term, "origin", None) or self.subst.origin
            self._claim(value, reason, origin, written=True)

    def _claim(
        self, condition: Any, reason: str, origin: Origin | None, written: bool = False
    ) -> None:
        if isinstance(condition, Term):
            self.instance.claims.append(Claim(condition, reason, origin, written))
        elif condition is not True:
            raise InfeasibleError(reason, origin)

    def _build(self, pattern: Pattern, frame: Frame | None) -> None:
        stack = [(pattern, frame)]
        while stack:
            key = self._locate(*stack[-1])
            if key in self.bindings.nodes:
                stack.pop()
                continue
            parts = self._parts(key)
            missing = [part for part in parts if self._locate(*part) not in self.bindings.nodes]
            if missing:
                stack.extend(reversed(missing))
                continue
            self._finish(key, [self.bindings.nodes[self._locate(*part)] for part in parts])
            stack.pop()

    def _locate(self, pattern: Pattern, frame: Frame | None) -> Key:
        if isinstance(pattern, GetInst):
            return self.bindings.locate(pattern, Scope(self.bindings, frame))
        return instance_of(pattern, frame)

    def _parts(self, key: Key) -> list[tuple[Pattern, Frame | None]]:
        pattern, frame = key[0], frame_of(key[1])
        match pattern:
            case Variadic():
                if key not in self.bindings.lengths:
                    self._bind(self.bindings.lengths, key, self._choose_length(pattern))
                fields = range(self.bindings.lengths[key])
                return [(pattern.field, Frame(pattern, index, frame)) for index in fields]
            case Alt(operands=alternatives):
                if key not in self.bindings.arms:
                    self._bind(self.bindings.arms, key, self.choose(range(len(alternatives))))
                return [(alternatives[self.bindings.arms[key]], frame)]
            case _:
                return [(operand, frame) for operand in pattern.operands]

    def _finish(self, key: Key, operands: list[Node]) -> None:
        if isinstance(key[0], Alt):
            self._bind(self.bindings.nodes, key, operands[0])
            return
        self.instance.names[key] = self._name(key)
        self.current = key[0].origin
        below = [node.expr for node in operands]
        cause = self._cause(key, below)
        expr = self.steps.expr(cause, self.choose, lambda: self._expr(key, below), self.told)
        self._bind(self.bindings.nodes, key, self.graph.add(expr, tuple(operands)))

    def _cause(self, key: Key, operands: list[Expr]) -> Hashable:
        """Return all that an expression depends on but for choices that are still to be made."""
        read = self.steps.read_by(key[0])
        if read is None:
            return key, tuple(self.choose.made)
        frame, nodes = frame_of(key[1]), self.bindings.nodes
        found = [nodes.get(instance_of(other, frame)) for other in read]
        return key, *operands, *[node and node.expr for node in found]

    def _name(self, key: Key) -> str:
        return self.pattern_names[key[0]] + "".join(f"[{index}]" for _, index in key[1])

    def _expr(self, key: Key, operands: list[Expr]) -> Expr:
        match key[0]:
            case Call() as pattern:
                return self._call(key, pattern, operands)
            case Tuple() | Variadic():
                return TupleExpr(operands)
            case GetItem() as pattern:
                return self._projection(key, pattern, operands[0])
            case Const() as pattern:
                return self._constant(key, pattern)
            case Variable() as pattern:
                return self._variable(key, pattern)
            case pattern if pattern in self.tuples:
                return self._tuple_input(key)
            case pattern if pattern in self.optional and self.choose((False, True)):
                return TupleExpr(())
            case _:
                return self._input(key, self._fresh_shape(key, self.choose(self.extent.ranks)))

    def _scope(self, key: Key) -> Scope:
        return Scope(self.bindings, frame_of(key[1]))

    def _fresh(self, key: Key, name: str) -> Callable[..., Symbol]:
        prefix = f"{self.instance.names[key]}.{name}"

        def fresh(suffix: str, low: Any = None, high: Any = None, sort: str = "int") -> Symbol:
            return Symbol(prefix + suffix, sort, low, high)

        return fresh

    def _fresh_shape(self, key: Key, rank: int) -> tuple[Any, ...]:
        fresh = self._fresh(key, "shape")
        return tuple(fresh(f"[{axis}]", low=1, high=self.largest) for axis in range(rank))

    def _fresh_dtype(self, key: Key) -> Symbol:
        dtype = self._fresh(key, "dtype")("", sort="text")
        self._claim(operation("in", dtype, ANY_DTYPE), "a dtype", key[0].origin)
        return dtype

    def _input(self, key: Key, shape: tuple[Any, ...], dtype: Any = None) -> Expr:
        chosen = self._fresh_dtype(key) if dtype is None else dtype
        return VarExpr(self.instance.names[key], shape, chosen)

    def _tuple_input(self, key: Key) -> Expr:
        count = self.choose((*range(2, self.extent.most_fields + 1), 1))
        rank = self.choose(self.extent.ranks)
        dtype = self._fresh_dtype(key)
        return tuple_of_inputs(self.instance.names[key], count, rank, dtype)

    def _variable(self, key: Key, pattern: Pattern) -> Expr:
        dtype = self._constrained(key, "dtype")
        return self._input(key, self._constrained_shape(key, pattern), dtype)

    def _constrained(self, key: Key, name: str) -> Any:
        term = key[0].constraints.get(name, ANYTHING)
        return None if term is ANYTHING else evaluate(term, self._scope(key))

    def _constrained_shape(self, key: Key, pattern: Pattern) -> tuple[Any, ...]:
        term = pattern.constraints.get("shape", ANYTHING)
        if not is_open(term):
            return self._legal_shape(evaluate(term, self._scope(key)), pattern)
        rank = len(term.fields) if isinstance(term, TupleOf) else self.choose(self.extent.ranks)
        shape = self._fresh_shape(key, rank)
        fits = satisfies(term, shape, self._scope(key))
        self._claim(fits, "the shape of a variable", pattern.origin)
        return shape

    def _legal_shape(self, shape: Any, pattern: Pattern) -> tuple[Any, ...]:
        if not isinstance(shape, tuple):
            raise InfeasibleError("a shape must be a tuple")
        for size in shape:
            self._claim(size >= 1, SIZES_ARE_POSITIVE, pattern.origin)
        return shape

    def _constant(self, key: Key, pattern: Pattern) -> Expr:
        value = self._constrained(key, "value")
        wanted = self._constrained(key, "dtype")
        dtype = self._fresh_dtype(key) if wanted is None else wanted
        if isinstance(value, tuple):
            return self._array(key, value, wanted)
        if value is not None:
            return self._scalar(key, value, dtype)
        shape = self._constrained_shape(key, pattern)
        if shape and pattern in self.read_by_element:
            raise UndecidedError("a condition reads elements of a constant one by one")
        if shape:
            return self._input(key, shape, dtype)
        sort = self.choose(("int", "real"))
        held = FLOATING if sort == "real" else (*INTEGER, "bool")
        self._claim(contains(dtype, held), "the kind of a constant", pattern.origin)
        return self._scalar(key, self._fresh(key, "value")("", sort=sort), dtype)

    def _array(self, key: Key, value: tuple[Any, ...], wanted: Any) -> Expr:
        if is_symbolic(value):
            raise UndecidedError("the elements of a constant depend on an unknown value")
        dtype = self._known_dtype(key, wanted)
        if representable(value, dtype) is not True:
            raise InfeasibleError("a constant is a value of its dtype", key[0].origin)
        try:
            array = ConstExpr(value, dtype)
        except ValueError as error:
            message = "the rows of a constant have different lengths"
            raise InfeasibleError(message, key[0].origin) from error
        if equal(stored(value, dtype), attribute_of(array, "value")) is not True:
            raise InfeasibleError("a constant is neither infinite nor zero by rounding")
        return array

    def _known_dtype(self, key: Key, wanted: Any) -> Any:
        if isinstance(wanted, str):
            return wanted
        dtype = self.choose(ALL_DTYPES)
        if wanted is not None:
            self._claim(equal(wanted, dtype), "the dtype of a constant", key[0].origin)
        return dtype

    def _scalar(self, key: Key, value: Any, dtype: Any) -> Expr:
        fits = representable(value, dtype)
        self._claim(fits, "a constant is a value of its dtype", key[0].origin)
        for name in FLOATING if isinstance(value, int | float) else ():
            held = rounded(value, name) is not None
            kept = True if held else negation(equal(dtype, name))
            self._claim(kept, "a constant is neither infinite nor zero by rounding", key[0].origin)
        return ConstExpr(value, dtype)

    def _projection(self, key: Key, pattern: Pattern, whole: Expr) -> Expr:
        if not isinstance(whole.type, TupleType):
            raise InfeasibleError("only a tuple has fields")
        index = self._constrained(key, "index")
        count = len(whole.type.fields)
        if index is None:
            index = self.choose(range(count))
        if not isinstance(index, int) or not 0 <= index < count:
            raise InfeasibleError(f"there is no field {index}")
        return ProjExpr(whole, index)

    def _call(self, key: Key, pattern: Call, operands: list[Expr]) -> Expr:
        operator = self._operator(key, pattern, len(operands))
        types = tuple(operand.type for operand in operands)
        attributes = {
            name: self._attribute(key, pattern, operator, name, types)
            for name in operator.attributes
        }
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

    def _operator(self, key: Key, pattern: Call, count: int) -> Operator:
        match pattern.callee:
            case Operator() as known:
                return known
            case SameOperator(call=other):
                return self.bindings.operator(other, self._scope(key))
            case Trait() as trait:
                fitting = [o for o in trait.operators() if len(o.operands) == count]
                chosen: Operator = self.choose(fitting)
                return chosen

    def _attribute(
        self, key: Key, pattern: Call, operator: Operator, name: str, types: tuple[Any, ...]
    ) -> Any:
        term = pattern.constraints.get(name, ANYTHING)
        if term is ANYTHING and pattern.attributes_of is not None:
            return self.bindings.attribute(pattern.attributes_of, name, self._scope(key))
        domain = operator.attributes[name].domain
        if not is_open(term):
            value = evaluate(term, self._scope(key))
            try:
                return domain.normalise(value, types)
            except ValueError as error:
                raise InfeasibleError(str(error)) from error
        value = self.choose(self._options(term, domain, types, self._fresh(key, name)))
        fits = satisfies(term, value, self._scope(key))
        self._claim(fits, f"attribute `{name}`", pattern.origin)
        return value

    def _options(
        self, term: Term, domain: Domain, types: tuple[Any, ...], fresh: Fresh
    ) -> list[Any]:
        if self.extent.orders and isinstance(domain, Permutation):
            return [order for order in self.extent.orders if has_length(term, order)]
        options = [form for form in domain.instances(types, fresh) if has_length(term, form)]
        further = [form for form in domain.further(types, fresh) if has_length(term, form)]
        are_few = isinstance(term, TupleOf) and len(further) <= MOST_FURTHER_FORMS
        if self.extent.rare or are_few:
            return [*options, *further]
        self.told.exhaustive &= not further
        return options or further[:: len(further) // MOST_FURTHER_FORMS or 1]
