"""What must follow for a target to be legal and of the same type as the source, on each path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gsl.attr.evaluate import equal
from gsl.attr.term import Term, operation, subterms
from gsl.errors import GslError, UndecidedError
from gsl.expr import Call, Expr
from gsl.operators.declaration import Need
from gsl.rewrite.builder import Builder, output_pairs
from gsl.span import Origin
from gsl.types import TensorType, TupleType, Type
from gslverify.codes.shape import ILLEGAL_TARGET, OUTPUT_DTYPE, OUTPUT_SHAPE
from gslverify.finding import Code
from gslverify.semantics.terms import is_partial
from gslverify.structures.decisions import Decisions, every_way
from gslverify.structures.instance import Instance


@dataclass(frozen=True, slots=True)
class Obligation:
    """A condition that must follow from the source on one path through conditional targets.

    `term` is False when it cannot hold at all.
    """

    term: Term | bool
    code: Code
    message: str
    origin: Origin | None
    path: tuple[Term, ...] = ()


def obligations_of(instance: Instance) -> Iterator[list[Obligation]]:
    """Yield what must follow on each path through what sizes decide.

    Raises UndecidedError where there are too many paths, or a structural choice depends on sizes.
    """
    for obligations, path in every_way(lambda one: list(_obligations(instance, one))):
        yield [replace(obligation, path=path) for obligation in obligations]
        yield from _decidable(path, instance.subst.origin)


def _decidable(path: tuple[Term, ...], origin: Origin | None) -> Iterator[list[Obligation]]:
    """Demand that what decides has a value, which it has on neither way where it has none."""
    for number, condition in enumerate(path):
        if any(map(is_partial, subterms(condition))):
            message = "what decides how the target is made must have a value"
            has_value = operation("==", condition, condition)
            yield [Obligation(has_value, ILLEGAL_TARGET, message, origin, path[:number])]


def _obligations(instance: Instance, decisions: Decisions) -> Iterator[Obligation]:
    need = Need()
    builder = Builder(instance.bindings, instance.graph, need, decisions)
    pairs = []
    try:
        for source, target in output_pairs(instance.subst, instance.bindings):
            old = instance.bindings.nodes[source].expr
            pairs.append((old, builder.build(*target).expr, target[0].origin))
    except UndecidedError:
        raise
    except GslError as error:
        origin = None if builder.current is None else builder.current.origin
        yield Obligation(False, ILLEGAL_TARGET, str(error), origin)
    finally:
        instance.take_out(builder.added)
    for term, reason in need.claims:
        yield Obligation(term, ILLEGAL_TARGET, reason, instance.subst.origin)
    for node in builder.added:
        yield from _have_values(node.expr, instance.subst.origin)
    for number, (old, new, origin) in enumerate(pairs):
        yield from _same_type(number, old.type, new.type, origin)


def _have_values(expr: Expr, origin: Origin | None) -> Iterator[Obligation]:
    """Demand that the divisions in the attributes of a call have a result."""
    if not isinstance(expr, Call):
        return
    for name, value in expr.attributes.items():
        for term in value if isinstance(value, tuple) else (value,):
            if isinstance(term, Term) and any(map(is_partial, subterms(term))):
                message = f"attribute `{name}` of {expr.operator} must have a value"
                yield Obligation(operation("==", term, term), ILLEGAL_TARGET, message, origin)


def _same_type(
    number: int, source: Type, target: Type, origin: Origin | None
) -> Iterator[Obligation]:
    name = f"output {number}"
    if isinstance(source, TupleType) and isinstance(target, TupleType):
        if len(source.fields) != len(target.fields):
            yield Obligation(False, OUTPUT_SHAPE, f"{name} has other fields", origin)
            return
        for one, other in zip(source.fields, target.fields, strict=True):
            yield from _same_type(number, one, other, origin)
    elif isinstance(source, TensorType) and isinstance(target, TensorType):
        shapes = equal(source.shape, target.shape)
        yield Obligation(shapes, OUTPUT_SHAPE, f"{name} changes its shape", origin)
        dtypes = equal(source.dtype, target.dtype)
        yield Obligation(dtypes, OUTPUT_DTYPE, f"{name} changes its dtype", origin)
    else:
        yield Obligation(False, OUTPUT_SHAPE, f"{name} is a tuple on one side only", origin)


def where_legal(obligations: Sequence[Obligation]) -> Iterator[Obligation]:
    """Yield what must follow where the target can be built; nothing if it never can."""
    legal = [one.term for one in obligations if one.code is ILLEGAL_TARGET]
    if not any(term is False for term in legal):
        conditions = tuple(term for term in legal if isinstance(term, Term))
        for one in obligations:
            if one.code is not ILLEGAL_TARGET:
                yield replace(one, path=(*one.path, *conditions))
