"""Which elements of its operand the outputs read by way of one call of a function."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from gsl.attr.evaluate import negation
from gsl.attr.term import Symbol
from gsl.expr import Call, Expr
from gsl.kernel.expression import Apply, Expression, Reduction, Select, parts
from gsl.operators.declaration import tensors
from gslverify.prove.indices.forms import Forms
from gslverify.prove.inline import Inliner
from gslverify.prove.values.values import Region

THE_CALL = "the call"

Reads = list[tuple[Region, Expression]]
"""Elements of the operand of a call, and at which indices they are read."""


def elements_read(
    calls: Sequence[Call], pairs: Sequence[tuple[Expr, Expr]], inliner: Inliner, forms: Forms
) -> Iterator[tuple[Reads, Reads]]:
    """Yield what elements of outputs of source and target read by way of calls, at one index.

    The `pairs` are outputs of source and target, and the calls are alike and of a function of one
    element. All on which an output depends are yielded, and maybe others. Raises UnprovableError.
    """
    marking = Inliner(forms, {**inliner.functions, **{id(call): THE_CALL for call in calls}})
    for source, target in pairs:
        types, fields = tensors((source.type,)), map(marking.view, (source, target))
        olds, news = (view if isinstance(view, tuple) else (view,) for view in fields)
        for declared, old, new in zip(types, olds, news, strict=True):
            index = tuple(Symbol(f"r{axis}", low=0) for axis in range(declared.ndim))
            where = Region(tuple(zip(index, declared.shape, strict=True)))
            yield _read(old[index], where, forms), _read(new[index], where, forms)


def _read(expression: Expression, where: Region, forms: Forms) -> Reads:
    """Return what an expression reads; parts that it has several times are looked at once."""
    found: Reads = []
    stack, seen = [(expression, where)], dict[tuple[int, Hashable], Region]()
    while stack:
        current, place = stack.pop()
        if (id(current), place.key) in seen:
            continue
        seen[id(current), place.key] = place  # whose conditions keep their identity
        match current:
            case Apply(function=function, arguments=(argument,)) if function == THE_CALL:
                for symbol, extent in place.extents:
                    forms.bound(symbol, extent)
                found.append((place, argument))
            case Select(condition=condition, then=then, otherwise=otherwise):
                for side, holds in ((then, condition), (otherwise, negation(condition))):
                    stack.append((side, Region(place.extents, (*place.guards, holds))))
            case Reduction(variables=variables, body=body):
                stack.append((body, Region((*place.extents, *variables), place.guards)))
            case _:
                stack += [(part, place) for part in parts(current)]
    return found
