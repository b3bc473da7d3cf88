"""How compiled targets make nodes; types that were inferred once in a graph are known then.

Terms are left to `rewrite.Builder`: UndecidedError says that there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gsl.attr.evaluate import is_symbolic
from gsl.errors import EvaluationError, RewriteError, UndecidedError
from gsl.expr import Call, Const, Expr, Proj, Tuple
from gsl.graph import Graph, Node
from gsl.operators import Operator
from gsl.pat import Pattern

Attributes = Mapping[str, Any]


class Maker:
    """Adds the nodes of one target to a graph; `added` are those made so far."""

    def __init__(self, graph: Graph) -> None:
        self.added: list[Node] = []
        self._graph = graph
        self._types = graph.memory

    def _add(self, expr: Expr, operands: tuple[Node, ...]) -> Node:
        node = self._graph.add(expr, operands)
        self.added.append(node)
        return node

    def call(self, operator: Operator, operands: tuple[Node, ...], attributes: Attributes) -> Node:
        """Add a call; raises OperatorError when the operator refuses it."""
        _require_known(tuple(attributes.values()))
        return self._add(Call(operator, [n.expr for n in operands], attributes), operands)

    def known_call(
        self,
        pattern: Pattern,
        operator: Operator,
        operands: tuple[Node, ...],
        types: tuple[Any, ...],
        attributes: Attributes,
    ) -> Node:
        """Add a call as `call` does; `types` says all about the operands that its type depends on.

        Attributes of `pattern` that compare equal must be interchangeable.
        """
        key = (pattern, operator, types, tuple(attributes), tuple(attributes.values()))
        known = self._types.get(key)
        exprs = tuple([node.expr for node in operands])
        if known is None:
            _require_known(tuple(attributes.values()))
            call = Call(operator, exprs, attributes)
            self._types[key] = (call.attributes, call.type)
        else:
            call = Call.typed(operator, exprs, *known)
        return self._add(call, operands)

    def tuple(self, operands: tuple[Node, ...]) -> Node:
        """Add a tuple; raises EvaluationError for one without fields."""
        if not operands:
            raise EvaluationError("a tuple cannot have 0 fields")
        return self._add(Tuple([node.expr for node in operands]), operands)

    def projection(self, whole: Node, index: int) -> Node:
        """Add the projection of a field; raises GraphError when there is none."""
        return self._add(Proj(whole.expr, index), (whole,))

    def constant(self, value: Any, dtype: str) -> Node:
        """Add a constant; raises RewriteError when `value` is none of `dtype`."""
        _require_known((value, dtype))
        return self._add(constant(value, dtype), ())


def _require_known(values: tuple[Any, ...]) -> None:
    if is_symbolic(values):
        raise UndecidedError("a value that is not known yet")


def constant(value: Any, dtype: str) -> Const:
    """Return a constant; raise RewriteError when `value` is not a value of `dtype`."""
    try:
        built = Const(value, dtype)
    except (OverflowError, TypeError, ValueError) as error:
        raise RewriteError(f"{value!r} is not a value of {dtype}") from error
    if built.value.tolist() != _plain(value) and not dtype.startswith("float"):
        raise RewriteError(f"{value!r} is not a value of {dtype}")
    return built


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def instance(fields: Sequence[Any], index: Any) -> Any:
    """Return the nodes of field `index`; raise EvaluationError when there is no such field."""
    if not isinstance(index, int) or not 0 <= index < len(fields):
        raise EvaluationError(f"there is no field {index} in {len(fields)} fields")
    return fields[index]
