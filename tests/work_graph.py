"""What always holds for a work graph."""

from __future__ import annotations

from gsl.graph import Graph
from gsl.node import FEW_USERS


def invariants(graph: Graph) -> None:
    """Users mirror operands, levels rise, counts fit, and everything kept is used."""
    nodes = list(graph)
    for node in nodes:
        users = [user for user in nodes if node in user.operands]
        assert sorted(map(id, users)) == sorted(map(id, node.users))
        assert isinstance(node.users, tuple) == (len(users) <= FEW_USERS)
        assert graph.outputs.count(node) == node.output_count
        assert node.users or node.output_count
        assert all(operand.level < node.level and operand in graph for operand in node.operands)
    assert set(graph.order()) == set(nodes)
