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
from gsl.types import Type

Attributes = Mapping[str, Any]

Known = tuple[Attributes, Type]
"""The canonical attributes of a call and its type."""


class Maker:
    """Adds the nodes of one target to a graph; `added` are those made so far.

    `known` has attributes and types of calls by what they depend on, for `infer` and `typed`.
    """

    def __init__(self, graph: Graph) -> None:
        self.added: dict[Node, None] = {}
        self.known: dict[Any, Known] = graph.memory
        self._add_to_graph = graph.add

    def _add(self, expr: Expr, operands: tuple[Node, ...]) -> Node:
        node = self._add_to_graph(expr, operands)
        self.added[node] = None
        return node

    def call(self, operator: Operator, operands: tuple[Node, ...], attributes: Attributes) -> Node:
        """Add a call; raises OperatorError when the operator refuses it."""
        _require_known(tuple(attributes.values()))
        return self._add(Call(operator, [n.expr for n in operands], attributes), operands)

    def infer(
        self, key: Any, operator: Operator, operands: tuple[Node, ...], attributes: Attributes
    ) -> Known:
        """Return what `typed` needs for a call, and have it known under `key`.

        So calls with equal keys must have interchangeable attributes and operands of one type.
        Raises OperatorError when the operator refuses the call.
        """
        _require_known(tuple(attributes.values()))
        call = Call(operator, [n.expr for n in operands], attributes)
        known = self.known[key] = (call.attributes, call.type)
        return known

    def typed(self, operator: Operator, operands: tuple[Node, ...], known: Known) -> Node:
        """Add a call whose attributes and type are known."""
        call: Call = object.__new__(Call)
        call.operator = operator
        call.operands = tuple([node.expr for node in operands])
        call.attributes, call.type = known
        node = self._add_to_graph(call, operands)
        self.added[node] = None
        return node

    def tuple(self, operands: tuple[Node, ...]) -> Node:
        """Add a tuple; raises EvaluationError for one without fields."""
        if not operands:
            raise EvaluationError("a tuple cannot have 0 fields")
        return self._add(Tuple([node.expr for node in operands]), operands)

    def projection(self, whole: Node, index: int) -> Node:
        """Add the projection of a field; raises GraphError when there is none."""
        node = self._add_to_graph(Proj(whole.expr, index), (whole,))
        self.added[node] = None
        return node

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
