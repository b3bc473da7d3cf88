"""Targets of many structures of one rule, in which calls of the same operands are made once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from gsl.attr.term import Term
from gsl.expr import Call, Expr
from gsl.match.bindings import Key
from gsl.operators import Operator
from gsl.operators.declaration import Need
from gsl.rewrite.builder import Builder
from gslverify.structures.decisions import Decisions
from gslverify.structures.instance import Instance

Made = tuple[Call, list[tuple[Term, str]], tuple[Any, ...]]
"""A call, what it needs, and the attributes that it was made with, which keep their identity."""


class SharingBuilder(Builder):
    """Builds a target with the calls that were `made` for other structures of the rule."""

    def __init__(
        self, instance: Instance, need: Need, decide: Decisions, made: dict[Hashable, Made]
    ) -> None:
        super().__init__(instance.bindings, instance.graph, need, decide)
        self._made = made

    def _call(
        self, key: Key, operator: Operator, operands: Sequence[Expr], attributes: dict[str, Any]
    ) -> Expr:
        values = [(name, _same(value)) for name, value in attributes.items()]
        cause = key, operator, tuple(map(id, operands)), tuple(values)
        if cause not in self._made:
            need = Need()
            call = Call(operator, operands, attributes, need)
            self._made[cause] = call, need.claims, tuple(attributes.values())
        call, claims, _ = self._made[cause]
        self.need.claims += claims
        return call


def _same(value: Any) -> Hashable:
    """Return what equal values have in common; a term is only itself."""
    if isinstance(value, tuple):
        return tuple(map(_same, value))
    return id(value) if isinstance(value, Term) else (type(value), value)
