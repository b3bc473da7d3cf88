"""How nodes keep their users."""

from __future__ import annotations

import pytest

from gsl.node import FEW_USERS, Node, add_user, link, node_of, remove_user, used, users_of
from tests.match.toys import add, relu, var


def lone() -> Node:
    return node_of(var("x"), ())


COUNTS = (0, 1, 2, FEW_USERS - 1, FEW_USERS, FEW_USERS + 1, 3 * FEW_USERS)


@pytest.mark.parametrize("count", COUNTS)
def test_few_users_are_a_tuple_and_more_a_dictionary(count: int) -> None:
    node, users = lone(), [lone() for _ in range(count)]
    for user in users:
        add_user(node, user)
    assert list(node.users) == users
    assert isinstance(node.users, tuple) == (count <= FEW_USERS)
    assert node.users == users_of(users)


@pytest.mark.parametrize("count", COUNTS)
def test_a_user_is_known_once(count: int) -> None:
    node, users = lone(), [lone() for _ in range(count)]
    for user in (*users, *users):
        add_user(node, user)
        used((node, node), user)
    assert list(node.users) == users


@pytest.mark.parametrize("count", COUNTS[1:])
def test_users_go_in_any_order(count: int) -> None:
    users = [lone() for _ in range(count)]
    for order in (users, users[::-1], users[1::2] + users[::2]):
        node = lone()
        node.users = users_of(users)
        left = list(users)
        for user in order:
            remove_user(node, user)
            remove_user(node, user)
            left.remove(user)
            assert list(node.users) == left
            assert isinstance(node.users, tuple) == (len(left) <= FEW_USERS)


def test_linked_nodes_lie_above_their_operands() -> None:
    x, y = var("x"), var("y")
    below, beside = node_of(x, ()), node_of(y, ())
    below.level = 5
    one = node_of(relu(x), (below,))
    two = node_of(add(x, y), (one, beside))
    link([one, two])
    assert [one.level, two.level] == [6, 7]
    assert [below.users, beside.users, one.users] == [(one,), (two,), (two,)]
