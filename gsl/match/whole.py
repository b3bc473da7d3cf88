"""What concerns a match as a whole: its outputs, its borders and cycles.

Thesis, definition "graph substitution", condition 4, and what several outputs add to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gsl.graph import Node
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


def cycle(taken: Taken, outputs: Iterable[Node]) -> Mismatch | None:
    """Decline when an input depends on an output: replacing both would close a cycle."""
    tops = set(outputs)
    if len(tops) < 2:
        return None
    lowest = min(node.level for node in tops)
    stack = [node for node, key in taken.items() if isinstance(key[0], INPUTS)]
    seen = set[Node]()
    while stack:
        node = stack.pop()
        if node in tops:
            return Mismatch("an input depends on an output of the match", None, node.expr)
        if node not in seen and node.level > lowest:
            seen.add(node)
            stack.extend(node.operands)
    return None
