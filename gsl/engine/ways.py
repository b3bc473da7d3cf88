"""Ways from nodes to the roots of matches that they may be part of, compiled to Python source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from gsl.attr.code import Code
from gsl.engine.index import Heads, Memo
from gsl.graph import Head, Node

FEW = 8
"""So many users of a shared node are visited at once; more are put off, to be visited once."""


@dataclass(frozen=True, slots=True)
class Up:
    """A step to the users of a node, of which it has at most so many in a match (None: any)."""

    most: int | None
    heads: Heads


@dataclass(frozen=True, slots=True)
class Down:
    """A step to one operand of a node, or to all of them."""

    position: int | None


@dataclass(frozen=True, slots=True)
class Anywhere:
    """A step to all nodes of some heads, from patterns too far from the root to find a way."""

    heads: Heads


Step = Up | Down | Anywhere
Way = tuple[Step, ...]


class Ways:
    """Ways from nodes of one head to roots, with what they have in common at first once.

    `follow` adds to a list where they lead from a node, except that they may have `arrived` there;
    it is compiled when it is first called, so nothing is added to the ways from then on. It calls
    others no deeper than a way is long. From a `shared` node, to which a step down has led, they
    lead on to other users only.
    """

    __slots__ = ("arrived", "follow", "shared", "steps")

    follow: Follow

    def __init__(self, shared: bool = False) -> None:
        self.arrived = False
        self.shared = shared
        self.steps: dict[Step, Ways] = {}
        self.follow = self._first

    def add(self, way: Way) -> None:
        """Add a way."""
        ways = self
        for step in way:
            ways = ways._after(step)
        ways.arrived = True

    def _after(self, step: Step) -> Ways:
        return self.steps.setdefault(step, Ways(shared=type(step) is Down))

    @property
    def leads_across(self) -> bool:
        """Whether all steps lead to users, so that a shared node needs several."""
        return all(type(step) is Up for step in self.steps)

    def _first(self, node: Node, found: list[Reached]) -> None:
        self.follow = _compiled(self)
        self.follow(node, found)

    def lead(self, node: Node, found: list[Reached]) -> None:
        """Add to `found` where the ways lead from a node, itself included."""
        if self.arrived:
            found.append(node)
        follow = self.follow
        follow(node, found)

    def to_users(self, most: set[int | None], head: Head) -> Follow | None:
        """Return the ways on from users of a head, all as one, of nodes that have so many."""
        merged = Ways()
        for step, ways in self.steps.items():
            if type(step) is Up and step.most in most and head in step.heads:
                merged.take_in(ways)
        return _compiled(merged, arrives=True) if merged.arrived or merged.steps else None

    def take_in(self, other: Ways) -> None:
        """Add the ways of `other`."""
        self.arrived = self.arrived or other.arrived
        for step, ways in other.steps.items():
            self._after(step).take_in(ways)

    def put_off(self, node: Node) -> list[PutOff]:
        """Return the ways to users of a node, whatever their number, to be followed later."""
        steps = self.steps.items()
        return [PutOff(node, s.heads, w) for s, w in steps if type(s) is Up and s.most is None]


@dataclass(frozen=True, slots=True)
class PutOff:
    """Users of a node that are too many to be visited after every rewrite beside them."""

    node: Node
    heads: Heads
    ways: Ways


Reached = Node | PutOff | Anywhere
"""What a way leads to: a node that may be a root, or a way on that is put off."""

Follow = Callable[[Node, list[Reached]], None]
"""Adds to a list where ways lead from a node."""


def _compiled(ways: Ways, arrives: bool = False) -> Follow:
    """Write what follows ways from a node, which is itself added when they `arrive` there."""
    code = Code()
    code.line("found.append(node)" if arrives and ways.arrived else "pass")
    anywhere = [step for step in ways.steps if type(step) is Anywhere]
    if anywhere:
        code.line(f"found += {code.constant(anywhere)}")
    _write_up(code, ways)
    _write_down(code, ways)
    return code.function("(node, found)", "ways")


def _write_up(code: Code, ways: Ways) -> None:
    """Write the steps to users; a node with one user is most frequent and has them all at once."""
    most = dict.fromkeys(step.most for step in ways.steps if type(step) is Up)
    if not most:
        return
    code.line("users = node.users")
    code.line("count = len(users)")
    if ways.shared:
        code.open("if count > 1:")
    else:
        code.open("if count == 1 and not node.output_count:")
        code.line("user = users[0]")
        _write_user(code, ways, {*most})
        code.depth -= 1
        code.open("else:")
    code.line("pass")
    if None in most:
        code.line(f"if count > {FEW}: found += {code.constant(ways.put_off)}(node)")
    for number in reversed(most):
        _write_users(code, ways, number)
    code.depth -= 1


def _write_users(code: Code, ways: Ways, most: int | None) -> None:
    """Write the steps to users of nodes that have at most so many, but not a single one."""
    if most == 1:
        return
    limit = f"count <= {FEW}" if most is None else f"count <= {most} and not node.output_count"
    code.open(f"if {limit}:")
    code.open("for user in reversed(users):")
    _write_user(code, ways, {most})
    code.depth -= 2


def _write_user(code: Code, ways: Ways, most: set[int | None]) -> None:
    onwards = code.constant(Memo[Head, "Follow | None"](partial(ways.to_users, most)))
    code.line(f"onwards = {onwards}[user.head]")
    code.line("if onwards is not None: onwards(user, found)")


def _write_down(code: Code, ways: Ways) -> None:
    """Write the steps to operands; where a match goes on beside them they need another user."""
    downs = [(step, ways.steps[step]) for step in reversed(ways.steps) if type(step) is Down]
    if downs:
        code.line("operands = node.operands")
    for step, onwards in downs:
        if step.position is None:
            code.open("for operand in reversed(operands):")
        else:
            code.open(f"if len(operands) > {step.position}:")
            code.line(f"operand = operands[{step.position}]")
        if onwards.arrived:
            code.line("found.append(operand)")
        if onwards.leads_across:
            code.open("if len(operand.users) > 1:")
        code.line(f"follow = {code.constant(onwards)}.follow; follow(operand, found)")
        code.depth = 1
