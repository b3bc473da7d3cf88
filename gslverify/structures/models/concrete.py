"""From a symbolic instance and a model to a network that can run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gsl.attr.evaluate import evaluate
from gsl.attr.memory import Memory
from gsl.attr.term import Access, Symbol, Term, subterms
from gsl.errors import EvaluationError, GslError, MisuseError, RewriteError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import Graph, Node, reverse_post_order
from gsl.match import Bindings, Mismatch, match_at, matches_at
from gsl.pat import Const as ConstPattern
from gsl.pat import Pattern
from gsl.rewrite.builder import Builder, output_pairs, rewrite
from gsl.subst import Subst
from gslverify.structures.instance import Instance, source_output_keys


class ModelEnvironment:
    """Gives symbols the values of a model; bound variables are evaluated as usual."""

    __slots__ = ("model",)

    def __init__(self, model: Mapping[Symbol, Any]) -> None:
        self.model = model

    def access(self, term: Access) -> Any:
        """Refuse: the terms of an instance refer to symbols, no longer to patterns."""
        raise EvaluationError(f"attribute `{term.name}` is not part of an instance")

    def symbol(self, symbol: Symbol) -> Any:
        """Return the value in the model, or the smallest legal one for what it leaves open."""
        if symbol in self.model:
            return self.model[symbol]
        return _least(symbol)

    def bind(self, symbol: Symbol, value: Any) -> ModelEnvironment:
        """Return the environment with one more value."""
        return ModelEnvironment({**self.model, symbol: value})


def _least(symbol: Symbol) -> Any:
    if symbol.sort == "text":
        return "float32"
    if symbol.sort == "bool":
        return False
    low = 0 if symbol.low is None else symbol.low
    return float(low) if symbol.sort == "real" else int(low)


def value_in(value: Any, model: Mapping[Symbol, Any], known: Memory | None = None) -> Any:
    """Return a value with every term in it replaced by its value in the model.

    What is `known` in this very model is not computed again, and remembered.
    """
    if isinstance(value, Term):
        return evaluate(value, ModelEnvironment(model), known)
    if isinstance(value, tuple):
        return tuple(value_in(item, model, known) for item in value)
    return value


def meets(model: Mapping[Symbol, Any], condition: Term) -> bool:
    """Tell whether a condition has a value in a model, and holds."""
    try:
        return value_in(condition, model, Memory()) is True
    except GslError:
        return False


Fill = Callable[[Var], Any]
"""Gives a constant whose value the rule leaves open an array of its type."""


def ones(variable: Var) -> Any:
    """Return an array of ones of the type of `variable`."""
    return np.ones(variable.shape, variable.dtype)


def concrete_exprs(
    instance: Instance, model: Mapping[Symbol, Any], fill: Fill = ones
) -> dict[Expr, Expr]:
    """Return for every expression of an instance the one without unknowns.

    Raises OperatorError when the model violates a precondition, EvaluationError when a term has
    no value in it.
    """
    constants = constant_names(instance)
    built: dict[Expr, Expr] = {}
    patterns = _read_constants(instance.subst)
    read = {node.expr for key, node in instance.bindings.nodes.items() if key[0] in patterns}
    for expr in reverse_post_order([node.expr for node in instance.outputs]):
        concrete = _concrete(expr, [built[operand] for operand in expr.operands], model)
        if expr in read and isinstance(concrete, Const):
            concrete = Const(concrete.value)
        if isinstance(concrete, Var) and concrete.name in constants:
            concrete = Const(fill(concrete))
        built[expr] = concrete
    return built


def constant_names(instance: Instance) -> set[str]:
    """Return the names of the constants of an instance."""
    return {name for key, name in instance.names.items() if isinstance(key[0], ConstPattern)}


@lru_cache(maxsize=16)
def _read_constants(subst: Subst) -> frozenset[Pattern]:
    """Return the constants whose value the target computes with: what is stored of it."""
    terms = (t for pattern in subst.target_patterns for t in pattern.constraints.values())
    parts = (part for term in terms for part in subterms(term))
    read = (part.pattern for part in parts if isinstance(part, Access) and part.name == "value")
    return frozenset(read)


def concrete_outputs(
    instance: Instance, model: Mapping[Symbol, Any], fill: Fill = ones
) -> list[Expr]:
    """Return the outputs of an instance as a network without unknowns; raises as above."""
    built = concrete_exprs(instance, model, fill)
    return [built[node.expr] for node in instance.outputs]


def _concrete(expr: Expr, operands: list[Expr], model: Mapping[Symbol, Any]) -> Expr:
    match expr:
        case Var(name=name):
            tensor = expr.tensor_type
            return Var(name, value_in(tensor.shape, model), value_in(tensor.dtype, model))
        case Const(value=np.ndarray()):
            return expr
        case Const(value=value):
            dtype = value_in(expr.tensor_type.dtype, model)
            return _constant(value_in(value, model), dtype, isinstance(value, float))
        case Call(operator=operator, attributes=attributes):
            chosen = {name: value_in(value, model) for name, value in attributes.items()}
            return Call(operator, operands, chosen)
        case Tuple():
            return Tuple(operands)
        case Proj(index=index):
            return Proj(operands[0], index)
        case _:
            raise EvaluationError(f"not a computation expression: {expr!r}")


def _constant(value: Any, dtype: str, is_written: bool) -> Const:
    """Return a constant; a number written in the rule means itself, and is only stored rounded."""
    try:
        with np.errstate(over="ignore"):
            return Const(value, dtype) if is_written else Const(np.asarray(value, dtype))
    except (MisuseError, OverflowError, ValueError) as error:
        raise EvaluationError(f"{value!r} is not a value of {dtype}") from error


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What one rewrite of a network came to: its new outputs, or why there are none.

    `rewrites` counts them, `endless` says that going on and on did not come to an end, `damage`
    what is wrong with the new network, whatever it computes.
    """

    outputs: tuple[Expr, ...] = ()
    mismatch: Mismatch | None = None
    refusal: RewriteError | None = None
    endless: bool = False
    rewrites: int = 1
    damage: str = ""


def rewrite_once(
    subst: Subst, outputs: Sequence[Expr], matched: Sequence[Expr] | None = None
) -> Rewritten:
    """Match the rule so that its outputs are exactly `matched`, and rewrite once.

    `outputs` are those of the whole network, `matched` defaults to all of them.
    """
    graph, root, bindings = _match_of(subst, outputs, outputs if matched is None else matched)
    if bindings is not None:
        return _replaced(subst, bindings, graph)
    mismatch = match_at(subst, graph, root)
    if isinstance(mismatch, Bindings):
        mismatch = Mismatch("the rule matches other outputs of this network")
    return Rewritten(mismatch=mismatch)


def bindings_of(subst: Subst, outputs: Sequence[Expr], matched: Sequence[Expr]) -> Bindings | None:
    """Return the match of the rule whose outputs are exactly `matched`, if there is one."""
    return _match_of(subst, outputs, matched)[2]


def target_outputs(subst: Subst, outputs: Sequence[Expr]) -> list[Expr] | None:
    """Return what the rule would put in the place of `outputs`, whatever its type.

    None when the rule does not match or when an operator of the target refuses its operands.
    """
    graph, _, bindings = _match_of(subst, outputs, outputs)
    if bindings is None:
        return None
    builder = Builder(bindings, graph)
    try:
        built = [builder.build(*target) for _, target in output_pairs(subst, bindings)]
    except GslError:
        return None
    return [node.expr for node in built]


def _match_of(
    subst: Subst, outputs: Sequence[Expr], matched: Sequence[Expr]
) -> tuple[Graph, Node, Bindings | None]:
    """Return a network as a graph, the first that is matched, and the match of all, if any."""
    graph = Graph(outputs)
    nodes = {node.expr: node for node in graph}
    wanted = [nodes[expr] for expr in matched]
    found = matches_at(subst, graph, wanted[0])
    fitting = (one for one in found if _matched_outputs(subst, one) == wanted)
    return graph, wanted[0], next(fitting, None)


def _replaced(subst: Subst, bindings: Bindings, graph: Graph) -> Rewritten:
    try:
        rewrite(subst, bindings, graph)
    except RewriteError as error:
        return Rewritten(refusal=error)
    graph.verify()
    return Rewritten(tuple(graph.to_exprs()))


def _matched_outputs(subst: Subst, bindings: Bindings) -> list[Node]:
    return [bindings.nodes[key] for key in source_output_keys(subst, bindings)]
