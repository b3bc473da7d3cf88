"""One scenario: are the elements of every output equal, and is the target defined?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from gsl.attr.term import Operation, Symbol, Term, bottom_up
from gsl.dtypes import DTYPES
from gsl.errors import GslError
from gsl.expr import Call, Const, Expr
from gsl.graph import reverse_post_order
from gsl.match.bindings import Bindings
from gsl.operators.declaration import Need, tensors
from gsl.operators.domain import Element
from gsl.rewrite.builder import Builder, output_pairs
from gsl.types import ALL_DTYPES, ANY_FLOAT, TensorType
from gslverify.prove.alike import functions_of
from gslverify.prove.counting import counted
from gslverify.prove.defined import Definedness
from gslverify.prove.effort import USUAL_STEPS, Doubt, Effort, LimitReachedError, RefutedError
from gslverify.prove.equality import Equality
from gslverify.prove.failure import UnprovableError
from gslverify.prove.gathering import Gathering
from gslverify.prove.indices.facts import Facts, Memory
from gslverify.prove.indices.integers import is_integer
from gslverify.prove.indices.learning import cases_of, forms_of
from gslverify.prove.indices.relaxed import Replies
from gslverify.prove.inline import Inliner
from gslverify.prove.normal import Cases, Normaliser
from gslverify.prove.results import PROVED, Open, Proved, Result
from gslverify.prove.values.algebra import Algebra
from gslverify.prove.values.merge import merged
from gslverify.prove.values.values import Value
from gslverify.semantics.solver import Solver
from gslverify.structures.decisions import Decisions, every_way
from gslverify.structures.instance import Instance

QUESTION_LIMIT = 150_000
"""The solver's own unit; what it does not see soon it hardly ever sees."""

EXACT_AS_FLOAT = tuple(name for name in ALL_DTYPES if DTYPES[name].digits <= 53)
"""Dtypes all of whose values a Python float can have."""

LARGEST_EXACT = 2**53
"""Up to it a Python float can have all integers as values."""


@dataclass(frozen=True, slots=True)
class Target:
    """One way through the conditional targets: outputs in pairs, and what it assumes.

    The `bindings` say what every pattern has become, those of the target as well.
    """

    pairs: tuple[tuple[Expr, Expr], ...]
    path: tuple[Term, ...]
    bindings: Bindings


def targets(instance: Instance) -> Iterator[Target]:
    """Yield the targets of an instance, one for every way through what sizes decide.

    Raises GslError when one cannot be built or there are too many.
    """

    def pairs(decisions: Decisions) -> tuple[tuple[tuple[Expr, Expr], ...], Bindings]:
        builder = Builder(instance.bindings, instance.graph, Need(), decisions)
        try:
            made = tuple(
                (instance.bindings.nodes[source].expr, builder.build(*target).expr)
                for source, target in output_pairs(instance.subst, instance.bindings)
            )
            return made, builder.bindings
        finally:
            instance.take_out(builder.added)

    for (made, bindings), path in every_way(pairs):
        yield Target(made, path, bindings)


def prove(
    instance: Instance,
    solver: Solver,
    replies: Replies,
    most: int = USUAL_STEPS,
    doubt: Doubt | None = None,
) -> Result:
    """Prove that the rule holds for an instance, in `most` steps for each way to prove it.

    `replies` are what the instances of one rule ask alike, and grow. A long proof is given up if
    there is a `doubt` that finds the rule wrong.
    """
    effort = Effort(most, doubt)
    try:
        with solver.within(QUESTION_LIMIT):
            for target in targets(instance):
                found = _of_target(instance, solver, target, replies, effort)
                if isinstance(found, Open):
                    return found
    except UnprovableError as error:
        return Open(str(error), is_limit=isinstance(error, LimitReachedError))
    except (GslError, RefutedError) as error:
        return Open(str(error))
    except (RecursionError, MemoryError) as error:
        how = "nested more deeply" if isinstance(error, RecursionError) else "larger"
        return Open(f"operators are {how} than proofs follow")
    return PROVED


def _of_target(
    instance: Instance, solver: Solver, target: Target, replies: Replies, effort: Effort
) -> Result:
    """Prove a target; where that fails, in each case that its claims leave."""
    first = _by_any_laws(instance, solver, target, replies, effort)
    if isinstance(first, Proved):
        return first
    cases = cases_of([*(claim.term for claim in instance.claims), *target.path])
    if len(cases) < 2:
        return first
    narrowed = (replace(target, path=(*target.path, *case)) for case in cases)
    found = (_by_any_laws(instance, solver, one, replies, effort) for one in narrowed)
    return PROVED if all(isinstance(one, Proved) for one in found) else first


def _by_any_laws(
    instance: Instance, solver: Solver, target: Target, replies: Replies, effort: Effort
) -> Result:
    """Prove by the laws of rings and, where that fails and all are floats, by those of reals."""
    effort.start_anew()
    scenario = _Scenario(instance, solver, target, replies, effort)
    sources, made = ([pair[side] for pair in target.pairs] for side in (0, 1))
    functions = functions_of(sources, made, scenario.forms)
    if functions:
        found = scenario.of_functions(functions).proved(is_field=False)
        if isinstance(found, Proved):
            return found
        scenario.forms.effort.start_anew()
    found = scenario.proved(is_field=False)
    scenario.forms.effort.start_anew()
    outputs = [expr for pair in target.pairs for expr in pair]
    if isinstance(found, Proved) or not computes_with_floats(outputs, scenario.facts):
        return found
    return scenario.proved(is_field=True)


class _Scenario:
    """The proof for one scenario and one way through its conditional targets."""

    def __init__(
        self,
        instance: Instance,
        solver: Solver,
        target: Target,
        replies: Replies,
        effort: Effort,
    ) -> None:
        claims = [claim.term for claim in instance.claims]
        self.forms = forms_of([*claims, *target.path], effort)
        self.memory = Memory(replies)
        self.facts = Facts(solver, self.forms, memory=self.memory).assuming(*target.path)
        self.target = target
        self.algebra = Algebra(self.forms)
        self.inliner = Inliner(self.forms)

    def of_functions(self, functions: Mapping[int, str]) -> _Scenario:
        """Return the same where some calls are functions of which nothing is known."""
        other = copy(self)
        other.inliner = Inliner(self.forms, functions)
        return other

    def _equality(self, is_field: bool) -> Equality:
        outputs = [expr for pair in self.target.pairs for expr in pair]
        bits = frozenset(
            name for name, dtype in _inputs(outputs) if self.forms.names.is_named(dtype, "bool")
        )
        dtypes, results = self.inliner.dtypes, self.inliner.results
        return Equality(Normaliser(self.facts, self.algebra, is_field, bits, dtypes, results))

    def proved(self, is_field: bool) -> Result:
        """Prove the target by the laws of fields, or by those of rings alone."""
        try:
            return self._open(is_field) or PROVED
        except UnprovableError as error:
            return Open(str(error), is_limit=isinstance(error, LimitReachedError))

    def _open(self, is_field: bool) -> Open | None:
        equality = self._equality(is_field)
        defined = Definedness(self.inliner, equality, self.facts)
        gathering = defined.with_places([old for old, _ in self.target.pairs])
        for number, (source, target) in enumerate(self.target.pairs):
            for field, pair in enumerate(_fields(source, target)):
                found = self._open_element(*pair, gathering)
                if found is not None:
                    return found.at(f"output {number}" + (f", field {field}" if field else ""))
        return defined.open_obligation(self.target.pairs) or self._open_constant()

    def _open_constant(self) -> Open | None:
        """Refuse constants computed from real ones, which may leave the range of their dtype."""
        known = {id(expr) for expr in reverse_post_order([old for old, _ in self.target.pairs])}
        for expr in reverse_post_order([new for _, new in self.target.pairs]):
            if isinstance(expr, Const) and id(expr) not in known and _may_overflow(expr.value):
                return Open(
                    "a constant that the target computes may be out of the range of its dtype"
                )
            if isinstance(expr, Call) and id(expr) not in known and self._rounds(expr):
                return Open("a constant may be too large to become an attribute, which is a float")
        return None

    def _rounds(self, call: Call) -> bool:
        """Tell whether an integer constant may not be what it is as a value of an attribute."""
        sources = [old for old, _ in self.target.pairs]
        dtypes = {
            expr.value: expr.tensor_type.dtype
            for expr in reverse_post_order(sources)
            if isinstance(expr, Const) and isinstance(expr.value, Symbol)
        }
        for name, value in call.attributes.items():
            if isinstance(call.operator.attribute(name).domain, Element):
                continue  # as which integers stay what they are
            parts = bottom_up(value) if isinstance(value, Term) else ()
            read = [dtypes[part] for part in parts if isinstance(part, Symbol) and part in dtypes]
            if read and not all(self.facts.is_one_of(one, EXACT_AS_FLOAT) for one in read):
                limits = (value >= -LARGEST_EXACT, value <= LARGEST_EXACT)
                if not self.facts.entails(*limits):
                    return True
        return False

    def _open_element(
        self, source: tuple[Expr, Any], target: tuple[Expr, Any], gathering: Gathering
    ) -> Open | None:
        if source[0] is target[0] and source[1] == target[1]:
            return None
        declared = _type(*source)
        if _type(*target).ndim != declared.ndim:
            return Open("source and target differ in rank")
        index = tuple(Symbol(f"i{axis}", low=0) for axis in range(declared.ndim))
        shapes = zip(declared.shape, _type(*target).shape, strict=True)
        sizes = [own if isinstance(own, int) else other for other, own in shapes]
        for symbol, size in zip(index, sizes, strict=True):
            self.forms.bound(symbol, size)
        bounds = [symbol < size for symbol, size in zip(index, sizes, strict=True)]
        facts = self.facts.assuming(*bounds)
        cases = gathering.equality.normaliser.cases
        left, right = (cases(self._expression(*side, index)) for side in (source, target))
        return self._open_case(left, right, gathering, facts)

    def _expression(self, expr: Expr, field: int | None, index: Any) -> Any:
        view = self.inliner.view(expr)
        return (view if field is None else view[field])[index]

    @staticmethod
    def _open_case(left: Cases, right: Cases, gathering: Gathering, facts: Facts) -> Open | None:
        single = len(left) == len(right) == 1
        for guards, value in left:
            for more, other in right:
                within = facts.assuming(*guards, *more)
                if value.key == other.key or (not single and within.impossible()):
                    continue
                if not _are_same(value, other, gathering, within):
                    return Open(_open_sentence(value, other, [*guards, *more]))
        return None


def _are_same(value: Value, other: Value, gathering: Gathering, facts: Facts) -> bool:
    equality = gathering.equality
    if equality.same(value, other, facts):
        return True
    normaliser = equality.normaliser
    plain = [counted(side, normaliser, facts) for side in (value, other)]
    one, two = merged(plain, equality.algebra, facts)
    is_new = one.key != value.key or two.key != other.key
    if is_new and equality.same(one, two, facts):
        return True
    if not gathering.places:
        return False
    chosen = [gathering.gathered(side, facts) for side in (value, other)]
    return equality.same(chosen[0], chosen[1], facts)


def _open_sentence(value: Value, other: Value, guards: Sequence[Any]) -> str:
    where = " in some case" if guards else ""
    kinds = [
        "a sum" if any(f.region.extents for f in one.families) else "an element"
        for one in (value, other)
    ]
    what = "the sums" if kinds == ["a sum", "a sum"] else "the elements"
    return f"{what} that source and target compute could not be shown to be equal{where}"


def _may_overflow(value: Any) -> bool:
    if not isinstance(value, Term) or is_integer(value):
        return False
    return any(
        isinstance(p, Operation) and p.head in ("+", "-", "*", "/") for p in bottom_up(value)
    )


def computes_with_floats(outputs: Sequence[Expr], facts: Facts) -> bool:
    """Tell whether all results of calls are floats or truth values; positions do not count."""
    kinds = (*ANY_FLOAT, "bool")
    return all(facts.is_one_of(dtype, kinds) for dtype in computed_dtypes(outputs))


def computed_dtypes(outputs: Sequence[Expr]) -> list[Any]:
    """Return the dtypes of results of calls, none twice and without those of positions."""
    found: dict[Any, None] = {}
    exprs = reverse_post_order(outputs)
    used = {id(operand) for expr in exprs if isinstance(expr, Call) for operand in expr.operands}
    for expr in exprs:
        if not isinstance(expr, Call):
            continue
        if expr.operator.name in ("Argmax", "Argmin", "Cast") and id(expr) not in used:
            continue  # nothing is computed with positions, or with what is converted last
        found |= dict.fromkeys(tensor.dtype for tensor in tensors((expr.type,)))
    return list(found)


def _inputs(outputs: Sequence[Expr]) -> Iterator[tuple[str, Any]]:
    for expr in reverse_post_order(outputs):
        if not expr.operands and isinstance(expr.type, TensorType):
            yield getattr(expr, "name", ""), expr.type.dtype


def _fields(source: Expr, target: Expr) -> Iterator[tuple[Any, Any]]:
    if isinstance(source.type, TensorType):
        yield (source, None), (target, None)
        return
    for field in range(len(source.type.fields)):
        yield (source, field), (target, field)


def _type(expr: Expr, field: int | None) -> TensorType:
    found = expr.type if field is None else expr.type.fields[field]  # type: ignore[union-attr]
    if not isinstance(found, TensorType):
        raise UnprovableError("an output is a tuple that holds a tuple")
    return found
