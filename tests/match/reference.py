"""A slow matcher written from the definitions, to hold the engine against.

Thesis, definition "graph substitution": f maps the source pattern graph to the graph such that
(1) its image is a subgraph, (2) kinds and attributes fit, (3) predecessors correspond in order,
(4) nothing inside the image is used outside; f is injective. In this project "used outside" means
used by what a non-input pattern has not matched, or being an output of the workload; no input of a
match with several outputs may depend on one of them; and constants, or all inputs if the rule says
so, may stand for one node.

Every tuple of nodes is tried as the image of the outputs, every arm of every alternative; what
they determine by (3) is written down and only then held against the other conditions. Nothing of
`gsl.match` is used. Attribute constraints are given as Python functions beside the terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations, product
from typing import Any

from gsl import Call, Const, Proj, Subst, Tuple, Var, pat
from gsl.graph import Graph, Node
from gsl.operators import Operator

Path = tuple[tuple[pat.Variadic, int], ...]
Instance = tuple[pat.Pattern, Path]
Map = dict[Instance, Node]
Demand = Callable[[Map, Path, Node], bool]

INPUTS = (pat.Wildcard, pat.Variable, pat.Const)
KINDS = {
    pat.Variable: Var,
    pat.Const: Const,
    pat.Call: Call,
    pat.Tuple: Tuple,
    pat.Variadic: Tuple,
    pat.GetItem: Proj,
}


@dataclass
class Problem:
    """A rule, a graph, and the meaning of the constraints of the rule as Python functions."""

    subst: Subst
    graph: Graph
    demands: Mapping[pat.Pattern, Sequence[Demand]] = field(default_factory=dict)
    where: Callable[[Map, int], bool] = lambda found, length: True
    positional: bool = False


def instance(pattern: pat.Pattern, path: Path) -> Instance:
    """Return what stands for `pattern` in the field at `path`."""
    if not path:
        return pattern, ()
    variadic, index = path[-1]
    if pattern not in variadic.templates:
        return instance(pattern, path[:-1])
    if index == 0 and variadic.first:
        first = variadic.first[variadic.templates.index(pattern)]
        return instance(first, path[:-1])
    return pattern, path


def fixed_matches(problem: Problem, root: Node) -> list[Map]:
    """Return all matches of a source with a fixed number of outputs, the first being `root`."""
    source = problem.subst.source
    choices = [[n for n in problem.graph if may_be(p, n)] for p in source[1:]]
    found = []
    for others in product(*choices):
        images = (root, *others)
        pairs = [((p, ()), node) for p, node in zip(source, images, strict=True)]
        found += [f for f in completions(pairs, {}) if is_match(problem, f, images, 0)]
    return found


def variadic_matches(problem: Problem, root: Node) -> dict[tuple[Node, ...], Map]:
    """Return a match for every set of outputs of a variadic source that begins with `root`.

    Where constraints depend on the index, every order of the other outputs is tried.
    """
    variadic = problem.subst.variadic
    assert variadic is not None
    nodes = [n for n in problem.graph if n is not root and may_be(variadic.field, n)]
    ordered = permutations if problem.positional else combinations
    found: dict[tuple[Node, ...], Map] = {}
    for count in range(variadic.minimum, len(nodes) + 2):
        for others in ordered(nodes, count - 1):
            images = (root, *others)
            pairs = [(((variadic.field, ((variadic, i),))), n) for i, n in enumerate(images)]
            pairs = [(instance(*place), node) for place, node in pairs]
            fitting = (f for f in completions(pairs, {}) if is_match(problem, f, images, count))
            match = next(fitting, None)
            if match is not None:
                found[images] = match
    return found


def may_be(pattern: pat.Pattern, node: Node) -> bool:
    """Tell whether the outermost form of `pattern` fits, to keep the enumeration short."""
    if isinstance(pattern, pat.Alt):
        return any(may_be(arm, node) for arm in pattern.operands)
    return fits_kind(pattern, node)


def fits_kind(pattern: pat.Pattern, node: Node) -> bool:
    if isinstance(pattern, pat.Wildcard):
        return True
    if not isinstance(node.expr, KINDS[type(pattern)]):
        return False
    if isinstance(pattern, pat.Variadic):
        return len(node.operands) >= pattern.minimum
    if isinstance(pattern, pat.Call) and isinstance(pattern.callee, Operator):
        return node.expr.operator is pattern.callee
    return len(pattern.operands) == len(node.operands)


def completions(pairs: list[tuple[Instance, Node]], found: Map) -> Iterator[Map]:
    """Yield every map that follows from `pairs` and `found` by condition 3."""
    if not pairs:
        yield found
        return
    (place, node), *rest = pairs
    if place in found:
        if found[place] is node:
            yield from completions(rest, found)
        return
    pattern, path = place
    found = {**found, place: node}
    if isinstance(pattern, pat.Alt):
        for arm in pattern.operands:
            yield from completions([(instance(arm, path), node), *rest], found)
    elif fits_kind(pattern, node):
        yield from completions([*below(pattern, path, node), *rest], found)


def below(pattern: pat.Pattern, path: Path, node: Node) -> list[tuple[Instance, Node]]:
    if isinstance(pattern, INPUTS):
        return []
    if isinstance(pattern, pat.Variadic):
        fields = enumerate(node.operands)
        return [(instance(pattern.field, (*path, (pattern, i))), n) for i, n in fields]
    pairs = zip(pattern.operands, node.operands, strict=True)
    return [(instance(operand, path), n) for operand, n in pairs]


def is_match(problem: Problem, found: Map, images: Sequence[Node], length: int) -> bool:
    """Hold a complete map against injectivity and conditions 2 and 4, cycles and `where`."""
    real = {place: node for place, node in found.items() if not isinstance(place[0], pat.Alt)}
    aliased = INPUTS if problem.subst.aliases else pat.Const
    outputs = output_patterns(problem.subst)
    if not is_injective(real, lambda p: isinstance(p, aliased) and p not in outputs):
        return False
    # Demands may read attributes of other nodes, which these have if their operators fit.
    if not all(callee_fits(*place, node, found) for place, node in found.items()):
        return False
    if not all(attributes_fit(problem, found, *item) for item in found.items()):
        return False
    owned = {node for place, node in real.items() if not isinstance(place[0], INPUTS)}
    inputs = {node for place, node in real.items() if isinstance(place[0], INPUTS)}
    if any(used_outside(problem.graph, node, owned) for node in owned - set(images)):
        return False
    if len(images) > 1 and any(depends(node, images) for node in inputs):
        return False
    return problem.where(found, length)


def output_patterns(subst: Subst) -> set[pat.Pattern]:
    """Return the patterns that stand for outputs."""
    variadic = subst.variadic
    if variadic is None:
        return set(subst.source)
    return {variadic.field, instance(variadic.field, ((variadic, 0),))[0]}


def is_injective(real: Map, may_alias: Callable[[pat.Pattern], bool]) -> bool:
    """Tell whether no two patterns stand for one node, unless both may alias."""
    free = {node for place, node in real.items() if may_alias(place[0])}
    others = [node for place, node in real.items() if not may_alias(place[0])]
    return len({*others, *free}) == len(others) + len(free)


def attributes_fit(problem: Problem, found: Map, place: Instance, node: Node) -> bool:
    pattern, path = place
    return all(demand(found, path, node) for demand in problem.demands.get(pattern, ()))


def callee_fits(pattern: pat.Pattern, path: Path, node: Node, found: Map) -> bool:
    if not isinstance(pattern, pat.Call):
        return True
    expr: Any = node.expr
    if isinstance(pattern.callee, pat.Trait) and pattern.callee.name not in expr.operator.traits:
        return False
    if isinstance(pattern.callee, pat.SameOperator):
        other: Any = found[instance(pattern.callee.call, path)].expr
        if other.operator is not expr.operator:
            return False
    if pattern.attributes_of is None:
        return True
    like: Any = found[instance(pattern.attributes_of, path)].expr
    return bool(like.attributes == expr.attributes)


def used_outside(graph: Graph, node: Node, owned: set[Node]) -> bool:
    users = [user for user in graph if node in user.operands]
    return node in graph.outputs or any(user not in owned for user in users)


def depends(node: Node, outputs: Sequence[Node]) -> bool:
    return node in outputs or any(depends(operand, outputs) for operand in node.operands)


def literal_matches(problem: Problem, root: Node) -> list[Map]:
    """Return all matches found by trying every map; for sources without variants."""
    patterns = problem.subst.source_patterns
    found = []
    for images in product(problem.graph, repeat=len(patterns)):
        f = {(p, ()): node for p, node in zip(patterns, images, strict=True)}
        if f[problem.subst.source[0], ()] is root and keeps_edges(f):
            outputs = [f[output, ()] for output in problem.subst.source]
            found += [f] if is_match(problem, f, outputs, 0) else []
    return found


def keeps_edges(found: Map) -> bool:
    """Conditions 2, as far as kinds go, and 3."""
    return all(
        fits_kind(pattern, node)
        and (
            isinstance(pattern, INPUTS)
            or node.operands == tuple(found[operand, ()] for operand in pattern.operands)
        )
        for (pattern, _), node in found.items()
    )
