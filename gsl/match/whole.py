"""What concerns a match as a whole: its outputs, its borders and cycles.

Thesis, definition "graph substitution", condition 4, and what several outputs add to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from gsl.graph import Graph, Node
from gsl.match.bindings import Bindings, Frame, Key, Mismatch, Scope
from gsl.pat import INPUTS
from gsl.subst import Subst

OUTSIDE = "inside the match, but used outside of it"

Taken = dict[Node, Key]
"""The pattern instance that has matched a node."""


def output_nodes(subst: Subst, bindings: Bindings) -> dict[Node, None]:
    """Return the nodes of the outputs of a match, in the order of the outputs."""
    variadic = subst.variadic
    if variadic is None:
        places = [(pattern, Scope(bindings)) for pattern in subst.source]
    else:
        fields = range(bindings.lengths[(variadic, ())])
        scopes = [Scope(bindings, Frame(variadic, index)) for index in fields]
        places = [(variadic.field, scope) for scope in scopes]
    return {bindings.nodes[bindings.locate(*place)]: None for place in places}


def escaping(nodes: Iterable[Node], taken: Taken, outputs: Iterable[Node]) -> Iterator[Mismatch]:
    """Yield a mismatch for every interior node that something outside of the match uses.

    Outside is what no pattern has matched, what only an input pattern has, and the workload.
    """
    exempt = set(outputs)
    for node in nodes:
        key = taken[node]
        if isinstance(key[0], INPUTS) or node in exempt:
            continue
        if node.output_count or any(_is_outside(user, taken) for user in node.users):
            yield Mismatch(OUTSIDE, key[0], node.expr)


def _is_outside(user: Node, taken: Taken) -> bool:
    key = taken.get(user)
    return key is None or isinstance(key[0], INPUTS)


def cycle(graph: Graph, taken: Taken, outputs: Collection[Node]) -> Mismatch | None:
    """Decline when an input depends on an output: replacing both would close a cycle."""
    if len(outputs) < 2:
        return None
    inputs = [node for node, key in taken.items() if isinstance(key[0], INPUTS)]
    found = output_below(graph, inputs, outputs)
    if found is None:
        return None
    return Mismatch("an input depends on an output of the match", None, found.expr)


def output_below(graph: Graph, inputs: Iterable[Node], outputs: Collection[Node]) -> Node | None:
    """Return one of several outputs that an input depends on, and note the match in `graph`.

    It is noted because it may become possible when something in between is rewritten.
    """
    lowest = min([node.level for node in outputs])
    stack = [node for node in inputs if node.level >= lowest]
    tops = set(outputs) if stack else outputs
    seen = set[Node]()
    while stack:
        node = stack.pop()
        if node in tops:
            graph.blocked[next(iter(outputs))] = None
            return node
        if node not in seen and node.level > lowest:
            seen.add(node)
            stack.extend(node.operands)
    return None
