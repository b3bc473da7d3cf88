"""How compiled targets make nodes; types that were inferred once in a graph are known then.

Terms are left to `rewrite.Builder`: UndecidedError says that there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gsl.attr.evaluate import is_symbolic
from gsl.errors import EvaluationError, MisuseError, RewriteError, UndecidedError
from gsl.expr import Call, Const, Expr, Proj, Tuple, is_exact
from gsl.graph import Graph, Node, node_of
from gsl.operators import Operator
from gsl.types import TupleType, Type

Attributes = Mapping[str, Any]

Known = tuple[Attributes, Type, tuple[Any, ...]]
"""The canonical attributes of a call, its type, and what has to live as long as both are known."""


class Maker:
    """Makes the nodes of targets, to be linked when all of one are `made`.

    Expressions of `incomplete` nodes get operands when the graph is asked for its own.
    `known` has attributes and types of calls by what they depend on; it belongs to the graph.
    """

    __slots__ = ("incomplete", "known", "made")

    def __init__(self, graph: Graph) -> None:
        self.made: list[Node] = []
        self.incomplete: list[Node] = []
        self.known: dict[Any, Any] = graph.memory

    def _make(self, expr: Expr, operands: tuple[Node, ...]) -> Node:
        node = node_of(expr, operands)
        self.made.append(node)
        return node

    def call(self, operator: Operator, operands: tuple[Node, ...], attributes: Attributes) -> Node:
        """Make a call; raises OperatorError when the operator refuses it."""
        values = tuple(attributes.values())
        if not all(map(is_exact, values)):
            _require_known(values)
            return self._make(Call(operator, [n.expr for n in operands], attributes), operands)
        types = [id(node.expr.type) for node in operands]
        key = (operator, *attributes, *values, *map(type, values), *types)
        known: Known | None = self.known.get(key)
        made: Call = object.__new__(Call)
        made.operator, made.operands = operator, ()
        made.attributes, made.type, _ = known or self.infer(key, operator, operands, attributes)
        return self._make(made, operands)

    def infer(
        self,
        key: Any,
        operator: Operator,
        operands: tuple[Node, ...],
        attributes: Attributes,
        kept: tuple[Any, ...] = (),
    ) -> Known:
        """Return what is known of a call, and have it known under `key`.

        So calls with equal keys must have interchangeable attributes and operands of one type. A
        key may have identities of the types of operands and of objects in `kept`. Raises
        OperatorError when the operator refuses the call.
        """
        _require_known(tuple(attributes.values()))
        call = Call(operator, [n.expr for n in operands], attributes)
        kept = (*kept, *[node.expr.type for node in operands])
        known = self.known[key] = (call.attributes, call.type, kept)
        return known

    def tuple(self, operands: tuple[Node, ...]) -> Node:
        """Make a tuple; one without fields is an operand that is absent."""
        key = (Tuple, *[id(node.expr.type) for node in operands])
        known: TupleType | None = self.known.get(key)
        made: Tuple = object.__new__(Tuple)
        made.operands = ()
        made.type = self.tuple_type(key, operands) if known is None else known
        return self._make(made, operands)

    def several(self, operands: Sequence[Node]) -> Node:
        """Make the tuple of a list; raises EvaluationError for one without fields."""
        if not operands:
            raise EvaluationError("a tuple cannot have 0 fields")
        return self.tuple(tuple(operands))

    def tuple_type(self, key: Any, operands: Sequence[Node]) -> TupleType:
        """Return the type of a tuple, and have it known under `key`, the identities of types."""
        known = self.known[key] = TupleType(tuple([node.expr.type for node in operands]))
        return known

    def projection(self, whole: Node, index: int) -> Node:
        """Make the projection of a field; raises GraphError when there is none."""
        return self._make(Proj(whole.expr, index), (whole,))

    def constant(self, value: Any, dtype: str) -> Node:
        """Make a constant; raises RewriteError when `value` is none of `dtype`."""
        _require_known((value, dtype))
        return self._make(constant(value, dtype), ())


def maker_of(graph: Graph) -> Maker:
    """Return the maker for a graph, always the same one, with nothing made."""
    maker: Maker | None = graph.memory.get(Maker)
    if maker is None:
        maker = graph.memory[Maker] = Maker(graph)
    else:
        maker.made = []
        maker.incomplete = []
    return maker


def _require_known(values: tuple[Any, ...]) -> None:
    if is_symbolic(values):
        raise UndecidedError("a value that is not known yet")


def require_type(wanted: Type, made: Type) -> None:
    """Raise EvaluationError when an output would change its type."""
    if wanted != made:
        raise EvaluationError(f"the target has type {made}, the source {wanted}")


def constant(value: Any, dtype: str) -> Const:
    """Return a constant; raise RewriteError when `value` is not a value of `dtype`."""
    try:
        return Const(value, dtype)
    except MisuseError as error:
        raise RewriteError(f"{value!r} is not a value of {dtype}") from error


def instance(fields: Sequence[Any], index: Any) -> Any:
    """Return the nodes of field `index`; raise EvaluationError when there is no such field."""
    if not isinstance(index, int) or not 0 <= index < len(fields):
        raise EvaluationError(f"there is no field {index} in {len(fields)} fields")
    return fields[index]
